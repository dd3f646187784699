"""Exclusive gates: the flow of one unit and its rest point. Localization notes, section 3.4, (19)-(26)."""

from fractions import Fraction
from itertools import combinations, product

import mpmath
import sympy
from flint import fmpq, fmpq_mat
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, oo

from theory.claims import finite_data, reasons
from theory.claims.areas.flow._modes import relax
from theory.claims.areas.flow._units import (
    A11,
    EIGENVALUE,
    FORCE,
    START_1,
    A1r,
    b1,
    c1,
    in_float64,
    lam,
    u1,
    u10,
    unit_by_series,
    v,
    w1,
    w1_dot,
    wr,
)
from theory.claims.documents import NOTES
from theory.claims.finite_data import Sample
from theory.claims.float_flow import Number, float64_flow
from theory.claims.gradient_flow import entry, reading, w_first, w_second
from theory.claims.misprints import EXPONENTIAL_AT_REST
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME, TIME_CONSTANT, UNITS
from theory.claims.points import exact_values, values
from theory.claims.rational import rational
from theory.claims.slips import READOUT, under_sum_readout
from theory.claims.sources import Says, Source
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import Derivation, Step

# Entries of A_11 and b_1 for two inputs.
a11, a22 = sympy.symbols("a11 a22", positive=True)
a12 = sympy.Symbol("a12", real=True)
b_first, b_second = sympy.symbols("b1 b2", real=True)


def _exclusive_flow() -> tuple[Step, ...]:
    return (
        *entry(K, "flow.gradient.entry"),
        Step(
            Eq(K * tau * w1_dot, b1 - (A11 * w1 + A1r * wr) / K, evaluate=False),
            "the weights of unit 1; the other units are collected in $w_r$",
            "stack",
            (reading(w1_dot, b1, A11 * w1 + A1r * wr),),
        ),
        Step(
            Eq(K * tau * w1_dot, b1 - A11 * w1 / K, evaluate=False),
            r"exclusive gates: $g_1 g_l = 0$ almost surely, so $\langle g_1 g_l x x^\top \rangle = 0$",
            "block",
            (A1r,),
        ),
    )


def exclusive_mode() -> Derivation:
    """Derive u_1(t) = exp(-lam t/(K^2 tau)) u_1(0) + (t/(K tau)) phi(lam t/(K^2 tau)) c_1 with lam, c_1 of A_11, b_1.

    Notes, eq. (19)-(25): once (3) is a sum, the printed form is this one.
    """
    ode = Eq(K * tau * u1(t).diff(t), c1 - lam * u1(t) / K, evaluate=False)
    solution = Eq(u1(t), relax(ode, u1(t), u10), evaluate=False)
    steps = (
        *_exclusive_flow(),
        Step(
            ode,
            "project on an eigenvector of $A_{11}$",
            "project",
            (v, Tuple(A11, lam), Tuple(w1, w1_dot, u1(t)), Tuple(b1, c1)),
        ),
        Step(solution, "variation of constants", "solve-ode", (t, Tuple(u1(t), u10))),
    )
    return Derivation("flow.exclusive.mode", solution, steps)


def exclusive_fixed_point() -> Derivation:
    """Derive w_1(oo) = K A_11^-1 b_1, first entry for two inputs and regular A_11.

    Notes, eq. (26): its limit t -> oo, once (3) is a sum.
    """
    first, second = w_first(oo), w_second(oo)
    flow = Tuple(
        Eq(K * tau * w_first(t).diff(t), b_first - (a11 * w_first(t) + a12 * w_second(t)) / K, evaluate=False),
        Eq(K * tau * w_second(t).diff(t), b_second - (a12 * w_first(t) + a22 * w_second(t)) / K, evaluate=False),
    )
    at_rest = Tuple(
        Eq(0, b_first - (a11 * first + a12 * second) / K, evaluate=False),
        Eq(0, b_second - (a12 * first + a22 * second) / K, evaluate=False),
    )
    values = sympy.Matrix([[a11, a12], [a12, a22]]).LUsolve(sympy.Matrix([K * b_first, K * b_second]))
    result, other = (K * sympy.cancel(value / K) for value in values)
    settled = Eq(first, result, evaluate=False)
    steps = (
        *entry(K, "flow.gradient.entry"),
        Step(
            flow,
            "the two weights of unit 1; exclusive gates leave $A_{11}$ alone",
            "stack",
            (
                reading(w_first(t).diff(t), b_first, a11 * w_first(t) + a12 * w_second(t)),
                reading(w_second(t).diff(t), b_second, a12 * w_first(t) + a22 * w_second(t)),
            ),
        ),
        Step(
            at_rest,
            "$A_{11}$ is regular, so every mode decays to its limit",
            "rest",
            (Tuple(w_first(t), first), Tuple(w_second(t), second), a11 * a22 - a12**2 > 0),
        ),
        Step(settled, "Cramer's rule", "solve-linear", (Tuple(first, result), Tuple(second, other))),
    )
    return Derivation("flow.exclusive.fixed_point", settled, steps)


