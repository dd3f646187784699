"""Claims on Gaussian expectations: statement and derivation, and definitions shared by claims on steps and erfs.

kappa = sqrt(2) g / sqrt(1 + 2 g^2) throughout: erf(g z) acts as the sign of a Gaussian of correlation kappa with z.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from sympy import Eq, Matrix, asin, erf, pi, sqrt

from theory.claims.model import Claim, Kind
from theory.expressions.symbols import g, z
from theory.gaussian import expect
from theory.gaussian.expectation import Expectation
from theory.moments.arithmetic import FLOAT64
from theory.moments.statistics import class_statistics
from theory.problem import NonlinearGP
from theory.proof.derivation import Derivation, Step

KAPPA = sqrt(2) * g / sqrt(1 + 2 * g**2)
SECOND_MOMENT = Expectation(erf(g * z(1)) ** 2, Matrix([[1]]))  # Z^2 = E erf(g z)^2, by definition
Z_SQUARED = 2 * asin(KAPPA**2) / pi  # its closed form, the claim gaussian.erf.second_moment


def pair(correlation: sympy.Expr) -> Matrix:
    """Return the covariance of two unit Gaussians.

    >>> pair(sympy.Rational(1, 2)).det()
    3/4
    """
    return Matrix([[1, correlation], [correlation, 1]])


def derived(name: str, integrand: sympy.Expr, cov: Matrix, formula: sympy.Expr) -> Callable[[], Derivation]:
    """Return a function that derives E[integrand] for z ~ N(0, cov), rearranged into the form that a claim states.

    `name` is the id of the claim. The function raises OutOfReachError where there is no derivation.

    >>> derivation = derived("example.step.mean", sympy.Heaviside(z(1)), Matrix([[1]]), sympy.Rational(1, 2))()
    >>> all(check.passed for check in derivation.check())
    True
    """

    def derive() -> Derivation:
        steps = expect(integrand, cov).derivation.steps
        if steps[-1].expr != formula:
            steps = (*steps, Step(formula, "rearranged into the form of the statement", "identity"))
        return Derivation(name, Eq(Expectation(integrand, cov), formula, evaluate=False), steps)

    return derive


def expectation_claim(
    name: str, title: str, integrand: sympy.Expr, cov: Matrix, formula: sympy.Expr, **rest: Any
) -> Claim:
    """Return the claim E[integrand] = formula for z ~ N(0, cov), with its derivation; `rest` are its other fields.

    >>> half = sympy.Rational(1, 2)
    >>> claim = expectation_claim("gaussian.example.mean", "A step", sympy.Heaviside(z(1)), Matrix([[1]]), half)
    >>> claim.derive().proves == claim.statement
    True
    """
    return Claim(
        id=name,
        title=title,
        kind=Kind.EQUATION,
        statement=Eq(Expectation(integrand, cov), formula, evaluate=False),
        derive=derived(name, integrand, cov, formula),
        **rest,
    )


def variance_in_float64(g: float) -> float:
    """Return E erf(g z)^2 by the library, in float64.

    >>> from math import asin, pi
    >>> round(variance_in_float64(1.0) * pi / 2, 12) == round(asin(2 / 3), 12)
    True
    """
    labels = (Fraction(1), Fraction(0))
    law = NonlinearGP(2, (Fraction(1), Fraction(1)), Fraction(g), "open", "unit-variance", labels)
    return float(class_statistics(law, 0, FLOAT64).normaliser_squared)
