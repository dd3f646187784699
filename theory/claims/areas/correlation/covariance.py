"""The covariance of two inputs erf(g z)/Z whose latents have the exponential correlation, or a Matern correlation."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import sympy
from sympy import Eq, Interval, Rational, asin, erf, exp, oo, pi, sqrt

from theory.claims import quadrature, reasons
from theory.claims.expectations import KAPPA, pair
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import GAIN
from theory.expressions.symbols import g, z
from theory.gaussian.expectation import Expectation
from theory.moments.arithmetic import FLOAT64
from theory.moments.statistics import class_statistics
from theory.problem import NonlinearGP
from theory.problem.correlations import correlation_of
from theory.proof.derivation import Derivation, Step

u = sympy.Symbol("u", positive=True)  # d/xi
_DISTANCE = Param(
    u, Interval.open(0, oo), r"distance over length, $d/\xi$", (Rational(1, 1000), Rational(1), Rational(20))
)
# Digits of the correlation beyond those asked for: the average is as steep as 1/sqrt(1 - rho^2), and as small as rho.
_GUARD = 40
_MATERN = {"kind": "matern", "smoothness": "3/2"}


def _claim(
    name: str,
    title: str,
    correlation: sympy.Expr,
    tex: str,
    defined: Callable[[mpmath.mpf], mpmath.mpf],
    kind: object,
) -> Claim:
    """Return the arcsine law at a correlation of u, which `tex` writes and `defined` evaluates in mpmath."""

    def oracle(point: Point, digits: int) -> mpmath.mpf:
        with mpmath.workdps(digits + _GUARD):
            rho = defined(mpmath.mpf(point[u].p) / point[u].q)
            rounded = sympy.Rational(int(mpmath.nint(rho * 10 ** (digits + _GUARD))), 10 ** (digits + _GUARD))
        return quadrature.erf_erf(rounded, point[g], digits)

    def numeric(g: float, u: float) -> float:
        lengths, labels = (1 / Fraction(u), Fraction(1)), (Fraction(1), Fraction(0))
        law = NonlinearGP(
            2, lengths, Fraction(g), "open", "none", labels, correlation=correlation_of(kind, "data.correlation")
        )
        return float(class_statistics(law, 0, FLOAT64).covariances[1])

    average = Expectation(erf(g * z(1)) * erf(g * z(2)), pair(correlation))
    statement = Eq(average, 2 * asin(KAPPA**2 * correlation) / pi, evaluate=False)

    def derive() -> Derivation:
        at = rf"the latents at distance $d$ have the correlation ${tex}$, with $u = d/\xi$"
        law = "the arcsine law of two erfs at this correlation"
        steps = (
            Step(average, at, "definition"),
            Step(statement.rhs, law, "cite", (statement,), ("gaussian.erf_erf.arcsine",)),
        )
        return Derivation(name, statement, steps)

    return Claim(
        id=name,
        title=title,
        kind=Kind.EQUATION,
        statement=statement,
        derive=derive,
        params=(_DISTANCE, GAIN),
        assumptions=(r"with the normaliser $Z$ the inputs are $\operatorname{erf}(g z)/Z$: divide by $Z^2$",),
        oracle=oracle,
        numeric=numeric,
        unchecked={Level.EXACT: reasons.ARCSINES},
    )


EXPONENTIAL = _claim(
    "correlation.covariance.exponential",
    r"Two inputs whose latents have the correlation $\exp(-d/\xi)$",
    exp(-u),
    r"\exp(-u)",
    lambda u: mpmath.exp(-u),
    "exponential",
)

_S = sqrt(3) * u
MATERN = _claim(
    "correlation.covariance.matern",
    "Covariance of two inputs with a Matérn latent",
    (1 + _S) * exp(-_S),
    r"(1 + \sqrt{3} u) \exp(-\sqrt{3} u)",
    lambda u: 2 * (mpmath.sqrt(3) * u / 2) ** 1.5 / mpmath.gamma(1.5) * mpmath.besselk(1.5, mpmath.sqrt(3) * u),
    _MATERN,
)

CLAIMS = (EXPONENTIAL, MATERN)
