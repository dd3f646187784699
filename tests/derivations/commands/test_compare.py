"""`gdln compare` as it is typed: networks beside the theory of the same problem, and beside that of another."""

import numpy as np

from derivations.answers import compare
from derivations.output import BAD_INPUT, PASS
from tests.derivations.answers.problems import LINE
from tests.tolerances import STANDARD_ERRORS
from theory.flow import discrete
from theory.problem import load, loads

MANY = ("replicates = 7", "replicates = 16")


def test_networks_through_other_thresholds_follow_their_law(gdln, written):
    slabs = ("lo = 0.0", "lo = -0.25\nhi = 1.5"), ("site = 3\nhi = 0.0", "site = 2\nhi = -0.5")
    file = written(LINE, MANY, ('"nlgp"', '"gaussian-clone"'), *slabs)
    code, answer = gdln("compare", file, "--device", "cpu")
    weights = np.array(answer["theory"]["weights"])
    assert code == PASS
    assert (weights == discrete(load(file)).weights).all()
    error = STANDARD_ERRORS * np.array(answer["networks"]["weights_standard_error"])
    assert (np.abs(weights - answer["networks"]["weights"]) < error).all()
    assert (np.abs(weights[-1]) > error[-1]).any()
    low, middle, high = (np.array(answer["distance"][key]) for key in ("low", "distance", "high"))
    assert ((low <= middle) & (middle <= high)).all()


def test_a_wrong_prediction_is_far(gdln, written, monkeypatch):
    """Networks of other labels than those predicted: the whole band of the distance lies above zero."""
    view = compare.field_view
    other = loads(LINE.replace("[1.0, 0.0]", "[0.0, 1.0]"))
    monkeypatch.setattr(compare, "field_view", lambda problem: view(other))
    answer = gdln("compare", written(LINE, MANY), "--device", "cpu")[1]
    assert min(answer["distance"]["low"]) > 0


def test_what_has_no_prediction_is_refused_before_training(gdln, written, monkeypatch):
    monkeypatch.setattr("derivations.answers.simulate.train", None)
    assert gdln("compare", written(LINE, ("[0.5, 2.0]", "[0.3, 2.0]")), "--device", "cpu")[0] == BAD_INPUT
