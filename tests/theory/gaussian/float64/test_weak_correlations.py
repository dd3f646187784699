"""Nearly independent signs in float64: against their definition and certified values."""

import mpmath
import numpy as np
import pytest
from flint import arb

from tests import tolerances
from theory.expressions.balls.precision import precision
from theory.gaussian.certified import signs as certified
from theory.gaussian.float64.signs import four_signs
from theory.gaussian.float64.two_signs import NEGLIGIBLE, WEAK, two_signs

THRESHOLDS = ((-0.3, 1.1), (6.0, 0.1))


def by_definition(h, k, r):
    """int phi(x) sign(x + h) E[sign(y + k) | x] dx, with E[sign(y + k) | x] = erf((k + r x)/sqrt(2 (1 - r^2)))."""
    with mpmath.workdps(25):
        h, k, r = mpmath.mpf(h), mpmath.mpf(k), mpmath.mpf(r)
        scale = mpmath.sqrt(2 * (1 - r * r))
        edges = sorted({mpmath.mpf(x) for x in range(-12, 13, 3)} | {-h})
        value = mpmath.quad(
            lambda x: mpmath.npdf(x) * mpmath.sign(x + h) * mpmath.erf((k + r * x) / scale),
            edges,
        )
        return float(value)


@pytest.mark.parametrize(("h", "k"), THRESHOLDS)
def test_pairs_on_both_sides_of_the_change_of_integral(h, k):
    """Alone and together, where each side is computed apart: a value does not depend on the others."""
    r = np.array([1e-20, -1e-6, 0.02, WEAK, np.nextafter(-WEAK, -1), -0.9])
    expected = np.array([by_definition(h, k, x) for x in r])
    alone = np.array([float(two_signs(x, thresholds=(h, k))) for x in r])
    together = two_signs(r, thresholds=(h, k))
    assert np.abs(alone - expected).max() <= tolerances.WEAK_PAIR
    assert np.array_equal(together, alone)


def test_four_signs_of_which_some_pairs_are_nearly_independent():
    """Correlations exp(-d^2/xi^2) of sites on a line: from 0.9 down to 1e-300, in one call."""
    sites = np.array([[20, 40, 21, 38], [20, 40, 41, 90], [20, 60, 25, 95], [10, 30, 70, 80], [5, 90, 6, 89]])
    gaps = sites[:, :, None] - sites[:, None, :]
    rho = np.exp(-(gaps**2) / 25.0)
    pairs = [rho[:, i, j] for i, j in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))]
    thresholds = (-1.0, 0.5, 0.0, 0.0)
    assert any(((r > 0) & (r < NEGLIGIBLE)).any() for r in pairs)
    values = four_signs(*pairs, thresholds=thresholds)
    with precision(120):
        rows = zip(*pairs, strict=True)
        balls = [certified.four_signs(*map(arb, row), tuple(map(arb, thresholds))) for row in rows]
        expected = [float(ball.mid()) for ball in balls]
    assert np.abs(values - expected).max() < tolerances.THRESHOLD_SIGNS
