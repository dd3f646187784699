"""`gdln bench`: that it measures and says what it measured; how fast is not a test's business."""

import json
from dataclasses import replace

import pytest

from derivations.cli import main
from derivations.experiments.folders import problem_named
from tests.derivations.benchmarks import tables
from tests.paths import ROOT
from tests.tolerances import FLOW_DENSE
from tests.tolerances_of_graphs import GRAPH_INTEGRATED, GRAPH_SHALLOW
from theory.problem import NormalInitialisation


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


def test_threads_are_measured_alone_and_beside_a_load(monkeypatch):
    from derivations.benchmarks import threads

    monkeypatch.setattr(threads, "commands", lambda _folder: {"version": ["--version"]})
    measured = threads.measure(rounds=1)
    assert [case["busy loops"] for case in measured["cases"]] == [0, threads.cores()]
    for case in measured["cases"]:
        assert min(case["wall"].values()) > 0
        assert set(case["processor"]) == set(threads.WAYS)
    assert "beside" in threads.text(measured)


def test_the_contender_of_solve_gives_the_same_weights():
    """Else a ratio of times would compare different answers."""
    from derivations.benchmarks import solve

    for boundary in ("open", "ring"):
        problem = solve.problem_of(solve.Case(boundary, 12, False))
        own, dense = solve.by_structure(problem), solve.by_dense_matrices(problem)
        assert abs(own.reshape(dense.shape) - dense).max() <= FLOW_DENSE


def test_solve_is_measured_in_processes_of_its_own():
    from derivations.benchmarks import solve

    measured = solve.measure((solve.Case("ring", 12, False),))
    (row,) = measured["cases"]
    assert row["ratio"] == row["dense"]["seconds"] / row["solve"]["seconds"] > 0
    assert row["name"] in solve.text(measured)


@pytest.mark.parametrize(
    "name",
    [
        "train",
        "moments",
        "expectations",
        "relu-gates",
        "explore",
        "solve",
        "gates",
        "sample",
        "flow",
        "kernels",
        "deep",
        "threads",
        "sweep",
    ],
)
def test_a_stored_run_says_on_what_it_was_made(name):
    from derivations.publish.stored_runs import BENCHMARKS as RESULTS

    run = json.loads((RESULTS / f"{name}.json").read_text())
    assert {"processor", "python"} <= set(run["machine"])
    assert run["bench"] == name


@pytest.mark.parametrize(
    "name", ["train", "moments", "solve", "gates", "sample", "flow", "kernels", "deep", "threads", "sweep"]
)
def test_the_readme_shows_the_stored_runs(name):
    """A run that is stored anew needs its table in derivations/benchmarks/README.md."""
    from derivations.publish.stored_runs import BENCHMARKS as RESULTS

    table = getattr(tables, name)(json.loads((RESULTS / f"{name}.json").read_text()))
    assert table in (ROOT / "derivations" / "benchmarks" / "README.md").read_text(encoding="utf-8"), (
        f"paste this:\n{table}"
    )


def test_the_store_of_sweeps_is_measured():
    from derivations.benchmarks import sweep

    measured = sweep.measure(count=8, listed=5, shared=2, rounds=1, others=3)
    assert set(measured["a cell"]) == {"command", "store", "files alone"}
    assert all(seconds["wall"] > 0 for seconds in measured["a cell"].values())
    assert "5 cells listed" in sweep.text(measured)
    assert "in a store with 3 others" in sweep.text(measured)


def test_every_kind_of_gate_is_measured(monkeypatch):
    from derivations.benchmarks import gates

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    measured = gates.measure(sites=10, rounds=1)
    assert len(measured["rows"]) == 16
    assert all(row["reached"] == (row["seconds"] <= gates.GOAL) for row in measured["rows"])
    assert all(row["condition"] > 1 for row in measured["rows"])
    assert "soft slabs at four sites" in gates.text(measured)


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
    from derivations.experiments.folders import problem_named
    from theory.flow import solve
    from theory.flow.graph.integrate import integrate

    shallow = problem_named("small-bump")
    shallow = replace(shallow, training=replace(shallow.training, w0=NormalInitialisation(0, 0)))
    graph = flow.as_graph(shallow)
    found, expected = integrate(graph), solve(shallow).weights
    for k in range(2):
        assert abs(found.weights[f"W{k}"][:, 0] - expected[:, k]).max() <= GRAPH_SHALLOW


def test_flow_is_measured_in_all_its_parts(monkeypatch):
    from derivations.benchmarks import flow

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(flow, "PATHS", (2, 2))
    monkeypatch.setattr(flow, "NETWORKS", 2)
    monkeypatch.setattr(flow, "STEPS", 20)
    bump = flow.problem_named("small-bump")
    short = replace(bump, simulation=replace(bump.simulated(), samples=100, batch=10, replicates=2))
    monkeypatch.setattr(flow, "problem_named", lambda name: short if name == "small-bump" else problem_named(name))
    measured = flow.measure(weights=120, rounds=1)
    assert measured["derivation"]["passed"]
    assert measured["derivation"]["paths"] == 4
    assert measured["integration"]["apart"] <= GRAPH_INTEGRATED
    assert set(measured["training"]["seconds"]) == {"hidden layer", "graph"}
    assert measured["memory"][1]["megabytes"] > measured["memory"][0]["megabytes"] > 0
    assert min(measured["steps"].values()) > 0
    assert "small-bump: hidden layer" in flow.text(measured)
    assert "| exclusive blocks |" in tables.flow(measured)


def test_an_unknown_word_is_named(capsys):
    assert main(["bench", "trains"]) == 2
    assert "Did you mean `train`?" in capsys.readouterr().err


def test_training_is_not_measured_with_several_threads(monkeypatch, capsys):
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert main(["bench", "train"]) == 2
    assert "Run OMP_NUM_THREADS=1 gdln bench train." in capsys.readouterr().err


@pytest.mark.parametrize("content", ["my notes", "[1]", '{"other": 1}', None])
def test_the_result_does_not_replace_what_is_no_result(tmp_path, capsys, content):
    out = tmp_path / "out"
    if content is None:
        out.symlink_to(tmp_path / "elsewhere")
    else:
        out.write_text(content)
    assert main(["bench", "sample", "--out", str(out)]) == 2
    assert "is no result of gdln bench; it would be lost.\n  Name another file with --out." in capsys.readouterr().err
    assert out.is_symlink() or out.read_text() == content


def test_the_result_replaces_an_earlier_one(tmp_path, monkeypatch):
    from derivations.benchmarks import sample

    monkeypatch.setattr(sample, "measure", lambda: {"rows": []})
    monkeypatch.setattr(sample, "text", lambda _measured: "")
    for _ in range(2):
        assert main(["bench", "sample", "--out", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["bench"] == "sample"
