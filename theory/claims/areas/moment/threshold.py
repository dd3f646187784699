"""The moments through half-spaces and slabs of one site at any threshold.

`gdln solve` uses these forms for the nonlinear Gaussian process and for Gaussian inputs.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf

import mpmath
import numpy as np
import sympy
from flint import acb, arb
from mpmath import mpf
from sympy import Eq, Heaviside, Integer, Interval, Matrix, Rational, S, Tuple, erf, exp, pi, sqrt

from theory.claims import reasons
from theory.claims.areas.moment._slabs import float64_moments
from theory.claims.expectations import expectation_claim, pair
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration
from theory.claims.parameters import CORRELATION, GAIN
from theory.claims.quadrature import balls, between
from theory.claims.three_sites import CONDITION, ik, il, kl
from theory.expressions.balls.precision import precision
from theory.expressions.functions import OwensT
from theory.expressions.symbols import g, rho, z
from theory.gaussian import expect
from theory.gaussian.expectation import Expectation
from theory.moments import gated_moments
from theory.problem import InputMoment, InputOutputMoment, Problem
from theory.proof.derivation import Derivation, Step

theta = sympy.Symbol("theta", real=True)
lo, hi = sympy.symbols("l u", real=True)

_REAL = Interval(-S.Infinity, S.Infinity)
_LIKELY = Interval(-4, 4)  # a relative enclosure of a moment behind a far threshold needs digits of its size
THRESHOLD = Param(theta, _REAL, "threshold of the gate", (Integer(0), Rational(-3), Rational(7, 2)), _LIKELY)
BOUNDS = (
    Param(lo, _REAL, "lower bound of the slab", (Integer(0),), _LIKELY),
    Param(hi, _REAL, "upper bound of the slab", (Integer(0),), _LIKELY),
)
# The library takes correlations by lag: of four sites on a line, with rows that are dominated by their diagonal.
_SMALL = Interval(-Rational(1, 4), Rational(1, 4))
THREE = tuple(
    Param(symbol, Interval.open(-1, 1), f"correlation of {names}", likely=_SMALL)
    for symbol, names in ((ik, "$z_i$ and $z_k$"), (il, "$z_i$ and $z_l$"), (kl, "$z_k$ and $z_l$"))
)
_COV = Matrix([[1, ik, il], [ik, 1, kl], [il, kl, 1]])
_NOT_RATIONAL = "the Gaussian density and its distribution function are not rational at most rational points"


def _density(x: sympy.Expr) -> sympy.Expr:
    return exp(-(x**2) / 2) / sqrt(2 * pi)


def _beyond(x: sympy.Expr) -> sympy.Expr:
    """P(z >= x)."""
    return (1 - erf(x / sqrt(2))) / 2


# E[1(z_i >= theta) erf(g z_k)]


def _by_one_erf(point: Point, digits: int) -> mpf:
    """int_theta^oo phi(x) E[erf(g z_k) | z_i = x] dx, by E erf(m + s N) = erf(m/sqrt(1 + 2 s^2))."""
    with precision(digits=digits + 20):
        at = balls(point)
        slope = at["g"] * at["rho"] / (1 + 2 * at["g"] ** 2 * (1 - at["rho"]) * (1 + at["rho"])).sqrt()
        return between(lambda x: (slope * x).erf(), at["theta"], inf, digits)


def _at_zero(problem: Problem) -> np.ndarray:
    """Return the moments through the half-spaces at 0, on the upper side where a gate has a lower bound."""
    zero = Fraction(0)
    upper, lower = {"lo": zero, "hi": inf}, {"lo": -inf, "hi": zero}
    gates = tuple(replace(gate, **(lower if gate.lo == -inf else upper)) for gate in problem.network.gates)
    return gated_moments(replace(problem, network=replace(problem.network, gates=gates))).sigma_yx


STEP_ERF = expectation_claim(
    "moment.threshold.step_erf",
    "First moment of an erf through a half-space at any threshold: Owen's $T$",
    Heaviside(z(1) - theta) * erf(g * z(2)),
    pair(rho),
    2 * OwensT(theta, sqrt(2) * g * rho / sqrt(1 + 2 * g**2 * (1 - rho**2))),
    params=(THRESHOLD, GAIN, CORRELATION),
    oracle=_by_one_erf,
    numeric=lambda theta, g, rho: float64_moments([rho], [(theta, inf)], g).sigma_yx[0, 1],
    registration=Registration(
        problems=("slabs",),
        observable=InputOutputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_yx,
        alternatives=(Alternative("half-spaces at threshold 0", _at_zero),),
    ),
    unchecked={Level.EXACT: reasons.ARCSINES},
)

# E[1(z_i >= theta) z_k z_l]


def _given_site(at: dict[str, arb], x: acb) -> acb:
    """E[z_k z_l | z_i = x]: the covariance that is left, and the product of the means."""
    left = at["rho_kl"] - at["rho_ik"] * at["rho_il"]
    return left + at["rho_ik"] * x * at["rho_il"] * x


def _beyond_threshold(point: Point, digits: int) -> mpf:
    with precision(digits=digits + 20):
        at = balls(point)
        return between(lambda x: _given_site(at, x), at["theta"], inf, digits)


def _share_of_covariance(problem: Problem) -> np.ndarray:
    """Return P(z_i in the slab) times the covariance, without the term of the threshold, exclusive gates."""
    moments = gated_moments(problem)
    whole = sum(moments.sigma_xx[k, k] for k in range(len(problem.network.gates)))
    shares = [np.trace(moments.sigma_xx[k, k]) / np.trace(whole) for k in range(len(problem.network.gates))]
    return np.einsum("k,kl,ij->klij", shares, np.eye(len(shares)), whole)


SECOND = expectation_claim(
    "moment.threshold.second_moment",
    "Second moment of Gaussian inputs through a half-space at any threshold",
    Heaviside(z(1) - theta) * z(2) * z(3),
    _COV,
    kl * _beyond(theta) + ik * il * theta * _density(theta),
    protocol="Second moment of Gaussian inputs through a half-space at any threshold: its share of the covariance, "
    "and a term "
    "in the correlations with its site",
    params=(THRESHOLD, *THREE),
    conditions=(CONDITION,),
    oracle=_beyond_threshold,
    numeric=lambda theta, rho_ik, rho_il, rho_kl: float64_moments([rho_ik, rho_kl, rho_il], [(theta, inf)]).sigma_xx[
        0, 0, 1, 3
    ],
    registration=Registration(
        problems=("slabs-clone",),
        observable=InputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_xx,
        alternatives=(Alternative("shares of the covariance", _share_of_covariance),),
    ),
    unchecked={Level.EXACT: _NOT_RATIONAL},
)

# E[1(lo <= z_i < hi) z_k]


def _over_one_slab(point: Point, digits: int) -> mpf:
    with precision(digits=digits + 20):
        at = balls(point)
        return between(lambda x: at["rho"] * x, at["l"], at["u"], digits)


SLAB = expectation_claim(
    "moment.threshold.slab",
    "First moment of a Gaussian input through a slab",
    (Heaviside(z(1) - lo) - Heaviside(z(1) - hi)) * z(2),
    pair(rho),
    rho * (_density(lo) - _density(hi)),
    protocol="First moment of a Gaussian input through a slab: its correlation with the site, times the difference "
    "of the "
    "densities at the bounds",
    params=(*BOUNDS, CORRELATION),
    conditions=(lo < hi,),
    oracle=_over_one_slab,
    numeric=lambda l, u, rho: float64_moments([rho], [(l, u)]).sigma_yx[0, 1],
    unchecked={Level.EXACT: _NOT_RATIONAL},
)

# The sum over a tiling

_SLABS = (1 - Heaviside(z(1) - lo), Heaviside(z(1) - lo) - Heaviside(z(1) - hi), Heaviside(z(1) - hi))
_THROUGH = tuple(Expectation(slab * z(2) * z(3), _COV) for slab in _SLABS)
_PARTS = sympy.Add(*_THROUGH)
_UNGATED = Expectation(z(2) * z(3), _COV)


def _derive_tiling() -> Derivation:
    beyond = tuple(Expectation(Heaviside(z(1) - bound) * z(2) * z(3), _COV) for bound in (lo, hi))
    split = (Tuple(_THROUGH[0], _UNGATED - beyond[0]), Tuple(_THROUGH[1], beyond[0] - beyond[1]))
    steps = (
        Step(_PARTS, r"the means through the slabs $z_i < l$, $l \leq z_i < u$ and $z_i \geq u$", "definition"),
        Step(_UNGATED, "differences of half-spaces: the three indicators add up to 1", "linearity", split),
        *expect(z(2) * z(3), _COV).derivation.steps[1:],
    )
    return Derivation("moment.threshold.tiling", Eq(_PARTS, kl, evaluate=False), steps)


def _over_the_tiling(point: Point, digits: int) -> mpf:
    """The three integrals, each over its slab."""
    with precision(digits=digits + 20), mpmath.workdps(digits + 10):
        at = balls(point)
        slabs = ((-inf, at["l"]), (at["l"], at["u"]), (at["u"], inf))
        return mpmath.fsum(between(lambda x: _given_site(at, x), *slab, digits) for slab in slabs)


def _sum_by_the_library(l: float, u: float, rho_ik: float, rho_il: float, rho_kl: float) -> float:
    moments = float64_moments([rho_ik, rho_kl, rho_il], [(-inf, l), (l, u), (u, inf)])
    return float(sum(moments.sigma_xx[k, k, 1, 3] for k in range(3)))


TILING = Claim(
    id="moment.threshold.tiling",
    title="The second moments of Gaussian inputs through slabs that tile a site add up to the covariance",
    kind=Kind.EQUATION,
    statement=Eq(_PARTS, kl, evaluate=False),
    params=(*BOUNDS, *THREE),
    conditions=(lo < hi, CONDITION),
    oracle=_over_the_tiling,
    derive=_derive_tiling,
    numeric=_sum_by_the_library,
    unchecked={Level.EXACT: _NOT_RATIONAL},
)

CLAIMS = (STEP_ERF, SECOND, SLAB, TILING)
