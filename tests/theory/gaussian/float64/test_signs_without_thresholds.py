"""Signs without thresholds in float64: against certified values where it is hard, and against sampling."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
import torch
from flint import arb, arb_mat, ctx

from tests import tolerances
from theory.expressions.symbols import z
from theory.gaussian.certified.digits import certified
from theory.gaussian.float64.signs import four_signs
from theory.gaussian.float64.two_signs import two_signs

PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def correlations(vectors):
    """The six correlations of four vectors, as floats."""
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    table = unit @ unit.T
    return [float(table[i, j]) for i, j in PAIRS]


def attenuated(vectors, gain):
    """The last two variables attenuated by kappa(gain)."""
    r = correlations(vectors)
    kappa = np.sqrt(2) * gain / np.sqrt(1 + 2 * gain**2)
    return [r[0], *(kappa * x for x in r[1:5]), kappa**2 * r[5]]


def hard_cases():
    """Gains from .01 to 100, coincident indices, correlations near 1 and nearly singular matrices."""
    rng = np.random.default_rng(0)
    basis = rng.normal(size=(4, 4))
    close = basis.copy()
    close[1] = close[0] + 1e-6 * close[1]
    same = basis.copy()
    same[2], same[3] = same[0], same[1]
    flat = rng.normal(size=(4, 4)) * [1, 1, 1, 1e-5]
    for gain in (0.01, 1.0, 100.0):
        for vectors in (basis, close, same, flat):
            yield attenuated(vectors, gain)


def test_float_agrees_with_certified():
    for r in hard_cases():
        cov = sympy.eye(4)
        for (i, j), x in zip(PAIRS, map(Fraction, r), strict=True):
            cov[i, j] = cov[j, i] = sympy.Rational(x.numerator, x.denominator)
        answer = certified(sympy.prod(sympy.sign(z(k)) for k in (1, 2, 3, 4)), cov, 20)
        middle, radius = Fraction(answer.value), Fraction(answer.radius)
        assert radius < tolerances.UNIT_ROUNDOFF * abs(middle)
        assert abs(Fraction(float(four_signs(*r))) - middle) < tolerances.ORTHANT_QUAD, r


def test_special_values():
    half = np.full(3, 0.5)
    assert np.abs(four_signs(half, 0.5, 0.5, 0.5, 0.5, 0.5) - 0.2).max() < tolerances.ORTHANT_QUAD
    assert float(four_signs(1.0, 0.3, 0.4, 0.3, 0.4, 0.5)) == float(two_signs(0.5))
    assert float(four_signs(0.5, -1.0, 0.4, -0.5, 0.7, -0.4)) == -float(two_signs(0.7))
    block = float(four_signs(0.3, 0, 0, 0, 0, -0.6))
    assert abs(block - float(two_signs(0.3)) * float(two_signs(-0.6))) < tolerances.ORTHANT_QUAD


def test_derivatives_where_two_variables_are_close():
    """dE/dr_ab = (2/pi)^2 asin(rho_cd.ab)/sqrt(1 - r_ab^2), the partial correlation from inverse matrices in balls."""
    vectors = np.random.default_rng(0).normal(size=(4, 4))
    vectors[1] = vectors[0] + 1e-4 * vectors[1]
    r = correlations(vectors)
    tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in r]
    derivatives = torch.autograd.grad(four_signs(*tensors), tensors)
    with ctx.workprec(200):
        matrix = arb_mat(
            [[1 if i == j else r[PAIRS.index((min(i, j), max(i, j)))] for j in range(4)] for i in range(4)]
        )
        inverse = matrix.inv()
        for (a, b), derivative in zip(PAIRS, derivatives, strict=True):
            c, d = (k for k in range(4) if k not in (a, b))
            partial = -inverse[c, d] / (inverse[c, c] * inverse[d, d]).sqrt()
            true = float((2 / arb.pi()) ** 2 * partial.asin() / (1 - matrix[a, b] ** 2).sqrt())
            assert abs(float(derivative) - true) <= tolerances.ORTHANT_DERIVATIVE_CLOSE * max(1, abs(true))


def test_shapes_broadcast_and_blocks_join():
    r = np.linspace(-0.4, 0.4, 5000)
    out = four_signs(r[:, None], 0.1, 0.2, 0.1, 0.2, np.array([0.3, 0.4]))
    assert out.shape == (5000, 2)
    assert out[4999, 1] == float(four_signs(r[4999], 0.1, 0.2, 0.1, 0.2, 0.4))


def test_what_is_no_correlation_matrix_is_refused():
    for r in ((0.9, 0.9, -0.9, -0.9, 0.9, 0.9), (1.1, 0, 0, 0, 0, 0), (np.nan, 0, 0, 0, 0, 0)):
        with pytest.raises(ValueError, match="correlation"):
            four_signs(*r)
