"""The store: cells are whole or absent, prove what they are, and outlive every death of their writers."""

import errno
import fcntl
import importlib.metadata
import os
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

from derivations.sweeps import cells
from derivations.sweeps.cells import DATA, META, DamagedError
from derivations.sweeps.locks import held
from derivations.sweeps.store import Store, answers
from sim.training.backends import names
from tests.derivations.sweeps.cases import (
    CODE,
    FACTS,
    ROOT,
    WRITER,
    arrays,
    contents,
    flip,
    questions,
    started,
    sweep_of,
    the_cell,
)
from theory.problem import InputError

KILLS = 150
CELLS = 40


def test_what_is_written_is_read(store):
    meta, found = store.read(the_cell(store).name)
    assert meta.items() >= FACTS.items()
    assert {name: value.dtype for name, value in found.items()} == {n: a.dtype for n, a in arrays(0).items()}
    assert all(np.array_equal(found[name], value) for name, value in arrays(0).items())
    assert store.meta("0" * 64) is None


def test_equal_results_have_equal_bytes(store, tmp_path):
    other = Store.create(tmp_path / "other")
    (asked,) = questions(1)
    other.write(asked.cell(CODE), asked, CODE, dict(reversed(arrays(0).items())), FACTS)
    assert contents(other.folder) == contents(store.folder)


def test_the_name_depends_on_all_that_is_asked_and_on_the_code():
    (asked,) = questions(1)
    others = [
        cells.Question(asked.problem + "#", asked.observables, asked.seed),
        cells.Question(asked.problem, ("loss",), asked.seed),
        cells.Question(asked.problem, asked.observables, asked.seed + 1),
    ]
    names = {asked.cell(CODE), asked.cell(CODE + "1"), *(other.cell(CODE) for other in others)}
    assert len(names) == 5
    assert len({asked.key, *(other.key for other in others)}) == 4


def test_a_cell_under_another_name_is_noticed(store):
    other = store.place("0" * 64)
    the_cell(store).rename(other)
    with pytest.raises(DamagedError, match="another question"):
        store.meta(other.name)


def test_what_is_set_aside_is_kept(store):
    place = the_cell(store)
    for _ in range(2):
        flip(place / DATA)
        aside = store.set_aside(place.name)
        assert (aside / "cell" / META).is_file()
        assert store.meta(place.name) is None
        (asked,) = questions(1)
        store.write(place.name, asked, CODE, arrays(0), FACTS)


@pytest.mark.parametrize("step", ["write_array", "fsync", "rename"])
def test_a_full_disk_leaves_nothing_of_the_cell(store, monkeypatch, step):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = {"write_array": np.lib.format, "fsync": os, "rename": cells.Path}[step]
    asked = questions(2)[1]
    with monkeypatch.context() as patch:
        patch.setattr(target, step, full)
        with pytest.raises(OSError, match="No space left"):
            store.write(asked.cell(CODE), asked, CODE, arrays(1), FACTS)
    assert [item.name for item in store.place("").iterdir()] == [the_cell(store).name]
    store.write(asked.cell(CODE), asked, CODE, arrays(1), FACTS)
    assert len(store.names()) == 2


