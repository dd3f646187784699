"""The moments through a site gate. Small-bump note, eq. (7)-(10); localization notes, eq. (6), (7).

Labels 1 and 0, classes of probability 1/2, x = erf(g z)/Z with Z^2 = E erf(g z)^2, latent correlation exp(-d^2/xi_c^2)
at distance d in class c. The average behind (8) is that of erf(a_i z_i + a_k z_k) through the gate of site i, which is
erf(g z_l) averaged over the residual of z_l: (7) for site l. The factor erf(g z_k) of <g_1 x_k x_l> is missing.
"""

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
    sqrt,
)

from theory.claims import quadrature, reasons
from theory.claims.areas.moment._coincident_sites import (
    OWN,
    SQUARE_LAW,
    derive_own,
    derive_square,
    oracle_own,
    oracle_square,
)
from theory.claims.areas.moment._printed import GATE, instance, printed_7, printed_8_matrix, readings_8
from theory.claims.areas.moment._symbols import NORMALISER, d, xi1, xi2
from theory.claims.documents import BUMP_NOTE
from theory.claims.expectations import KAPPA, SECOND_MOMENT, Z_SQUARED, pair
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration
from theory.claims.parameters import GAIN
from theory.claims.points import values
from theory.claims.slips import SECOND_MOMENT_OF_ONE_ERF
from theory.claims.sources import Reading, Says, Source
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
p, q = sympy.symbols("p q", integer=True)

