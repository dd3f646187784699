"""Expectations that once failed a check of a step, took minutes, or were refused for the wrong reason."""

import pytest
import sympy
from sympy import Heaviside, Max, Rational, erf, exp, sign

from theory.expressions.algebra import is_zero
from theory.expressions.functions import Phi, Relu
from theory.expressions.symbols import z
from theory.gaussian.moment import expect
from theory.problem.errors import OutOfReachError

g, rho = sympy.Symbol("g", positive=True), sympy.Symbol("rho", real=True)
z1, z2, z3, z4, z5, z6 = (z(k) for k in range(1, 7))
PAIR = sympy.Matrix([[1, rho], [rho, 1]])
HALF = Rational(1, 2)
DEPENDENT = [[1, 0, 1], [0, 1, 1], [1, 1, 2]]  # z3 = z1 + z2

CHECKED = [
    (10 * exp(2 * z2) * exp(2) - exp(3), [[1, HALF], [HALF, 1]]),
    (sign(z1 - HALF) * erf(g * z2) * z2 * z1, PAIR),
    (Relu(z1 + z2 - z3) * sign(z1), DEPENDENT),
    (abs(z1) * Relu(z3), DEPENDENT),
    (Max(z3 - z2, z1) * Heaviside(z2 - 1), DEPENDENT),
    (z1 * Relu(z2), [[1, sympy.sqrt(2)], [sympy.sqrt(2), 2]]),
    ((z1 - 1) ** 24 * Heaviside(z1 - HALF), [[1]]),
]


DEAR = [
    (Phi(100 * z1) * Relu(2 * z2 - z1 + 2) * sign(z1), PAIR),
    (Heaviside(2 * z2 - z1 + 3) * erf(z1) * z2 * Relu(z2), PAIR),
]


def failed(integrand, cov):
    """The errors of steps of the derivation that are not accepted."""
    return [check.error for check in expect(integrand, cov).derivation.check() if not check.passed]


def test_every_step_is_checked():
    assert {integrand: errors for integrand, cov in CHECKED if (errors := failed(integrand, cov))} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("integrand", "cov"), DEAR, ids=str)
def test_every_step_of_many_is_checked(integrand, cov):
    assert failed(integrand, cov) == []


def test_twelve_factors_in_three_independent_pairs():
    pairs = sympy.diag(PAIR, PAIR, PAIR)
    product = expect(Relu(z1) * Relu(z2) * Relu(z3) * Relu(z4) * Relu(z5) * Relu(z6), pairs)
    assert is_zero(product.closed_form - expect(Relu(z1) * Relu(z2), PAIR).closed_form ** 3) is True


def test_too_many_signs_are_named_as_they_were_written():
    cov = sympy.Matrix(6, 6, lambda i, j: 1 if i == j else Rational(1, 10))
    with pytest.raises(OutOfReachError) as refused:
        expect(Phi(3 * z3) ** 11 * Phi(z1 + z3), cov)
    assert str(Phi(3 * z3) ** 11 * Phi(z1 + z3)) in refused.value.message
