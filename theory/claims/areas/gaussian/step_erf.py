"""A step and an erf: the averages behind eq. (7) and (8) of the small-bump note."""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Heaviside, Integer, Interval, Rational, asin, atan, erf, pi, sqrt

from theory.claims import quadrature, reasons
from theory.claims.documents import BUMP_NOTE
from theory.claims.expectations import KAPPA, derived, expectation_claim, pair
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import CORRELATION, GAIN
from theory.claims.points import values
from theory.claims.sources import Says, Source
from theory.expressions.symbols import g, rho, z
from theory.gaussian.expectation import Expectation

STEP_ERF = expectation_claim(
    "gaussian.step_erf.arcsine",
    "A step and an erf: the arcsine form",
    Heaviside(z(1)) * erf(g * z(2)),
    pair(rho),
    asin(KAPPA * rho) / pi,
    params=(CORRELATION, GAIN),
    oracle=lambda point, digits: quadrature.step_erf(point[rho], point[g], digits),
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

STEP_ERF_ARCTAN = expectation_claim(
    "gaussian.step_erf.arctangent",
    "A step and an erf: the arctangent form, the same function of a signed correlation",
    Heaviside(z(1)) * erf(g * z(2)),
    pair(rho),
    atan(rho / sqrt(1 / (2 * g**2) + 1 - rho**2)) / pi,
    params=(CORRELATION, GAIN),
    oracle=lambda point, digits: quadrature.step_erf(point[rho], point[g], digits),
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

a, b = sympy.symbols("a_i a_k", real=True)
_BOTH = Heaviside(z(1)) * erf(a * z(1) + b * z(2))
_ANGLE = sqrt(2) * (a + b * rho) / sqrt(1 + 2 * b**2 * (1 - rho**2))


def _by_one_integral(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 8):
        at = values(point)
        return quadrature.step_erf_of_two(at["a_i"], at["a_k"], at["rho"])


STEP_ERF_OF_TWO = Claim(
    id="gaussian.step_erf.two_sites",
    title="A step at one site and an erf of a combination of two sites",
    kind=Kind.EQUATION,
    statement=Eq(Expectation(_BOTH, pair(rho)), atan(_ANGLE) / pi, evaluate=False),
    params=(
        Param(a, Interval(-3, 3), "coefficient of the step's site", (Integer(0),)),
        Param(b, Interval(-3, 3), "coefficient of the other site", (Integer(0),)),
        Param(rho, CORRELATION.domain, "correlation of the two sites", (Integer(0), Rational(-63, 64))),
    ),
    sources=(
        Source(
            BUMP_NOTE,
            "(8)",
            note=r"(8) has $\rho_{ik} + a_i$ in place of $a_i + a_k \rho_{ik}$",
            says=Says.UNSTATED,
        ),
    ),
    oracle=_by_one_integral,
    derive=derived("gaussian.step_erf.two_sites", _BOTH, pair(rho), atan(_ANGLE) / pi),
    drawn=3,
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.IN_A_DERIVATION},
)

CLAIMS = (STEP_ERF, STEP_ERF_ARCTAN, STEP_ERF_OF_TWO)
