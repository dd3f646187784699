"""Closed forms for equal levels beside the transfer matrix, which the enumeration of weights has judged."""

from fractions import Fraction
from itertools import product

import pytest
import sympy

from theory.kernels import (
    GAUSSIAN,
    SIGNS,
    GatedNetwork,
    alike,
    generating_function,
    mean,
    moment,
    relative_variance_bound,
    variance,
)
from theory.problem import InputError

z = sympy.Symbol("z")


def coefficients(function: sympy.Expr, most: int) -> list[Fraction]:
    """The Taylor coefficients of a rational function with rational coefficients, by long division."""
    top, bottom = (sympy.Poly(part, z).all_coeffs()[::-1] for part in sympy.fraction(sympy.cancel(function)))
    series: list[sympy.Rational] = []
    for n in range(most + 1):
        rest = (top[n] if n < len(top) else 0) - sum(
            bottom[k] * series[n - k] for k in range(1, min(n, len(bottom) - 1) + 1)
        )
        series.append(rest / bottom[0])
    return [Fraction(int(value.p), int(value.q)) for value in series]


@pytest.mark.parametrize(("width", "mu", "law"), [(1, 1, SIGNS), (10, Fraction(2, 7), GAUSSIAN)])
def test_generating_function(width, mu, law):
    e, q = 1 / sympy.Rational(str(mu * width)), 1 - sympy.Rational(1, width)
    series = coefficients(generating_function(e, q, law.even_moments[2], z), 5)
    assert series[0] == 0
    for depth in range(1, 6):
        scale = Fraction(mu * width) ** (2 * (depth - 1))
        assert series[depth] == moment(alike(width, depth, mu, law), [(0, 0)] * 2) / scale


@pytest.mark.parametrize("law", [SIGNS, GAUSSIAN])
def test_bound(law):
    """No network exceeds the bound; at the depth 2 Gaussian weights, many equal inputs, come near it."""
    shares = []
    for width, depth in product((1, 2, 3, 10, 100), (1, 2, 3, 5, 20)):
        equal = alike(width, depth, weights=law)
        network = GatedNetwork([[1] * 5], equal.levels, law)
        ratio = variance(network) / mean(network) ** 2
        assert ratio <= relative_variance_bound(width, depth)
        shares.append(ratio / relative_variance_bound(width, depth) if depth > 1 else 0)
    assert max(shares) < 1
    assert max(shares) > (Fraction(1, 2) if law is GAUSSIAN else Fraction(1, 5))


def test_refusals():
    with pytest.raises(InputError, match="width = 0 must be at least 1"):
        relative_variance_bound(0, 3)
    with pytest.raises(InputError, match="depth = 0 must be at least 1"):
        relative_variance_bound(3, 0)
