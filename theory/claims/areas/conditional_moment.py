"""What eq. (8) of the small-bump note really is: put right, a second derivation of (7), for site l.

(8) averages erf(a_i z_i + a_k z_k), which is erf(g z_l) averaged over the rest of z_l, through the gate of site i.
The factor erf(g z_k) of <g_1 x_k x_l> is missing.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Heaviside, Integer, Interval, Rational, asin, atan, erf, pi, sqrt

from theory.claims import oracles, reasons
from theory.claims.areas.conditional import CONDITION, CORRELATIONS, LEFT, OF_I, OF_K, SMALL_GAIN, C, ik, il, slopes
from theory.claims.areas.flow import values
from theory.claims.areas.gaussian import BUMP, CORRELATION, GAIN, KAPPA, derived, pair
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.symbols import g, rho, z
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import Derivation, Step

a, b = sympy.symbols("a_i a_k", real=True)

_BOTH = Heaviside(z(1)) * erf(a * z(1) + b * z(2))
_ANGLE = sqrt(2) * (a + b * rho) / sqrt(1 + 2 * b**2 * (1 - rho**2))
_UNDEFINED = "sigma_1^2 is undefined and read as 1 - rho_ik^2"


def _through_the_gate(first: mpf, second: mpf, correlation: mpf) -> mpf:
    """int_0^oo phi(v) erf(s v) erf(tilt v/sqrt 2) dv for s v = first z_i + second z_k, s its standard deviation.

    Given v, z_i is positive with the probability Phi(tilt v), tilt = r/sqrt(1 - r^2) with r the correlation of z_i
    and v; the two half lines are added, and Phi(x) - Phi(-x) = erf(x/sqrt 2).
    """
    spread = mpmath.sqrt(first**2 + 2 * first * second * correlation + second**2)
    rest = abs(second) * mpmath.sqrt(1 - correlation**2)  # s sqrt(1 - r^2), without cancellation
    along = first + second * correlation
    if along == 0:
        return mpf(0)
    tilt = along / rest if rest else mpmath.sign(along) * mpmath.inf
    reach = mpmath.sqrt(2 * mpmath.log(10) * (mpmath.mp.dps + 5))
    fastest = 1 / (1 + spread + (abs(tilt) if rest else 0))
    ends = [mpf(0), fastest]
    while ends[-1] < reach:
        ends.append(3 * ends[-1])
    return mpmath.quad(
        lambda v: mpmath.npdf(v) * mpmath.erf(spread * v) * mpmath.erf(tilt * v / mpmath.sqrt(2)), [*ends[:-1], reach]
    )


def _by_one_integral(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 8):
        at = values(point)
        return _through_the_gate(at["a_i"], at["a_k"], at["rho"])


STEP_ERF_OF_TWO = Claim(
    id="gaussian.step_erf.two_sites",
    title="A step and an erf of two sites: what (8) averages",
    kind=Kind.EQUATION,
    statement=Eq(Expectation(_BOTH, pair(rho)), atan(_ANGLE) / pi, evaluate=False),
    params=(
        Param(a, Interval(-3, 3), "slope by the site of the step", (Integer(0),)),
        Param(b, Interval(-3, 3), "slope by the other site", (Integer(0),)),
        Param(rho, CORRELATION.domain, "correlation of the two sites", (Integer(0), Rational(-63, 64))),
    ),
    sources=(
        Source(
            BUMP,
            "(8)",
            printed=atan(sqrt(2) * (rho + a) / sqrt(1 + 2 * b**2 * (1 - rho**2))) / pi,
            note=f"rho_ik + a_i stands for a_i + a_k rho_ik; {_UNDEFINED}",
        ),
    ),
    oracle=_by_one_integral,
    derive=derived("gaussian.step_erf.two_sites", _BOTH, pair(rho), atan(_ANGLE) / pi),
    drawn=3,
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.IN_A_DERIVATION},
)


def _put_right(first: sympy.Expr, second: sympy.Expr) -> sympy.Expr:
    return atan(sqrt(2) * (first + second * ik) / sqrt(1 + 2 * second**2 * LEFT)) / pi


_RIGHT = _put_right(C * OF_I, C * OF_K)
_SEVENTH = sympy.Symbol(r"\Sigma^{yx}_l", real=True)  # E[1(z_i >= 0) erf(g z_l)]


def _derive_again() -> Derivation:
    by_arctangent = atan(il / sqrt(1 / (2 * g**2) + 1 - il**2)) / pi
    result = Eq(_SEVENTH, asin(KAPPA * il) / pi, evaluate=False)
    steps = (
        Step(
            Eq(_SEVENTH, _RIGHT, evaluate=False),
            "average erf(g z_l) over the rest of z_l, then the step and the erf of two sites: (8) with the labels of "
            "(9) and (10) exchanged and a_i + a_k rho_ik in place of rho_ik + a_i",
            "definition",
        ),
        Step(Eq(_SEVENTH, by_arctangent, evaluate=False), "a_i + a_k rho_ik = c rho_il", "identity"),
        Step(result, "asin x = atan(x/sqrt(1 - x^2))", "identity"),
    )
    return Derivation("moment.site_gate.tower", result, steps)


def _by_numbers(point: Point, digits: int) -> mpf:
    """The same integral with a_i and a_k as numbers of least squares and quadrature."""
    with mpmath.workdps(digits + 12):
        first, second = slopes(point)
        return _through_the_gate(first, second, values(point)["rho_ik"])


_AS_PRINTED = atan(sqrt(2) * (ik + C * OF_K) / sqrt(1 + 2 * (C * OF_I) ** 2 * LEFT)) / pi

TOWER = Claim(
    id="moment.site_gate.tower",
    title="(8) put right is (7) at site l: one erf was lost",
    kind=Kind.EQUATION,
    statement=Eq(_SEVENTH, asin(KAPPA * il) / pi, evaluate=False),
    params=(
        Param(
            ik, CORRELATIONS[0].domain, "correlation of z_i and z_k", likely=Interval(-Rational(3, 4), Rational(3, 4))
        ),
        *CORRELATIONS[1:],
        SMALL_GAIN,
    ),
    conditions=(CONDITION,),
    sources=(
        Source(
            BUMP,
            "(8)",
            printed=_AS_PRINTED,
            note=f"(8)-(10) as they are printed, as E[1(z_i >= 0) erf(g z_l)]; {_UNDEFINED}",
        ),
    ),
    oracle=_by_numbers,
    derive=_derive_again,
    cites=(
        "gaussian.step_erf.two_sites",
        "conditional.slope.gate_site",
        "conditional.slope.other_site",
        "gaussian.erf.smoothing",
    ),
    drawn=2,
    unchecked={
        Level.EXACT: reasons.ARCSINES,
        Level.FLOATING: "it is moment.site_gate.yx without 1/(2 Z), and that is compared",
    },
)

# (7) where the correlation is not negative, which exp(-d^2/xi^2) never is.
_nonnegative = sympy.Symbol("rho", nonnegative=True)
_FIRST = Expectation(Heaviside(z(1)) * erf(g * z(2)), pair(_nonnegative))
_PRINTED_7 = atan(sqrt(_nonnegative**2 / (1 / (2 * g**2) + (1 - _nonnegative**2)))) / pi
_SIGNED = atan(_nonnegative / sqrt(1 / (2 * g**2) + 1 - _nonnegative**2)) / pi


def _derive_first() -> Derivation:
    used = Eq(_FIRST, _SIGNED, evaluate=False)
    steps = (
        Step(_FIRST, "the mean of g_1 x_k in class y = 1, for x = erf(g z)", "definition"),
        Step(_SIGNED, "the arctangent form", "cite", (used,), ("gaussian.step_erf.arctangent",)),
        Step(_PRINTED_7, "rho >= 0", "identity"),
    )
    return Derivation("moment.site_gate.first_one", Eq(_FIRST, _PRINTED_7, evaluate=False), steps)


def _by_step_erf(point: Point, digits: int) -> mpf:
    return oracles.step_erf(point[_nonnegative], point[g], digits)


FIRST_ONE = Claim(
    id="moment.site_gate.first_one",
    title="'First one is right tho': (7) within class y = 1, for x = erf(g z) and correlations that are not negative",
    kind=Kind.EQUATION,
    statement=Eq(_FIRST, _PRINTED_7, evaluate=False),
    params=(
        Param(_nonnegative, Interval.Ropen(0, 1), "exp(-(i - k)^2/xi_1^2)", (Integer(0), Rational(999999, 1000000))),
        GAIN,
    ),
    assumptions=("the average is over class y = 1 alone and x is not divided by Z, which the note does not say",),
    sources=(
        Source(BUMP, "(7)", printed=_PRINTED_7),
        Source(BUMP, "after (13)", printed=_PRINTED_7, note="'First one is right tho'"),
    ),
    oracle=_by_step_erf,
    derive=_derive_first,
    unchecked={
        Level.EXACT: reasons.ARCSINES,
        Level.FLOATING: "it is moment.site_gate.yx without 1/(2 Z), and that is compared",
    },
)

CLAIMS = (STEP_ERF_OF_TWO, TOWER, FIRST_ONE)
