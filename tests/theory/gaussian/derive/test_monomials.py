"""Moments of monomials: two separate computations agree, many factors are quick, too many are a named error."""

from itertools import product
from math import prod

import pytest
import sympy

from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.derive.monomials import monomial_moment
from theory.gaussian.derive.rules.polynomials import pairings, polarised
from theory.problem import OutOfReachError

HALF = sympy.Rational(1, 2)


def alike(size, covariance):
    """Unit variances and one covariance."""
    return sympy.Matrix(size, size, lambda i, j: 1 if i == j else covariance)


def fractions(size, scale=1):
    """A covariance whose entries all differ; the moments of monomials are polynomials in any symmetric matrix."""
    return sympy.Matrix(size, size, lambda i, j: sympy.Rational((-1) ** (i + j) * (1 + i + j), 2 + i * j) * scale)


def test_recursion_and_polarisation_agree():
    """The second scale leaves the 64 bits of the vectorised sum."""
    for powers, scale in product(((4,), (2, 3, 1), (1, 2, 3, 2), (5, 0, 3)), (1, 10**30)):
        cov = fractions(len(powers), scale)
        assert polarised(powers, cov) == monomial_moment(powers, cov), (powers, scale)


def test_parameters_give_the_polynomial_whose_values_the_numbers_are():
    rho = sympy.Symbol("rho", real=True)
    assert monomial_moment((3, 2, 1), alike(3, rho)).subs(rho, HALF) == monomial_moment((3, 2, 1), alike(3, HALF))


def test_equally_correlated_factors():
    """E z1 ... z_2m = (2m - 1)!! rho^m."""
    for m in (1, 4, 10):
        expected = prod(range(1, 2 * m, 2)) * HALF**m
        assert monomial_moment((1,) * (2 * m), alike(2 * m, HALF)) == expected
        assert polarised((1,) * (2 * m), alike(2 * m, HALF)) == expected
    assert len(pairings((1,) * 8)) == 105


def test_twenty_factors_with_proof():
    moment = expect(prod(z(k) for k in range(1, 21)), alike(20, HALF))
    assert moment.closed_form == sympy.Rational(654729075, 1024)
    assert all(check.passed for check in moment.derivation.check())


def test_too_many_are_a_named_error():
    for size, covariance in ((40, HALF), (20, sympy.Symbol("rho", real=True))):
        with pytest.raises(OutOfReachError, match=f"The moment of {size} variables and degree {size} takes"):
            expect(prod(z(k) for k in range(1, size + 1)), alike(size, covariance))


def test_numbers_whose_roots_take_too_long_are_a_named_error():
    gain = sympy.Rational(1, 10**1000)
    with pytest.raises(OutOfReachError, match=r"has 33[0-9]{2} bits"):
        expect(sympy.erf(gain * z(1)) * sympy.sign(z(2)), alike(2, HALF))
    assert expect(gain * z(1) * z(2), alike(2, HALF)).closed_form == gain / 2
