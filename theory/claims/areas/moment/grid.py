"""The moment of a site gate on a grid: the arcsine law at the product of the correlations along the two axes."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import sympy
from sympy import Eq, Heaviside, Integer, Interval, Range, Rational, asin, erf, exp, oo, pi, sqrt

from theory.claims import quadrature, reasons
from theory.claims.areas.moment._symbols import NORMALISER, d, xi1
from theory.claims.expectations import KAPPA, SECOND_MOMENT, Z_SQUARED, pair
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import GAIN
from theory.claims.trained import BESIDE, through_half_space, trained_on
from theory.expressions.symbols import g, z
from theory.gaussian.expectation import Expectation
from theory.problem import NonlinearGP, NonlinearGP2D, Problem
from theory.proof.derivation import Derivation, Step

e = sympy.Symbol("e", integer=True)
_SIDE = 4  # rows and columns of the grid on which the float64 path is compared, with the gate at its corner

_RHO = exp(-(d**2) / xi1**2) * exp(-(e**2) / xi1**2)
_STEP_ERF = Expectation(Heaviside(z(1)) * erf(g * z(2)), pair(_RHO))
_FIRST = Eq(_STEP_ERF / sqrt(SECOND_MOMENT), asin(KAPPA * _RHO) / (pi * sqrt(Z_SQUARED)), evaluate=False)


def _derive() -> Derivation:
    step_erf = Eq(_STEP_ERF, asin(KAPPA * _RHO) / pi, evaluate=False)
    cited = ("gaussian.step_erf.arcsine", "gaussian.erf.second_moment")
    steps = (
        Step(_FIRST.lhs, r"$x = \operatorname{erf}(g z)/Z$", "definition"),
        Step(
            _FIRST.rhs,
            "the arcsine law of a step and an erf, and the normaliser",
            "cite",
            (step_erf, NORMALISER),
            cited,
        ),
    )
    return Derivation("moment.grid.first", _FIRST, steps)


def _by_quadrature(point: Point, digits: int) -> mpmath.mpf:
    step_erf = quadrature.step_erf(_RHO.xreplace(dict(point)), point[g], digits + 5)
    with mpmath.workdps(digits + 10):
        return step_erf / mpmath.sqrt(quadrature.erf_erf(sympy.Integer(1), point[g], digits + 5))


def _in_float64(d: int, e: int, g: float, xi1: float) -> float:
    shape = _SIDE, _SIDE
    law = NonlinearGP2D((Fraction(xi1),), Fraction(g), "open", "unit-variance", (Fraction(1),), shape=shape)
    return float(through_half_space(law, on="latent").sigma_yx[0, _SIDE * d + e])


def _on_a_line(problem: Problem) -> Problem:
    """The same problem with the sites of the grid, row by row, on one line."""
    law = problem.data
    line = NonlinearGP(law.n, law.xi, law.gain, "open", law.normaliser, law.labels)
    return replace(problem, data=line)


FIRST = Claim(
    id="moment.grid.first",
    title="A site gate on a grid: the arcsine law at the product of the correlations along both axes",
    kind=Kind.EQUATION,
    statement=_FIRST,
    params=(
        Param(d, Range(0, _SIDE), "distance from the gate's site along a column", (Integer(0),)),
        Param(e, Range(0, _SIDE), "distance along a row", (Integer(0),)),
        GAIN,
        Param(xi1, Interval.open(0, oo), "correlation length, in sites", (Rational(1, 2), Integer(8))),
    ),
    assumptions=(
        r"one class with the label 1; the kernel $e^{-(d^2 + e^2)/\xi_1^2}$ is the product of those of the two axes",
        BESIDE + "the same sites, row by row, on one line",
    ),
    oracle=_by_quadrature,
    derive=_derive,
    numeric=_in_float64,
    registration=trained_on("grid", "one line", _on_a_line),
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (FIRST,)
