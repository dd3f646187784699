"""The small-bump problem: the moments through a site gate, their printed forms, and what trained networks show.

Small-bump note, eq. (7), (8); localization notes, eq. (6), (7). Labels 1 and 0, classes of probability 1/2,
x = erf(g z)/Z with Z^2 = E erf(g z)^2, latent correlation exp(-d^2/xi_c^2) at distance d in class c.
"""

from fractions import Fraction

import mpmath
import numpy as np
import sympy
from sympy import Eq, Heaviside, Interval, Matrix, Ne, Range, Rational, asin, atan, erf, exp, oo, pi, sqrt

from theory.claims import oracles, reasons
from theory.claims.areas.gaussian import BUMP, GAIN, KAPPA, pair
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration, Source
from theory.expressions.symbols import g, z
from theory.gaussian.expectation import Expectation
from theory.moments import GatedMoments, gated_moments
from theory.problem import (
    InputMoment,
    InputOutputMoment,
    Network,
    NonlinearGP,
    Problem,
    SiteGate,
    Training,
    latent_correlation,
)
from theory.proof.derivation import Derivation, Step

PROBLEM = "small-bump"
NOTES = "localization-with-gated-linear-networks"
SITES, GATE = 9, 4  # the small instance on which the float64 path is compared
d = sympy.Symbol("d", integer=True)
p, q = sympy.symbols("p q", integer=True)
xi1, xi2 = sympy.symbols("xi1 xi2", positive=True)
LENGTHS = (
    Param(xi1, Interval.open(0, oo), "correlation length of class y = 1, in sites", (Rational(1, 2), Rational(8))),
    Param(xi2, Interval.open(0, oo), "correlation length of class y = 0, in sites"),
)

SECOND = Expectation(erf(g * z(1)) ** 2, Matrix([[1]]))
Z_SQUARED = 2 * asin(KAPPA**2) / pi
_NORMALISER = Eq(SECOND, Z_SQUARED, evaluate=False)


def _instance(gain: float, first: float, second: float) -> GatedMoments:
    """The library's float64 moments of a small-bump problem on nine sites with these exact parameters."""
    labels = (Fraction(1), Fraction(0))
    law = NonlinearGP(SITES, (Fraction(first), Fraction(second)), Fraction(gain), "open", "unit-variance", labels)
    gates = (SiteGate(GATE, lo=Fraction(0)), SiteGate(GATE, hi=Fraction(0)))
    at_rest = Training("half-mse", Fraction(1), ((Fraction(0),) * SITES,) * 2, (Fraction(0),))
    return gated_moments(Problem(law, Network("gated-linear", "mean", 2, gates), at_rest))


# Sigma^yx(p_1)

_RHO = exp(-(d**2) / xi1**2)
_STEP_ERF = Expectation(Heaviside(z(1)) * erf(g * z(2)), pair(_RHO))
_YX = Eq(_STEP_ERF / (2 * sqrt(SECOND)), asin(KAPPA * _RHO) / (2 * pi * sqrt(Z_SQUARED)), evaluate=False)


def _derive_yx() -> Derivation:
    step_erf = Eq(_STEP_ERF, asin(KAPPA * _RHO) / pi, evaluate=False)
    return Derivation(
        "moment.site_gate.yx",
        _YX,
        (
            Step(_YX.lhs, "y is 1 in class 1, of probability 1/2, and 0 otherwise; x = erf(g z)/Z", "definition"),
            Step(
                _YX.rhs,
                "the arcsine law of a step and an erf, and the normaliser",
                "cite",
                (step_erf, _NORMALISER),
                ("gaussian.step_erf.arcsine", "gaussian.erf.second_moment"),
            ),
        ),
    )


def _oracle_yx(point: Point, digits: int) -> mpmath.mpf:
    step_erf = oracles.step_erf(_RHO.xreplace(dict(point)), point[g], digits + 5)
    with mpmath.workdps(digits + 10):
        return step_erf / (2 * mpmath.sqrt(oracles.erf_erf(sympy.Integer(1), point[g], digits + 5)))


def _printed_7(problem: Problem) -> np.ndarray:
    """Small-bump (7) for unit 1, and its negative for the complement: no class probability, no normaliser."""
    gain = float(problem.data.gain)
    row = latent_correlation(problem.data, 0)[problem.network.gates[0].site]
    printed = np.arctan(np.sqrt(row**2 / (1 / (2 * gain**2) + 1 - row**2))) / np.pi
    return np.stack([printed, -printed])


SITE_GATE_YX = Claim(
    id="moment.site_gate.yx",
    title="Input-output correlation through a site gate, at distance d from its site",
    kind=Kind.EQUATION,
    statement=_YX,
    params=(Param(d, Range(-4, 5), "distance of the site from the gate's"), GAIN, LENGTHS[0]),
    assumptions=("labels 1 and 0, classes of probability 1/2; x = erf(g z)/Z has unit variance",),
    sources=(
        Source(
            BUMP,
            "(7)",
            printed=atan(sqrt(_RHO**2 / (1 / (2 * g**2) + 1 - _RHO**2))) / pi,
            note="omits the class probability 1/2 and the normaliser Z; sqrt(rho^2) would lose a sign",
        ),
    ),
    oracle=_oracle_yx,
    derive=_derive_yx,
    numeric=lambda d, g, xi1: _instance(g, xi1, 1.0).sigma_yx[0, GATE + d],
    registration=Registration(
        problems=(PROBLEM,),
        observable=InputOutputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_yx,
        alternatives=(Alternative("small-bump (7)", _printed_7),),
    ),
    unchecked={Level.EXACT: reasons.ARCSINES},
)


