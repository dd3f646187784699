"""Soft gates and the paths that learn through them: deep gated networks, Tables 2 and 3 and section 3.1."""

from fractions import Fraction
from math import prod

import sympy
from flint import fmpq, fmpq_poly
from sympy import Eq, FiniteSet, Integer, Interval, Max, Rational, Symbol, oo

from theory.claims.areas.path._networks import SMALL, SOFT, Dual, derivative
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.misprints import SOFT_GATES
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.slips import SLOPE_AT_THE_THRESHOLD
from theory.claims.sources import Reading, Says, Source
from theory.proof.derivation import Derivation, Step

epsilon, tau_A, tau_S, beta, M = sympy.symbols("epsilon tau_A tau_S beta M", real=True)
s1, s2, s3, g1, g2, g3 = sympy.symbols("s1 s2 s3 g1 g2 g3", real=True)
a, b, c = sympy.symbols("a b c", real=True)

_GIVEN = "the library takes gates and their slopes as given numbers, and has no soft gate"
_TOP = 1 + epsilon
_GATE = r"the gate is $G = (1 + \epsilon)/(1 + s)$ with $s = e^{-\beta q}$ and the pre-activation $q$"
_EPSILON = Param(
    epsilon,
    Interval(0, oo),
    r"$\epsilon$, by which the largest value of a gate exceeds 1",
    (Integer(0), Rational(1, 10)),
    FiniteSet(*(Rational(k, 10) for k in range(11))),
)


def _gate(at: dict[str, Fraction]) -> tuple[fmpq_poly, fmpq_poly]:
    """The gate as a quotient of polynomials in s."""
    return fmpq_poly([_flint(1 + at["epsilon"])]), fmpq_poly([1, 1])


def _flint(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _slope(of: tuple[fmpq_poly, fmpq_poly]) -> tuple[fmpq_poly, fmpq_poly]:
    upper, lower = of
    return upper.derivative() * lower - upper * lower.derivative(), lower * lower


def _supremum(of: tuple[fmpq_poly, fmpq_poly], end: Fraction) -> Fraction:
    """The least upper bound on 0 < s < end: at an end or where the slope vanishes.

    Raises ArithmeticError where the slope has a factor without a rational root, or the denominator vanishes.
    """
    _, factors = _slope(of)[0].factor()
    if any(factor.degree() > 1 for factor, _ in factors):
        raise ArithmeticError("the slope has a root that is not rational")
    roots = [-factor[0] / factor[1] for factor, _ in factors]
    places = [fmpq(0), _flint(end), *(root for root in roots if 0 < root < _flint(end))]
    value = max(of[0](place) / of[1](place) for place in places)
    return Fraction(int(value.p), int(value.q))


RANGE = Claim(
    id="path.soft.range",
    title=r"The values of a soft gate reach up to $1 + \epsilon$",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\sup_q G", real=True), _TOP, evaluate=False),
    params=(_EPSILON,),
    assumptions=(_GATE,),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Table 3",
            printed=_TOP,
            misprint=SOFT_GATES,
        ),
        Source(
            DEEP_GATED_NETWORKS,
            "section 3",
            printed=_TOP,
            says=Says.READ_AS,
            words=r"the gating values are in $(0, 1 + \varepsilon)$ instead of 0/1",
        ),
    ),
    **rational_by_name(lambda at: _supremum(_gate(at), Fraction(1))),
    unchecked={
        Level.SYMBOLIC: "the bound of a monotone quotient is its value at an end; there is no chain of steps",
        Level.FLOATING: _GIVEN,
    },
)

_AT_THRESHOLD = tau_A * (_TOP - tau_A) / _TOP  # the size of the slope of chi_epsilon there
_THRESHOLD = beta * M * (_TOP / 4 - Max(0, tau_A - _TOP / 2) ** 2 / _TOP)


def _sensitivity(at: dict[str, Fraction]) -> Fraction:
    """The least upper bound of |dG/dtheta| = M |dG/dq| over the gates above tau_A, with dG/dq = -beta s dG/ds."""
    upper, lower = _slope(_gate(at))
    end = (1 + at["epsilon"]) / at["tau_A"] - 1  # G > tau_A is s < end
    return at["M"] * at["beta"] * _supremum((-fmpq_poly([0, 1]) * upper, lower), end)


