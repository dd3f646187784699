"""Redundant gates: two units that share a gate. Localization notes, section 3.5, eq. (27)-(32)."""

from fractions import Fraction
from itertools import product

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Range, Tuple

from theory.claims import reasons
from theory.claims.areas.flow._modes import relax
from theory.claims.areas.flow._units import (
    A11,
    EIGENVALUE,
    FORCE,
    START_1,
    START_2,
    b1,
    c1,
    in_float64,
    lam,
    u1,
    u2,
    u10,
    u20,
    unit_by_series,
    v,
    w1,
    w1_dot,
    w2,
    w2_dot,
)
from theory.claims.areas.flow._weight_gradient import GENERAL
from theory.claims.documents import NOTES
from theory.claims.gradient_flow import drive, entry, force, loss_factor, reading, readout, velocity
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME, TIME_CONSTANT
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.claims.slips import HALF_DIFFERENCE
from theory.claims.sources import Reading, Says, Source
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import Derivation, Step

half_sum, half_difference = sympy.Function("sigma"), sympy.Function("Delta")


def redundant_first() -> Derivation:
    """Derive u_1(t) = Delta + sigma(t) for g_1 = g_2 = g, every other gate exclusive to them.

    sigma(t) = exp(-2 lam t/(K^2 tau)) sigma(0) + (t/(K tau)) phi(2 lam t/(K^2 tau)) c_1 is the half sum, and
    Delta = (u_1(0) - u_2(0))/2 stays. Notes, eq. (31), in the mean readout.
    """
    return _redundant("flow.redundant.first", 0, entry(K, "flow.gradient.entry"), 1 / K)


def redundant_second() -> Derivation:
    """Derive u_2(t) = sigma(t) - Delta; notes, eq. (32), in the mean readout."""
    return _redundant("flow.redundant.second", 1, entry(K, "flow.gradient.entry"), 1 / K)


def first_in_sum() -> Derivation:
    """Derive (31) with its Delta: u_1 in the sum readout, with K tau as time constant."""
    return _redundant("flow.redundant.first_in_sum", 0, _entry_in_sum(), Integer(1))


def second_in_sum() -> Derivation:
    """Derive (32) from `first_in_sum`: w_2 = w_1 - 2 Delta."""
    return _redundant("flow.redundant.second_in_sum", 1, _entry_in_sum(), Integer(1))


def _entry_in_sum() -> tuple[Step, ...]:
    """The steps to the flow of one weight in the sum readout, with K tau as time constant."""
    in_sum = Eq(velocity, (force - drive) / (K * tau), evaluate=False)
    return (
        Step(GENERAL, "the gradient flow of one weight", "premise", (GENERAL,), ("flow.gradient.general",)),
        Step(
            in_sum,
            r"sum readout, $s = 1$, the half-mse, $\ell = 1$, and $K \tau$ as time constant",
            "substitute",
            (Tuple(readout, Integer(1)), Tuple(loss_factor, Integer(1)), Tuple(tau, K * tau)),
        ),
        Step(Eq(K * tau * velocity, force - drive, evaluate=False), r"times $K \tau$", "rescale", (K * tau,)),
    )


