"""The second moment of an erf, and its mean for a Gaussian with any mean. Small-bump note, eq. (11)."""

import mpmath
import sympy
from sympy import Eq, Integer, Integral, Interval, Matrix, Rational, asin, erf, exp, oo, pi, sqrt

from theory.claims import quadrature, reasons
from theory.claims.documents import BUMP_NOTE
from theory.claims.expectations import KAPPA, expectation_claim, variance_in_float64
from theory.claims.literature import ERF_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import GAIN
from theory.claims.sources import Source
from theory.expressions.symbols import g, z
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import Derivation, Step

ERF_SECOND_MOMENT = expectation_claim(
    "gaussian.erf.second_moment",
    "The second moment of an erf, $Z^2$: the normaliser of the nonlinear Gaussian process",
    erf(g * z(1)) ** 2,
    Matrix([[1]]),
    2 * asin(KAPPA**2) / pi,
    known=ERF_NETWORKS,
    params=(GAIN,),
    oracle=lambda point, digits: quadrature.erf_erf(Integer(1), point[g], digits),
    numeric=variance_in_float64,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

m = sympy.Symbol("m", real=True)
sd = sympy.Symbol("sigma", nonnegative=True)
u, s = sympy.symbols("u s", real=True)
_LINE = (u, -oo, oo)
_WEIGHT = exp(-(u**2) / 2) / sqrt(2 * pi)
_MEAN = Expectation(erf(g * (m + sd * z(1))), Matrix([[1]]))
_WIDENED = 1 + 2 * g**2 * sd**2
SLOPE = g / sqrt(_WIDENED)  # c of (11)
STATEMENT = Eq(_MEAN, erf(g * m / sqrt(_WIDENED)), evaluate=False)


def smoothing() -> Derivation:
    """Derive E erf(g (m + sigma N)) = erf(g m / sqrt(1 + 2 g^2 sigma^2)) from the Gaussian integral of d/dm."""
    integral = Integral(erf(g * (m + sd * u)) * _WEIGHT, _LINE)
    start = Integral(erf(g * sd * u) * _WEIGHT, _LINE)
    rate = Integral((erf(g * (m + sd * u)) * _WEIGHT).diff(m).xreplace({m: s}), _LINE)
    value = 2 * SLOPE / sqrt(pi) * exp(-(g**2) * s**2 / _WIDENED)
    steps = (
        Step(
            _MEAN,
            r"the mean of $\operatorname{erf}(g x)$ for $x$ of mean $m$ and standard deviation $\sigma$",
            "definition",
        ),
        Step(integral, "the density of $N(0, 1)$", "as-integral", (sympy.Tuple(_MEAN, integral),)),
        Step(
            start + Integral(rate, (s, 0, m)),
            "the value at $m = 0$ and the integral of the derivative, which is bounded by the Gaussian weight",
            "under-the-integral",
            (sympy.Tuple(integral, start + Integral(rate, (s, 0, m))), m),
        ),
        Step(
            Integral(rate, (s, 0, m)),
            "at $m = 0$ the integrand is odd",
            "odd-integrand",
            (sympy.Tuple(start, Integer(0)),),
        ),
        Step(
            Integral(value, (s, 0, m)),
            "complete the square: a Gaussian integral over the line",
            "gaussian-integral",
            (sympy.Tuple(rate, value),),
        ),
        Step(
            STATEMENT.rhs,
            "the derivative of an erf",
            "integrate",
            (sympy.Tuple(Integral(value, (s, 0, m)), erf(g * s / sqrt(_WIDENED))),),
        ),
    )
    return Derivation("gaussian.erf.smoothing", STATEMENT, steps)


def _by_quadrature(point: Point, digits: int) -> mpmath.mpf:
    """The defining integral; at m = 0 it is zero by symmetry, and a relative enclosure does not exist."""
    if point[m] == 0:
        return mpmath.mpf(0)
    return quadrature.smoothed_erf(point[g] * point[m], point[g] * point[sd], digits)


SMOOTHING = Claim(
    id="gaussian.erf.smoothing",
    title="The mean of an erf of a Gaussian with mean $m$: an erf with a smaller gain",
    kind=Kind.EQUATION,
    statement=STATEMENT,
    params=(
        Param(m, Interval(-3, 3), "mean", (Integer(0), Rational(1, 2**20))),
        Param(sd, Interval(0, oo), "standard deviation", (Integer(0), Integer(1), Integer(100))),
        GAIN,
    ),
    sources=(
        Source(
            BUMP_NOTE,
            "(11)",
            printed=erf(SLOPE * m),
            note="(11) prints $c$ alone, read as the gain of the conditional mean: "
            r"$\mathbb{E}[\operatorname{erf}(g z_l) \mid z_i, z_k] = \operatorname{erf}(c \mathbb{E}[z_l \mid "
            "z_i, z_k])$",
        ),
    ),
    oracle=_by_quadrature,
    derive=smoothing,
    unchecked={Level.EXACT: "an erf at a rational number is not rational", Level.FLOATING: reasons.IN_A_DERIVATION},
)

CLAIMS = (ERF_SECOND_MOMENT, SMOOTHING)
