"""`gdln compare` as it is typed: theory and networks of one problem, in JSON, text and a picture."""

import json

import numpy as np
import pytest

from derivations.cli import main
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.derivations.commands.test_simulate import PROBLEM
from tests.tolerances import STANDARD_ERRORS
from theory.flow import discrete, solve
from theory.problem import loads


@pytest.fixture
def gdln(tmp_path, capsys):
    """Run `gdln compare` on the problem of the tests of simulate with replaced words; exit code, stdout and stderr."""

    def run(*words, change=()):
        text = PROBLEM.replace("replicates = 4", "replicates = 16")
        for old, new in change:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "problem.toml").write_text(text)
        code = main(["compare", str(tmp_path / "problem.toml"), "--device", "cpu", *map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_json_has_theory_networks_and_distance(gdln):
    code, out, err = gdln("--json")
    answer, problem = json.loads(out), loads(PROBLEM)
    assert (code, err, answer["schema"]) == (PASS, "", "gdln.compare/1")
    theory, networks = answer["theory"], answer["networks"]
    assert theory["weights"] == discrete(problem).weights.tolist()
    assert theory["flow_weights"] == solve(problem).weights.tolist()
    assert np.shape(theory["participation_ratio"]) == np.shape(networks["participation_ratio"]) == (2, 2)
    apart = np.abs(np.array(theory["weights"]) - networks["weights"])
    assert (apart < STANDARD_ERRORS * np.array(networks["weights_standard_error"])).all()
    low, middle, high = (np.array(answer["distance"][key]) for key in ("low", "distance", "high"))
    assert ((low <= middle) & (middle <= high)).all()
    assert answer["notes"] == []


THRESHOLDS = {
    "a tiling": [("lo = 0.0", "lo = 0.5"), ("hi = 0.0", "hi = 0.5")],
    "slabs": [("lo = 0.0", "lo = -0.25\nhi = 1.5"), ("site = 3\nhi = 0.0", "site = 2\nhi = -0.5")],
    "soft gates": [("lo = 0.0", "lo = 0.25\nsharpness = 2.0")],
}


@pytest.mark.parametrize("law", ["nlgp", "gaussian-clone"])
@pytest.mark.parametrize("name", THRESHOLDS)
def test_networks_through_other_thresholds_follow_their_law(gdln, name, law):
    change = [('"nlgp"', f'"{law}"'), *THRESHOLDS[name]]
    answer = json.loads(gdln("--json", change=change)[1])
    text = PROBLEM
    for old, new in change:
        text = text.replace(old, new)
    weights = np.array(answer["theory"]["weights"])
    assert (weights == discrete(loads(text)).weights).all()
    apart = np.abs(weights - answer["networks"]["weights"])
    assert (apart < STANDARD_ERRORS * np.array(answer["networks"]["weights_standard_error"])).all()
    assert (np.abs(weights[-1]) > STANDARD_ERRORS * np.array(answer["networks"]["weights_standard_error"])[-1]).any()


def test_a_wrong_prediction_is_far(gdln, monkeypatch):
    """Networks of other labels than those predicted: the whole band of the distance lies above zero."""
    from derivations.answers import compare

    view = compare.field_view
    monkeypatch.setattr(compare, "field_view", lambda problem: view(loads(PROBLEM.replace("[1.0, 0.0]", "[0.0, 1.0]"))))
    assert min(json.loads(gdln("--json")[1])["distance"]["low"]) > 0


def test_weights_of_zero_have_no_ratio(gdln, tmp_path):
    change = [("scale = 0.1", "scale = 0"), ("times = [0.5", "times = [0.0, 0.5")]
    code, out, _ = gdln("--json", "--plot", tmp_path / "zero.png", change=change)
    answer = json.loads(out)
    assert code == PASS
    assert answer["theory"]["participation_ratio"] is answer["networks"]["participation_ratio"] is None


REFUSED = [
    ([("seed = 1", 'seed = 1\ninitialisation = "per-replicate"')], BAD_INPUT, "its own w0"),
    ([("times = [0.5", "times = [0.3")], BAD_INPUT, "steps of tau"),
    ([("seed = 1", 'seed = 1\noptimizer = "momentum"\nmomentum = 0.9')], OUT_OF_REACH, "sgd"),
    (
        [('kind = "site"\nsite = 3\nlo', 'kind = "direction"\nv = { 2 = 1, 3 = 2 }\non = "input"\nlo')],
        OUT_OF_REACH,
        "along 2 sites has no exact moments",
    ),
]


@pytest.mark.parametrize(("change", "code", "said"), REFUSED)
def test_what_has_no_prediction_is_refused_before_training(gdln, monkeypatch, change, code, said):
    monkeypatch.setattr("derivations.answers.simulate.train", None)
    got, out, _ = gdln("--json", change=change)
    assert got == code
    assert said in json.loads(out)["error"]["message"]
