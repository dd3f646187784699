"""Looks by names: they see what a status sees, say what they did not verify, and need no problems for a kept plan."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from derivations.sweeps import cells, filling, looking, plans
from derivations.sweeps.failures import failure
from derivations.sweeps.looking import THERE, Watcher
from derivations.sweeps.owners import new_token
from derivations.sweeps.plans import Plan
from derivations.sweeps.running import DAMAGED, FAILED, IN_WORK, MISSING, UNREACHABLE, code_of, status
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import TEXT, flip, put, sweep_of
from theory.problem import InputError, Sweep

HERE = cells.code_version("cpu")
FAR = f"node07-{'0' * 12}-12-34-{'0' * 12}"


def unheard(*_):
    """Tell nobody."""


@pytest.fixture
def filled(tmp_path):
    """A store of the small sweep and the ids of its cells: complete, failed, in work, missing."""
    store, sweep = Store.create(tmp_path / "store"), sweep_of()
    asked = [cells.question(cell.problem, sweep.observables) for cell in sweep.cells]
    names = [one.cell(HERE) for one in asked]
    put(store, asked[0], HERE, 0)
    error = {"kind": "memory", "message": "Too large.", "hint": "", "exit_code": 4}
    store.note_failure(names[1], failure(new_token(), HERE, error))
    (store.folder / "leases" / names[2]).mkdir()
    (store.folder / "leases" / names[2] / f"{FAR}.3-75").touch()
    return store, names


def look(store, sweep=None):
    """A first look."""
    return Watcher(sweep or sweep_of(), store.folder, HERE).look()


def test_a_look_sees_what_a_status_sees(filled):
    store, names = filled
    found, seen = look(store), status(sweep_of(), store.folder, code_of("cpu"))
    assert found.counts == {"complete": 1, UNREACHABLE: 1, IN_WORK: 1, MISSING: 1}
    assert found.counts == {state: seen.count(state) for state in found.counts}
    assert (found.exit_code, found.to_make) == (seen.exit_code, seen.to_make)
    assert found.left == seen.left
    there = {outcome.name: outcome for outcome in seen.outcomes}
    for outcome in found.notable:
        other = there[outcome.name]
        assert (outcome.state, outcome.maker, outcome.share, outcome.error, outcome.cell.label) == (
            *(other.state, other.maker, other.share, other.error),
            other.cell.label,
        )
    assert [outcome.name for outcome in found.notable] == names[1:3]


def test_the_time_left_is_that_of_the_cells_that_nobody_has_made(filled):
    """12 network-steps a cell in 0.1 s: one waits, of one in work a quarter is left, and one has failed."""
    left = look(filled[0]).left
    assert (left.cells, left.workers, left.finished) == (2, 1, 1)
    assert left.low == left.high == 0.1 / 12 * (12 + 3)


def test_damage_that_shows_without_the_data_is_seen_and_the_rest_is_said_to_be_unverified(filled):
    store, names = filled
    flip(store.place(names[0]) / cells.DATA)
    found = look(store)
    assert found.count(cells.COMPLETE) == 1
    assert "Not verified: the data of 1 cell." in found.remarks[-1]
    (store.place(names[0]) / cells.META).unlink()
    found = look(store)
    assert (found.count(DAMAGED), found.exit_code) == (1, 1)
    assert "meta.json cannot be read" in found.notable[0].error["message"]


def test_an_empty_folder_of_a_cell_in_work_is_no_cell(filled):
    store, names = filled
    store.place(names[2]).mkdir()
    assert look(store).count(IN_WORK) == 1


def test_a_worker_that_asks_whether_the_cell_is_there_does_not_damage_it(filled):
    """Its empty folder may be seen without its lease, which it got between the two looks."""
    store, names = filled
    watcher = Watcher(sweep_of(), store.folder, HERE)
    store.place(names[3]).mkdir()
    assert watcher.look().count(MISSING) == 1
    put(store, cells.question(sweep_of().cells[3].problem, sweep_of().observables), HERE, 3)
    assert (watcher.look().count(MISSING), watcher.look().count(cells.COMPLETE)) == (0, 2)


@pytest.mark.parametrize("damage", [lambda data: os.truncate(data, 10), Path.unlink], ids=["cut", "gone"])
def test_a_look_notices_data_of_another_size(filled, damage):
    store, names = filled
    damage(store.place(names[0]) / cells.DATA)
    found = look(store)
    assert (found.count(DAMAGED), found.count(cells.COMPLETE)) == (1, 0)


def test_a_cell_that_the_disk_does_not_give_is_seen_by_its_name(filled, monkeypatch):
    store, _ = filled
    monkeypatch.setattr(cells, "read_json", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
    found = look(store)
    assert (found.count(THERE), found.count(DAMAGED), found.count(cells.COMPLETE)) == (1, 0, 0)


def test_a_damaged_cell_that_is_made_anew_is_no_longer_damaged(filled):
    store, names = filled
    watcher = Watcher(sweep_of(), store.folder, HERE)
    (store.place(names[0]) / cells.META).write_text("{")
    assert watcher.look().count(DAMAGED) == 1
    store.set_aside(names[0])
    put(store, cells.question(sweep_of().cells[0].problem, sweep_of().observables), HERE, 0)
    assert watcher.look().count(DAMAGED) == 0


def test_a_store_that_is_not_there_yet_has_no_cell(tmp_path):
    watcher = Watcher(sweep_of(), tmp_path / "store", HERE)
    assert watcher.look().counts == {MISSING: 4}
    assert os.listdir(tmp_path) == []
    store = Store.create(tmp_path / "store")
    sweep = sweep_of()
    put(store, cells.question(sweep.cells[3].problem, sweep.observables), HERE, 3)
    assert watcher.look().counts == {MISSING: 3, "complete": 1}


def test_of_a_large_sweep_some_cells_are_read(filled, monkeypatch):
    store, names = filled
    sweep = sweep_of()
    for index in (1, 2, 3):
        put(store, cells.question(sweep.cells[index].problem, sweep.observables), HERE, index)
    monkeypatch.setattr(looking, "LARGE", 2)
    (store.folder / "leases" / names[2] / f"{FAR}.3-75").unlink()
    read = []
    before = cells.facts
    monkeypatch.setattr(cells, "facts", lambda folder: read.append(folder.name) or before(folder))
    watcher = Watcher(sweep, store.folder, HERE)
    put(store, cells.question(sweep.cells[2].problem, sweep.observables), HERE, 2)
    for _ in range(2):
        found = watcher.look()
        assert (found.counts, found.read) == ({"complete": 2, THERE: 2}, 2)
    assert read == sorted(names)[:2]  # each once
    assert "Not verified: 2 cells by name alone, and the data of 4 cells." in found.remarks[-1]
    assert found.exit_code == 0


def test_cells_of_other_versions_are_mentioned_where_some_are_missing(filled):
    store, _ = filled
    sweep = sweep_of()
    put(store, cells.question(sweep.cells[0].problem, sweep.observables), "0.1.0+other", 0)
    assert any("has 1 cell of other sweeps, or of other versions" in remark for remark in look(store).remarks)


def test_records_of_failures_beyond_some_are_counted(filled, monkeypatch):
    monkeypatch.setattr(looking, "_FAILURES", 0)
    assert look(filled[0]).count(FAILED) == 1


# Plans.


def kept_plan(store, sweep, code=HERE):
    """The plan of a sweep, which the store has from now on."""
    made = plans.plan(store, sweep, code)
    plans.keep(store, sweep, made)
    return made


def test_a_plan_has_what_the_cells_say():
    sweep = sweep_of()
    plan = plans.planned(sweep, HERE)
    assert plan.ids == tuple(cells.question(cell.problem, sweep.observables).cell(HERE) for cell in sweep.cells)
    assert (plan.networks, plan.steps) == ((3,) * 4, (4,) * 4)
    assert [plan.position[name] for name in plan.ids] == [0, 1, 2, 3]


def test_a_kept_plan_is_read_and_no_problem_is_declared(filled, monkeypatch):
    store, _ = filled
    sweep = sweep_of()
    kept = kept_plan(store, sweep)
    monkeypatch.setattr(Sweep, "cell", None)
    assert plans.plan(store, sweep_of(), HERE) == kept
    assert look(store).counts[IN_WORK] == 1


SPOILED = {
    "cut": lambda file: os.truncate(file, 300),
    "edited": lambda file: file.write_text(file.read_text().replace("3 4", "3 5")),
    "empty": lambda file: os.truncate(file, 0),
    "no text": lambda file: file.write_bytes(b"\xff\n\xff"),
    "of another form": lambda file: file.write_text("[]\n"),
    "of another code": lambda file: file.write_text(file.read_text().replace(HERE, "other")),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_plan_that_is_not_whole_is_made_anew(filled, name):
    store, _ = filled
    sweep = sweep_of()
    kept = kept_plan(store, sweep)
    (file,) = (store.folder / "sweeps").glob("*.plan")
    content = file.read_bytes()
    SPOILED[name](file)
    assert file.read_bytes() != content
    assert plans.plan(store, sweep, HERE) == kept
    assert kept_plan(store, sweep) == kept
    assert file.read_bytes() == content


def test_each_version_of_the_code_has_its_plan(filled):
    store, _ = filled
    both = [kept_plan(store, sweep_of(), code) for code in (HERE, "0.1.0+other")]
    assert not set(both[0].ids) & set(both[1].ids)
    assert [plans.plan(store, sweep_of(), one.code) for one in both] == both
    assert list(store.sweeps()) == []  # a plan is no record


def test_invalid_cells_have_a_place_in_the_plan(filled):
    """As the only ones without an id; where the sweep does not leave them out, or two ask the same, it has no plan."""
    store, _ = filled
    text = TEXT.replace('"data.gain" = [0.5, 2.0]', '"data.gain" = [0.5, -2.0]')
    with pytest.raises(InputError, match="2 of 4 cells are no valid problem"):
        plans.planned(sweep_of(text), HERE)
    sweep = sweep_of(f'invalid = "leave-out"\n{text}')
    kept = kept_plan(store, sweep)
    assert [bool(name) for name in kept.ids] == [True, True, False, False]
    assert plans.plan(store, sweep, HERE) == kept
    assert look(store, sweep).counts == {"complete": 1, UNREACHABLE: 1, "invalid": 2}
    same = TEXT.replace('"simulation.seed" = [1, 2]', '"simulation.seed" = [1, 1]')
    zipped = sweep_of('combine = "zip"\n' + same.replace('"data.gain" = [0.5, 2.0]', '"data.gain" = [2, 2.0]'))
    with pytest.raises(InputError, match="are the same problem"):
        plans.planned(zipped, HERE)


def test_the_plan_of_problems_that_name_files_is_not_kept(tmp_path):
    """The contents of the files may change, and the cells with them."""
    file = tmp_path / "data.npz"
    np.savez(file, x=np.eye(5), y=np.ones(5))
    text = TEXT.replace('"data.gain" = [0.5, 2.0]', '"training.tau" = [1, "1/2"]')
    begin, end = text.index("[base.data]"), text.index("[base.network]")
    sweep = sweep_of(f'{text[:begin]}[base.data]\nlaw = "table"\nfile = "{file}"\n{text[end:]}')
    store = Store.create(tmp_path / "store")
    first = kept_plan(store, sweep)
    assert list((store.folder / "sweeps").iterdir()) == []
    np.savez(file, x=2 * np.eye(5), y=np.ones(5))
    assert not set(plans.plan(store, sweep, HERE).ids) & set(first.ids)


# Runs of large sweeps.


def test_a_large_sweep_is_filled_without_reading_what_is_there(filled, monkeypatch):
    """A cell that failed is tried last, and what nobody could record is in the answer."""
    store, names = filled
    (store.folder / "leases" / names[2] / f"{FAR}.3-75").unlink()
    given = []

    def work(jobs, *_):
        for job in jobs:
            given.append(job.cell)
            if job.cell == names[3]:
                error = {"kind": "killed", "message": "Killed.", "hint": "", "exit_code": 1}
                yield filling.Answer(job, "failed", error)
            else:
                put(store, job.asked, job.code, 0)
                yield filling.Answer(job, "made")

    monkeypatch.setattr(filling, "work", work)
    monkeypatch.setattr(cells, "read_meta", None)
    monkeypatch.setattr(Store, "_is_valid", lambda self, cell: self.is_there(cell))
    found = filling.fill(sweep_of(), store.folder, "cpu", 1, unheard)
    assert (given, found.made) == ([names[2], names[3], names[1]], 2)
    assert found.counts == {"complete": 3, FAILED: 1}
    assert (found.notable[-1].name, found.notable[-1].error["message"]) == (names[3], "Killed.")
    assert found.exit_code == 1
    assert {path.suffix for path in (store.folder / "sweeps").iterdir()} == {".json", ".plan", ".code"}


def test_a_large_sweep_makes_anew_what_its_look_finds_damaged(filled, monkeypatch):
    """Of the cells that are there those without a meta.json; one whose data alone are damaged needs --verify."""
    store, names = filled
    (store.folder / "leases" / names[2] / f"{FAR}.3-75").unlink()
    asked = [cells.question(cell.problem, sweep_of().observables) for cell in sweep_of().cells]
    for index in (1, 2, 3):
        put(store, asked[index], HERE, index)
    (store.place(names[1]) / cells.META).write_text("{")
    flip(store.place(names[2]) / cells.DATA)

    def work(jobs, *_):
        for job in jobs:
            put(store, job.asked, job.code, 1)
            yield filling.Answer(job, "made")

    monkeypatch.setattr(filling, "work", work)
    found = filling.fill(sweep_of(), store.folder, "cpu", 1, unheard)
    assert (found.counts, found.made, found.exit_code) == ({"complete": 4}, 1, 0)
    assert [remark for remark in found.remarks if f"It was moved to damaged/{names[1]}" in remark]
    assert "Without --status it also makes damaged cells anew." in found.remarks[0]
    assert store.meta(names[1]) is not None
    with pytest.raises(cells.DamagedError) as error:
        store.meta(names[2])
    assert "--verify" in error.value.hint


def test_invalid_cells_are_refused_before_anything_is_written(tmp_path):
    text = TEXT.replace('"data.gain" = [0.5, 2.0]', '"data.gain" = [0.5, -2.0]')
    for way in (filling.record, lambda *words: filling.fill(*words[:2], "cpu", 1, unheard)):
        with pytest.raises(InputError, match="2 of 4 cells are no valid problem"):
            way(sweep_of(text), tmp_path / "store", HERE)
    assert os.listdir(tmp_path) == []


def test_a_plan_that_names_other_cells_is_refused(filled, monkeypatch):
    store, _ = filled
    other = Plan(HERE, tuple("abcd"[i] * 64 for i in range(4)), (3,) * 4, (4,) * 4)
    monkeypatch.setattr(plans, "planned", lambda *_: other)
    with pytest.raises(InputError, match="names other cells"):
        filling.fill(sweep_of(), Path(store.folder), "cpu", 1, unheard)
