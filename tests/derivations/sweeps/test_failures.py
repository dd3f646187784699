"""Failures at cells: seen from anywhere, forgotten when the cell is there, and tried again by a rule."""

import errno
import os
from itertools import count
from threading import Event

import pytest

from derivations.sweeps import cells, running, workers
from derivations.sweeps.disk import Disk
from derivations.sweeps.failures import failure
from derivations.sweeps.leases import beat, beating, evict, share_of
from derivations.sweeps.leaving import Orders
from derivations.sweeps.owners import Watch, host_of, new_token
from derivations.sweeps.running import code_of, status
from derivations.sweeps.store import Store
from derivations.sweeps.workers import FAILED, Answer, Job
from tests.derivations.sweeps.cases import CODE, FACTS, arrays, dead_token, put, questions, sweep_of
from theory.problem import OutOfReachError

ERROR = {"kind": "memory", "message": "Too large.", "hint": "Use less.", "exit_code": 4}


def failed_at(store, cell, **changes):
    """Record a failure of this process; return its token."""
    token = new_token()
    store.note_failure(cell, failure(token, CODE, ERROR | changes))
    return token


@pytest.fixture
def small(tmp_path):
    """The store of the small sweep without cells, and the id of its first cell."""
    sweep, store = sweep_of(), Store.create(tmp_path / "store")
    return store, cells.question(sweep.cells[0].problem, sweep.observables).cell(cells.code_version())


def first(store):
    """The outcome of the small sweep's first cell, as anybody sees it."""
    return status(sweep_of(), store.folder, code_of("cpu")).outcomes[0]


def test_a_failure_is_seen_by_who_reads_the_store(small):
    store, cell = small
    token = failed_at(store, cell)
    outcome = first(Store.open(store.folder))
    assert (outcome.state, outcome.maker) == (running.UNREACHABLE, host_of(token))
    assert outcome.error.items() >= {"kind": "memory", "message": "Too large.", "hint": "Use less."}.items()
    assert outcome.error["when"].endswith("+00:00")
    assert store.failure(cell).code == CODE


def test_the_last_failure_counts_and_nothing_is_left_beside_it(small):
    store, cell = small
    failed_at(store, cell)
    failed_at(store, cell, message="Other.", exit_code=1)
    assert (first(store).state, first(store).error["message"]) == (running.FAILED, "Other.")
    assert os.listdir(store.folder / "failures") == [cell]


def test_a_cell_that_is_made_forgets_its_failure(store):
    asked = questions(2)[1]
    name = asked.cell(CODE)
    failed_at(store, name)
    put(store, asked, CODE, 1)
    assert store.failure(name) is None


def test_a_failure_that_is_noted_beside_a_cell_says_nothing(small):
    """Its process was slower than the one that made the cell."""
    store, cell = small
    sweep = sweep_of()
    put(store, cells.question(sweep.cells[0].problem, sweep.observables), cells.code_version(), 0)
    failed_at(store, cell)
    assert first(store).state == cells.COMPLETE
    store.remove_leftovers()
    assert os.listdir(store.folder / "failures") == []


def test_who_works_on_a_failed_cell_is_at_work(small):
    store, cell = small
    failed_at(store, cell)
    lease = store.folder / "leases" / cell
    lease.mkdir()
    (lease / f"node07-{'0' * 12}-12-34-{'0' * 12}.3-42").touch()
    assert (first(store).state, first(store).maker, first(store).share) == (running.IN_WORK, "node07", 0.42)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"schema": "gdln.failure/1"}', "edited"])
def test_a_record_that_cannot_be_read_is_a_failure_that_says_so(small, content):
    store, cell = small
    failed_at(store, cell)
    file = store.folder / "failures" / cell
    file.write_text(file.read_text().replace("Too large", "Too small") if content == "edited" else content)
    assert first(store).state == running.FAILED
    assert "cannot be read" in first(store).error["message"]


