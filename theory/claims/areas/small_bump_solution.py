"""The small-bump problem solved, at its smallest: two sites, a site gate and its complement (small-bump note).

The note stops at "no idea how to decouple the ODEs". The oracles put quadratures of the moments' definitions into the
quadratic loss and follow its gradient flow, or minimise it; they use neither arcsines nor modes. Entry by entry,
a = asin(kappa R_1 e_1) and D = asin(kappa^2 R_1) + asin(kappa^2 R_0), with kappa^2 = 2 g^2/(1 + 2 g^2).
"""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, asin, oo, pi, sqrt

from theory.claims import finite_data, oracles, reasons
from theory.claims.float_flow import Number
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration, Source
from theory.expressions.symbols import g
from theory.flow import solve
from theory.flow.derive import small_bump
from theory.problem import LossAtTimes, Network, NonlinearGP, Problem, SiteGate, Training

BUMP = "small-bump-gate"
rho1, rho0 = small_bump.rho1, small_bump.rho0

_KAPPA = sqrt(2) * g / sqrt(1 + 2 * g**2)
_A0, _A1 = asin(_KAPPA), asin(_KAPPA * rho1)
_D0, _D1 = 2 * asin(_KAPPA**2), asin(_KAPPA**2 * rho1) + asin(_KAPPA**2 * rho0)


def _quadratic(point: Point, digits: int) -> finite_data.Loss:
    """w -> <(y - (g_1 W_1 + g_2 W_2) x/2)^2>/2 for the four weights (W_1, W_2), from quadratures of the moments.

    Given x -> -x, <g_1 x x^T> = <g_2 x x^T> = <x x^T>/2 and <g_2 y x> = -<g_1 y x>; g_1 g_2 = 0.
    """
    gain = point[g]
    first, second = point[rho1], point[rho0]
    one = Integer(1)
    square = oracles.erf_erf(one, gain, digits)
    scale = mpmath.sqrt(square)
    force = [oracles.step_erf(rho, gain, digits) / (2 * scale) for rho in (one, first)]
    mixed = (oracles.erf_erf(first, gain, digits) + oracles.erf_erf(second, gain, digits)) / (2 * square)

    def loss(w: finite_data.Vector) -> mpf:
        linear = sum(force[i] * (w[i] - w[2 + i]) for i in (0, 1)) / 2
        squares = sum(p * p + 2 * mixed * p * q + q * q for p, q in (w[:2], w[2:])) / 2
        return mpf(1) / 4 - linear + squares / 8

    return loss


def _at_rest(point: Point, digits: int) -> mpf:
    """The gradient flow of the quadratic loss run to its end: the weight of unit 1 at the gate's site."""
    with mpmath.workdps(digits + 30):
        return finite_data.flow_limit(_quadratic(point, digits + 20), [mpf(0)] * 4, digits)[0]


def _least(point: Point, digits: int) -> mpf:
    """Twice the quadratic loss at its minimiser."""
    with mpmath.workdps(digits + 30):
        loss = _quadratic(point, digits + 20)
        return 2 * loss(finite_data.minimiser(loss, 4, digits))


def _solution(gain: Number, first: Number, second: Number):
    """The library's float64 solution; its law takes xi with exp(-1/xi^2) = rho at distance 1."""
    zero, one = Fraction(0), Fraction(1)
    lengths = tuple(Fraction(1 / math.sqrt(-math.log(rho))) for rho in (first, second))
    law = NonlinearGP(2, lengths, Fraction(gain), "open", "unit-variance", (one, zero))
    network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=zero), SiteGate(0, hi=zero)))
    return solve(Problem(law, network, Training("half-mse", one, ((zero, zero), (zero, zero)), (zero,))))


def _at_optimum(problem: Problem) -> Problem:
    """The problem started, and looked at, where the theory says that its flow comes to rest."""
    fixed = tuple(tuple(Fraction(float(entry)) for entry in row) for row in solve(problem).fixed_point)
    return replace(problem, training=replace(problem.training, w0=fixed, times=(Fraction(0),)))


def _least_loss(problem: Problem) -> np.ndarray:
    return np.array([float(solve(problem).mse)])


def _printed_18(problem: Problem) -> np.ndarray:
    """The loss (1 - L*)/2 with the printed (18), whose L* is 1 whatever the gates and the law."""
    return np.zeros_like(_least_loss(problem))


_PARAMS = (
    Param(g, Interval(Rational(1, 64), 64), "gain", (Rational(1, 64), Integer(1), Integer(64))),
    Param(rho1, Interval(Rational(1, 16), Rational(31, 32)), "latent correlation in class y = 1", (Rational(31, 32),)),
    Param(rho0, Interval(Rational(1, 16), Rational(31, 32)), "latent correlation in class y = 0", (Rational(31, 32),)),
)
_ASSUMPTIONS = (
    "two sites, gates 1[z_1 >= 0] and its complement; x = erf(g z)/Z of unit variance, correlation rho_c in class c",
    "labels 1 and 0, classes of probability 1/2; yhat = (g_1 W_1 + g_2 W_2) x/2",
)
_LAWS = ("gaussian.step_erf.arcsine", "gaussian.step_erf_erf.arcsine", "gaussian.erf.second_moment")

WEIGHT = Claim(
    id="flow.small_bump.two_sites",
    title="Where the small-bump weight at the gate's site comes to rest: 2 Z D^-1 a",
    kind=Kind.EQUATION,
    statement=Eq(
        small_bump.weight(oo),
        sqrt(2 * asin(_KAPPA**2) / pi) * ((_A0 + _A1) / (_D0 + _D1) + (_A0 - _A1) / (_D0 - _D1)),
        evaluate=False,
    ),
    params=_PARAMS,
    assumptions=_ASSUMPTIONS,
    sources=(Source(BUMP, "after (13)", note="'no idea how to decouple the ODEs': one basis, that of <x x^T>"),),
    oracle=_at_rest,
    derive=small_bump.two_sites_fixed_point,
    numeric=lambda g, rho1, rho0: _solution(g, rho1, rho0).fixed_point[0, 0],
    cites=_LAWS,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

LOSS = Claim(
    id="ols.small_bump.two_sites",
    title="The least loss of the small-bump network: 1/2 - (1/pi) a^T D^-1 a",
    kind=Kind.EQUATION,
    statement=Eq(
        small_bump.loss,
        sympy.S.Half - ((_A0 + _A1) ** 2 / (_D0 + _D1) + (_A0 - _A1) ** 2 / (_D0 - _D1)) / (2 * pi),
        evaluate=False,
    ),
    params=_PARAMS,
    assumptions=_ASSUMPTIONS,
    sources=(Source(BUMP, "after (13)", note="not in the note: what the solved problem reaches"),),
    oracle=_least,
    derive=small_bump.two_sites_loss,
    numeric=lambda g, rho1, rho0: _solution(g, rho1, rho0).mse,
    registration=Registration(
        problems=("small-bump", "small-bump-reversed"),
        observable=LossAtTimes(),
        prepare=_at_optimum,
        predict=_least_loss,
        alternatives=(Alternative("localization-with-gated-linear-networks (18)", _printed_18),),
    ),
    cites=_LAWS,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (WEIGHT, LOSS)
