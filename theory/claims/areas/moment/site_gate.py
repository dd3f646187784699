"""The moments through a site gate. Small-bump note, eq. (7)-(10); localization notes, eq. (6), (7).

Labels 1 and 0, classes of probability 1/2, x = erf(g z)/Z with Z^2 = E erf(g z)^2, latent correlation exp(-d^2/xi_c^2)
at distance d in class c. Corrected, (8) is a second derivation of (7), for site l: it averages erf(a_i z_i + a_k z_k),
which is erf(g z_l) averaged over the rest of z_l, through the gate of site i. The factor erf(g z_k) of <g_1 x_k x_l>
is missing.
"""

from collections.abc import Callable

import mpmath
import sympy
from mpmath import mpf
from sympy import (
    Eq,
    Heaviside,
    Integer,
    Interval,
    Matrix,
    Ne,
    Range,
    Rational,
    asin,
    atan,
    erf,
    exp,
    oo,
    pi,
    sign,
    sqrt,
)

from theory.claims import quadrature, reasons
from theory.claims.areas.moment._printed import GATE, instance, printed_7, printed_8, printed_8_matrix
from theory.claims.documents import BUMP_NOTE
from theory.claims.expectations import KAPPA, SECOND_MOMENT, Z_SQUARED, pair
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration, Source
from theory.claims.parameters import GAIN
from theory.claims.points import values
from theory.claims.three_sites import (
    CONDITION,
    CORRELATIONS,
    LEFT,
    OF_I,
    OF_K,
    SMALL_GAIN,
    UNDEFINED,
    C,
    ik,
    il,
    slopes,
)
from theory.expressions.symbols import g, z
from theory.gaussian.expectation import Expectation
from theory.moments import gated_moments
from theory.problem import InputMoment, InputOutputMoment
from theory.proof.derivation import Derivation, Step

PROBLEM = "small-bump"
d = sympy.Symbol("d", integer=True)
p, q = sympy.symbols("p q", integer=True)
xi1, xi2 = sympy.symbols("xi1 xi2", positive=True)

LENGTHS = (
    Param(xi1, Interval.open(0, oo), "correlation length of class y = 1, in sites", (Rational(1, 2), Rational(8))),
    Param(xi2, Interval.open(0, oo), "correlation length of class y = 0, in sites"),
)

_NORMALISER = Eq(SECOND_MOMENT, Z_SQUARED, evaluate=False)

# Sigma^yx(p_1)
_RHO = exp(-(d**2) / xi1**2)
_STEP_ERF = Expectation(Heaviside(z(1)) * erf(g * z(2)), pair(_RHO))
_YX = Eq(_STEP_ERF / (2 * sqrt(SECOND_MOMENT)), asin(KAPPA * _RHO) / (2 * pi * sqrt(Z_SQUARED)), evaluate=False)


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
    step_erf = quadrature.step_erf(_RHO.xreplace(dict(point)), point[g], digits + 5)
    with mpmath.workdps(digits + 10):
        return step_erf / (2 * mpmath.sqrt(quadrature.erf_erf(sympy.Integer(1), point[g], digits + 5)))


SITE_GATE_YX = Claim(
    id="moment.site_gate.yx",
    title="Input-output correlation through a site gate, at distance d from its site",
    kind=Kind.EQUATION,
    statement=_YX,
    params=(Param(d, Range(-4, 5), "distance of the site from the gate's"), GAIN, LENGTHS[0]),
    assumptions=("labels 1 and 0, classes of probability 1/2; x = erf(g z)/Z has unit variance",),
    sources=(
        Source(
            BUMP_NOTE,
            "(7)",
            printed=atan(sqrt(_RHO**2 / (1 / (2 * g**2) + 1 - _RHO**2))) / pi,
            note="omits the class probability 1/2 and the normaliser Z; sqrt(rho^2) would lose a sign",
        ),
    ),
    oracle=_oracle_yx,
    derive=_derive_yx,
    numeric=lambda d, g, xi1: instance(g, xi1, 1.0).sigma_yx[0, GATE + d],
    registration=Registration(
        problems=(PROBLEM,),
        observable=InputOutputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_yx,
        alternatives=(Alternative("small-bump (7)", printed_7),),
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
_XX = Eq(sum(_HALVES) / (2 * SECOND_MOMENT), sum(_ARCSINES) / (2 * Z_SQUARED), evaluate=False)


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
        values.append(quadrature.step_erf_erf(ik, il, kl, point[g], digits))
    with mpmath.workdps(digits + 10):
        return sum(values) / (2 * quadrature.erf_erf(sympy.Integer(1), point[g], digits + 5))


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
            BUMP_NOTE,
            "(8)",
            printed=printed_8(*_rhos(xi1), g, sqrt, atan) / pi,
            note="one erf was lost: with the labels of (9) and (10) exchanged and rho_ik scaled it is (7) at site l; "
            "sigma_1^2 is undefined there and read as 1 - rho_ik^2",
        ),
    ),
    oracle=_oracle_xx,
    derive=_derive_xx,
    numeric=lambda p, q, g, xi1, xi2: instance(g, xi1, xi2).sigma_xx[0, 0, GATE + p, GATE + q],
    registration=Registration(
        problems=(PROBLEM,),
        observable=InputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_xx,
        alternatives=(Alternative("small-bump (8)", printed_8_matrix),),
    ),
    drawn=4,  # a double integral takes four to seven seconds
    unchecked={Level.EXACT: reasons.ARCSINES},
)

