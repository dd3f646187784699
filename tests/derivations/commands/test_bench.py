"""`gdln bench`: that it measures, and that its contenders compute the same; how fast is not a test's business."""

import json

import pytest

from derivations.benchmarks import deep, flow, kernels, sample, solve, train
from derivations.benchmarks.peers import jax_scan
from derivations.cli import main
from tests.tolerances import FLOW_DENSE, STANDARD_ERRORS
from tests.tolerances_of_deep_training import DEEP_BENCH, DEEP_BENCH_ADAM
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
    assert list(row["seconds"]) == ["sim", "torch loop of 1"]
    assert min(row["seconds"].values()) > 0


def test_the_contender_of_solve_gives_the_same_weights():
    """Else a ratio of times would compare different answers."""
    cases = tuple(solve.Case(boundary, 12, long=False) for boundary in ("open", "ring"))
    assert max(apart(solve.measure(cases, rounds=1)).values()) <= FLOW_DENSE


def test_the_contender_of_flow_gives_the_same_weights(monkeypatch):
    """With every structure, in the way in which problems beyond exact moments are solved."""
    monkeypatch.setattr("theory.moments.finite._beyond_exact", lambda *_: True)
    for name, problem, rank in (
        ("circulant", flow.ring(24), 24),
        ("exclusive blocks", flow.contexts(3, 8, 4), 12),
        ("low rank", flow.few_examples(3, 8, 5), 5),
    ):
        row = flow.solution(name, problem, 1)
        assert row["rank"] == rank
        assert row["apart"]["dense"] <= FLOW_DENSE


@pytest.mark.slow
@pytest.mark.parametrize(("optimiser", "allowed"), [("sgd", DEEP_BENCH), ("adam", DEEP_BENCH_ADAM)])
def test_every_contender_trains_the_same_deep_networks(optimiser, allowed):
    weights = {name: train_by() for name, train_by in deep.contenders(optimiser, 3, 3).items()}
    expected = weights.pop("sim")
    assert set(weights) == {"loop", "loop, fused optimiser", "vmap"}
    assert max(float((found - expected).norm() / expected.norm()) for found in weights.values()) <= allowed


@pytest.mark.slow
def test_every_contender_gives_the_same_kernels():
    assert max(apart(kernels.measure(8, rounds=1)).values()) <= KERNEL_BENCH


def test_random_features_have_the_covariance_up_to_the_error_of_their_number():
    """Each entry is a mean of numbers of size at most 2 and of variance at most 1/2 + 1/2."""
    import numpy as np

    from theory.problem import latent_correlation

    for name in ("line xi=3", "open grid xi=1"):
        law = sample.laws(8, 4)[name]
        waves = sample.features(law, 4000)
        assert np.abs(waves.T @ waves - latent_correlation(law, 0)).max() <= STANDARD_ERRORS / np.sqrt(4000)
