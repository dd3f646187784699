r"""The moments of Gaussian inputs through a soft gate of one site, $\Phi(\beta (z_i - \theta))$.

The gate is the probability of $z_i + e/\beta \geq \theta$ with $e \sim \mathcal N(0, 1)$: a half-space of a Gaussian
whose correlations are smaller by $\lambda = \beta/\sqrt{1 + \beta^2}$. `gdln solve` uses these forms for soft gates.
"""

from collections.abc import Callable
from fractions import Fraction

import sympy
from flint import acb, arb
from mpmath import mpf
from sympy import Integer, Interval, Matrix, Rational, S, erf, exp, pi, sqrt

from theory.claims.areas.moment.threshold import THREE, THRESHOLD, theta
from theory.claims.expectations import expectation_claim, pair
from theory.claims.model import Level, Param, Point
from theory.claims.parameters import CORRELATION
from theory.claims.quadrature import balls, half_line, probability
from theory.claims.three_sites import CONDITION, ik, il, kl
from theory.expressions.balls.precision import precision
from theory.expressions.symbols import rho, z
from theory.moments import GatedMoments, gated_moments
from theory.problem import AlwaysGate, Network, NonlinearGP, Problem, SiteGate, Training
from theory.problem.correlations.table import TableCorrelation

beta = sympy.Symbol("beta", positive=True)
SHARPNESS = Param(
    beta,
    Interval.open(0, S.Infinity),
    "sharpness of the gate",
    (Rational(1, 100), Integer(1)),
    Interval(Rational(1, 4), 8),
)
_GATE = (1 + erf(beta * (z(1) - theta) / sqrt(2))) / 2
_SHARE = beta / sqrt(1 + beta**2)
_COV = Matrix([[1, ik, il], [ik, 1, kl], [il, kl, 1]])
_NOT_RATIONAL = "the Gaussian density and its distribution function are not rational at most rational points"


def _density(x: sympy.Expr) -> sympy.Expr:
    return exp(-(x**2) / 2) / sqrt(2 * pi)


def _through_gate(point: Point, digits: int, f: Callable[[dict[str, arb], acb], acb]) -> mpf:
    """int phi(x) Phi(beta (x - theta)) f(x) dx, the values at x and at -x together."""
    with precision(digits=digits + 20):
        at = balls(point)

        def integrand(x: acb) -> acb:
            return probability(at["beta"] * (x - at["theta"])) * f(at, x)

        return half_line(lambda x: integrand(x) + integrand(-x), digits)


def _float64(correlations: list[float], theta: float, beta: float) -> GatedMoments:
    """Return the library's float64 moments of one class y = 1 of Gaussian inputs with the correlations by lag.

    A second gate is always open, as <g g x x'> of one soft gate is another moment.
    """
    n, zero = len(correlations) + 1, Fraction(0)
    table = TableCorrelation([Fraction(1), *map(Fraction, correlations)])
    law = NonlinearGP(n, (), 1, "open", "none", (1,), correlation=table, nonlinearity="identity")
    gate = SiteGate(0, lo=Fraction(theta), sharpness=Fraction(beta))
    at_rest = Training("half-mse", 1, ((zero,) * n,) * 2, (zero,))
    return gated_moments(Problem(law, Network("gated-linear", "mean", 2, (gate, AlwaysGate())), at_rest))


FIRST = expectation_claim(
    "moment.soft.first_moment",
    "First moment of a Gaussian input through a soft gate",
    _GATE * z(2),
    pair(rho),
    rho * _SHARE * _density(_SHARE * theta),
    protocol=r"First moment of a Gaussian input through a soft gate: that of a half-space whose correlation and "
    r"threshold are "
    r"smaller by $\beta/\sqrt{1 + \beta^2}$",
    params=(THRESHOLD, SHARPNESS, CORRELATION),
    oracle=lambda point, digits: _through_gate(point, digits, lambda at, x: at["rho"] * x),
    numeric=lambda theta, beta, rho: _float64([rho], theta, beta).sigma_yx[0, 1],
    unchecked={Level.EXACT: _NOT_RATIONAL},
)

SECOND = expectation_claim(
    "moment.soft.second_moment",
    "Second moment of Gaussian inputs through a soft gate",
    _GATE * z(2) * z(3),
    _COV,
    kl * (1 - erf(_SHARE * theta / sqrt(2))) / 2 + ik * il * _SHARE**3 * theta * _density(_SHARE * theta),
    protocol="Second moment of Gaussian inputs through a soft gate: its share of the covariance, and a term in the "
    "correlations "
    "with its site",
    params=(THRESHOLD, SHARPNESS, *THREE),
    conditions=(CONDITION,),
    oracle=lambda point, digits: _through_gate(
        point, digits, lambda at, x: at["rho_kl"] + at["rho_ik"] * at["rho_il"] * (x * x - 1)
    ),
    numeric=lambda theta, beta, rho_ik, rho_il, rho_kl: _float64([rho_ik, rho_kl, rho_il], theta, beta).sigma_xx[
        0, 1, 1, 3
    ],
    unchecked={Level.EXACT: _NOT_RATIONAL},
)

CLAIMS = (FIRST, SECOND)
