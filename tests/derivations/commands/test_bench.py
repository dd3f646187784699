"""`gdln bench`: that it measures, and that its contenders compute the same; how fast is not a test's business."""

import json

import pytest

from derivations.benchmarks import deep, kernels, solve, train
from derivations.benchmarks.peers import jax_scan
from derivations.cli import main
from tests.tolerances import FLOW_DENSE
from tests.tolerances_of_deep_training import DEEP_BENCH
from tests.tolerances_of_empirical_kernels import KERNEL_BENCH


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def apart(measured):
    """The distances of the contenders from the first one, by row."""
    return {row["name"]: max(row["apart"].values(), default=0.0) for row in measured["rows"]}


@pytest.mark.slow
def test_train_is_measured_beside_its_peers(tmp_path, monkeypatch):
    monkeypatch.setattr(jax_scan, "find_spec", lambda _name: None)
    measured = train.measure((train.Case(40, 2, 50, (2, 1), 2, 10),), rounds=1)
    monkeypatch.setattr(train, "measure", lambda: measured)
    out = tmp_path / "train.json"
    assert main(["bench", "train", "--json", "--out", str(out)]) == 0
    (row,) = json.loads(out.read_text())["rows"]
    assert list(row["seconds"]) == ["sim", "torch loop"]
    assert min(row["seconds"].values()) > 0


def test_the_contender_of_solve_gives_the_same_weights(monkeypatch):
    """Else a ratio of times would compare different answers; contexts in the way beyond exact moments, as measured."""
    monkeypatch.setattr("theory.moments.finite._beyond_exact", lambda *_: True)
    cases = tuple(solve.Case(boundary, 12, long=False) for boundary in ("open", "ring"))
    distances = apart(solve.measure(cases, contexts=3, rounds=1))
    assert len(distances) == 3
    assert max(distances.values()) <= FLOW_DENSE


@pytest.mark.slow
def test_every_contender_trains_the_same_deep_networks():
    weights = {name: train_by() for name, train_by in deep.contenders(3, 3).items()}
    expected = weights.pop("sim")
    assert set(weights) == {"loop", "vmap"}
    assert max(float((trained - expected).norm() / expected.norm()) for trained in weights.values()) <= DEEP_BENCH


@pytest.mark.slow
def test_every_contender_gives_the_same_kernels():
    assert max(apart(kernels.measure(8, rounds=1)).values()) <= KERNEL_BENCH
