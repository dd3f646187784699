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
from derivations.sweeps.cells import DATA, META, DamagedError
from derivations.sweeps.leases import BUSY, MADE, THERE
from derivations.sweeps.owners import Watch, new_token
from derivations.sweeps.store import Store, answers
from sim.training.backends import names
from tests.derivations.sweeps.cases import (
    CODE,
    FACTS,
    ROOT,
    WRITER,
    arrays,
    contents,
    dead_token,
    flip,
    put,
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


def test_what_is_set_aside_is_kept(store):
    place = the_cell(store)
    for _ in range(2):
        flip(place / DATA)
        aside = store.set_aside(place.name)
        assert (aside / "cell" / META).is_file()
        assert store.meta(place.name) is None
        (asked,) = questions(1)
        put(store, asked, CODE, 0)


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


def test_a_cell_is_on_the_disk_before_it_has_its_name(store, monkeypatch):
    """A machine that loses its power keeps a whole cell or none: files, their folder, the rename, the room of cells."""
    done, fsync, rename = [], os.fsync, os.rename

    def noted_sync(handle):
        done.append(os.readlink(f"/proc/self/fd/{handle}"))
        fsync(handle)

    def noted_rename(source, target, **named):
        done.append(f"{source} -> {target}")
        rename(source, target, **named)

    asked = questions(2)[1]
    cell = asked.cell(CODE)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", noted_sync)
        patch.setattr(os, "rename", noted_rename)
        assert put(store, asked, CODE, 1) == MADE
    (at,) = (index for index, step in enumerate(done) if step.endswith(f"-> {store.place(cell)}"))
    attempt = done[at].partition(" -> ")[0]
    assert attempt.startswith(str(store.folder / "attempts" / cell))
    assert done[at - 3 : at] == [f"{attempt}/{DATA}", f"{attempt}/{META}", attempt]
    assert done[at + 1] == str(store.folder / "cells")


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
    assert not list((tmp_path / "store" / "attempts").iterdir())


def held(store, index, during):
    """Call `during` while this process makes cell `index`; return what the store says of the cell, and its answer."""
    asked, answers = questions(index + 1)[index], []

    def compute():
        answers.append(during())
        return arrays(index), FACTS

    return store.make(asked.cell(CODE), asked, CODE, compute), answers


def test_a_cell_has_one_maker_and_leaves_no_lease(store):
    asked = questions(2)[1]
    said, inner = held(store, 1, lambda: (put(store, asked, CODE, 1), store.maker(asked.cell(CODE)) is not None))
    assert (said, inner) == (MADE, [(BUSY, True)])
    assert held(store, 1, None) == (THERE, [])
    assert store.maker(asked.cell(CODE)) is None
    with pytest.raises(ZeroDivisionError):
        held(store, 2, lambda: 1 / 0)
    for room in ("leases", "attempts"):
        assert list((store.folder / room).iterdir()) == []
    assert held(store, 2, lambda: None)[0] == MADE


def test_a_dead_makers_lease_is_free(store):
    program = (
        "import sys, time\nfrom derivations.sweeps.store import Store\n"
        "from tests.derivations.sweeps.cases import CODE, questions\nasked = questions(2)[1]\n"
        "store = Store.open(sys.argv[1])\n"
        "store.make(asked.cell(CODE), asked, CODE, lambda: (print('mine', flush=True), time.sleep(60)))"
    )
    running = started(program, store.folder)
    assert running.stdout.readline() == "mine\n"
    asked = questions(2)[1]
    assert (put(store, asked, CODE, 1), store.maker(asked.cell(CODE)) is not None) == (BUSY, True)
    running.kill()
    running.communicate()
    assert store.maker(asked.cell(CODE)) is None
    assert put(store, asked, CODE, 1) == MADE
    assert list((store.folder / "leases").iterdir()) == []


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(store):
    """The dead are known where they ran under this kernel; those of other machines are waited for."""
    dead = dead_token()
    alive, far = new_token(), f"far-{'0' * 12}-1-1-{'0' * 12}"
    for digit, token in zip("abc", (dead, alive, far), strict=True):
        for folder in (f"attempts/{digit * 64}.{token}", f"leases/{digit * 64}", f"leases/.{token}"):
            (store.folder / folder).mkdir()
        (store.folder / "attempts" / f"{digit * 64}.{token}" / DATA).write_bytes(b"half")
        (store.folder / "leases" / (digit * 64) / f"{token}.7").touch()
    patient = Store(store.folder, Watch(patience=3600))
    for _ in range(2):
        patient.remove_leftovers()
        assert len(list((store.folder / "attempts").iterdir())) == 2
        assert len(list((store.folder / "leases").iterdir())) == 4
    hasty = Store(store.folder, Watch(patience=0))
    hasty.remove_leftovers()  # sees them for the first time
    hasty.remove_leftovers()
    assert [list((store.folder / room).iterdir()) for room in ("attempts", "leases")] == [[], []]
    assert len(store.names()) == 1


@pytest.mark.parametrize("during", [False, True])
def test_folders_that_a_purge_removed_are_made_again(store, during):
    """Scratch disks lose empty folders; without one for leases a worker would wait for ever."""

    def purge():
        for room in ("attempts", "checkpoints", "cells", "damaged", "failures", "leases"):
            shutil.rmtree(store.folder / room, ignore_errors=True)

    if during:
        assert held(store, 1, purge)[0] == MADE
    else:
        purge()
        assert put(store, questions(2)[1], CODE, 1) == MADE
    assert len(contents(store.folder)) == 1


def test_a_store_that_has_gone_is_not_made_again(store):
    shutil.rmtree(store.folder)
    for absent in (True, False):
        if not absent:
            store.folder.mkdir()  # the mount point of a disk that was unmounted
        with pytest.raises(InputError, match="is no store of sweeps"):
            put(store, questions(2)[1], CODE, 1)
    assert os.listdir(store.folder) == []


def test_an_empty_folder_is_no_cell(store):
    """A worker that died while it asked whether the cell is there may leave one."""
    asked = questions(2)[1]
    store.place(asked.cell(CODE)).mkdir()
    assert not store.is_there(asked.cell(CODE))
    assert put(store, asked, CODE, 1) == MADE
    assert list((store.folder / "damaged").iterdir()) == []


def test_a_store_of_the_time_of_locks_is_read_and_filled(store):
    """Its locks and hidden folders belong to processes of that version, which may be running."""
    (store.folder / "locks").mkdir()
    (store.folder / "locks" / ("a" * 64)).touch()
    (store.folder / "store.lock").touch()
    hidden = store.place(f".{'a' * 64}.x")
    hidden.mkdir()
    for room in ("leases", "attempts"):
        (store.folder / room).rmdir()
    again = Store.create(store.folder)
    assert put(again, questions(2)[1], CODE, 1) == MADE
    assert len(again.names()) == 2
    assert (hidden.is_dir(), (store.folder / "locks" / ("a" * 64)).exists()) == (True, True)


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


@pytest.mark.parametrize(
    ("text", "said"), [('{"schema": "gdln.store/2"}', "gdln.store/2"), ("[", "does not say the form")]
)
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
    monkeypatch.setattr(cells, "versions_of", lambda name: dict.fromkeys(names.PACKAGES[name], "9.9"))
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
    put(store, asked, CODE, 1)
    code, found = answers(store, sweep)
    assert (code, len(list(found))) == (CODE, 1)
    here = cells.code_version("cpu")
    assert list(answers(store, sweep, here)[1]) == []
    put(store, asked, here, 2)
    code, found = answers(store, sweep)
    ((_, meta, held),) = found
    assert (code, meta["code"]) == (here, here)
    assert (held["loss"] == arrays(2)["loss"]).all()


def test_the_store_needs_no_torch():
    program = "import sys, derivations.sweeps.store\nassert not {'torch', 'xarray', 'sympy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
