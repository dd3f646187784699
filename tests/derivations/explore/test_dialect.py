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


def test_the_workbench_keeps_every_number():
    numbers = in_dialect(SIGNED, "workbench")["numbers"]
    assert numbers["gain"] == "g = 3"
    assert numbers["lengths"] == "ξ = 2, 1 sites"
    assert [numbers[name] for name in ("weights", "time", "loss")] == ["w × 1", "t × 1", "L × 1"]
    assert numbers["ratio"] == "IPR"


def test_the_gain_of_the_paper_gives_the_same_input():
    """Its nonlinearity is erf(g z/sqrt 2), here erf(3 z); six digits are shown."""
    gain = number(in_dialect(SIGNED, "PNAS paper")["numbers"]["gain"])
    for z in (0.1, 0.5, 1.0):
        assert abs(erf(gain * z / sqrt(2)) - erf(3 * z)) <= SHOWN_DIGITS * gain


def test_the_public_code_divides_by_the_root_of_the_sites():
    numbers = in_dialect(SIGNED, "conv_emerge")["numbers"]
    assert abs(number(numbers["weights"]) - sqrt(40)) <= SHOWN_DIGITS * sqrt(40)
    assert "ratio" not in numbers  # it does not say which of the two it calls IPR
    assert in_dialect(SIGNED, "PNAS paper")["numbers"]["ratio"] == "IPR → 1/IPR"


def test_labels_that_a_dialect_does_not_have_are_named():
    found = in_dialect(load(FIRST), "PNAS paper")
    assert found["numbers"] == {}
    assert "labels" in found["refused"][0]


def test_another_law_has_no_dialect():
    law = Ising(40, "ring", (1, 0), xi=(2, 1))
    found = in_dialect(carried(load(FIRST), law)[0], "notes")
    assert "conventions for one hidden layer" in found["refused"][0]
    with pytest.raises(InputError, match="no dialect"):
        in_dialect(SIGNED, "none")
