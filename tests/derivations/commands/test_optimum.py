"""`gdln optimum` as it is typed: the text, the JSON, and what it refuses."""

import json
from fractions import Fraction

import pytest

from derivations import cli
from derivations.answers.optimum import answer
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.paths import PROBLEMS
from tests.tolerances import PULSE_FLOW
from theory.flow import solve
from theory.gates import KINDS
from theory.problem import load

THREE = PROBLEMS / "three-sites.toml"


def said(capsys, *words):
    code = cli.main(["optimum", *map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_json_has_every_kind(capsys):
    code, found = said(capsys, THREE)
    assert (code, found["schema"], found["gates"], found["lost"]) == (PASS, "gdln.optimum/1", 2, "0")
    assert tuple(found["kinds"]) == KINDS
    assert found["kinds"]["any"]["mse"] == found["kinds"]["half-spaces"]["mse"] == "1/188"
    assert found["kinds"]["exclusive"]["mse"] == "1/84"
    (gating,) = found["kinds"]["any"]["gatings"]
    widths = [sum(map(int, one["x"])) for one in found["inputs"]]
    assert [sorted({widths[a] for a in gate}) for gate in gating] == [[1, 2], [2, 3]]


def test_the_loss_of_the_files_gates_is_that_of_solve(capsys):
    solution = solve(load(THREE))
    own = float(Fraction(said(capsys, THREE)[1]["own"]))
    assert abs(own - solution.mse) <= PULSE_FLOW * solution.condition
    assert abs(1 / 84 - solution.mse) > PULSE_FLOW * solution.condition


def test_text_and_one_kind(capsys):
    assert cli.main(["optimum", str(THREE), "--kind", "exclusive", "--gates", "1"]) == PASS
    text = capsys.readouterr().out
    assert "1 gates, best weights" in text
    assert "exclusive " in text
    assert "half-spaces" not in text
    assert text.count("x = ") == 7


def test_a_kind_out_of_reach_says_so_beside_the_others(monkeypatch):
    monkeypatch.setattr("theory.gates.half_spaces.MOST_SEPARATED", 6)
    found = answer(load(THREE))
    assert "half-spaces           out of reach: 7 inputs have 2^7 subsets" in found.text()
    assert "out_of_reach" in found.json()["kinds"]["half-spaces"]
    assert found.json()["kinds"]["any"]["mse"] == "1/188"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([THREE, "--kind", "halfspace"], BAD_INPUT, "--kind halfspace is not known"),
        ([THREE, "--gates", "9"], BAD_INPUT, "gates = 9 is more than 4"),
        ([PROBLEMS / "small-bump.toml"], OUT_OF_REACH, '"nlgp" has no list of exact inputs'),
        ([PROBLEMS / "single-pulse.toml"], OUT_OF_REACH, "different nonzero inputs"),
        ([PROBLEMS / "race.toml"], BAD_INPUT, "no gates of its own"),
    ],
)
def test_refusals(words, code, message, capsys):
    found = said(capsys, *words)
    assert found[0] == code
    assert message in found[1]["error"]["message"]
    assert found[1]["error"]["hint"]


def test_a_graph_with_a_number_of_gates(capsys):
    code, found = said(capsys, PROBLEMS / "race.toml", "--gates", "2", "--kind", "tiling")
    assert (code, found["own"], list(found["kinds"])) == (PASS, None, ["tiling"])