def _exclusive_by_series(point: Point, digits: int) -> mpf:
    """Gradient flow of two exclusive units on explicit data, first unit."""
    return unit_by_series(point, digits, ("u10",), 0)


def _exclusive_at_rest(point: Point, digits: int) -> mpf:
    """The limit of the flow for two exclusive units with two inputs; two samples open the first unit.

    Their inputs x_i = l_i sqrt(3) with A_11 = sum_i l_i l_i^T, probabilities 1/3; labels solve sum_i y_i x_i/3 = b_1.
    """
    with mpmath.workdps(digits + 30):
        at = values(point)
        root = mpmath.sqrt(3)
        first, second = finite_data.square_root(at["a11"], at["a12"], at["a22"])
        columns = mpmath.matrix([[first[0], second[0]], [first[1], second[1]]])
        labels = mpmath.lu_solve(columns, mpmath.matrix([at["b1"], at["b2"]])) * root
        third = mpf(1) / 3
        samples = [
            Sample(third, (1, 0), (root * first[0], root * first[1]), labels[0]),
            Sample(third, (1, 0), (root * second[0], root * second[1]), labels[1]),
            Sample(third, (0, 1), (mpf(2), mpf(-1)), mpf(1)),
        ]
        loss = finite_data.half_mse(samples, 1 / at["K"])
        return finite_data.flow_limit(loss, [mpf(1), mpf(-2), mpf(3), mpf(1)], digits)[0]


_PRINTED = (u10 - c1 / lam) * sympy.exp(-lam * t / (K * tau)) + c1 / lam
_REGULAR = "no eigenvalue of $A_{11}$ is zero"