# Sigma^xx(p_1, p_1)


def _rhos(length: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """rho_ik, rho_il, rho_kl with k = i + p, l = i + q."""
    return exp(-(p**2) / length**2), exp(-(q**2) / length**2), exp(-((p - q) ** 2) / length**2)


def _step_erf_erf(length: sympy.Expr) -> Expectation:
    ik, il, kl = _rhos(length)
    return Expectation(Heaviside(z(1)) * erf(g * z(2)) * erf(g * z(3)), Matrix([[1, ik, il], [ik, 1, kl], [il, kl, 1]]))


_HALVES = tuple(_step_erf_erf(length) for length in (xi1, xi2))
_ARCSINES = tuple(asin(KAPPA**2 * _rhos(length)[2]) / pi for length in (xi1, xi2))
_XX = Eq(sum(_HALVES) / (2 * SECOND), sum(_ARCSINES) / (2 * Z_SQUARED), evaluate=False)


def _derive_xx() -> Derivation:
    halves = tuple(Eq(half, arcsine, evaluate=False) for half, arcsine in zip(_HALVES, _ARCSINES, strict=True))
    return Derivation(
        "moment.site_gate.xx",
        _XX,
        (
            Step(_XX.lhs, "the mean over the two classes; x = erf(g z)/Z", "definition"),
            Step(
                _XX.rhs,
                "a step halves the second moment of two erfs in each class",
                "cite",
                (*halves, _NORMALISER),
                ("gaussian.step_erf_erf.arcsine", "gaussian.step_erf_erf.arcsine", "gaussian.erf.second_moment"),
            ),
        ),
    )


def _oracle_xx(point: Point, digits: int) -> mpmath.mpf:
    values = []
    for length in (xi1, xi2):
        ik, il, kl = (rho.xreplace(dict(point)) for rho in _rhos(length))
        values.append(oracles.step_erf_erf(ik, il, kl, point[g], digits))
    with mpmath.workdps(digits + 10):
        return sum(values) / (2 * oracles.erf_erf(sympy.Integer(1), point[g], digits + 5))


def _printed_8(ik, il, kl, gain, root, arctan):
    """Small-bump (8)-(12) with sigma_1^2 read as 1 - rho_ik^2; the note leaves it undefined. Numbers or symbols."""
    left = 1 - ik**2
    variance = 1 - (il**2 - 2 * ik * il * kl + kl**2) / left
    c = gain / root(1 + 2 * gain**2 * variance)
    a_i = c * (kl - il * ik) / left
    a_k = c * (il - kl * ik) / left
    return arctan(root(2) * (ik + a_i) / root(1 + 2 * a_k**2 * left))


def _printed_8_matrix(problem: Problem) -> np.ndarray:
    """The moments with the block of unit 1 as (8) prints it; rows k = i, where (8) divides by zero, are left right."""
    moments = gated_moments(problem).sigma_xx.copy()
    site = problem.network.gates[0].site
    rho = latent_correlation(problem.data, 0)
    others = np.arange(problem.data.n) != site
    ik, il, kl = rho[site][others, None], rho[site][None, :], rho[others]
    moments[0, 0, others] = _printed_8(ik, il, kl, float(problem.data.gain), np.sqrt, np.arctan) / np.pi
    return moments


SITE_GATE_XX = Claim(
    id="moment.site_gate.xx",
    title="Second moment of the input through a site gate: half the covariance, whatever the gate's site",
    kind=Kind.EQUATION,
    statement=_XX,
    params=(
        Param(p, Range(-4, 5), "distance of site k from the gate's", likely=Range(-2, 3)),
        Param(q, Range(-4, 5), "distance of site l from the gate's", likely=Range(-2, 3)),
        Param(g, Interval.open(0, oo), "gain"),
        *(Param(param.symbol, param.domain, param.doc, likely=Interval(1, 9)) for param in LENGTHS),
    ),
    conditions=(Ne(p, 0), Ne(q, 0), Ne(p, q)),
    assumptions=("classes of probability 1/2; x = erf(g z)/Z has unit variance",),
    sources=(
        Source(
            BUMP,
            "(8)",
            printed=_printed_8(*_rhos(xi1), g, sqrt, atan) / pi,
            note="one erf was lost: with the labels of (9) and (10) exchanged and rho_ik scaled it is (7) at site l; "
            "sigma_1^2 is undefined there and read as 1 - rho_ik^2",
        ),
    ),
    oracle=_oracle_xx,
    derive=_derive_xx,
    numeric=lambda p, q, g, xi1, xi2: _instance(g, xi1, xi2).sigma_xx[0, 0, GATE + p, GATE + q],
    registration=Registration(
        problems=(PROBLEM,),
        observable=InputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_xx,
        alternatives=(Alternative("small-bump (8)", _printed_8_matrix),),
    ),
    drawn=2,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (SITE_GATE_YX, SITE_GATE_XX)
