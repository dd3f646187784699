"""Gaussian expectations of steps and erfs with zero mean. Localization notes, section 1; small-bump note, (7), (11).

kappa = sqrt(2) g / sqrt(1 + 2 g^2) throughout: erf(g z) acts as the sign of a Gaussian of correlation kappa with z.
"""

from collections.abc import Callable
from fractions import Fraction

import sympy
from sympy import Eq, Heaviside, Integer, Interval, Matrix, Rational, asin, atan, erf, oo, pi, sqrt

from theory.claims import oracles, reasons
from theory.claims.model import Claim, Kind, Level, Param
from theory.expressions.symbols import g, rho, z
from theory.gaussian import expect
from theory.gaussian.expectation import Expectation
from theory.gaussian.float64.two_signs import two_signs
from theory.moments.arithmetic import FLOAT64
from theory.moments.statistics import class_statistics
from theory.problem import NonlinearGP
from theory.proof.derivation import Derivation, Step

BUMP = "small-bump-gate"
KAPPA = sqrt(2) * g / sqrt(1 + 2 * g**2)

CORRELATION = Param(
    rho, Interval.open(-1, 1), "correlation", (Integer(0), Rational(999999, 1000000), Rational(-999, 1000))
)
GAIN = Param(g, Interval.open(0, oo), "gain", (Rational(1, 100), Integer(1), Integer(100)))


def pair(correlation: sympy.Expr) -> Matrix:
    """The covariance of two unit Gaussians."""
    return Matrix([[1, correlation], [correlation, 1]])


def derived(name: str, integrand: sympy.Expr, cov: Matrix, formula: sympy.Expr) -> Callable[[], Derivation]:
    """The engine's derivation of E[integrand], carried to the form in which the claim states it."""

    def derive() -> Derivation:
        found = expect(integrand, cov).derivation
        steps = found.steps
        if steps[-1].expr != formula:
            steps = (*steps, Step(formula, "the form in which it is stated", "identity"))
        return Derivation(name, Eq(Expectation(integrand, cov), formula, evaluate=False), steps)

    return derive


def variance_in_float64(g: float) -> float:
    """E erf(g z)^2 by the library."""
    labels = (Fraction(1), Fraction(0))
    law = NonlinearGP(2, (Fraction(1), Fraction(1)), Fraction(g), "open", "unit-variance", labels)
    return float(class_statistics(law, 0, FLOAT64).normaliser_squared)


def _claim(name: str, title: str, integrand: sympy.Expr, cov: Matrix, formula: sympy.Expr, **rest) -> Claim:
    return Claim(
        id=name,
        title=title,
        kind=Kind.EQUATION,
        statement=Eq(Expectation(integrand, cov), formula, evaluate=False),
        derive=derived(name, integrand, cov, formula),
        **rest,
    )


STEP_STEP = _claim(
    "gaussian.step_step.orthant",
    "Two steps: Sheppard's quadrant probability",
    Heaviside(z(1)) * Heaviside(z(2)),
    pair(rho),
    Rational(1, 4) + asin(rho) / (2 * pi),
    params=(CORRELATION,),
    oracle=lambda point, digits: oracles.step_step(point[rho], digits),
    numeric=lambda rho: (1 + two_signs(float(rho), (1 - rho) * (1 + rho))) / 4,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

STEP_ERF = _claim(
    "gaussian.step_erf.arcsine",
    "A step and an erf: the arcsine form",
    Heaviside(z(1)) * erf(g * z(2)),
    pair(rho),
    asin(KAPPA * rho) / pi,
    params=(CORRELATION, GAIN),
    oracle=lambda point, digits: oracles.step_erf(point[rho], point[g], digits),
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

STEP_ERF_ARCTAN = _claim(
    "gaussian.step_erf.arctangent",
    "A step and an erf: the arctangent form, the same function of a signed correlation",
    Heaviside(z(1)) * erf(g * z(2)),
    pair(rho),
    atan(rho / sqrt(1 / (2 * g**2) + 1 - rho**2)) / pi,
    params=(CORRELATION, GAIN),
    oracle=lambda point, digits: oracles.step_erf(point[rho], point[g], digits),
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

ERF_ERF = _claim(
    "gaussian.erf_erf.arcsine",
    "Two erfs: the arcsine law",
    erf(g * z(1)) * erf(g * z(2)),
    pair(rho),
    2 * asin(KAPPA**2 * rho) / pi,
    params=(CORRELATION, GAIN),
    oracle=lambda point, digits: oracles.erf_erf(point[rho], point[g], digits),
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

ERF_SECOND_MOMENT = _claim(
    "gaussian.erf.second_moment",
    "The second moment of an erf, Z^2: the normaliser of the nonlinear Gaussian process",
    erf(g * z(1)) ** 2,
    Matrix([[1]]),
    2 * asin(KAPPA**2) / pi,
    params=(GAIN,),
    oracle=lambda point, digits: oracles.erf_erf(Integer(1), point[g], digits),
    numeric=variance_in_float64,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

r12, r13, r23 = sympy.symbols("r12 r13 r23", real=True)
_TRIPLE = Matrix([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
_INSIDE = Interval.open(-1, 1)

STEP_ERF_ERF = _claim(
    "gaussian.step_erf_erf.arcsine",
    "A step and two erfs: the step only halves, whatever its correlations",
    Heaviside(z(1)) * erf(g * z(2)) * erf(g * z(3)),
    _TRIPLE,
    asin(KAPPA**2 * r23) / pi,
    params=(
        Param(r12, _INSIDE, "correlation of the step with the first erf"),
        Param(r13, _INSIDE, "correlation of the step with the second erf"),
        Param(r23, _INSIDE, "correlation of the erfs"),
        Param(g, Interval.open(0, oo), "gain"),
    ),
    conditions=(1 + 2 * r12 * r13 * r23 - r12**2 - r13**2 - r23**2 > 0,),
    oracle=lambda point, digits: oracles.step_erf_erf(point[r12], point[r13], point[r23], point[g], digits),
    drawn=2,
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

CLAIMS = (STEP_STEP, STEP_ERF, STEP_ERF_ARCTAN, ERF_ERF, ERF_SECOND_MOMENT, STEP_ERF_ERF)
