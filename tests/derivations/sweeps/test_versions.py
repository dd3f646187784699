"""Versions of the code in a store: which are known, which a look shows, and how little is read for it."""

from collections import Counter
from importlib.metadata import version

import pytest

from derivations.answers.sweep import SweepAnswer, answer, looks
from derivations.sweeps import cells, installed, making, plans, running, versions
from derivations.sweeps.looking import Watcher
from derivations.sweeps.running import MISSING, status
from derivations.sweeps.store import Store, answers
from sim.training.backends import names
from tests.derivations.sweeps.adaptive import adaptive
from tests.derivations.sweeps.cases import CODE, FACTS, arrays, put, questions, sweep_of
from theory.problem import Sweep, loads

HERE = cells.code_version("cpu")
OTHER = HERE.replace("torch-", "torch-9")
OF_GPU = cells.code_version("cuda").replace("torch-", "torch-9")
ANY, NAME = ("cpu", "cuda"), "participation-ratio"


def asked():
    """The questions of the small sweep."""
    return [cells.question(cell.problem, sweep_of().observables) for cell in sweep_of().cells]


@pytest.fixture
def store(tmp_path):
    """A store in which another version has made the small sweep, beside cells of other sweeps."""
    made = Store.create(tmp_path / "store")
    for index, one in enumerate(asked()):
        put(made, one, OTHER, index)
    for index, one in enumerate(questions(8)[4:]):
        put(made, one, CODE, index)
    return made


def both(store, kinds=ANY, sweep=None):
    """The looks at every cell and by names."""
    sweep = sweep or sweep_of()
    return status(sweep, store.folder, HERE, kinds), Watcher(sweep, store.folder, HERE, kinds).look()


# What a look shows.


def test_a_look_shows_the_version_that_has_made_most(store):
    """And says that it is another one; the machine's own is shown where nothing else is asked for."""
    for found in both(store):
        assert (found.counts, found.code, found.exit_code) == ({"complete": 4}, OTHER, 0)
        assert found.remarks[0].startswith(f"These are the cells of another version of the code, {OTHER};")
        assert found.here == HERE
    for found in both(store, ()):
        assert (found.counts, found.code, found.exit_code, found.here) == ({MISSING: 4}, HERE, 3, None)
    put(store, asked()[0], HERE, 0)
    assert [found.code for found in both(store)] == [OTHER] * 2
    for index in (1, 2, 3):
        put(store, asked()[index], HERE, index)
    assert [(found.code, found.here) for found in both(store)] == [(HERE, None)] * 2


def test_a_look_shows_the_version_of_this_machine_while_it_makes_cells(store):
    """And stays with it: between two cells nothing is in work, and the other version would seem to be the end."""
    lease = store.folder / "leases" / asked()[0].cell(HERE)
    lease.mkdir()
    far = lease / f"node07-{'0' * 12}-12-34-{'0' * 12}.3-75"
    far.touch()
    look = looks(sweep_of(), store.folder)
    assert (look().found.code, look().is_over) == (HERE, False)
    far.unlink()
    assert (look().found.code, look().is_over) == (HERE, False)
    assert [found.code for found in both(store)] == [OTHER] * 2


def test_a_version_whose_first_cells_are_in_work_is_shown_where_no_cell_is_there(tmp_path):
    store = Store.create(tmp_path / "store")
    versions.note(store, OTHER)
    lease = store.folder / "leases" / asked()[0].cell(OTHER)
    lease.mkdir()
    (lease / f"node07-{'0' * 12}-12-34-{'0' * 12}.3-75").touch()
    assert [found.code for found in both(store)] == [OTHER] * 2


def test_a_device_chooses_among_its_versions(store):
    for index, one in enumerate(asked()[:2]):
        put(store, one, OF_GPU, index)
    assert [found.code for found in both(store)] == [OTHER] * 2
    found = answer(sweep_of(), store.folder, "status", "cuda")
    assert (found.swept.code, found.swept.counts) == (OF_GPU, {"complete": 2, MISSING: 2})
    assert answer(sweep_of(), store.folder, "status", "cpu").swept.code == OTHER
    watched = looks(sweep_of(), store.folder, "cuda")()
    assert watched.found.code == OF_GPU
    assert watched.line().endswith(f"2 missing; {watched.found.left.text()}; of another version of the code, {OF_GPU}")


def test_what_would_run_is_of_the_version_of_this_machine(store):
    assert answer(sweep_of(), store.folder, "plan").swept.counts == {MISSING: 4}
    found = running.record(sweep_of(), store.folder, HERE)
    assert found.counts == {MISSING: 4}
    assert versions.noted(store) == {HERE}


def test_tables_are_those_of_the_version_that_is_shown(store):
    put(store, asked()[0], HERE, 0)
    assert len(store.table(sweep_of())) == 4  # of this machine
    assert len(answer(sweep_of(), store.folder, "status").csv().splitlines()) == 1 + 16


