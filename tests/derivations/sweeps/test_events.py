"""A hundred events that hit a sweep: whatever stops, dies, fills the disk or damages a file, its table is the same."""

import json
import os
import random
import resource
import signal
import time
from contextlib import suppress

import pytest

from derivations.output import CHECK_FAILED, INTERRUPTED, PASS, UNDECIDED
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import TEXT, computed, contents, flip, sweep_of
from tests.derivations.sweeps.forked import Forked

EVENTS, CELLS = 100, 12
# Long enough to be hit, short enough for a hundred events.
SHORT = TEXT.replace("times = [0.5, 2.0]", "times = [0.5, 40000.0]").replace(
    '"data.gain" = [0.5, 2.0]', '"data.gain" = [1]'
)
SHORT = SHORT.replace("[1, 2]", str([*range(CELLS)]))


def worker(process, store):
    """A process that computes a cell now, or the command itself."""
    for file in (store / "attempts").glob("[!.]*.json"):
        with suppress(OSError, ValueError):
            note = json.loads(file.read_text())
            if note["seconds"] is None and os.path.exists(f"/proc/{note['process']}"):
                return note["process"]
    return process.pid


def send(number, to):
    """An event: a signal to the command, or to a worker of it."""

    def happen(process, store):
        with suppress(ProcessLookupError):
            os.kill(process.pid if to == "command" else worker(process, store), number)

    return happen


def stand_still(process, store):
    """A process that stands still for a while."""
    number = worker(process, store)
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGSTOP)
        time.sleep(0.1)
        os.kill(number, signal.SIGCONT)


def full_disk(process, store):
    """No file may grow for a while."""
    number = worker(process, store)
    with suppress(ProcessLookupError):
        before = resource.prlimit(number, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        time.sleep(0.1)
        resource.prlimit(number, resource.RLIMIT_FSIZE, before)


def unmounted(_process, store):
    """The cells are not there for a while."""
    with suppress(OSError):
        (store / "cells").rename(store / "away")
        time.sleep(0.05)
        for file in (store / "cells").glob("*") if (store / "cells").exists() else ():
            file.rename(store / "away" / file.name)
        if (store / "cells").exists():
            (store / "cells").rmdir()
        (store / "away").rename(store / "cells")


def damaged(_process, store):
    """A bit of a finished cell changes."""
    if cells := sorted((store / "cells").glob("[!.]*.npz")):
        flip(cells[0])


def purged(_process, store):
    """Checkpoints and notes go."""
    for file in [*(store / "checkpoints").glob("*"), *(store / "attempts").glob("*")]:
        file.unlink(missing_ok=True)


HAPPENINGS = {
    "kill -9 of the command": send(signal.SIGKILL, "command"),
    "kill -9 of a worker": send(signal.SIGKILL, "worker"),
    "SIGTERM": send(signal.SIGTERM, "command"),
    "SIGTERM of a worker": send(signal.SIGTERM, "worker"),
    "SIGINT": send(signal.SIGINT, "command"),
    "SIGUSR2": send(signal.SIGUSR2, "command"),
    "SIGUSR2 of a worker": send(signal.SIGUSR2, "worker"),
    "stop and continue": stand_still,
    "full disk": full_disk,
    "disk away": unmounted,
    "damage": damaged,
    "purge": purged,
}


# A signal that comes before the command listens ends it; a cell that an event hit twice has failed for this run.
ENDS = {PASS, CHECK_FAILED, UNDECIDED, INTERRUPTED} | {
    -number for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGUSR2)
}


@pytest.mark.slow
def test_a_hundred_events_change_no_bit(tmp_path):
    expected = contents(computed(tmp_path / "whole", sweep_of(SHORT)).folder)
    (tmp_path / "sweep.toml").write_text(SHORT)
    store, order, done = tmp_path / "store", random.Random(0), 0
    words = ("sweep", tmp_path / "sweep.toml", "--workers", 2)
    while done < EVENTS:
        process = Forked(*words)
        while process.poll() is None and done < EVENTS:
            time.sleep(order.uniform(0.02, 0.3))
            if (store / "attempts").is_dir():
                name = [*HAPPENINGS][done % len(HAPPENINGS)]
                HAPPENINGS[name](process, store)
                done += 1
        out, err = process.communicate()
        assert process.returncode in ENDS, (out, err)
        assert b"Traceback" not in err, err.decode()
        if contents(store) == expected:
            for file in sorted((store / "cells").glob("*.npz"))[::2]:
                file.unlink()
    last = Forked(*words)
    assert (last.communicate()[1], last.returncode) == (b"", PASS)
    assert contents(store) == expected
    assert Store.open(store).table() == Store.open(tmp_path / "whole").table()
