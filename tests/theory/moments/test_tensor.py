"""Four-point moments through two half-spaces: certified values."""

from fractions import Fraction as F

import pytest
import sympy

from tests import tolerances
from theory.expressions.symbols import z
from theory.gaussian.certified.digits import certified
from theory.moments import four_point_block
from theory.problem import InputError, NonlinearGP


def _law(kind=NonlinearGP, n=7, boundary="ring", gain=F(1), xi=(F(1), F(4, 5))):
    return kind(n, xi, gain, boundary, "none", (F(1), F(0)))


def _certified(law, c, sites):
    """E[1_i 1_j erf_k erf_l] in balls, from the latent correlations."""
    used = sorted(set(sites))
    gap = [[min(abs(a - b), law.n - abs(a - b)) if law.boundary == "ring" else abs(a - b) for b in used] for a in used]
    xi = sympy.Rational(law.xi[c].numerator, law.xi[c].denominator)
    gain = sympy.Rational(law.gain.numerator, law.gain.denominator)
    cov = sympy.Matrix(len(used), len(used), lambda a, b: sympy.exp(-(sympy.Integer(gap[a][b]) ** 2) / xi**2))
    i, j, k, l = (z(used.index(site) + 1) for site in sites)
    product = sympy.Heaviside(i) * sympy.Heaviside(j) * sympy.erf(gain * k) * sympy.erf(gain * l)
    return float(certified(product, cov, 20).value)


@pytest.mark.parametrize(("gain", "boundary"), [(F(1, 100), "open"), (F(100), "ring")])
def test_a_block_has_the_certified_values(gain, boundary):
    law = _law(boundary=boundary, gain=gain)
    for i, j in ((1, 3), (2, 2)):
        block = four_point_block(law, 0, i, j)
        for k, l in ((1, 3), (0, 6), (2, 2)):
            assert abs(block[k, l] - _certified(law, 0, (i, j, k, l))) < tolerances.FOUR_POINT


def test_bad_input():
    with pytest.raises(InputError, match="site 9"):
        four_point_block(_law(), 0, 9, 0)
