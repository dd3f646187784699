"""E[s1 s2 s3 s4] as balls: against exact values and the float64 twin."""

import numpy as np
import pytest
from flint import arb, ctx

from tests.tolerances import MOMENT_FOUR_FACTORS, MOMENT_STORED
from theory.gaussian.certified.plackett import PAIRINGS
from theory.gaussian.certified.signs import four_signs
from theory.gaussian.float64 import signs

DIGITS = 40
POINTS = [
    (0.5, 0.25, -0.25, 0.125, 0.5, 0.375),
    (0.9, 0.75, 0.625, 0.75, 0.75, 0.875),
    (0.0, 0.999, 0.0, 0.0, 0.999, 0.0),
    (-0.125, 0.5, 0.0, 0.25, -0.5, 0.0),
    (0.0, 0.48, 0.36, -0.36, 0.48, 0.0),  # equal canonical correlations
]


def balls(values):
    return [arb(value) for value in values]


def test_equicorrelated_signs():
    """All correlations 1/2: P(all positive) = 1/5 and the pairs are 1/3, so E = 16/5 - 1 - 6/3 = 1/5."""
    with ctx.workdps(DIGITS):
        value = four_signs(*balls([0.5] * 6))
        assert value.contains(arb(1) / 5)
        assert value.rad() < MOMENT_STORED


def test_independent_pairs_multiply():
    with ctx.workdps(DIGITS):
        value = four_signs(*balls([0.5, 0, 0, 0, 0, 0.25]))
        assert value.overlaps((2 / arb.pi()) ** 2 * arb(0.5).asin() * arb(0.25).asin())


@pytest.mark.parametrize("point", POINTS)
def test_float64_is_close(point):
    with ctx.workdps(DIGITS):
        value = four_signs(*balls(point))
        assert abs(float(value) - float(signs.four_signs(*point))) <= MOMENT_FOUR_FACTORS


@pytest.mark.parametrize("point", POINTS)
def test_no_order_of_the_signs_matters(point):
    with ctx.workdps(DIGITS):
        values = [four_signs(*(arb(point[index]) for index in order)) for order in PAIRINGS]
        assert all(value.overlaps(values[0]) for value in values)
        flipped = np.array(point) * [1, -1, 1, -1, 1, -1]
        assert (four_signs(*balls(flipped.tolist())) + values[0]).contains(0)