def _redundant(name: str, which: int, of_a_weight: tuple[Step, ...], share: sympy.Expr) -> Derivation:
    """Derive one of the two units from the flow of one weight, in which `share` stands before h."""
    sigma, delta = half_sum(t), half_difference(t)
    sigma0, delta0 = (u10 + u20) / 2, (u10 - u20) / 2
    pull = c1 - share * lam * (u1(t) + u2(t))
    vectors = Tuple(
        *(Eq(K * tau * dot, b1 - share * A11 * (w1 + w2), evaluate=False) for dot in (w1_dot, w2_dot)),
    )
    modes = Tuple(*(Eq(K * tau * u(t).diff(t), pull, evaluate=False) for u in (u1, u2)))
    decoupled = Tuple(
        Eq(K * tau * sigma.diff(t), c1 - 2 * share * lam * sigma, evaluate=False),
        Eq(K * tau * delta.diff(t), 0, evaluate=False),
    )
    solved = Tuple(
        Eq(sigma, relax(decoupled[0], sigma, sigma0), evaluate=False),
        Eq(delta, delta0, evaluate=False),
    )
    back = Tuple(
        Eq(u1(t), solved[0].rhs + solved[1].rhs, evaluate=False),
        Eq(u2(t), solved[0].rhs - solved[1].rhs, evaluate=False),
    )
    steps = (
        *of_a_weight,
        Step(
            vectors,
            "$g_1 = g_2$ gives $b_1 = b_2$ and $A_{11} = A_{12} = A_{22}$; the other gates are exclusive to $g_1$",
            "stack",
            tuple(reading(dot, b1, A11 * (w1 + w2)) for dot in (w1_dot, w2_dot)),
        ),
        Step(
            modes,
            "project on an eigenvector of $A_{11}$",
            "project",
            (v, Tuple(A11, lam), Tuple(w1, w1_dot, u1(t)), Tuple(w2, w2_dot, u2(t)), Tuple(b1, c1)),
        ),
        Step(
            decoupled,
            "half sum and half difference decouple",
            "change-of-unknowns",
            (Tuple(sigma, (u1(t) + u2(t)) / 2), Tuple(delta, (u1(t) - u2(t)) / 2)),
        ),
        Step(
            solved,
            "the half sum relaxes at twice the rate, the half difference stays",
            "solve-ode",
            (t, Tuple(sigma, sigma0), Tuple(delta, delta0)),
        ),
        Step(
            back,
            "back to the two units",
            "change-of-unknowns",
            (Tuple(u1(t), sigma + delta), Tuple(u2(t), sigma - delta)),
        ),
        Step(back[which], "one of the two units", "select"),
    )
    return Derivation(name, back[which], steps)


def _first_of_two_by_series(point: Point, digits: int) -> mpf:
    """The first unit of the gradient flow of two units that share a gate and a third that is exclusive to them."""
    return unit_by_series(point, digits, ("u10", "u20"), 0)


def _second_of_two_by_series(point: Point, digits: int) -> mpf:
    """The second unit of the same flow."""
    return unit_by_series(point, digits, ("u10", "u20"), 1)


_TWO_OR_MORE = Param(K, Range(2, 8), "number of units", (Integer(2), Integer(7)))
_RATE = 2 * lam / (K**2 * tau)
_HALF_SUM = (u10 + u20) / 2 * sympy.exp(-_RATE * t) + t / (K * tau) * phi1(_RATE * t) * c1
_OTHERS = "$K = 2$, or every other gate is exclusive of these two"

