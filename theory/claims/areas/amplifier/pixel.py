"""The amplifier phi = E[X erf(s X/sqrt2)] of three marginals in closed form, where a = s/sqrt(1 + s^2)."""

import mpmath
import sympy
from flint import arb
from sympy import Eq, Integral, Interval, Matrix, Rational, Tuple, erf, exp, oo, pi, sqrt

from theory.claims.expectations import expectation_claim
from theory.claims.literature import LOCALIZATION
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.quadrature import balls, between, half_line
from theory.expressions.balls.precision import precision
from theory.expressions.symbols import z
from theory.proof.derivation import Derivation, Step

_GUARD = 15
s = sympy.Symbol("s", positive=True)
x = sympy.Symbol("x", positive=True)
_STEEPNESS = Param(
    s,
    Interval.open(0, oo),
    r"$s = a/\sqrt{1 - a^2}$",
    (Rational(1, 100), Rational(1), Rational(20)),
    likely=Interval(Rational(1, 10), 20),
)
_EXACT = "an erf at a rational number is not rational"


def _gaussian(point: Point, digits: int) -> mpmath.mpf:
    """Return 2 int_0^oo x erf(s x/sqrt2) phi(x) dx."""
    with precision(digits=digits + _GUARD):
        slope = balls(point)["s"] / arb(2).sqrt()
        return half_line(lambda t: 2 * t * (slope * t).erf(), digits)


def _uniform(point: Point, digits: int) -> mpmath.mpf:
    """Return (1/sqrt3) int_0^sqrt3 x erf(s x/sqrt2) dx, the Gaussian weight taken out of the integrand."""
    with precision(digits=digits + _GUARD):
        slope, scale = balls(point)["s"] / arb(2).sqrt(), (2 * arb.pi() / 3).sqrt()
        return between(lambda t: scale * t * (slope * t).erf() * (t * t / 2).exp(), 0, arb(3).sqrt(), digits)


GAUSSIAN = expectation_claim(
    "amplifier.pixel.gaussian",
    r"The amplifier of a Gaussian pixel is linear: $\sqrt{2/\pi} a$ with $a = s/\sqrt{1 + s^2}$",
    z(1) * erf(s * z(1) / sqrt(2)),
    Matrix([[1]]),
    sqrt(2 / pi) * s / sqrt(1 + s**2),
    known=LOCALIZATION,
    params=(_STEEPNESS,),
    oracle=_gaussian,
    unchecked={Level.EXACT: _EXACT, Level.FLOATING: "the library integrates any marginal, to 1e-10"},
)

_FRONT = 1 / sqrt(3)
_INSIDE = Integral(x * erf(s * x / sqrt(2)), (x, 0, sqrt(3)))
_PRIMITIVE = (x**2 / 2 - 1 / (2 * s**2)) * erf(s * x / sqrt(2)) + x * exp(-(s**2) * x**2 / 2) / (s * sqrt(2 * pi))
_VALUE = (Rational(3, 2) - 1 / (2 * s**2)) * erf(s * sqrt(Rational(3, 2))) / sqrt(3) + exp(-3 * s**2 / 2) / (
    s * sqrt(2 * pi)
)
_STATEMENT = Eq(_FRONT * _INSIDE, _VALUE, evaluate=False)


def uniform() -> Derivation:
    """Derive the amplifier of the uniform law on [-sqrt3, sqrt3] from its antiderivative."""
    steps = (
        Step(
            _FRONT * _INSIDE,
            r"the density is $1/(2 \sqrt{3})$ for $\lvert x \rvert \leq \sqrt{3}$, and the integrand is even",
            "definition",
        ),
        Step(_VALUE, "integration by parts", "integrate", (Tuple(_INSIDE, _PRIMITIVE),)),
    )
    return Derivation("amplifier.pixel.uniform", _STATEMENT, steps)


UNIFORM = Claim(
    id="amplifier.pixel.uniform",
    known=LOCALIZATION,
    title=r"The amplifier of a pixel uniform on $[-\sqrt{3}, \sqrt{3}]$",
    kind=Kind.EQUATION,
    statement=_STATEMENT,
    params=(_STEEPNESS,),
    oracle=_uniform,
    derive=uniform,
    unchecked={Level.EXACT: _EXACT, Level.FLOATING: "the library integrates any marginal, to 1e-10"},
)

CLAIMS = (GAUSSIAN, UNIFORM)
