"""Exponentials of exact numbers in float64: exp(-r d) as if r d had not been rounded."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from tests.tolerances import MOMENT_ENTRY
from theory.expressions.balls.closed_form import NotCertified
from theory.moments.arithmetic import FLOAT64, LARGEST_EXACT, settled
from theory.problem import OutOfReachError

RATES = [
    Fraction(1),
    Fraction(1, 4),
    Fraction(4, 9),
    Fraction(1, 1_000_003),
    Fraction("0.7") ** -2,
    Fraction(10**9, 7),
    Fraction(LARGEST_EXACT + 1, LARGEST_EXACT + 2),
]
DISTANCES = np.arange(0, 60, dtype=int) ** 2


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_exponentials_keep_every_digit(rate):
    """Also where the exponent is in the hundreds, so that a rounded one would lose two digits."""
    minus, one_minus = FLOAT64.exp_minus(DISTANCES, rate), FLOAT64.one_minus_exp_minus(DISTANCES, rate)
    with mpmath.workdps(40):
        for d, found, gap in zip(DISTANCES.tolist(), minus.tolist(), one_minus.tolist(), strict=True):
            exponent = mpmath.mpf((rate * d).numerator) / (rate * d).denominator
            exact = mpmath.exp(-exponent)
            if exact > np.finfo(float).tiny:
                assert abs(found - exact) <= MOMENT_ENTRY * exact
            assert abs(gap + mpmath.expm1(-exponent)) <= MOMENT_ENTRY * abs(mpmath.expm1(-exponent))


def test_integrals_that_take_too_long_are_refused_in_words():
    def compute():
        raise NotCertified("too much work")

    with pytest.raises(OutOfReachError, match="look at the same direction of the data, up to a factor"):
        settled(compute, 53)
