"""Files of a store that are not what their names say: noticed, named, and no way to anything else."""

import errno
import hashlib
import io
import json
import os
import shutil

import numpy as np
import pytest

from derivations.seals import sealed
from derivations.sweeps import cells, running
from derivations.sweeps.cells import DATA, META, DamagedError
from derivations.sweeps.leases import THERE
from derivations.sweeps.workers import Answer
from tests.derivations.sweeps.cases import arrays, contents, flip, put, sweep_of, the_cell


def edited(key, value):
    """A change of one entry of meta.json that keeps it readable."""

    def change(cell):
        meta = json.loads((cell / META).read_text())
        meta[key] = value
        (cell / META).write_text(json.dumps(meta))

    return change


def resealed(key, value):
    """The same by somebody who knows how the seal is made."""

    def change(cell):
        meta = json.loads((cell / META).read_text()) | {key: value}
        (cell / META).write_text(json.dumps(sealed(meta)))

    return change


def foreign_data(cell):
    """Another cell's numbers, a sound file by itself."""
    np.savez(cell / DATA, **arrays(7))


def linked(file, target):
    """A link in the place of a file."""
    file.unlink()
    file.symlink_to(target)


def sealed_bytes(content):
    """Other data under a seal that fits them, by somebody who knows how it is made."""

    def change(cell):
        (cell / DATA).write_bytes(content)
        resealed("data", {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)})(cell)

    return change


def sealed_arrays(**others):
    """Other arrays, or none, under a seal that fits them."""
    file = io.BytesIO()
    np.savez(file, **{name: array for name, array in (arrays(0) | others).items() if array is not None})
    return sealed_bytes(file.getvalue())