def test_records_that_dead_processes_did_not_finish_go(store):
    dead, alive = dead_token(), new_token()
    for token in (dead, alive):
        (store.folder / "failures" / f".{token}").touch()
    store.remove_leftovers()
    assert os.listdir(store.folder / "failures") == [f".{alive}"]


def test_a_full_disk_keeps_no_record_and_hides_no_failure(store, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        failed_at(store, "f" * 64)
    assert os.listdir(store.folder / "failures") == []


def made(store, job, monkeypatch, error=None, compute=None):
    """Let this process be a worker that makes the job's cell, where `error` happens."""

    def make(*_):
        if error is not None:
            raise error
        return (arrays(0), FACTS) if compute is None else compute()

    monkeypatch.setattr("derivations.sweeps.making.make", make)
    workers._opened.cache_clear()
    return workers._make(job, str(store.folder), "cpu", lambda _done, _total: None, Orders())[:2]


@pytest.fixture
def job(small):
    """The job of the first cell."""
    sweep = sweep_of()
    asked = cells.question(sweep.cells[0].problem, sweep.observables)
    return Job(asked.cell(cells.code_version()), asked, cells.code_version())


ERRORS = {
    "a user's": (OutOfReachError("Too many.", "Fewer."), "Too many.", 4),
    "the disk's": (OSError(errno.EDQUOT, "Quota exceeded"), "Quota exceeded.", 1),
    "memory": (MemoryError(), "does not fit into memory", 4),
    "the GPU's memory": (RuntimeError("CUDA out of memory. Tried"), "does not fit into memory", 4),
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_worker_leaves_the_reason_in_the_store(small, job, monkeypatch, name):
    store, cell = small
    error, said, code = ERRORS[name]
    what, why = made(store, job, monkeypatch, error)
    assert (what, why["exit_code"]) == (FAILED, code)
    found = store.failure(cell)
    assert said in found.message
    assert (found.message, found.hint, found.exit_code, found.code) == (why["message"], why["hint"], code, job.code)
    assert os.listdir(store.folder / "leases") == []


def test_a_fault_of_the_workbench_is_recorded_and_ends_the_process(small, job, monkeypatch):
    store, cell = small
    with pytest.raises(ZeroDivisionError):
        made(store, job, monkeypatch, ZeroDivisionError("by what?"))
    assert store.failure(cell).kind == "fault"
    assert "ZeroDivisionError: by what?" in store.failure(cell).message


def test_a_worker_that_ends_is_no_failure(small, job, monkeypatch):
    """A parent that has left, or an interrupt, says nothing of the cell."""
    store, cell = small
    for end in (SystemExit(1), KeyboardInterrupt()):
        with pytest.raises(type(end)):
            made(store, job, monkeypatch, end)
    assert store.failure(cell) is None
    assert os.listdir(store.folder / "leases") == []


def test_a_failure_that_was_known_is_tried_again_and_one_that_came_since_is_not(small, job, monkeypatch):
    """So that a cell that always fails is tried once for each start, and once by all workers that start together."""
    store, cell = small
    token = failed_at(store, cell)
    tries = []

    def compute():
        tries.append(cell)
        return arrays(0), FACTS

    what, why = made(store, job, monkeypatch, compute=compute)
    assert (what, why["message"], tries) == (FAILED, "Too large.", [])
    what, _ = made(store, Job(cell, job.asked, job.code, failed=token), monkeypatch, compute=compute)
    assert (what, tries) == ("made", [cell])
    assert store.failure(cell) is None


def test_a_worker_that_was_evicted_while_it_wrote_leaves_no_failure(small, job, monkeypatch):
    """It stood still for longer than the patience, after it wrote meta.json and before it read it again."""
    store, cell = small
    other, calls, sync = Store(store.folder, Watch(patience=0)), [], cells._sync

    def stall(file):
        sync(file)
        calls.append(file.name)
        if len(calls) == 2:
            assert [evict(other._disk, cell, new_token, other.watch) for _ in range(2)] == [False, True]

    monkeypatch.setattr(cells, "_sync", stall)
    assert made(store, job, monkeypatch) == ("busy", None)
    assert [os.listdir(store.folder / room) for room in ("failures", "attempts", "cells")] == [[], [], []]
    assert made(store, job, monkeypatch) == ("made", None)


def test_a_failure_at_a_cell_that_another_has_made_is_none(small, job):
    store, _ = small
    put(store, job.asked, job.code, 0)
    outcome = running._became(Answer(job, FAILED, ERROR), sweep_of().cells[0], store, running.Memory())
    assert (outcome.state, outcome.source) == (cells.COMPLETE, "elsewhere")


def test_a_start_knows_the_failures_before_it_and_comes_to_them_last(small, monkeypatch):
    store, cell = small
    token = failed_at(store, cell)
    given = []

    def work(jobs, *_):
        given.extend(jobs)
        yield from ()

    monkeypatch.setattr(running, "work", work)
    running.run(sweep_of(), store.folder, "cpu", 1, lambda _share, _what: None)
    assert [one.failed for one in given] == [None, None, None, token]
    assert given[-1].cell == cell


def test_a_heartbeat_carries_the_share(store):
    disk, token = store._disk, new_token()
    cell = "e" * 64
    disk.make(f"leases/{cell}")
    disk.touch(f"leases/{cell}/{token}.0")
    name = beat(disk, cell, f"{token}.0", 0.426)
    assert (name, share_of(name), store.maker(cell)) == (f"{token}.1-42", 0.42, (token, 0.42))
    name = beat(disk, cell, name)
    assert (name, store.maker(cell)) == (f"{token}.2", (token, None))
    assert beat(disk, cell, f"{token}.0-7", 0.5) == name
    disk.unlink(f"leases/{cell}/{name}")
    disk.touch(f"leases/{cell}/{new_token()}.2")
    assert beat(disk, cell, name, 0.5) is None  # evicted: another's name is there


@pytest.mark.parametrize("number", [errno.EIO, errno.ETIMEDOUT])
def test_a_heart_goes_on_after_a_lost_reply(store, number):
    """The server made the change and its answer was an error; the share has moved on by the next beat."""
    token, beaten, shares = new_token(), Event(), count()

    class LossyDisk(Disk):
        moved = 0

        def move(self, source, target):
            super().move(source, target)
            LossyDisk.moved += 1
            if LossyDisk.moved == 1:
                raise OSError(number, os.strerror(number))
            if LossyDisk.moved == 3:
                beaten.set()

    disk, cell = LossyDisk(store.folder), "e" * 64
    disk.make(f"leases/{cell}")
    disk.touch(f"leases/{cell}/{token}.0")
    with beating(disk, cell, token, 0.001, lambda: next(shares) % 100 / 100):
        assert beaten.wait(timeout=60)


def test_the_share_of_a_cell_in_work_is_seen(store):
    watched = Store(store.folder, Watch(beat=0.001))
    asked, seen = questions(2)[1], []
    cell = asked.cell(CODE)

    def compute():
        for _ in range(100_000):
            if (maker := store.maker(cell)) is not None and maker[1] is not None:
                seen.append(maker[1])
                break
        return arrays(1), FACTS

    watched.make(cell, asked, CODE, compute, lambda: 0.43)
    assert seen == [0.43]


def test_a_lease_without_a_sign_of_life_is_no_work(store):
    cell, far = "d" * 64, f"far-{'0' * 12}-1-1-{'0' * 12}"
    (store.folder / "leases" / cell).mkdir()
    (store.folder / "leases" / cell / f"{far}.7-10").touch()
    watching = Store(store.folder, Watch(patience=0))
    assert watching.maker(cell) == (far, 0.1)  # seen for the first time
    assert watching.maker(cell) is None
