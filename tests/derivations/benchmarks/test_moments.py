"""`gdln bench moments`: SciPy's quadrature has the values of the block."""

from fractions import Fraction

import numpy as np
import pytest

from derivations.benchmarks import moments
from tests.tolerances import PLACKETT_QUADRATURE
from theory.moments import four_point_block
from theory.problem import NonlinearGP

PAIRS = np.array([(38, 61), (40, 40), (40, 60), (45, 45), (50, 41), (0, 99)])


def law(gain: Fraction) -> NonlinearGP:
    """A law of the benchmark."""
    return NonlinearGP(moments.SITES, (Fraction(2), Fraction(1)), gain, "open", "none", (Fraction(1), Fraction(0)))


@pytest.mark.parametrize("gain", moments.GAINS, ids=str)
def test_scipy_is_asked_for_the_values_of_the_block(gain):
    block = four_point_block(law(gain), 0, *moments.GATES)
    exact = block[tuple(PAIRS.T)]
    assert np.abs(moments.by_quad_vec(law(gain), PAIRS) - exact).max() < PLACKETT_QUADRATURE
