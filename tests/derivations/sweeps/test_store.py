"""The store: cells are whole or absent, prove what they are, and have the same bytes whoever computed them."""

import errno
import io
import os
import subprocess
import sys
import zipfile
from importlib.metadata import version

import numpy as np
import pytest

from derivations.sweeps import cells
from derivations.sweeps import store as store_module
from derivations.sweeps.cells import DamagedError
from derivations.sweeps.computing import DONE, FAILED, PRESENT, Task, compute
from derivations.sweeps.orders import Orders
from derivations.sweeps.store import Store, patiently
from sim.training.backends import names
from tests.derivations.sweeps.cases import CODE, FACTS, arrays, contents, flip, put, questions
from tests.paths import ROOT
from theory.problem import InputError, OutOfReachError


def the_cell(store):
    """The id of the only cell."""
    (name,) = store.names()
    return name


def test_what_is_written_is_read(store):
    meta, numbers = store.read(the_cell(store))
    assert meta.items() >= FACTS.items()
    assert {name: value.dtype for name, value in numbers.items()} == {n: a.dtype for n, a in arrays(0).items()}
    assert all(np.array_equal(numbers[name], value) for name, value in arrays(0).items())


def test_the_name_depends_on_all_that_is_asked_and_on_the_code():
    (request,) = questions(1)
    others = [
        cells.Question(request.problem + "#", request.observables, request.seed),
        cells.Question(request.problem, ("loss",), request.seed),
        cells.Question(request.problem, request.observables, request.seed + 1),
    ]
    assert len({request.cell(CODE), request.cell(CODE + "1"), *(other.cell(CODE) for other in others)}) == 5


def test_every_changed_content_is_noticed(store):
    """A bit of an array or of a fact, a rest of the file, another cell's file."""
    place = store.place(the_cell(store))
    whole = place.read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        entries = [(entry.header_offset, entry.file_size) for entry in archive.infolist()]
    for head, size in entries:
        begin = head + 30 + whole[head + 26] + whole[head + 28]  # after a name and an extra field
        for at in range(begin, begin + size, max(1, size // 7)):
            flip(place, at)
            with pytest.raises(DamagedError):
                store.read(place.stem)
            place.write_bytes(whole)
    for content in (whole[:-30], b"", whole.replace(b'"seed": 0', b'"seed": 1'), put(store, 1).read_bytes()):
        place.write_bytes(content)
        with pytest.raises(DamagedError, match=place.stem[:12]):
            store.read(place.stem)


def task_of(numbers, index=0):
    """The task of a cell, with `numbers` in place of training."""
    request = questions(index + 1)[index]
    return Task(request.cell(CODE), request, CODE, "cpu", numbers)


def test_a_damaged_cell_is_kept_beside_the_new_one(store):
    place = store.place(the_cell(store))
    whole = place.read_bytes()
    flip(place)
    damaged = place.read_bytes()
    answer = compute(task_of(lambda _work: (arrays(0), FACTS)), store, Orders())
    (aside,) = place.parent.glob("*.damaged-*")
    assert (answer.what, place.read_bytes(), aside.read_bytes()) == (DONE, whole, damaged)
    assert aside.name in answer.remarks[0]
    assert compute(task_of(None), store, Orders()).what == PRESENT


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        (OutOfReachError("Too many.", "Fewer."), "Too many.", 4),
        (OSError(errno.EDQUOT, "Quota exceeded"), "Quota exceeded.", 1),
        (RuntimeError("CUDA out of memory. Tried"), "does not fit into memory", 4),
    ],
)
def test_the_reason_of_a_failure_is_in_the_store(store, error, words, code):
    def numbers(_work):
        raise error

    answer = compute(task_of(numbers, 1), store, Orders())
    assert (answer.what, answer.error["exit_code"]) == (FAILED, code)
    assert words in store.attempt(answer.task.cell)["error"]["message"]


def test_a_disk_that_is_read_only_for_a_while_costs_time_and_no_cell(store, monkeypatch):
    waits, replace = [], os.replace

    def refused(*places):
        if sum(waits) < 5:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        replace(*places)

    monkeypatch.setattr(os, "replace", refused)
    monkeypatch.setattr(store_module.time, "sleep", waits.append)
    assert compute(task_of(lambda _work: (arrays(1), FACTS), 1), store, Orders()).what == DONE
    assert 5 <= sum(waits) < 10
    assert len(contents(store.folder)) == 2
    assert not [*store.folder.glob("*/.*")]


def test_permissions_are_no_matter_of_patience():
    def refused():
        raise PermissionError(errno.EACCES, "Permission denied")

    with pytest.raises(PermissionError):
        patiently(refused)


def test_only_a_store_is_opened_and_nothing_else_becomes_one(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.tex").write_text("x")
    cases = [
        (Store.create, full, "holds other files"),
        (Store.create, full / "thesis.tex", "is a file"),
        (Store.create, tmp_path / "absent" / "store", "does not exist"),
        (Store.open, full, "has no readable store.json"),
        (Store.open, full / "thesis.tex", "is no folder"),
    ]
    for way, folder, said in cases:
        with pytest.raises(InputError, match=said):
            way(folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["full", "thesis.tex"]


def test_the_code_version_changes_with_the_sources():
    program = "import pathlib\nread = pathlib.Path.read_bytes\n"
    program += "pathlib.Path.read_bytes = lambda self: read(self) + (b'#' if self.name == 'train.py' else b'')\n"
    program += "from derivations.sweeps.cells import code_version\nprint(code_version())"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() not in ("", cells.code_version())


def test_the_code_version_names_the_back_end_and_its_versions(monkeypatch):
    """Equal numbers need an equal back end: another device, torch or numba, or none, makes another cell."""
    (request,) = questions(1)
    code_version = cells.code_version.__wrapped__
    here = code_version("cpu")
    assert f"+{names.preferred('cpu')}+torch-{version('torch')}" in here
    assert "+reference+torch-" in code_version("cuda")
    codes = [here, code_version("cuda")]
    monkeypatch.setattr(cells, "versions", lambda name: dict.fromkeys(names.PACKAGES[name], "9.9"))
    codes.append(code_version("cpu"))
    monkeypatch.setattr(names, "numba_is_installed", lambda: False)
    codes.append(code_version("cpu"))
    assert "+reference+torch-9.9" in codes[-1]
    assert "numba" not in codes[-1]
    expected = 4 if "numba" in here else 3
    assert len(set(codes)) == len({request.cell(code) for code in codes}) == expected
