"""`gdln bench`: that it measures and says what it measured; how fast is not a test's business."""

import json

import pytest

from derivations.cli import main
from tests.derivations.benchmarks import tables
from tests.tolerances import FLOW_DENSE


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


@pytest.mark.parametrize("name", ["train", "moments", "expectations", "relu-gates", "explore", "solve", "threads"])
def test_a_stored_run_says_on_what_it_was_made(name):
    from derivations.publish.stored_runs import BENCHMARKS as RESULTS

    run = json.loads((RESULTS / f"{name}.json").read_text())
    assert {"processor", "python"} <= set(run["machine"])
    assert run["bench"] == name


@pytest.mark.parametrize("name", ["train", "moments", "solve", "threads"])
def test_the_readme_shows_the_stored_runs(name):
    """A run that is stored anew needs its table in derivations/benchmarks/README.md."""
    from derivations.publish.stored_runs import BENCHMARKS as RESULTS

    table = getattr(tables, name)(json.loads((RESULTS / f"{name}.json").read_text()))
    assert table in (RESULTS.parent / "README.md").read_text(encoding="utf-8"), f"paste this:\n{table}"


def test_an_unknown_word_is_named(capsys):
    assert main(["bench", "trains"]) == 2
    assert "Did you mean `train`?" in capsys.readouterr().err


def test_training_is_not_measured_with_several_threads(monkeypatch, capsys):
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert main(["bench", "train"]) == 2
    assert "Run OMP_NUM_THREADS=1 gdln bench train." in capsys.readouterr().err