_SIMPLE = FiniteSet(Rational(1, 2), 1, 2)
_THRESHOLDS = (
    _EPSILON,
    Param(
        tau_A,
        Interval.open(0, oo),
        r"$\tau_A$, above which a gate is active",
        (Rational(1, 5), Rational(1, 4), Rational(1, 2), Rational(9, 10)),
        FiniteSet(*(Rational(k, 10) for k in range(1, 20))),
    ),
    Param(beta, Interval.open(0, oo), r"$\beta$, the sharpness of the gates", (Integer(1), Integer(4)), _SIMPLE),
    Param(M, Interval.open(0, oo), r"largest $|\partial_\theta q|$", (Integer(1),), _SIMPLE),
)
THRESHOLD = Claim(
    id="path.soft.threshold",
    title="Active gates are not sensitive above a threshold that depends on the slopes of the pre-activations",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\sup_{G > \tau_A} |\partial_\theta G|", real=True), _THRESHOLD, evaluate=False),
    params=_THRESHOLDS,
    conditions=(tau_A < _TOP,),
    assumptions=(
        _GATE,
        r"no gate above $\tau_A$ has a slope above $\tau_S$ where $\tau_S$ is at least this bound; for a smaller "
        r"$\tau_S$ there are pre-activations at which a gate is active and sensitive",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 3.1",
            printed=_AT_THRESHOLD,
            says=Says.READ_AS,
            words=r"for any given $\tau_A \in (0, 1 + \varepsilon)$, it follows that $\mathcal{G}_t^A(x_s, \tau_A) "
            r"\cap \mathcal{G}_t^S(x_s, \tau_S) = \emptyset, \forall \tau_S > d\chi_\varepsilon(v)/dv "
            r"\mid_{v = \chi_\varepsilon^{-1}(\tau_A)}$",
            note=r"compared is the absolute value of the slope; with its sign it is negative, since $\chi_\epsilon$ "
            r"falls. The absolute value is right for $\tau_A \geq (1 + \epsilon)/2$ and $\beta M = 1$. For a smaller "
            r"$\tau_A$ the slope is largest at the gate $(1 + \epsilon)/2$, which is active: for $\epsilon = 0$, "
            r"$\tau_A = 1/4$ and $\beta = M = 1$ it is $1/4$, and at the threshold it is $3/16$",
            readings=(
                Reading("its absolute value, with $\\beta M = 1$", where=Eq(beta * M, 1)),
                Reading("the slope with its sign", printed=-_AT_THRESHOLD),
            ),
            slip=SLOPE_AT_THE_THRESHOLD,
        ),
    ),
    **rational_by_name(_sensitivity),
    drawn=16,
    unchecked={
        Level.SYMBOLIC: "the slope is a quotient of polynomials, whose ends and stationary points are compared",
        Level.FLOATING: _GIVEN,
    },
)

# Equation (6), for three hidden levels.
_GATES = tuple(Param(own, Interval(0, 1), "gate of the path", (Integer(0),), SOFT) for own in (g1, g2, g3))
_SLOPES = tuple(Param(own, sympy.S.Reals, "slope of a gate", (Integer(0),), SMALL) for own in (s1, s2, s3))
_PRODUCT_RULE = s1 * g2 * g3 + g1 * s2 * g3 + g1 * g2 * s3


def _by_duals(at: dict[str, Fraction]) -> Fraction:
    """The slope of the product of gates that are straight lines in the weight."""

    def activity(weight: list[Dual]) -> Dual:
        levels = [Dual(at[f"g{k}"]) + Dual(at[f"s{k}"]) * weight[0] for k in (1, 2, 3)]
        return prod(levels[1:], start=levels[0])

    return derivative(activity, [Fraction(0)], 0)


ACTIVITY = Claim(
    id="path.soft.activity",
    title="The slope of a path's activity",
    protocol="The slope of a path's activity is a sum over its gates: the slope of one times the values of the others",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\partial_\theta A", real=True), _PRODUCT_RULE, evaluate=False),
    params=(*_GATES, *_SLOPES),
    assumptions=(
        r"a path through three hidden levels, $d = 4$; its gates have the values $g_l$ and the slopes $s_l$ by a "
        r"weight $\theta$ of the gating network",
    ),
    sources=(Source(DEEP_GATED_NETWORKS, "(6)", printed=_PRODUCT_RULE),),
    **rational_by_name(_by_duals),
    drawn=12,
    unchecked={
        Level.SYMBOLIC: "the product rule for one monomial; dual numbers give it exactly",
        Level.FLOATING: _GIVEN,
    },
)