# Sigma^xx(p_1, p_1) where two of the three sites coincide: k or l at the gate's site, and k = l

_OWN_HALVES = tuple(
    Expectation(Heaviside(z(1)) * erf(g * z(1)) * erf(g * z(2)), pair(exp(-(d**2) / length**2)))
    for length in (xi1, xi2)
)
_OWN_ARCSINES = tuple(asin(KAPPA**2 * exp(-(d**2) / length**2)) / pi for length in (xi1, xi2))
_OWN = Eq(sum(_OWN_HALVES) / (2 * SECOND_MOMENT), sum(_OWN_ARCSINES) / (2 * Z_SQUARED), evaluate=False)
_SQUARES = tuple(
    Expectation(Heaviside(z(1)) * erf(g * z(2)) ** 2, pair(exp(-(d**2) / length**2))) for length in (xi1, xi2)
)
_SQUARE = Eq(sum(_SQUARES) / (2 * SECOND_MOMENT), Rational(1, 2), evaluate=False)


def _without_step(half: Expectation) -> tuple[Expectation, Expectation]:
    """The two expectations in E[1(z_1 >= 0) f] = (E[f] + E[sign(z_1) f])/2."""
    rest = half.integrand / Heaviside(z(1))
    return Expectation(rest, half.cov), Expectation(sign(z(1)) * rest, half.cov)


def _halved(halves: tuple[Expectation, ...]) -> tuple[Step, Step, Step]:
    """The definition, the step as a half and half a sign, and the odd expectations with the sign, which vanish."""
    parts = [_without_step(half) for half in halves]
    split = [(half, (even + odd) / 2) for half, (even, odd) in zip(halves, parts, strict=True)]
    first = sum(halves) / (2 * SECOND_MOMENT)
    second = first.xreplace(dict(split))
    third = second.xreplace({odd: sympy.S.Zero for _, odd in parts})
    return (
        Step(first, "the mean over the two classes; x = erf(g z)/Z", "definition"),
        Step(second, "1(z >= 0) = (1 + sign z)/2", "linearity", tuple(sympy.Tuple(*one) for one in split)),
        Step(third, "odd in z", "parity", tuple(sympy.Tuple(odd, sympy.S.Zero) for _, odd in parts)),
    )


def _derive_own() -> Derivation:
    evens = [_without_step(half)[0] for half in _OWN_HALVES]
    laws = tuple(Eq(even, 2 * arcsine, evaluate=False) for even, arcsine in zip(evens, _OWN_ARCSINES, strict=True))
    cited = ("gaussian.erf_erf.arcsine", "gaussian.erf_erf.arcsine", "gaussian.erf.second_moment")
    last = Step(_OWN.rhs, "the arcsine law of two erfs in each class", "cite", (*laws, _NORMALISER), cited)
    return Derivation("moment.site_gate.own_site", _OWN, (*_halved(_OWN_HALVES), last))


def _derive_square() -> Derivation:
    evens = [_without_step(half)[0] for half in _SQUARES]
    one_site = tuple(sympy.Tuple(even, SECOND_MOMENT) for even in evens)
    last = Step(_SQUARE.rhs, "E erf(g z)^2 does not know the gate's site", "marginal", one_site)
    return Derivation("moment.site_gate.square", _SQUARE, (*_halved(_SQUARES), last))


def _integrated(density: Callable[[mpf], mpf], steepest: mpf, both_sides: bool) -> mpf:
    """int phi(z) density(z) dz over z >= 0 or all z, in panels that grow away from 0, at the working precision."""
    reach = mpmath.sqrt(2 * mpmath.log(10) * (mpmath.mp.dps + 5))
    ends = [mpf(0), 1 / (1 + steepest)]
    while ends[-1] < reach:
        ends.append(min(2 * ends[-1], reach))
    ends = [*(-end for end in reversed(ends[1:])), *ends] if both_sides else ends
    return mpmath.quad(lambda x: mpmath.npdf(x) * density(x), ends)


