"""The store: cells are whole or absent, prove what they are, and outlive every death of their writers."""

import errno
import os
import shutil
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

from derivations.sweeps import cells
from derivations.sweeps.cells import DamagedError
from derivations.sweeps.leases import MADE
from derivations.sweeps.store import Store
from sim.training.backends import names
from tests.derivations.sweeps.cases import (
    CODE,
    FACTS,
    ROOT,
    WRITER,
    arrays,
    contents,
    put,
    questions,
    started,
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
    other.make(asked.cell(CODE), asked, CODE, lambda: (dict(reversed(arrays(0).items())), FACTS))
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


@pytest.mark.parametrize("step", ["write_array", "fsync", "mkdir"])
def test_a_full_disk_leaves_nothing_of_the_cell(store, monkeypatch, step):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    asked = questions(2)[1]
    with monkeypatch.context() as patch:
        patch.setattr(np.lib.format if step == "write_array" else os, step, full)
        with pytest.raises(OSError, match="No space left"):
            put(store, asked, CODE, 1)
    assert [item.name for item in store.place("").iterdir()] == [the_cell(store).name]
    assert [list((store.folder / room).iterdir()) for room in ("attempts", "leases")] == [[], []]
    assert put(store, asked, CODE, 1) == MADE


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
    assert not list((folder / "leases").iterdir())
    assert not list((folder / "attempts").iterdir())
    return found
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


def test_death_at_random_moments_loses_only_what_was_being_written(tmp_path):
    assert deaths_of(MOMENTS, tmp_path, CELLS, KILLS) > KILLS / 2


def test_many_writers_at_once_write_each_cell_once(tmp_path):
    running = [started(WRITER, tmp_path / "store", CELLS) for _ in range(4)]
    assert [(*process.communicate(), process.returncode) for process in running] == [("", "", 0)] * 4
    Store.create(tmp_path / "store")
    assert len(contents(tmp_path / "store")) == CELLS
    assert not list((tmp_path / "store" / "attempts").iterdir())


def test_a_store_that_has_gone_is_not_made_again(store):
    shutil.rmtree(store.folder)
    for absent in (True, False):
        if not absent:
            store.folder.mkdir()  # the mount point of a disk that was unmounted
        with pytest.raises(InputError, match="is no store of sweeps"):
            put(store, questions(2)[1], CODE, 1)
    assert os.listdir(store.folder) == []


def test_only_a_store_is_opened_and_nothing_else_becomes_one(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.tex").write_text("x")
    cases = [
        (Store.create, full, "holds other files"),
        (Store.create, full / "thesis.tex", "is a file"),
        (Store.create, tmp_path / "absent" / "store", "does not exist"),
        (Store.open, full, "holds no store.json"),
        (Store.open, full / "thesis.tex", "is no folder"),
        (Store.open, tmp_path / "absent", "is not there"),
    ]
    for way, folder, said in cases:
        with pytest.raises(InputError, match=said):
            way(folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["full", "thesis.tex"]


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
    monkeypatch.setattr(cells, "versions_of", lambda name: dict.fromkeys(names.PACKAGES[name], "9.9"))
    codes.append(cells.code_version("cpu"))
    monkeypatch.setattr(names, "numba_is_installed", lambda: False)
    codes.append(cells.code_version("cpu"))
    assert "+reference+torch-9.9" in codes[-1]
    assert "numba" not in codes[-1]
    expected = 4 if "numba" in here else 3
    assert len(set(codes)) == len({asked.cell(code) for code in codes}) == expected


def test_the_store_needs_no_torch():
    program = "import sys, derivations.sweeps.store\nassert not {'torch', 'xarray', 'sympy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
