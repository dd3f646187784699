"""Files of a store that are not what their names say are noticed and named."""

import hashlib
import io
import json
import os
import shutil

import numpy as np

from derivations.seals import sealed
from derivations.sweeps.cells import DATA, META, DamagedError
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import CODE, arrays, flip, put, questions, sweep_of, the_cell


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


def sealed_arrays(**others):
    """Other arrays, or none, under a seal that fits them."""
    file = io.BytesIO()
    np.savez(file, **{name: array for name, array in (arrays(0) | others).items() if array is not None})
    content = file.getvalue()

    def change(cell):
        (cell / DATA).write_bytes(content)
        resealed("data", {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)})(cell)

    return change


DAMAGES = {
    "no data": (lambda cell: (cell / DATA).unlink(), "data.npz cannot be read: it is missing"),
    "torn meta": (lambda cell: os.truncate(cell / META, 100), "meta.json cannot be read: its content"),
    "one bit": (lambda cell: flip(cell / DATA), "checksum"),
    "edited": (edited("wall_seconds", 7.0), "was changed"),
    "another problem": (resealed("problem", "x"), "answers another question"),
    "another code": (resealed("code", "0.1.0+other"), "answers another question"),
    "another seed": (resealed("seed", 99), "answers another question"),
    "another form": (edited("schema", "gdln.cell/9"), "is not of the form"),
    "lacks facts": (resealed("device", None), "lacks device"),
    "more diverged than trained": (resealed("diverged", 4), "lacks replicates"),
    "fewer replicates": (sealed_arrays(loss=np.zeros((2, 2))), "the array loss has the shape"),
    "another type": (sealed_arrays(diverged=np.zeros(3)), "the array diverged is of another type"),
    "no array": (sealed_arrays(loss=None), "it lacks the array loss"),
    "a file": (lambda cell: (shutil.rmtree(cell), cell.write_text("x")), "meta.json cannot be read"),
}


def refusal(read, *words):
    """The words in which a cell is refused, or nothing."""
    try:
        read(*words)
    except DamagedError as error:
        return str(error)
    return ""


def test_a_cell_that_is_not_its_question_s_is_noticed(tmp_path):
    (asked,) = questions(1)
    missed = []
    for name, (damage, words) in DAMAGES.items():
        store = Store.create(tmp_path / name)
        put(store, asked, CODE, 0)
        place = the_cell(store)
        damage(place)
        missed += [(name, read) for read in (store.read, store.meta) if words not in refusal(read, place.name)]
    assert missed == []


def test_a_cell_has_the_times_and_units_of_its_problem(store):
    """Shapes that agree with each other are those of another problem."""
    place, problem = the_cell(store), sweep_of().cells[0].problem
    for arrays_of_another, words in (
        ({"times": np.zeros(1), "loss": np.zeros((3, 1)), "participation-ratio": np.zeros((3, 1, 1))}, "instead of 2"),
        ({"participation-ratio": np.zeros((3, 2, 4))}, "instead of 3 x 2 x 1"),
    ):
        sealed_arrays(**arrays_of_another)(place)
        store.read(place.name)
        assert words in refusal(store.read, place.name, problem)
