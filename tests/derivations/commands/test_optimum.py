"""`gdln optimum` where one kind of gates is out of reach."""

from derivations.answers.optimum import answer
from tests.paths import PROBLEMS
from theory.problem import load


def test_a_kind_out_of_reach_says_so_beside_the_others(monkeypatch):
    monkeypatch.setattr("theory.gates.half_spaces.MOST_SEPARATED", 6)
    kinds = answer(load(PROBLEMS / "three-sites.toml")).json()["kinds"]
    assert "7 inputs have 2^7 subsets" in kinds["half-spaces"]["out_of_reach"]
    assert kinds["any"]["mse"] == "1/188"