def _mean_over_classes(of_class: Callable[[mpf, mpf], mpf], point: Point, digits: int) -> mpf:
    """The mean over the classes of `of_class(1 - rho^2, rho)`, divided by Z^2, which is computed by its integral."""
    with mpmath.workdps(digits + 15):
        at = values(point)
        slope = at["g"]
        exponents = [(at["d"] / at[length.name]) ** 2 for length in (xi1, xi2)]
        total = sum(of_class(-mpmath.expm1(-2 * e), mpmath.exp(-e)) for e in exponents)
        square = 2 * _integrated(lambda x: mpmath.erf(slope * x) ** 2, slope, both_sides=False)
        return total / (2 * square)


def _oracle_own(point: Point, digits: int) -> mpf:
    """int_0^oo phi(z) erf(g z) E[erf(g z_l) | z] dz; the inner mean is E erf(m + s N) = erf(m/sqrt(1 + 2 s^2))."""

    def of_class(rest: mpf, rho: mpf) -> mpf:
        gain = values(point)["g"]
        inner = gain * rho / mpmath.sqrt(1 + 2 * gain**2 * rest)
        # The quadrature stops at an absolute error: rho, which may be tiny, stands in front.
        return rho * _integrated(lambda x: mpmath.erf(gain * x) * mpmath.erf(inner * x) / rho, gain, both_sides=False)

    return _mean_over_classes(of_class, point, digits)


def _oracle_square(point: Point, digits: int) -> mpf:
    """int phi(z) erf(g z)^2 P(z_i >= 0 | z) dz over the whole line, z that of site k; at d = 0 over z >= 0."""

    def of_class(rest: mpf, rho: mpf) -> mpf:
        gain = values(point)["g"]
        if rest == 0:
            return _integrated(lambda x: mpmath.erf(gain * x) ** 2, gain, both_sides=False)
        steep = rho / mpmath.sqrt(rest)
        return _integrated(lambda x: mpmath.erf(gain * x) ** 2 * mpmath.ncdf(steep * x), gain + steep, both_sides=True)

    return _mean_over_classes(of_class, point, digits)


_SITE = Param(d, Range(-4, 5), "distance of the other site from the gate's")

OWN_SITE = Claim(
    id="moment.site_gate.own_site",
    title="Second moment of the input through a site gate, of the gate's own site and another: half the covariance",
    kind=Kind.EQUATION,
    statement=_OWN,
    params=(_SITE, GAIN, *LENGTHS),
    conditions=(Ne(d, 0),),
    assumptions=SITE_GATE_XX.assumptions,
    oracle=_oracle_own,
    derive=_derive_own,
    numeric=lambda d, g, xi1, xi2: instance(g, xi1, xi2).sigma_xx[0, 0, GATE, GATE + d],
    unchecked={Level.EXACT: reasons.ARCSINES},
)

SQUARE = Claim(
    id="moment.site_gate.square",
    title="Mean square of the input through a site gate: 1/2 at every site, the gate's own among them",
    kind=Kind.EQUATION,
    statement=_SQUARE,
    params=(Param(d, Range(-4, 5), "distance of the site from the gate's", (Rational(0),)), GAIN, *LENGTHS),
    assumptions=SITE_GATE_XX.assumptions,
    oracle=_oracle_square,
    derive=_derive_square,
    numeric=lambda d, g, xi1, xi2: instance(g, xi1, xi2).sigma_xx[0, 0, GATE + d, GATE + d],
    unchecked={Level.EXACT: "the definition is a quotient of integrals, not rational"},
)

# (8) corrected


def _corrected(first: sympy.Expr, second: sympy.Expr) -> sympy.Expr:
    return atan(sqrt(2) * (first + second * ik) / sqrt(1 + 2 * second**2 * LEFT)) / pi


_RIGHT = _corrected(C * OF_I, C * OF_K)
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
        return quadrature.step_erf_of_two(first, second, values(point)["rho_ik"])


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
            BUMP_NOTE,
            "(8)",
            printed=_AS_PRINTED,
            note=f"(8)-(10) as they are printed, as E[1(z_i >= 0) erf(g z_l)]; {UNDEFINED}",
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
    return quadrature.step_erf(point[_nonnegative], point[g], digits)


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
        Source(BUMP_NOTE, "(7)", printed=_PRINTED_7),
        Source(BUMP_NOTE, "after (13)", printed=_PRINTED_7, note="'First one is right tho'"),
    ),
    oracle=_by_step_erf,
    derive=_derive_first,
    unchecked={
        Level.EXACT: reasons.ARCSINES,
        Level.FLOATING: "it is moment.site_gate.yx without 1/(2 Z), and that is compared",
    },
)

CLAIMS = (SITE_GATE_YX, SITE_GATE_XX, OWN_SITE, SQUARE, TOWER, FIRST_ONE)
