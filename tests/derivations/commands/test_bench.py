"""`gdln bench`: that it measures, and that its contenders compute the same; how fast is not a test's business."""

import json
from dataclasses import replace

import pytest

from derivations.benchmarks import flow, solve, sweep, train
from derivations.benchmarks.peers import jax_scan
from derivations.cli import main
from derivations.experiments.folders import problem_named
from tests.tolerances import FLOW_DENSE
from tests.tolerances_of_graphs import GRAPH_SHALLOW
from theory.flow import solve as solved
from theory.flow.graph.integrate import integrate
from theory.problem import NormalInitialisation


@pytest.mark.slow
def test_train_is_measured_beside_its_peers(tmp_path, monkeypatch):
    monkeypatch.setattr(jax_scan, "find_spec", lambda _name: None)
    measured = train.measure(quick=True)
    monkeypatch.setattr(train, "measure", lambda: measured)
    out = tmp_path / "train.json"
    assert main(["bench", "train", "--json", "--out", str(out)]) == 0
    case = json.loads(out.read_text())["cases"][0]
    assert case["rates"]["jax"] == case["rates"]["jax-own"] == "jax is not installed"
    assert min(case["rates"][name] for name in ("sim", "reference", "torch")) > 0
    assert set(case["ratios"]) == {"reference", "torch"}
    assert case["reached"] == (case["ratios"]["torch"] >= case["goal"])


@pytest.mark.slow
def test_the_store_of_sweeps_is_measured():
    measured = sweep.measure(count=8, listed=5, shared=2, rounds=1, others=3)
    assert set(measured["a cell"]) == {"command", "store", "files alone"}
    assert all(seconds["wall"] > 0 for seconds in measured["a cell"].values())
    assert "5 cells listed" in sweep.text(measured)


def test_the_contender_of_solve_gives_the_same_weights():
    """Else a ratio of times would compare different answers."""
    for boundary in ("open", "ring"):
        problem = solve.problem_of(solve.Case(boundary, 12, False))
        structured, dense = solve.by_structure(problem), solve.by_dense_matrices(problem)
        assert abs(structured.reshape(dense.shape) - dense).max() <= FLOW_DENSE


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
        assert row["apart"] <= FLOW_DENSE
        assert row["ratio"] == row["dense_seconds"] / row["seconds"] > 0


def test_the_small_bump_is_the_same_network_as_a_graph():
    """Else the speeds of training would be those of different work: the flow of the derived equations is one."""
    shallow = problem_named("small-bump")
    shallow = replace(shallow, training=replace(shallow.training, w0=NormalInitialisation(0, 0)))
    weights, expected = integrate(flow.as_graph(shallow)).weights, solved(shallow).weights
    for k in range(2):
        assert abs(weights[f"W{k}"][:, 0] - expected[:, k]).max() <= GRAPH_SHALLOW
