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
from derivations.sweeps.cells import DATA, META, DamagedError, UnreadableError
from derivations.sweeps.leases import BUSY, MADE, THERE
from derivations.sweeps.owners import new_token
from derivations.sweeps.store import Store
from derivations.sweeps.workers import Answer
from tests.derivations.sweeps.cases import CODE, arrays, contents, flip, put, questions, sweep_of, the_cell
from theory.problem import InputError


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


FAILING = ["meta.json", "data.npz", "the checksum", "the arrays"]


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


@pytest.mark.parametrize("what", FAILING)
@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EMFILE, errno.EACCES])
def test_an_error_of_the_disk_is_no_damage(store, monkeypatch, what, number):
    """However often it happens, no cell is taken for damaged, and none is moved away."""
    name, (asked,), before = the_cell(store).name, questions(1), contents(store.folder)
    with monkeypatch.context() as patch:
        failing(patch, what, OSError(number, os.strerror(number)))
        for read in (store.meta, store.read, store.set_aside, lambda _: put(store, asked, CODE, 1)):
            with pytest.raises(UnreadableError, match=f"{name[:12]} cannot be read now: .{os.strerror(number)[1:]}"):
                read(name)
    failing(monkeypatch, what, OSError(number, os.strerror(number)), times=1)
    with pytest.raises(UnreadableError):
        put(store, asked, CODE, 1)
    assert put(store, asked, CODE, 1) == THERE
    assert contents(store.folder) == before
    assert [os.listdir(store.folder / room) for room in ("damaged", "leases", "attempts")] == [[], [], []]


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


UNREADABLE = {
    "empty": lambda file: os.truncate(file, 0),
    "missing": lambda file: file.unlink(),
    "no JSON": lambda file: file.write_text("{"),
    "a device": lambda file: linked(file, "/dev/zero"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_cell_that_cannot_say_what_it_answers_is_not_left_out_silently(tmp_path, name):
    """Neither where its name shows that it belongs to the sweep, nor where it is of a code that nothing else names."""
    sweep = sweep_of()
    for count, code in ((2, CODE), (1, CODE), (1, cells.code_version("cpu"))):
        store = Store.create(tmp_path / f"{count}{code}")
        for index, cell in enumerate(sweep.cells[:count]):
            asked = cells.question(cell.problem, sweep.observables)
            put(store, asked, code, index)
        assert len(store.table(sweep, code)) == 4 * count
        UNREADABLE[name](store.place(asked.cell(code)) / META)
        for way in (store.table, store.to_xarray):
            with pytest.raises(DamagedError, match=f"{asked.cell(code)[:12]}.* meta.json cannot be read"):
                way(sweep)


def test_what_is_no_lease_is_moved_away(store, tmp_path):
    """A link would lead elsewhere; a pipe, a file or a folder with other files would stop whoever makes the cell."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / f"{new_token()}.0").write_text("x")
    asked = questions(5)[1:]
    link, folder, pipe, full = (store.folder / "leases" / one.cell(CODE) for one in asked)
    link.symlink_to(precious)
    folder.mkdir()
    os.mkfifo(pipe)
    full.mkdir()
    (full / "thesis.tex").write_text("x")
    assert [store.maker(one.cell(CODE)) for one in asked] == [None] * 4
    assert [put(store, one, CODE, 1) for one in asked] == [BUSY, MADE, BUSY, BUSY]
    store.remove_leftovers()
    assert list((store.folder / "leases").iterdir()) == []
    assert (len(list(precious.iterdir())), len(list((store.folder / "damaged").rglob("thesis.tex")))) == (1, 1)
    assert [put(store, one, CODE, 1) for one in asked] == [MADE, THERE, MADE, MADE]


@pytest.mark.parametrize("spoil", [lambda file: file.write_bytes(b"\xff"), lambda file: file.write_text("[" * 99_999)])
def test_a_record_that_cannot_be_read_is_named(store, spoil):
    name = store.record(sweep_of())
    spoil(store.folder / "sweeps" / f"{name}.json")
    with pytest.raises(InputError, match=rf"{name}\.json is no record of a sweep"):
        store.sweeps()
    assert store.record(sweep_of()) == name
    assert list(store.sweeps()) == [name]


@pytest.mark.parametrize("target", ["/dev/zero", "/dev/null", "."])
def test_a_record_that_is_a_device_or_folder_is_set_aside(store, target):
    file = store.folder / "sweeps" / f"{store.record(sweep_of())}.json"
    linked(file, target)
    with pytest.raises(InputError, match=r"no record of a sweep: .*(regular file|directory)"):
        store.sweeps()
    store.record(sweep_of())
    assert len(store.sweeps()) == 1
    assert len(list((store.folder / "damaged").iterdir())) == 1
