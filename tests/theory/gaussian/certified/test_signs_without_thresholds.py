"""E[s1 s2 s3 s4] as balls: against exact values and the float64 twin."""

import numpy as np
import pytest
from flint import arb, ctx

from tests.tolerances import MOMENT_FOUR_FACTORS, MOMENT_STORED
from theory.gaussian.certified.effort import Effort
from theory.gaussian.certified.plackett import plackett
from theory.gaussian.certified.signs import four_signs
from theory.gaussian.float64 import signs

DIGITS = 40
# The three ways to pair up: (1, 2), (3, 4); (1, 3), (2, 4); (1, 4), (2, 3), as orders of r12, r13, r14, r23, r24, r34.
PAIRINGS = ((0, 1, 2, 3, 4, 5), (1, 0, 2, 3, 5, 4), (2, 1, 0, 5, 4, 3))
POINTS = [
    (0.5, 0.25, -0.25, 0.125, 0.5, 0.375),
    (0.9, 0.75, 0.625, 0.75, 0.75, 0.875),
    (0.0, 0.999, 0.0, 0.0, 0.999, 0.0),
    (-0.125, 0.5, 0.0, 0.25, -0.5, 0.0),
    (0.0, 0.48, 0.36, -0.36, 0.48, 0.0),  # equal canonical correlations
]


def balls(values):
    return [arb(value) for value in values]


@pytest.mark.parametrize("point", POINTS)
def test_float64_and_both_integrals_agree_in_every_order(point):
    """Plackett's complex integrand, used where the covariance is nearly singular, and the sum used elsewhere."""
    with ctx.workdps(DIGITS):
        values = [four_signs(*(arb(point[index]) for index in order)) for order in PAIRINGS]
        values.append(plackett(*balls(point), Effort()))
        assert all(value.overlaps(values[0]) and value.rad() < MOMENT_STORED for value in values)
        assert abs(float(values[0]) - float(signs.four_signs(*point))) <= MOMENT_FOUR_FACTORS
        flipped = np.array(point) * [1, -1, 1, -1, 1, -1]
        assert (four_signs(*balls(flipped.tolist())) + values[0]).contains(0)


@pytest.mark.parametrize("gap", ["1e-5", "1e-7", "1e-30"])
def test_nearly_singular_covariances_take_the_other_integral(gap):
    """Correlations -1/3 + d: the limit d -> 0 is elementary, and the distance from it is at most of order sqrt d."""
    with ctx.workdps(2 * DIGITS):
        value = four_signs(*[arb(gap) - arb(1) / 3] * 6)
        pair = 2 * (arb(1) / 3).asin() / arb.pi()
        assert abs(value - (6 * pair - 1)) < arb(gap).sqrt()
        assert value.rad() < MOMENT_STORED
