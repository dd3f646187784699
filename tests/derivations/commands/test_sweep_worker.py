"""`gdln sweep --worker STORE` where there is nothing to work on: what it says."""

import pytest

from derivations.cli import main
from derivations.output import BAD_INPUT
from derivations.sweeps.store import Store

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