def test_an_adaptive_sweep_is_shown_in_one_version(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "code_version", lambda *_: OTHER)
    monkeypatch.setattr("derivations.sweeps.workers.code_version", lambda *_: OTHER)
    sweep, folder = adaptive("line"), tmp_path / "store"
    store = Store.create(folder)
    for index, cell in enumerate(sweep.cells):
        put(store, cells.question(cell.problem, sweep.observables), OTHER, index)
    found = status(sweep, folder, HERE, ANY)
    assert (found.code, found.here, found.count("complete")) == (OTHER, HERE, 3)
    assert status(sweep, folder, HERE).count("complete") == 0


# How much is read.


def test_nothing_of_other_sweeps_is_read_where_every_cell_is_there(store, monkeypatch):
    monkeypatch.setattr(cells, "claimed", None)
    found = status(sweep_of(), store.folder, OTHER)
    assert found.counts == {"complete": 4}
    assert answers(store, sweep_of(), OTHER)[0] == OTHER
    for index, one in enumerate(asked()):
        put(store, one, HERE, index)
    assert [found.code for found in both(store)] == [HERE] * 2
    assert answers(store, sweep_of())[0] == HERE


def test_of_a_large_store_a_sample_is_read_and_each_cell_once(store, monkeypatch):
    """A version that was noted needs none."""
    read, before = [], cells.claimed
    monkeypatch.setattr(cells, "claimed", lambda folder: read.append(folder.name) or before(folder))
    monkeypatch.setattr(versions, "SAMPLE", 5)
    memory, watcher = versions.Memory(), Watcher(sweep_of(), store.folder, HERE, ANY)
    for look in (lambda: status(sweep_of(), store.folder, HERE, ANY, memory), watcher.look):
        read.clear()
        assert [look().code for _ in range(3)] == [OTHER] * 3
        assert len(read) == len(set(read)) <= 5 + 4  # what is known to be of this sweep leaves the sample
    monkeypatch.setattr(versions, "SAMPLE", 0)
    read.clear()
    assert [found.code for found in both(store)] == [HERE] * 2
    versions.note(store, OTHER)
    assert [found.code for found in both(store)] == [OTHER] * 2
    assert read == []


@pytest.mark.parametrize("text", ["", "other", "\xff", "x" * 9999])
def test_a_spoiled_note_is_none(store, text):
    versions.note(store, OTHER)
    (file,) = (store.folder / "sweeps").glob("*.code")
    file.write_text(text, encoding="latin-1")
    assert versions.noted(store) == set()


def test_a_kept_plan_of_another_version_is_shown_and_no_problem_is_declared(store, monkeypatch):
    plans.keep(store, sweep_of(), plans.planned(sweep_of(), OTHER))
    monkeypatch.setattr(plans, "LARGE", 3)
    monkeypatch.setattr(cells, "claimed", None)
    monkeypatch.setattr(Sweep, "cell", None)
    found = Watcher(sweep_of(), store.folder, HERE, ANY).look()
    assert (found.code, found.counts, found.here) == (OTHER, {"complete": 4}, HERE)


def test_an_adaptive_sweep_reads_each_cell_once(tmp_path, monkeypatch):
    """However many generations and looks there are."""
    sweep, folder = adaptive("line"), tmp_path / "store"
    store = Store.create(folder)
    read, before = Counter(), cells._opened

    def opened(place, *words):
        read[place.name] += 1
        return before(place, *words)

    def work(jobs, *_):
        for job in jobs:
            steep = float(loads(job.asked.problem).data.gain) + arrays(0)[NAME] / 100
            store.make(job.cell, job.asked, job.code, lambda steep=steep: (arrays(0) | {NAME: steep}, FACTS))
            yield running.Answer(job, "made")

    monkeypatch.setattr(running, "work", work)
    memory = versions.Memory()
    made = running.run(sweep, folder, "cpu", 1, lambda *_: None, memory=memory)
    assert len(made.stage.found.spots) > 2
    monkeypatch.setattr(cells, "_opened", opened)
    running.run(sweep, folder, "cpu", 1, lambda *_: None, memory=memory)
    assert not read
    look = looks(sweep, folder)
    assert [look().count("complete") for _ in range(3)] == [len(made.outcomes)] * 3
    assert set(read) == {outcome.name for outcome in made.outcomes}
    assert max(read.values()) <= 2  # to verify, and for the numbers
    assert isinstance(look(), SweepAnswer)


def test_the_version_of_a_package_is_read_once_in_a_process(monkeypatch):
    """Every cell names them, and reading them took as long as half of its own files."""
    read = Counter()

    def counted(package):
        read[package] += 1
        return version(package)

    monkeypatch.setattr("importlib.metadata.version", counted)
    monkeypatch.setattr(installed, "version", counted)
    installed.version_of.cache_clear()
    installed.versions_of.cache_clear()
    for _ in range(3):
        making._versions(names.preferred("cpu"))
        cells.code_version("cpu")
    assert read["torch"] == 1
    assert set(read.values()) == {1}
