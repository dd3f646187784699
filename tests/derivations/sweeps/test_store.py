"""The store: cells are whole or absent, prove what they are, and outlive every death of their writers."""

import errno
import os
from importlib.metadata import version

import numpy as np
import pytest

from derivations.sweeps import cells
from derivations.sweeps.leases import MADE
from derivations.sweeps.store import Store
from sim.training.backends import names
from tests.derivations.sweeps.cases import (
    CODE,
    FACTS,
    WRITER,
    arrays,
    contents,
    put,
    questions,
    started,
    the_cell,
)
from theory.problem import InputError

CELLS = 12


def test_what_is_written_is_read(store):
    meta, found = store.read(the_cell(store).name)
    assert meta.items() >= FACTS.items()
    assert {name: value.dtype for name, value in found.items()} == {n: a.dtype for n, a in arrays(0).items()}
    assert all(np.array_equal(found[name], value) for name, value in arrays(0).items())
    assert store.meta("0" * 64) is None


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


def test_a_full_disk_leaves_nothing_of_the_cell(store, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    asked = questions(2)[1]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            put(store, asked, CODE, 1)
    assert [item.name for item in store.place("").iterdir()] == [the_cell(store).name]
    assert [list((store.folder / room).iterdir()) for room in ("attempts", "leases")] == [[], []]
    assert put(store, asked, CODE, 1) == MADE


def test_many_writers_at_once_write_each_cell_once(tmp_path):
    running = [started(WRITER, tmp_path / "store", CELLS) for _ in range(2)]
    assert [(*process.communicate(), process.returncode) for process in running] == [("", "", 0)] * 2
    Store.create(tmp_path / "store")
    assert len(contents(tmp_path / "store")) == CELLS
    assert not list((tmp_path / "store" / "attempts").iterdir())


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
    program = "import pathlib\nread = pathlib.Path.read_bytes\n"
    program += "pathlib.Path.read_bytes = lambda self: read(self) + (b'#' if self.name == 'train.py' else b'')\n"
    program += "from derivations.sweeps.cells import code_version\nprint(code_version())"
    assert started(program).communicate()[0].strip() not in ("", cells.code_version())


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
