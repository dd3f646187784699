"""`gdln sweep --worker STORE` where there is nothing to work on, or not all of it can be read: what it says."""

import json

import pytest

from derivations.cli import main
from derivations.output import BAD_INPUT, UNDECIDED
from derivations.sweeps import running, sizes
from derivations.sweeps.launch.slurm import Crew
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import sweep_of
from theory.problem import InputError

WORKERS_REFUSED = {
    "no store": ("empty", [], "holds no store.json"),
    "an absent folder": ("absent", [], "is not there"),
    "a store of another version": ("other", [], "gdln.store/2"),
    "no sweep": ("bare", [], "has no record of a sweep"),
    "a sweep beside it": ("bare", ["sweep.toml"], "SWEEP would be ignored"),
    "a table": ("bare", ["--csv", "x.csv"], "--csv would be ignored"),
    "a plan": ("bare", ["--dry-run"], "--dry-run would be ignored"),
    "no store and no sweep": (None, [], "No sweep is named"),
}


@pytest.mark.parametrize("name", WORKERS_REFUSED)
def test_a_worker_without_work_is_refused(tmp_path, capsys, name):
    folder, words, said = WORKERS_REFUSED[name]
    (tmp_path / "empty").mkdir()
    Store.create(tmp_path / "bare")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "store.json").write_text('{"schema": "gdln.store/2"}')
    worker = [] if folder is None else ["--worker", str(tmp_path / folder)]
    assert main(["sweep", *worker, *words]) == BAD_INPUT
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.fixture
def spoiled(tmp_path, monkeypatch):
    """A store with two records, of which one cannot be read; a run makes nothing of the other."""
    store = Store.create(tmp_path / "store")
    name = store.record(sweep_of())
    (store.folder / "sweeps" / "a.json").write_text("{")

    def run(sweep, folder, *_words, **_named):
        return running.status(sweep, folder, running.code_of("cpu"))

    monkeypatch.setattr(sizes, "run", run)
    return store, name


@pytest.mark.parametrize("words", [[], ["--status"]])
def test_a_record_that_cannot_be_read_stops_no_other_sweep(spoiled, capsys, words):
    store, name = spoiled
    command = ["sweep", "--worker", str(store.folder), *words]
    assert main([*command, "--json"]) == UNDECIDED
    answer = json.loads(capsys.readouterr().out)
    assert [one["sweep"] for one in answer["sweeps"]] == [name]
    (said,) = answer["remarks"]
    assert f"{store.folder / 'sweeps' / 'a.json'} is no record of a sweep" in said
    assert main(command) == UNDECIDED
    assert said in capsys.readouterr().out


def test_a_job_makes_the_sweeps_whose_records_can_be_read(spoiled, capsys):
    store, name = spoiled
    Crew(str(store.folder), "cpu", 1)()
    said = capsys.readouterr().out
    assert "a.json is no record of a sweep" in said
    assert f"sweep {name}: {{'missing': 4}}" in said


def test_a_worker_without_a_record_that_can_be_read_is_refused(spoiled, capsys):
    store, name = spoiled
    (store.folder / "sweeps" / f"{name}.json").unlink()
    for words in ([], ["--status"], ["--watch"]):
        assert main(["sweep", "--worker", str(store.folder), *words]) == BAD_INPUT
        assert "a.json is no record of a sweep" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"a\.json is no record"):
        Crew(str(store.folder), "cpu", 1)()