DAMAGES = {
    "no meta": (lambda cell: (cell / META).unlink(), "meta.json cannot be read: it is missing"),
    "no data": (lambda cell: (cell / DATA).unlink(), "data.npz cannot be read: it is missing"),
    "torn meta": (lambda cell: os.truncate(cell / META, 100), "meta.json cannot be read: its content"),
    "empty meta": (lambda cell: os.truncate(cell / META, 0), "meta.json cannot be read"),
    "a list": (lambda cell: (cell / META).write_text("[]"), "is not of the form"),
    "torn data": (lambda cell: os.truncate(cell / DATA, 100), "checksum"),
    "one bit": (lambda cell: flip(cell / DATA), "checksum"),
    "foreign data": (foreign_data, "checksum"),
    "edited": (edited("wall_seconds", 7.0), "was changed"),
    "another problem": (resealed("problem", "x"), "answers another question"),
    "another code": (resealed("code", "0.1.0+other"), "answers another question"),
    "another seed": (resealed("seed", 99), "answers another question"),
    "another form": (edited("schema", "gdln.cell/9"), "is not of the form"),
    "lacks facts": (resealed("device", None), "lacks device"),
    "NaN": (lambda cell: (cell / META).write_text('{"schema": NaN}'), "meta.json cannot be read"),
    "infinity": (edited("steps", float("inf")), "meta.json cannot be read"),
    "deep": (lambda cell: (cell / META).write_text("[" * 99_999), "meta.json cannot be read"),
    "not UTF-8": (lambda cell: (cell / META).write_bytes(b'"\xff"'), "meta.json cannot be read"),
    "meta is a device": (lambda cell: linked(cell / META, "/dev/zero"), "meta.json cannot be read"),
    "data is a device": (lambda cell: linked(cell / DATA, "/dev/zero"), "data.npz cannot be read"),
    "meta is a pipe": (lambda cell: ((cell / META).unlink(), os.mkfifo(cell / META)), "cannot be read"),
    "data is a pipe": (lambda cell: ((cell / DATA).unlink(), os.mkfifo(cell / DATA)), "data.npz cannot be read"),
    "odd observables": (resealed("observables", [["loss"]]), "lacks observables"),
    "no version of torch": (resealed("versions", {"python": "3"}), "lacks versions"),
    "odd versions": (resealed("versions", {"torch": ["2"]}), "lacks versions"),
    "odd reasons": (resealed("undefined", {"loss": 1}), "lacks undefined"),
    "another state": (resealed("state", "well"), "lacks state"),
    "more diverged than trained": (resealed("diverged", 4), "lacks replicates"),
    "another question": (resealed("question", "0" * 64), "answers another question"),
    "no checksum": (resealed("data", {}), "lacks data"),
    "fewer replicates": (sealed_arrays(loss=np.zeros((2, 2))), "the array loss has the shape"),
    "another axis": (sealed_arrays(loss=np.zeros((3, 2, 1))), "the array loss has the shape"),
    "another type": (sealed_arrays(diverged=np.zeros(3)), "the array diverged is of another type"),
    "text": (sealed_arrays(loss=np.full((3, 2), "1")), "the array loss is of another type"),
    "objects": (sealed_arrays(loss=np.full((3, 2), None)), "its arrays cannot be read"),
    "no array": (sealed_arrays(loss=None), "it lacks the array loss"),
    "no archive": (sealed_bytes(b"x"), "its arrays cannot be read"),
    "a foreign folder": (lambda cell: [file.rename(cell / "x") for file in cell.iterdir()], "meta.json cannot be read"),
    "a file": (lambda cell: (shutil.rmtree(cell), cell.write_text("x")), "meta.json cannot be read"),
    "a dangling link": (lambda cell: (shutil.rmtree(cell), cell.symlink_to("x")), "meta.json cannot be read"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_not_the_cell_is_noticed(store, name):
    damage, said = DAMAGES[name]
    place = the_cell(store)
    damage(place)
    with pytest.raises(DamagedError, match=said):
        store.read(place.name)
    with pytest.raises(DamagedError, match=said):
        store.meta(place.name)


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"times": np.zeros(1), "loss": np.zeros((3, 1)), "participation-ratio": np.zeros((3, 1, 1))}, "instead of 2"),
        ({"participation-ratio": np.zeros((3, 2, 4))}, "instead of 3 x 2 x 1"),
    ],
)
def test_a_cell_has_the_times_and_units_of_its_problem(store, others, said):
    """Shapes that agree with each other are those of another problem."""
    place, problem = the_cell(store), sweep_of().cells[0].problem
    sealed_arrays(**others)(place)
    store.read(place.name)
    with pytest.raises(DamagedError, match=said):
        store.read(place.name, problem)


def failing(monkeypatch, what, error, times=100):
    """Let the reading of one part of every cell fail so many times."""
    left, places = [times], {"the checksum": (hashlib, "file_digest"), "the arrays": (cells.shapes, "_headers")}
    names = {META: (cells, "read_json"), DATA: (cells, "open_regular")}
    module, name = (places | names)[what]
    real = getattr(module, name)

    def read(*words, **named):
        left[0] -= 1
        if left[0] >= 0:
            raise error
        return real(*words, **named)

    monkeypatch.setattr(module, name, read)


def test_a_cell_that_cannot_be_read_fails_alone(store, monkeypatch):
    """A worker asks for it again, and for the other cells; a valid one stays in its place."""
    sweep, given = sweep_of(), []
    asked = cells.question(sweep.cells[0].problem, sweep.observables)
    put(store, asked, cells.code_version(), 0)
    failing(monkeypatch, META, OSError(errno.EIO, os.strerror(errno.EIO)))

    def work(jobs, *_):
        given.extend(jobs)
        yield Answer(given[0], THERE)

    monkeypatch.setattr(running, "work", work)
    swept = running.run(sweep, store.folder, "cpu", 1, lambda _share, _what: None)
    assert [one.state for one in swept.outcomes] == [running.FAILED] + 3 * [running.MISSING]
    assert "cannot be read now: input/output error" in swept.outcomes[0].error["message"]
    assert (len(given), given[0].cell, len(contents(store.folder))) == (4, asked.cell(cells.code_version()), 2)
