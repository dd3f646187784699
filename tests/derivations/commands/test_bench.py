"""`gdln bench`: that it measures and says what it measured; how fast is not a test's business."""

import json

import pytest

from derivations.cli import main


def test_train_is_measured_beside_its_peers(tmp_path, capsys, monkeypatch):
    from derivations.benchmarks import train

    monkeypatch.setattr(train, "find_spec", lambda _name: None)
    measured = train.measure(quick=True)
    monkeypatch.setattr(train, "measure", lambda: measured)
    out = tmp_path / "train.json"
    assert main(["bench", "train", "--json", "--out", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "gdln.bench/1"
    assert answer["bench"] == "train"
    case = json.loads(out.read_text())["cases"][0]
    assert case["rates"]["vmap"] == "not installed"
    assert min(case["rates"][name] for name in ("sim", "reference", "loop")) > 0
    assert set(case["ratios"]) == {"reference", "loop"}
    assert {"processor", "versions", "environment"} <= set(answer["machine"])
    assert "sim is" in train.text(measured)


def test_an_unknown_word_is_named(capsys):
    assert main(["bench", "trains"]) == 2
    assert "Did you mean `train`?" in capsys.readouterr().err


def test_training_is_not_measured_with_several_threads(monkeypatch, capsys):
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert main(["bench", "train"]) == 2
    assert "Run OMP_NUM_THREADS=1 gdln bench train." in capsys.readouterr().err


@pytest.mark.parametrize("peer", ["loop", "vmap"])
def test_the_peers_train_the_same_network(peer):
    """Each peer runs the steps that it counts."""
    from derivations.benchmarks.peers import jax_scan, torch_loop
    from derivations.benchmarks.train import CASES, _problem

    question = _problem(CASES[0], 3)
    if peer == "vmap":
        pytest.importorskip("jax", reason="jax is not installed (extra `peers`)")
        assert jax_scan(question, 2, 3)() == 6
    else:
        assert torch_loop(question, 3)() == 3