# Runs `round_` in a process of its own for each round and checks what its death leaves. A fork of a process without
# threads takes milliseconds, where a new interpreter takes half a second.
FORKS = """
import os, pathlib, random, shutil, signal, sys, time
from derivations.sweeps.store import Store, answers
from sim.training.backends import names
from tests.derivations.sweeps.cases import contents, write_all
root, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
write_all(root / "whole", count)
expected, deaths = contents(root / "whole"), 0

def in_a_fork(body, kill=None):
    child = os.fork()
    if child == 0:
        body()
        os._exit(0)
    if kill is not None:
        time.sleep(kill)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def sound(folder, before):
    found = contents(folder) if (folder / "cells").exists() else {}
    assert before.items() <= found.items() <= expected.items()
    store = Store.create(folder)
    assert all(store.meta(name) for name in store.names())
    assert not [item for item in store.place("").iterdir() if item.name.startswith(".")]
    assert not list((folder / "locks").iterdir())
    return found
"""
# Dies at the k-th of the calls that change the disk, before or after it.
STEPS = """
def deadly(function, left, when):
    def call(*words, **named):
        left[0] -= 1
        if left[0] == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = function(*words, **named)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer
    return call

for when in ("before", "after"):
    for step in range(1, 100):
        folder = root / f"{when}{step}"
        def body():
            left = [step]
            for name in ("open", "fsync", "rename", "replace", "mkdir", "chmod", "unlink"):
                setattr(os, name, deadly(getattr(os, name), left, when))
            write_all(folder, count)
        code = in_a_fork(body)
        sound(folder, {})
        shutil.rmtree(folder)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        deaths += 1
    else:
        raise AssertionError("it never ended")
print(deaths)
"""
MOMENTS = """
rng, folder, found = random.Random(0), root / "killed", {}
for _ in range(int(sys.argv[3])):
    if len(found) == count:
        shutil.rmtree(folder)
        found = {}
    deaths += in_a_fork(lambda: write_all(folder, count), rng.uniform(0, 0.02)) == -signal.SIGKILL
    if folder.exists():
        found = sound(folder, found)
write_all(folder, count)
assert sound(folder, found) == expected
print(deaths)
"""


def deaths_of(program, *words):
    """The counts of a program that kills its forks."""
    running = started(FORKS + program, *words)
    counted, said = running.communicate()
    assert (running.returncode, said) == (0, "")
    return int(counted)


def test_death_at_every_step_of_a_write(tmp_path):
    """SIGKILL before and after each call that changes the disk, from the making of the store on."""
    assert deaths_of(STEPS, tmp_path, 2) >= 40


def test_death_at_random_moments_loses_only_what_was_being_written(tmp_path):
    assert deaths_of(MOMENTS, tmp_path, CELLS, KILLS) > KILLS / 2


def test_many_writers_at_once_write_each_cell_once(tmp_path):
    running = [started(WRITER, tmp_path / "store", CELLS) for _ in range(4)]
    assert [(*process.communicate(), process.returncode) for process in running] == [("", "", 0)] * 4
    Store.create(tmp_path / "store")
    assert len(contents(tmp_path / "store")) == CELLS
    assert not [item for item in (tmp_path / "store" / "cells").iterdir() if item.name.startswith(".")]


def test_a_lock_has_one_holder_and_leaves_no_file(tmp_path):
    path = tmp_path / "lock"
    with held(path) as first, held(path) as second:
        assert (first, second) == (True, False)
    assert not path.exists()
    with held(path) as again:
        assert again
    with pytest.raises(ZeroDivisionError), held(path):
        _ = 1 / 0
    assert not path.exists()


def test_a_lock_whose_file_its_last_holder_has_just_removed_excludes_nobody(tmp_path, monkeypatch):
    path, flock, removed = tmp_path / "lock", fcntl.flock, []

    def late(*words):
        if not removed:
            removed.append(path.unlink())  # between the opening of the file and its lock
        return flock(*words)

    monkeypatch.setattr(fcntl, "flock", late)
    with held(path) as first, held(path) as second:
        assert (first, second) == (True, False)


def test_a_dead_holders_lock_is_free(tmp_path):
    program = (
        "import sys, time, pathlib\nfrom derivations.sweeps.locks import held\nwith held(pathlib.Path(sys.argv[1]))"
    )
    running = started(program + " as mine:\n    print(mine, flush=True)\n    time.sleep(60)", tmp_path / "lock")
    assert running.stdout.readline() == "True\n"
    with held(tmp_path / "lock") as mine:
        assert not mine
    running.kill()
    running.communicate()
    with held(tmp_path / "lock") as mine:
        assert mine


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(store):
    dead, alive = (store.place("").joinpath(f".{digit * 64}.x") for digit in "ab")
    for folder in (dead, alive):
        folder.mkdir()
        (folder / DATA).write_bytes(b"half")
    with store.lock("b" * 64) as mine:
        assert mine
        assert store.is_locked("b" * 64)
        assert store.remove_leftovers() == 1
        assert (dead.exists(), alive.exists()) == (False, True)
    assert not store.is_locked("b" * 64)
    assert store.remove_leftovers() == 1
    assert len(store.names()) == 1


