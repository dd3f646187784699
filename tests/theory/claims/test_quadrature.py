"""Phi, which the defining integrals of the claims take for a step, against the integral of the density.

`basis.half_spaces.cross_block` cannot notice an error of Phi that is the same for all arguments: such an error adds a
multiple of the integral over a half plane, where E[z_1^2 - z_3^2] vanishes.
"""

import mpmath
import pytest
from flint import acb, arb

from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE
from theory.claims.quadrature import probability
from theory.expressions.balls.precision import precision


@pytest.mark.parametrize("x", [0.375, -9, 7])
def test_phi_is_the_integral_of_the_density(x):
    with precision(digits=CLAIM_DIGITS + 15), mpmath.workdps(CLAIM_DIGITS + 15):
        expected = mpmath.quad(mpmath.npdf, [x - 24, x - 12, x - 6, x - 3, x - 1, x - mpmath.mpf(1) / 2, x])
        value = probability(arb(x))
        assert abs(mpmath.mpf(value.str(CLAIM_DIGITS + 5, radius=False)) / expected - 1) < CLAIM_PRECISE


@pytest.mark.parametrize("x", [-2 + 0.5j, 3j])
def test_phi_off_the_real_line(x):
    """Arb's integrals evaluate the integrand there; the density has no singularity, so any path from 0 will do."""
    with precision(digits=CLAIM_DIGITS + 15), mpmath.workdps(CLAIM_DIGITS + 15):
        path = mpmath.quad(lambda t: x * mpmath.exp(-((x * t) ** 2) / 2), [0, 1]) / mpmath.sqrt(2 * mpmath.pi)
        expected = mpmath.mpf(1) / 2 + path
        value = probability(acb(x))
        parts = [mpmath.mpf(part.str(CLAIM_DIGITS + 5, radius=False)) for part in (value.real, value.imag)]
        assert abs(mpmath.mpc(*parts) / expected - 1) < CLAIM_PRECISE
