"""`gdln bench`: that it measures and says what it measured; how fast is not a test's business."""

import json
from dataclasses import replace

import pytest

from derivations.cli import main
from derivations.experiments.folders import problem_named
from tests.tolerances import FLOW_DENSE
from tests.tolerances_of_graphs import GRAPH_SHALLOW
from theory.problem import NormalInitialisation


@pytest.mark.slow
def test_train_is_measured_beside_its_peers(tmp_path, capsys, monkeypatch):
    from derivations.benchmarks import train
    from derivations.benchmarks.peers import jax_scan

    monkeypatch.setattr(jax_scan, "find_spec", lambda _name: None)
    measured = train.measure(quick=True)
    monkeypatch.setattr(train, "measure", lambda: measured)
    out = tmp_path / "train.json"
    assert main(["bench", "train", "--json", "--out", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "gdln.bench/1"
    assert answer["bench"] == "train"
    case = json.loads(out.read_text())["cases"][0]
    assert case["rates"]["jax"] == case["rates"]["jax-own"] == "jax is not installed"
    assert min(case["rates"][name] for name in ("sim", "reference", "torch")) > 0
    assert set(case["ratios"]) == {"reference", "torch steps", "torch"}
    assert case["best"] == "torch"
    assert case["peers"]["torch"] in case["tried"]["torch"]
    assert case["reached"] == (case["ratios"]["torch"] >= case["goal"])
    assert {"processor", "torch", "load", "environment"} <= set(answer["machine"])
    assert "sim is" in train.text(measured)


def test_the_contender_of_solve_gives_the_same_weights():
    """Else a ratio of times would compare different answers."""
    from derivations.benchmarks import solve

    for boundary in ("open", "ring"):
        problem = solve.problem_of(solve.Case(boundary, 12, False))
        own, dense = solve.by_structure(problem), solve.by_dense_matrices(problem)
        assert abs(own.reshape(dense.shape) - dense).max() <= FLOW_DENSE


@pytest.mark.slow
def test_the_store_of_sweeps_is_measured():
    from derivations.benchmarks import sweep

    measured = sweep.measure(count=8, listed=5, shared=2, rounds=1, others=3)
    assert set(measured["a cell"]) == {"command", "store", "files alone"}
    assert all(seconds["wall"] > 0 for seconds in measured["a cell"].values())
    assert "5 cells listed" in sweep.text(measured)
    assert "in a store with 3 others" in sweep.text(measured)


@pytest.mark.parametrize("name", ["circulant", "exclusive blocks", "low rank"])
def test_the_contender_of_flow_gives_the_same_weights(name, monkeypatch):
    """With every structure, in the way in which problems beyond exact moments are solved."""
    from derivations.benchmarks import flow

    monkeypatch.setattr("theory.moments.finite._beyond_exact", lambda *_: True)
    problem = {
        "circulant": flow.ring(24),
        "exclusive blocks": flow.contexts(3, 8, 4),
        "low rank": flow.few_examples(3, 8, 5),
    }[name]
    row = flow.solution(name, problem, 1)
    assert row["rank"] == {"circulant": 24, "exclusive blocks": 12, "low rank": 5}[name]
    assert row["apart"] <= FLOW_DENSE
    assert row["ratio"] == row["dense_seconds"] / row["seconds"] > 0
    assert ("goal" in row) == (name in flow.GOALS)


def test_the_small_bump_is_the_same_network_as_a_graph():
    """Else the speeds of training would be those of different work: the flow of the derived equations is one."""
    from derivations.benchmarks import flow
    from theory.flow import solve
    from theory.flow.graph.integrate import integrate

    shallow = problem_named("small-bump")
    shallow = replace(shallow, training=replace(shallow.training, w0=NormalInitialisation(0, 0)))
    graph = flow.as_graph(shallow)
    found, expected = integrate(graph), solve(shallow).weights
    for k in range(2):
        assert abs(found.weights[f"W{k}"][:, 0] - expected[:, k]).max() <= GRAPH_SHALLOW


def test_an_unknown_word_is_named(capsys):
    assert main(["bench", "trains"]) == 2
    assert "Did you mean `train`?" in capsys.readouterr().err