EXCLUSIVE_MODE = Claim(
    id="flow.exclusive.mode",
    title="A mode of one unit at time $t$ under exclusive gates, in the mean readout",
    kind=Kind.EQUATION,
    statement=Eq(
        u1(t),
        sympy.exp(-lam * t / (K**2 * tau)) * u10 + t / (K * tau) * phi1(lam * t / (K**2 * tau)) * c1,
        evaluate=False,
    ),
    params=(UNITS, TIME_CONSTANT, TIME, EIGENVALUE, FORCE, START_1),
    assumptions=("$g_1 g_l = 0$ almost surely for every other unit $l$",),
    sources=tuple(
        Source(
            NOTES,
            label,
            printed=_PRINTED,
            note="no eigenvalue of $A_{11}$ is zero; $C$ is set by $w_1(0)$; the mean readout of (3) gives the rate "
            "a factor $1/K$ and the limit a factor $K$",
            slip=READOUT,
            repaired=under_sum_readout(_PRINTED, (u10,), condition=_REGULAR),
        )
        for label in ("(21)", "(22)", "(23)", "(24)", "(25)")
    ),
    oracle=_exclusive_by_series,
    derive=exclusive_mode,
    numeric=lambda **at: in_float64(at, [at["u10"]])[0],
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

_AT_REST = (a22 * b_first - a12 * b_second) / (a11 * a22 - a12**2)

EXCLUSIVE_FIXED_POINT = Claim(
    id="flow.exclusive.fixed_point",
    title="Where one unit comes to rest under exclusive gates, in the mean readout: $K A_{11}^{-1} b_1$",
    kind=Kind.EQUATION,
    statement=Eq(w_first(oo), K * (a22 * b_first - a12 * b_second) / (a11 * a22 - a12**2), evaluate=False),
    params=(
        UNITS,
        Param(a11, Interval.open(0, 5), r"entry of $A_{11} = \langle g_1 x x^\top \rangle$"),
        Param(a12, Interval(-3, 3), "entry of $A_{11}$", (Integer(0),)),
        Param(a22, Interval.open(0, 5), "entry of $A_{11}$"),
        Param(b_first, Interval(-3, 3), r"first entry of $b_1 = \langle g_1 x y \rangle$"),
        Param(b_second, Interval(-3, 3), "second entry of $b_1$"),
    ),
    assumptions=("$g_1 g_l = 0$ almost surely for every other unit $l$; two inputs",),
    conditions=(a11 * a22 - a12**2 > Rational(1, 100),),
    sources=(
        Source(
            NOTES,
            "(26)",
            printed=_AT_REST,
            note="no eigenvalue of $A_{11}$ is zero; the mean readout of (3) gives it a factor $K$",
            misprint=EXPONENTIAL_AT_REST,
            slip=READOUT,
            repaired=under_sum_readout(_AT_REST, condition=_REGULAR),
        ),
    ),
    oracle=_exclusive_at_rest,
    derive=exclusive_fixed_point,
    numeric=lambda K, a11, a12, a22, b1, b2: float64_flow(
        [[a11, a12], [a12, a22]], [b1, b2], [[0.0, 0.0]], K
    ).fixed_point[0, 0],
    unchecked={Level.EXACT: reasons.A_LIMIT},
)

# Each unit converges to the least-squares solution on its subset
s11, s22 = sympy.symbols("s11 s22", positive=True)
s12, r1, r2 = sympy.symbols("s12 r1 r2", real=True)
opened = sympy.Symbol("P_open", positive=True)
_SUBSET = (s22 * r1 - s12 * r2) / (s11 * s22 - s12**2)


def _rest_of_one_unit(point: Point) -> Fraction:
    """The first entry of the w_1 at which the gradient of the whole loss vanishes, K exclusive units, in fractions.

    Given that gate 1 is open, <x x^T> = S by two samples 5 v_i of probabilities d_i/25 with S = sum_i d_i v_i v_i^T,
    and <x y> = r by their labels; with the remaining probability x = 0. Another sample opens the other units.
    """
    at = exact_values(point)
    lower, rest = at["s12"] / at["s11"], at["s22"] - at["s12"] ** 2 / at["s11"]
    second_label = 5 * (at["r2"] - lower * at["r1"]) / rest
    first_label = 5 * at["r1"] / at["s11"]
    units = int(at["K"])
    own, others = (1,) + (0,) * (units - 1), (0,) + (1,) * (units - 1)
    samples = [
        Sample(at["P_open"] * at["s11"] / 25, own, (Fraction(5), 5 * lower), first_label),
        Sample(at["P_open"] * rest / 25, own, (Fraction(0), Fraction(5)), second_label),
        Sample(1 - at["P_open"], others, (Fraction(2), Fraction(-1)), Fraction(1)),
    ]
    loss = finite_data.half_mse(samples, Fraction(1, units))

    def pull(first: int, second: int) -> list[Fraction]:
        weights = [Fraction(first), Fraction(second)] + [Fraction(1)] * (2 * units - 2)
        return finite_data.gradient(loss, weights)[:2]

    origin = pull(0, 0)
    columns = [[a - b for a, b in zip(pull(*unit), origin, strict=True)] for unit in ((1, 0), (0, 1))]
    matrix = fmpq_mat(2, 2, [_exact(columns[j][i]) for i in (0, 1) for j in (0, 1)])
    solution = matrix.solve(fmpq_mat(2, 1, [_exact(-entry) for entry in origin]))
    return Fraction(int(solution[0, 0].p), int(solution[0, 0].q))


def _own_subset_in_float64(K: int, P_open: Number, r1: Number, r2: Number, **S: Number) -> float:
    """The library's rest point with A_11 = P S and b_1 = P r."""
    second = [[P_open * S["s11"], P_open * S["s12"]], [P_open * S["s12"], P_open * S["s22"]]]
    return float64_flow(second, [P_open * r1, P_open * r2], [[0, 0]], K).fixed_point[0, 0]


def _exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


ON_ITS_SUBSET = Claim(
    id="flow.exclusive.own_subset",
    title="The rest of a unit under exclusive gates, in the mean readout",
    protocol="Under exclusive gates a unit of the mean readout rests at $K$ times the OLS solution on its gate's "
    "subset",
    kind=Kind.EQUATION,
    statement=Eq(w_first(oo), K * _SUBSET, evaluate=False),
    params=(
        UNITS,
        Param(s11, Interval(1, 6), r"entry of $\langle x x^\top \mid g_1 = 1 \rangle$"),
        Param(s12, Interval(-3, 3), r"entry of $\langle x x^\top \mid g_1 = 1 \rangle$", (Integer(0),)),
        Param(s22, Interval(1, 6), r"entry of $\langle x x^\top \mid g_1 = 1 \rangle$"),
        Param(r1, Interval(-3, 3), r"first entry of $\langle x y \mid g_1 = 1 \rangle$"),
        Param(r2, Interval(-3, 3), r"second entry of $\langle x y \mid g_1 = 1 \rangle$"),
        Param(opened, Interval.open(0, 1), "probability that gate 1 is open, which drops out"),
    ),
    conditions=(s11 * s22 - s12**2 > Rational(1, 100),),
    assumptions=(
        r"$g_1 g_l = 0$ almost surely for every other unit $l$; two inputs; $\hat y = (1/K) \sum_k g_k w_k \cdot x$",
    ),
    sources=(
        Source(
            NOTES,
            "section 3.4",
            printed=_SUBSET,
            note="the mean readout of (3) gives it a factor $K$",
            says=Says.READ_AS,
            words="So, each weight matrix converges to the OLS solution on the subset of the data determined by its "
            "gate.",
            slip=READOUT,
            repaired=under_sum_readout(
                _SUBSET, condition=r"$\langle x x^\top \mid g_1 = 1 \rangle$ has no zero eigenvalue"
            ),
        ),
    ),
    **rational(_rest_of_one_unit),
    numeric=_own_subset_in_float64,
    unchecked={
        Level.SYMBOLIC: "it is derived as `flow.exclusive.fixed_point`, with $A_{11} = P S$ and $b_1 = P r$, "
        "where $P$ cancels"
    },
)

# Exclusive gates have no block in common
x11, x12, x21, x22 = sympy.symbols("x11 x12 x21 x22", real=True)


def _largest_shared_entry(point: Point) -> Fraction:
    """The largest |<g_k g_l x_i x_j>| for k != l: three gates, two inputs and one more that opens none of them."""
    at = exact_values(point)
    samples = [(at["x11"], at["x12"]), (at["x21"], at["x22"]), (at["x11"] - at["x22"], at["x12"])]
    opened = ((1, 0, 0), (0, 0, 1), (0, 0, 0))
    return max(
        abs(sum(gates[k] * gates[l] * x[i] * x[j] for gates, x in zip(opened, samples, strict=True)) / 3)
        for k, l in combinations(range(3), 2)
        for i, j in product((0, 1), repeat=2)
    )


NOTHING_SHARED = Claim(
    id="flow.exclusive.second_moment",
    title="$A$ is block diagonal under exclusive gates",
    protocol=r"Under exclusive gates $\Sigma^{xx}(p, q) = 0$ for $p \neq q$, so that $A$ is block diagonal",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("shared")(x11, x12, x21, x22), 0, evaluate=False),
    params=tuple(Param(value, Interval(-3, 3), "entry of an input") for value in (x11, x12, x21, x22)),
    assumptions=(
        "at most one gate is open at a time: $g_k g_l = 0$, and with it each term of "
        r"$\langle g_k g_l x x^\top \rangle$",
    ),
    sources=(
        Source(
            NOTES,
            "section 3.4",
            printed=Integer(0),
            says=Says.READ_AS,
            words=r"Then, $\Sigma^{xx}(p, q) = 0$ for $p \neq q$. Then $A$ becomes block diagonal.",
        ),
    ),
    **rational(_largest_shared_entry),
    unchecked={
        Level.SYMBOLIC: "each term has the factor $g_k g_l = 0$, as the assumption says; no step is left",
        Level.FLOATING: "the library keeps no block for gates that exclude each other",
    },
)

CLAIMS = (EXCLUSIVE_MODE, EXCLUSIVE_FIXED_POINT, ON_ITS_SUBSET, NOTHING_SHARED)
