"""The covariance of f(z_k) and f(z_l) for signs, uniform inputs and cubics: functions of the latent correlation."""

from fractions import Fraction
from functools import cache

import mpmath
import sympy
from flint import arb
from sympy import Integer, Interval, Rational, asin, erf, oo, pi, sign, sqrt

from theory.claims import quadrature, reasons
from theory.claims.evaluate import evaluate
from theory.claims.expectations import expectation_claim, pair
from theory.claims.literature import ARCSINE_LAW, PEARSON
from theory.claims.model import Level, Param, Point
from theory.claims.parameters import CORRELATION
from theory.claims.points import exact_values
from theory.expressions.balls.precision import precision
from theory.expressions.symbols import rho, z

c = sympy.Symbol("c", positive=True)
BY_LAGS = "the library has it in float64 for the correlations of a law; tests compare it there with a double integral"
COEFFICIENT = Param(c, Interval.open(0, oo), "coefficient of the cube", (Rational(1, 2**20), Integer(1), Integer(100)))


def _two_signs(point: Point, digits: int) -> mpmath.mpf:
    """2 int_0^oo phi(z) (2 P(z_l >= 0 | z_k = z) - 1) dz."""
    if point[rho] == 0:
        return mpmath.mpf(0)  # a relative enclosure of 0 does not exist
    with precision(digits=digits + 15):
        slope = _ball(point[rho] / sqrt(1 - point[rho] ** 2), digits)
        return quadrature.half_line(lambda z: 2 * (slope * z / arb(2).sqrt()).erf(), digits)


def _two_uniforms(point: Point, digits: int) -> mpmath.mpf:
    with mpmath.workdps(digits + 20):
        return quadrature.erf_erf(point[rho], mpmath.sqrt(mpmath.mpf(1) / 2), digits)


def _ball(number: sympy.Expr, digits: int) -> arb:
    return arb(mpmath.nstr(evaluate(number, {}, digits + 15), digits + 15))


def _two_cubics(point: Point) -> Fraction:
    """The sum over the terms of both cubics, each moment by pairing one factor after the other."""
    at = exact_values(point)
    r, three = at["rho"], at["c"]

    @cache
    def moment(a: int, b: int) -> Fraction:
        """E z_k^a z_l^b: pair the first factor z_k with one of the others."""
        if a == 0:
            return Fraction(0 if b % 2 else _pairings(b))
        own = (a - 1) * moment(a - 2, b) if a > 1 else Fraction(0)
        return own + (b * r * moment(a - 1, b - 1) if b else Fraction(0))

    return moment(1, 1) + three * (moment(1, 3) + moment(3, 1)) + three**2 * moment(3, 3)


def _pairings(b: int) -> int:
    return 1 if b < 2 else (b - 1) * _pairings(b - 2)


def _by_pairing(point: Point, digits: int) -> mpmath.mpf:
    value = _two_cubics(point)
    with mpmath.workdps(digits + 10):
        return mpmath.mpf(value.numerator) / value.denominator


SIGNS = expectation_claim(
    "marginal.covariance.sign",
    "Binary inputs: the covariance of two signs",
    sign(z(1)) * sign(z(2)),
    pair(rho),
    2 * asin(rho) / pi,
    known=ARCSINE_LAW,
    params=(CORRELATION,),
    oracle=_two_signs,
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: BY_LAGS},
)

UNIFORM = expectation_claim(
    "marginal.covariance.uniform",
    r"Uniform inputs: the covariance of two variables $2 \Phi(z) - 1$",
    erf(z(1) / sqrt(2)) * erf(z(2) / sqrt(2)),
    pair(rho),
    2 * asin(rho / 2) / pi,
    known=PEARSON,
    params=(CORRELATION,),
    oracle=_two_uniforms,
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: BY_LAGS},
)

CUBICS = expectation_claim(
    "marginal.covariance.cubic",
    r"The covariance of two cubics $z + c z^3$",
    (z(1) + c * z(1) ** 3) * (z(2) + c * z(2) ** 3),
    pair(rho),
    (1 + 3 * c) ** 2 * rho + 6 * c**2 * rho**3,
    params=(CORRELATION, COEFFICIENT),
    oracle=_by_pairing,
    exact=_two_cubics,
    unchecked={Level.FLOATING: BY_LAGS},
)

CLAIMS = (SIGNS, UNIFORM, CUBICS)