def test_only_a_store_is_opened_and_nothing_else_becomes_one(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.tex").write_text("x")
    cases = [
        (Store.create, full, "holds other files"),
        (Store.create, full / "thesis.tex", "is a file"),
        (Store.create, tmp_path / "absent" / "store", "does not exist"),
        (Store.open, full, "holds no store.json"),
        (Store.open, tmp_path / "absent", "is not there"),
    ]
    for way, folder, said in cases:
        with pytest.raises(InputError, match=said):
            way(folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["full", "thesis.tex"]


@pytest.mark.parametrize(("text", "said"), [('{"schema": "gdln.store/2"}', "gdln.store/2"), ("[", "cannot be read")])
def test_a_store_of_another_version_is_left_alone(store, text, said):
    (store.folder / "store.json").write_text(text)
    before = sorted(store.folder.rglob("*"))
    for way in (Store.open, Store.create):
        with pytest.raises(InputError, match=said):
            way(store.folder)
    assert sorted(store.folder.rglob("*")) == before


def test_the_code_version_changes_with_the_sources():
    program = "from derivations.sweeps.cells import code_version\nprint(code_version())"
    assert started(program).communicate()[0].strip() == cells.code_version()
    plant = "import pathlib\nread = pathlib.Path.read_bytes\n"
    plant += "pathlib.Path.read_bytes = lambda self: read(self) + (b'#' if self.name == 'train.py' else b'')\n"
    assert started(plant + program).communicate()[0].strip() != cells.code_version()


def test_the_code_version_names_the_back_end_and_its_versions(monkeypatch):
    """Equal numbers need an equal back end: another device, torch or numba, or none, makes another cell."""
    (asked,) = questions(1)
    here = cells.code_version("cpu")
    assert f"+{names.preferred('cpu')}+torch-{version('torch')}" in here
    assert "+captured+torch-" in cells.code_version("cuda")
    codes = [here, cells.code_version("cuda")]
    monkeypatch.setattr(importlib.metadata, "version", lambda package: "9.9")
    codes.append(cells.code_version("cpu"))
    monkeypatch.setattr(names, "numba_is_installed", lambda: False)
    codes.append(cells.code_version("cpu"))
    assert "+reference+torch-9.9" in codes[-1]
    assert "numba" not in codes[-1]
    expected = 4 if "numba" in here else 3
    assert len(set(codes)) == len({asked.cell(code) for code in codes}) == expected


def test_a_cell_of_a_code_without_a_back_end_is_read_and_not_taken_for_one_of_this_code(store):
    """Cells of earlier versions carry the package version and the hash of its sources alone, as CODE does."""
    sweep = sweep_of()
    asked = cells.question(sweep.cells[0].problem, sweep.observables)
    store.write(asked.cell(CODE), asked, CODE, arrays(1), FACTS)
    code, found = answers(store, sweep)
    assert (code, len(list(found))) == (CODE, 1)
    here = cells.code_version("cpu")
    assert list(answers(store, sweep, here)[1]) == []
    store.write(asked.cell(here), asked, here, arrays(2), FACTS)
    code, found = answers(store, sweep)
    ((_, meta, held),) = found
    assert (code, meta["code"]) == (here, here)
    assert (held["loss"] == arrays(2)["loss"]).all()


def test_the_store_needs_no_torch():
    program = "import sys, derivations.sweeps.store\nassert not {'torch', 'xarray', 'sympy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
