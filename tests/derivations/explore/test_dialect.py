"""The dialect switch: the same data and outputs in other conventions, or the reason why there are none."""

from dataclasses import replace
from math import erf, sqrt

import pytest

from derivations.explore.dialect import in_dialect
from derivations.explore.problems import FIRST, carried
from tests.tolerances_of_explorer import SHOWN_DIGITS
from theory.problem import InputError, load
from theory.problem.distributions.ising import Ising

SIGNED = load(FIRST)
SIGNED = replace(SIGNED, data=replace(SIGNED.data, labels=(1, -1), gain=3))


def number(text):
    return float(text.replace("=", "×").partition("×")[2].strip())


def test_numbers_are_those_of_each_convention():
    """The nonlinearity of the paper is erf(g z/sqrt 2), here erf(3 z); six digits are shown."""
    numbers = {word: in_dialect(SIGNED, word)["numbers"] for word in ("workbench", "PNAS paper", "conv_emerge")}
    expected = {"gain": "g = 3", "lengths": "ξ = 2, 1 sites", "labels": "y = 1, −1", "ratio": "IPR"}
    expected |= {"weights": "w × 1", "time": "t × 1", "loss": "L × 1"}
    assert numbers["workbench"] == expected
    gain = number(numbers["PNAS paper"]["gain"])
    assert abs(erf(gain * 0.5 / sqrt(2)) - erf(1.5)) <= SHOWN_DIGITS * gain
    assert numbers["PNAS paper"]["ratio"] == "IPR → 1/IPR"
    assert abs(number(numbers["conv_emerge"]["weights"]) - sqrt(40)) <= SHOWN_DIGITS * sqrt(40)
    assert "ratio" not in numbers["conv_emerge"]  # it does not say which of the two it calls IPR


def test_labels_and_laws_that_a_dialect_does_not_have_are_named():
    assert "labels" in in_dialect(load(FIRST), "PNAS paper")["refused"][0]
    other = carried(load(FIRST), Ising(40, "ring", (1, 0), xi=(2, 1)))[0]
    assert "conventions for one hidden layer" in in_dialect(other, "notes")["refused"][0]
    with pytest.raises(InputError, match="no dialect"):
        in_dialect(SIGNED, "none")