REDUNDANT_FIRST = Claim(
    id="flow.redundant.first",
    title="The first of two units that share a gate, in the mean readout",
    kind=Kind.EQUATION,
    statement=Eq(u1(t), (u10 - u20) / 2 + _HALF_SUM, evaluate=False),
    params=(_TWO_OR_MORE, TIME_CONSTANT, TIME, EIGENVALUE, FORCE, START_1, START_2),
    assumptions=("$g_1 = g_2$, and every other gate is exclusive to them",),
    sources=(Source(NOTES, "(31)", note=_OTHERS, says=Says.UNSTATED),),
    oracle=_first_of_two_by_series,
    derive=redundant_first,
    numeric=lambda **at: in_float64(at, [at["u10"], at["u20"]])[0],
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

REDUNDANT_SECOND = Claim(
    id="flow.redundant.second",
    title="The second of two units that share a gate, in the mean readout",
    kind=Kind.EQUATION,
    statement=Eq(u2(t), _HALF_SUM - (u10 - u20) / 2, evaluate=False),
    params=(_TWO_OR_MORE, TIME_CONSTANT, TIME, EIGENVALUE, FORCE, START_1, START_2),
    assumptions=("$g_1 = g_2$, and every other gate is exclusive to them",),
    sources=(Source(NOTES, "(32)", note=_OTHERS, says=Says.UNSTATED),),
    oracle=_second_of_two_by_series,
    derive=redundant_second,
    numeric=lambda **at: in_float64(at, [at["u10"], at["u20"]])[1],
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

# The same in the sum readout, in which the notes solve it
_LIMIT = c1 / (2 * lam)
_DECAY = sympy.exp(-2 * lam * t / (K * tau))  # with the Lambda of 2 A_11
_HALF_DIFFERENCE = (u10 - u20) / 2
_RATE_IN_SUM = 2 * lam / (K * tau)
_HALF_SUM_IN_SUM = (u10 + u20) / 2 * sympy.exp(-_RATE_IN_SUM * t) + t / (K * tau) * phi1(_RATE_IN_SUM * t) * c1
_PRINTED_FIRST = _LIMIT + (u10 - _LIMIT) * _DECAY  # Lambda of 2 A_11, C set by w_1(0)
_SLOW = sympy.exp(-lam * t / (K * tau))  # with the Lambda of A_11


def _first_in_sum(point: Point, digits: int) -> mpf:
    """The first unit of the gradient flow of these three units in the sum readout."""
    return unit_by_series(point, digits, ("u10", "u20"), 0, in_sum=True)


def _second_in_sum(point: Point, digits: int) -> mpf:
    """The second unit of the flow in the sum readout."""
    return unit_by_series(point, digits, ("u10", "u20"), 1, in_sum=True)


_IN_SUM = r"$\hat y = \sum_k g_k w_k \cdot x$ with $K \tau$ as time constant; $\Delta = (w_1(0) - w_2(0))/2$"
_NOT_IN_LIBRARY = "the library has the mean readout: `flow.redundant.first` and `flow.redundant.second`"

FIRST_IN_SUM = Claim(
    id="flow.redundant.first_in_sum",
    title="The first of two units that share a gate, in the sum readout",
    kind=Kind.EQUATION,
    statement=Eq(u1(t), _HALF_DIFFERENCE + _HALF_SUM_IN_SUM, evaluate=False),
    params=REDUNDANT_FIRST.params,
    assumptions=(*REDUNDANT_FIRST.assumptions, _IN_SUM),
    sources=(
        Source(
            NOTES,
            "(31)",
            printed=_PRINTED_FIRST,
            note=r"the sum readout, that is with (5) mended, the $\Lambda$ of $2 A_{11}$ and $C$ set by $w_1(0)$, "
            r"so that $\Delta$ alone is missing; right as printed where $w_1(0) = w_2(0)$; " + _OTHERS,
            readings=(
                Reading(
                    r"$\Lambda$ of $2 A_{11}$, $C$ set by $w_1(0) - \Delta$",
                    _LIMIT + ((u10 + u20) / 2 - _LIMIT) * _DECAY,
                ),
                Reading(r"$\Lambda$ of $A_{11}$, $C$ set by $w_1(0)$", _LIMIT + (u10 - _LIMIT) * _SLOW),
                Reading(
                    r"$\Lambda$ of $A_{11}$, $C$ set by $w_1(0) - \Delta$", _LIMIT + ((u10 + u20) / 2 - _LIMIT) * _SLOW
                ),
            ),
            slip=HALF_DIFFERENCE,
        ),
    ),
    oracle=_first_in_sum,
    derive=first_in_sum,
    unchecked={Level.EXACT: reasons.EXPONENTIALS, Level.FLOATING: _NOT_IN_LIBRARY},
)

SECOND_IN_SUM = Claim(
    id="flow.redundant.second_in_sum",
    title="The second of two units that share a gate, in the sum readout",
    kind=Kind.EQUATION,
    statement=Eq(u2(t), _HALF_SUM_IN_SUM - _HALF_DIFFERENCE, evaluate=False),
    params=REDUNDANT_FIRST.params,
    assumptions=FIRST_IN_SUM.assumptions,
    sources=(
        Source(
            NOTES,
            "(32)",
            printed=_PRINTED_FIRST - (u10 - u20),
            note=r"the sum readout, that is with (5) mended; $w_2 = w_1 - 2 \Delta$ is right, and with the mended (31) "
            r"its last term becomes $-\Delta$; " + _OTHERS,
            slip=HALF_DIFFERENCE,
            repaired=Reading(r"(31) with its $\Delta$", FIRST_IN_SUM.statement.rhs - (u10 - u20), condition=_OTHERS),
        ),
    ),
    oracle=_second_in_sum,
    derive=second_in_sum,
    unchecked={Level.EXACT: reasons.EXPONENTIALS, Level.FLOATING: _NOT_IN_LIBRARY},
)

# w_1 - w_2 is a constant vector
_APART = Eq(u1(t) - u2(t), u10 - u20, evaluate=False)


def _derive_apart() -> Derivation:
    used = (REDUNDANT_FIRST.statement, REDUNDANT_SECOND.statement)
    difference = used[0].rhs - used[1].rhs
    steps = [
        Step(_APART.lhs, "along an eigenvector of $A_{11}$", "definition"),
        Step(difference, "the two units of a shared gate", "cite", used, (REDUNDANT_FIRST.id, REDUNDANT_SECOND.id)),
    ]
    if difference != _APART.rhs:
        steps.append(Step(_APART.rhs, "the half sum cancels", "identity"))
    return Derivation("flow.redundant.difference", _APART, tuple(steps))


def _apart_by_series(point: Point, digits: int) -> mpmath.mpf:
    with mpmath.workdps(digits + 10):
        return REDUNDANT_FIRST.oracle(point, digits) - REDUNDANT_SECOND.oracle(point, digits)


DIFFERENCE = Claim(
    id="flow.redundant.difference",
    title="Two units that share a gate keep the difference of their weights",
    kind=Kind.EQUATION,
    statement=_APART,
    params=REDUNDANT_FIRST.params,
    assumptions=REDUNDANT_FIRST.assumptions,
    sources=(
        Source(
            NOTES,
            "section 3.5",
            printed=u10 - u20,
            says=Says.READ_AS,
            words="Clearly, then, $w_1 - w_2$ is a constant vector.",
        ),
    ),
    oracle=_apart_by_series,
    derive=_derive_apart,
    unchecked={
        Level.EXACT: reasons.EXPONENTIALS,
        Level.FLOATING: "the library has the two weights, which are compared in `flow.redundant.first` and "
        "`flow.redundant.second`",
    },
)

# The moments of two units that share a gate
x11, x12, x21, x22 = sympy.symbols("x11 x12 x21 x22", real=True)


def _largest_difference(point: Point) -> Fraction:
    """The largest difference of b_1 and b_2, of A_11, A_12 and A_22, over four inputs of which the gate passes two."""
    at = exact_values(point)
    inputs = [(at["x11"], at["x12"]), (at["x21"], at["x22"]), (at["x12"], at["x21"]), (at["x22"], at["x11"])]
    samples = [((gate, gate), x, label) for gate, x, label in zip((1, 0, 1, 0), inputs, (1, 1, 0, 0), strict=True)]

    def force(k: int, i: int) -> Fraction:
        return sum(gates[k] * x[i] * label for gates, x, label in samples) / 4

    def block(k: int, l: int, i: int, j: int) -> Fraction:
        return sum(gates[k] * gates[l] * x[i] * x[j] for gates, x, _ in samples) / 4

    forces = [abs(force(0, i) - force(1, i)) for i in (0, 1)]
    pairs = list(product((0, 1), repeat=2))
    return max(*forces, *(abs(block(0, 0, i, j) - block(k, l, i, j)) for k, l in pairs for i, j in pairs))


SHARED_MOMENTS = Claim(
    id="flow.redundant.moments",
    title="Moments of two units that share a gate",
    protocol="Two units that share a gate have $b_1 = b_2$ and $A_{11} = A_{12} = A_{22}$: the largest difference is 0",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("difference")(x11, x12, x21, x22), 0, evaluate=False),
    params=tuple(Param(value, Interval(-3, 3), "entry of an input") for value in (x11, x12, x21, x22)),
    assumptions=("$g_1 = g_2$, with values 0 and 1, so that $g_1 g_2 = g_1$",),
    sources=(
        Source(
            NOTES,
            "section 3.5",
            printed=Integer(0),
            says=Says.READ_AS,
            words="What if $g_1 = g_2$? Then, $b_1 = b_2$ and $A_{11} = A_{12} = A_{22}$.",
        ),
    ),
    **rational(_largest_difference),
    unchecked={
        Level.SYMBOLIC: "$g_1 g_2 = g_1 = g_2$ in every term; no step is left",
        Level.FLOATING: "the library keeps the moments of a gate once for all units that share it",
    },
)

CLAIMS = (REDUNDANT_FIRST, REDUNDANT_SECOND, FIRST_IN_SUM, SECOND_IN_SUM, DIFFERENCE, SHARED_MOMENTS)