# The excess of a term of (6) over its bound: a sum of products that are not negative.
_EXCESS = a * (tau_A + b) * (tau_A + c) + tau_S * (tau_A * (b + c) + b * c)
_TERM = (tau_S + a) * (tau_A + b) * (tau_A + c)
_ABOVE = Eq(Symbol(r"|\partial_\theta G_1| G_2 G_3 - \tau_S \tau_A^2", real=True), _EXCESS, evaluate=False)


def _derive_excess() -> Derivation:
    steps = (
        Step(
            Eq(_ABOVE.lhs, _TERM - tau_S * tau_A**2, evaluate=False),
            r"the slope is $\tau_S + a$, and the two gates are $\tau_A + b$ and $\tau_A + c$",
            "definition",
        ),
        Step(_ABOVE, r"multiplied out: $\tau_S \tau_A^2$ cancels, and no product has a minus", "identity"),
    )
    return Derivation("path.soft.sensitive_path", _ABOVE, steps)


SENSITIVE_PATH = Claim(
    id="path.soft.sensitive_path",
    title=r"A path with one sensitive gate and active others has a term of (6) above $\tau_S \tau_A^{d-2}$",
    kind=Kind.EQUATION,
    statement=_ABOVE,
    params=(
        *(
            Param(own, Interval.open(0, oo), doc, (Rational(1, 2),))
            for own, doc in ((tau_S, "threshold of a sensitive gate"), (tau_A, "threshold of an active gate"))
        ),
        *(
            Param(own, Interval.open(0, oo), "excess over a threshold", (Rational(1, 100), Integer(3)))
            for own in (a, b, c)
        ),
    ),
    assumptions=(
        "$d = 4$: one sensitive gate and two active ones; the excesses $a$, $b$, $c$ are positive, so that the right "
        "side is positive",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 3.1",
            says=Says.READ_AS,
            words=r"the magnitude of at least one of the $(d-1)$ terms in (6) will be greater than "
            r"$\tau_S (\tau_A)^{(d-2)}$",
        ),
    ),
    **rational_by_name(
        lambda at: (
            prod((at["tau_S"] + at["a"], at["tau_A"] + at["b"], at["tau_A"] + at["c"])) - at["tau_S"] * at["tau_A"] ** 2
        )
    ),
    derive=_derive_excess,
    unchecked={Level.FLOATING: _GIVEN},
    cites=("path.soft.activity",),
)

FLAT_GATE = Claim(
    id="path.soft.flat_gate",
    title="A term of (6) with the slope of an active gate is bounded by the largest slope of active gates",
    kind=Kind.EQUATION,
    statement=Eq(
        Symbol(r"\sup_{G_1 > \tau_A} |\partial_\theta G_1| G_2", real=True), _TOP * _THRESHOLD, evaluate=False
    ),
    params=_THRESHOLDS,
    conditions=(tau_A < _TOP,),
    assumptions=(
        _GATE,
        "$d = 3$: a path through an active gate and another one, whose pre-activations are independent of each other",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 3.1",
            printed=_TOP * _AT_THRESHOLD,
            says=Says.READ_AS,
            words=r"In particular, (6) evaluates close to 0 for such paths because $|\partial G_{x_s, \Theta_t^g(l, "
            r"p(l))}/\partial \theta^g(m)| < d\chi_\varepsilon(v)/dv \mid_{v = \chi_\varepsilon^{-1}(\tau_A)}$",
            note=r"read for the absolute value of the slope. The sentence on the sensitive sub-network has the same "
            r"bound: “the rest of the $(d-2)$ terms will contain a term whose magnitude is less than” this slope. "
            r"Close to 0 the terms are for a threshold close to $1 + \epsilon$",
            slip=SLOPE_AT_THE_THRESHOLD,
            repaired=Reading("the largest slope of an active gate for the slope at the threshold", _TOP * _THRESHOLD),
        ),
    ),
    **rational_by_name(
        lambda at: _sensitivity(at) * _supremum(_gate(at), Fraction(1)),
    ),
    drawn=16,
    unchecked={
        Level.SYMBOLIC: "a supremum of a product of two factors that do not depend on each other",
        Level.FLOATING: _GIVEN,
    },
    cites=("path.soft.threshold", "path.soft.activity"),
)

CLAIMS = (RANGE, THRESHOLD, ACTIVITY, FLAT_GATE, SENSITIVE_PATH)