LENGTHS = (
    Param(xi1, Interval.open(0, oo), "correlation length of class $y = 1$, in sites", (Rational(1, 2), Rational(8))),
    Param(xi2, Interval.open(0, oo), "correlation length of class $y = 0$, in sites"),
)

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
            Step(
                _YX.lhs,
                r"$y$ is 1 in class 1, of probability 1/2, and 0 otherwise; $x = \operatorname{erf}(g z)/Z$",
                "definition",
            ),
            Step(
                _YX.rhs,
                "the arcsine law of a step and an erf, and the normaliser",
                "cite",
                (step_erf, NORMALISER),
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
    title="Input-output correlation through a site gate, at distance $d$ from its site",
    kind=Kind.EQUATION,
    statement=_YX,
    params=(Param(d, Range(-4, 5), "distance of the site from the gate's"), GAIN, LENGTHS[0]),
    assumptions=(r"labels 1 and 0, classes of probability 1/2; $x = \operatorname{erf}(g z)/Z$ has unit variance",),
    sources=(
        Source(
            BUMP_NOTE,
            "(7)",
            printed=atan(sqrt(_RHO**2 / (1 / (2 * g**2) + 1 - _RHO**2))) / pi,
            note=r"$\rho = \exp(-(i - k)^2/\xi_1^2)$ is never negative, so that $\sqrt{\rho^2} = \rho$; (7) lacks "
            r"$P(y = 1)$, 1/2 for balanced classes, and for $x = \operatorname{erf}(g z)/Z$ also $1/Z$",
            readings=(
                Reading(
                    r"the average is within class $y = 1$, and $x = \operatorname{erf}(g z)$ has no normaliser",
                    atan(sqrt(_RHO**2 / (1 / (2 * g**2) + 1 - _RHO**2))) / (2 * pi * sqrt(Z_SQUARED)),
                ),
            ),
        ),
    ),
    oracle=_oracle_yx,
    derive=_derive_yx,
    numeric=lambda d, g, xi1: instance(g, xi1, 1.0).sigma_yx[0, GATE + d],
    registration=Registration(
        problems=(PROBLEM,),
        observable=InputOutputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_yx,
        alternatives=(Alternative("small-bump (7) without $1/(2 Z)$", printed_7),),
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
            Step(_XX.lhs, r"the mean over the two classes; $x = \operatorname{erf}(g z)/Z$", "definition"),
            Step(
                _XX.rhs,
                "a step halves the second moment of two erfs in each class",
                "cite",
                (*halves, NORMALISER),
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


_PRINTED_8 = readings_8((_rhos(xi1), _rhos(xi2)))
_SHOWN_8 = (
    r"\Sigma^{xx}(p_1, p_1) = "
    r"\frac{1}{\pi} \arctan\left(\sqrt{2}\, \frac{\rho_{ik} + a_i}{\sqrt{1 + 2 a_k^{2} \sigma_1^{2}}}\right)"
)

SITE_GATE_XX = Claim(
    id="moment.site_gate.xx",
    title="Second moment of the input through a site gate: half the covariance, whatever the gate's site",
    kind=Kind.EQUATION,
    statement=_XX,
    params=(
        Param(p, Range(-4, 5), "distance of site $k$ from the gate's", likely=Range(-2, 3)),
        Param(q, Range(-4, 5), "distance of site $l$ from the gate's", likely=Range(-2, 3)),
        Param(g, Interval.open(0, oo), "gain"),
        *(Param(param.symbol, param.domain, param.doc, likely=Interval(1, 9)) for param in LENGTHS),
    ),
    conditions=(Ne(p, 0), Ne(q, 0), Ne(p, q)),
    assumptions=(r"classes of probability 1/2; $x = \operatorname{erf}(g z)/Z$ has unit variance",),
    sources=(
        Source(
            BUMP_NOTE,
            "(8)",
            printed=_PRINTED_8[0].printed,
            note="(8) depends on the gate's site and is not symmetric in $k$ and $l$; it averages one erf where "
            r"$\Sigma^{xx}$ has two (`moment.site_gate.tower`); both numbers are means over the classes, over "
            r"$Z^2$, with (8) read within a class and for $x = \operatorname{erf}(g z)$, as (7) is; " + UNDEFINED,
            readings=_PRINTED_8,
            shown=_SHOWN_8,
            slip=SECOND_MOMENT_OF_ONE_ERF,
        ),
        Source(
            BUMP_NOTE,
            "after (13)",
            note="read as said of (8): it is wrong, as the note suspects; (13) is right and equals (12)",
            says=Says.READ_AS,
            words="This looks wrong tbh",
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
    drawn=4,  # a point takes two double integrals, a second or more
    unchecked={Level.EXACT: reasons.ARCSINES},
)

# Sigma^xx(p_1, p_1) where two of the three sites coincide: k or l at the gate's site, and k = l

_SITE = Param(d, Range(-4, 5), "distance of the other site from the gate's")

OWN_SITE = Claim(
    id="moment.site_gate.own_site",
    title="Second moment through a site gate with the gate's own site",
    protocol="Second moment of the input through a site gate, of the gate's own site and another: half the covariance",
    kind=Kind.EQUATION,
    statement=OWN,
    params=(_SITE, GAIN, *LENGTHS),
    conditions=(Ne(d, 0),),
    assumptions=SITE_GATE_XX.assumptions,
    oracle=oracle_own,
    derive=derive_own,
    numeric=lambda d, g, xi1, xi2: instance(g, xi1, xi2).sigma_xx[0, 0, GATE, GATE + d],
    drawn=3,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

SQUARE = Claim(
    id="moment.site_gate.square",
    title="Mean square of the input through a site gate: 1/2 at every site, the gate's own among them",
    kind=Kind.EQUATION,
    statement=SQUARE_LAW,
    params=(Param(d, Range(-4, 5), "distance of the site from the gate's", (Rational(0),)), GAIN, *LENGTHS),
    assumptions=SITE_GATE_XX.assumptions,
    oracle=oracle_square,
    derive=derive_square,
    numeric=lambda d, g, xi1, xi2: instance(g, xi1, xi2).sigma_xx[0, 0, GATE + d, GATE + d],
    drawn=3,
    unchecked={Level.EXACT: "the definition is a quotient of integrals, not rational"},
)

# The average behind (8)


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
            r"average $\operatorname{erf}(g z_l)$ over the rest of $z_l$, then the step and the erf of two sites: "
            r"(8) with (9) for $a_k$, (10) for $a_i$, and $a_i + a_k \rho_{ik}$ in place of $\rho_{ik} + a_i$",
            "definition",
        ),
        Step(Eq(_SEVENTH, by_arctangent, evaluate=False), r"$a_i + a_k \rho_{ik} = c \rho_{il}$", "identity"),
        Step(result, r"$\arcsin x = \arctan(x/\sqrt{1 - x^2})$", "identity"),
    )
    return Derivation("moment.site_gate.tower", result, steps)


def _by_numbers(point: Point, digits: int) -> mpf:
    """The same integral with a_i and a_k computed by least squares and quadrature."""
    with mpmath.workdps(digits + 12):
        first, second = slopes(point)
        return quadrature.step_erf_of_two(first, second, values(point)["rho_ik"])


TOWER = Claim(
    id="moment.site_gate.tower",
    title="The average behind (8) is (7) at site $l$: that of one erf, where the second moment has two",
    kind=Kind.EQUATION,
    statement=Eq(_SEVENTH, asin(KAPPA * il) / pi, evaluate=False),
    params=(
        Param(
            ik,
            CORRELATIONS[0].domain,
            "correlation of $z_i$ and $z_k$",
            likely=Interval(-Rational(3, 4), Rational(3, 4)),
        ),
        *CORRELATIONS[1:],
        SMALL_GAIN,
    ),
    conditions=(CONDITION,),
    sources=(
        Source(
            BUMP_NOTE,
            "(8)",
            note=r"(8) becomes this average with (9) for $a_k$, (10) for $a_i$, $\sigma_1^2 = 1 - \rho_{ik}^2$, and "
            r"$a_i + a_k \rho_{ik}$ in place of $\rho_{ik} + a_i$; with (9) for $a_i$ and (10) for $a_k$ it is "
            r"then $(1/\pi) \arcsin(\kappa \rho_{kl})$, the same through the gate of site $k$",
            says=Says.UNSTATED,
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
        Level.FLOATING: "it is `moment.site_gate.yx` without $1/(2 Z)$, and that is compared",
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
        Step(_FIRST, r"the mean of $g_1 x_k$ in class $y = 1$, for $x = \operatorname{erf}(g z)$", "definition"),
        Step(_SIGNED, "the arctangent form", "cite", (used,), ("gaussian.step_erf.arctangent",)),
        Step(_PRINTED_7, r"$\rho \geq 0$", "identity"),
    )
    return Derivation("moment.site_gate.first_one", Eq(_FIRST, _PRINTED_7, evaluate=False), steps)


def _by_step_erf(point: Point, digits: int) -> mpf:
    return quadrature.step_erf(point[_nonnegative], point[g], digits)


FIRST_ONE = Claim(
    id="moment.site_gate.first_one",
    title="(7) within class $y = 1$ and without normaliser",
    protocol=r"(7) within class $y = 1$, for $x = \operatorname{erf}(g z)$ and nonnegative correlations",
    kind=Kind.EQUATION,
    statement=Eq(_FIRST, _PRINTED_7, evaluate=False),
    params=(
        Param(
            _nonnegative, Interval.Ropen(0, 1), r"$\exp(-(i - k)^2/\xi_1^2)$", (Integer(0), Rational(999999, 1000000))
        ),
        GAIN,
    ),
    assumptions=("the average is over class $y = 1$ alone and $x$ is not divided by $Z$, which the note does not say",),
    sources=(
        Source(
            BUMP_NOTE,
            "after (13)",
            printed=_PRINTED_7,
            note="read as said of (7), the first of the two moments; of (12) it is right as well",
            says=Says.READ_AS,
            words="First one is right tho",
        ),
    ),
    oracle=_by_step_erf,
    derive=_derive_first,
    unchecked={
        Level.EXACT: reasons.ARCSINES,
        Level.FLOATING: "it is `moment.site_gate.yx` without $1/(2 Z)$, and that is compared",
    },
)

CLAIMS = (SITE_GATE_YX, SITE_GATE_XX, OWN_SITE, SQUARE, TOWER, FIRST_ONE)
