"""Claims on exclusive and on redundant gates (localization notes, sections 3.4 and 3.5, eq. 21-26, 31, 32).

As everywhere, yhat = (1/K) sum_k g_k(x) w_k.x and L = <(y - yhat)^2>/2.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Range, Rational, oo

from theory.claims import finite_data, reasons
from theory.claims.areas.flow import NOTES, TIME, TIME_CONSTANT, UNITS, values
from theory.claims.finite_data import Sample
from theory.claims.float_flow import Number, float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.flow.derive import gates

u1, u2, u10, u20, c1, lam = gates.u1, gates.u2, gates.u10, gates.u20, gates.c1, gates.lam
a11, a12, a22, b1, b2 = gates.a11, gates.a12, gates.a22, gates.b_first, gates.b_second


def _sharing_a_gate(at: dict[str, mpf], shared: int) -> finite_data.Loss:
    """One input: x = sqrt(2 lam), y = c1/sqrt(lam/2) opens the first `shared` units, another sample the next unit."""
    x = mpmath.sqrt(2 * at["lambda"])
    half = mpf(1) / 2
    shown = Sample(half, (1,) * shared + (0,), (x,), 2 * at["c1"] / x)
    other = Sample(half, (0,) * shared + (1,), (mpf(3),), mpf(-1))
    return finite_data.half_mse([shown, other], 1 / at["K"])


def _unit_by_series(point: Point, digits: int, starts: tuple[str, ...], unit: int) -> mpf:
    with mpmath.workdps(digits + 30):
        at = values(point)
        start = [*(at[name] for name in starts), mpf(1)]
        loss = _sharing_a_gate(at, len(starts))
        return finite_data.flow(loss, start, at["tau"], at["t"], digits)[unit]


def _exclusive_by_series(point: Point, digits: int) -> mpf:
    """Gradient flow of two exclusive units on explicit data, first unit."""
    return _unit_by_series(point, digits, ("u10",), 0)


def _first_of_two_by_series(point: Point, digits: int) -> mpf:
    """Gradient flow of two units that share a gate, and of one exclusive to them, first unit."""
    return _unit_by_series(point, digits, ("u10", "u20"), 0)


def _second_of_two_by_series(point: Point, digits: int) -> mpf:
    """The second unit of the same flow."""
    return _unit_by_series(point, digits, ("u10", "u20"), 1)


def _exclusive_at_rest(point: Point, digits: int) -> mpf:
    """The flow run to its end for two exclusive units with two inputs; two samples open the first unit.

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


def _in_float64(at: dict[str, Number], start: list[Number]) -> list[float]:
    """The library's weights of the units that share a gate."""
    rows = [[weight] for weight in start]
    return list(float64_flow([[at["lambda"]]], [at["c1"]], rows, at["K"], at["t"] / at["tau"]).weights[0, :, 0])


_EIGENVALUE = Param(lam, Interval.open(0, oo), "eigenvalue of A_11", (Rational(1, 2**40), Integer(1), Integer(1000)))
_FORCE = Param(c1, Interval(-3, 3), "component of b_1 along the eigenvector")
_START_1 = Param(u10, Interval(-3, 3), "component of w_1(0) along the eigenvector", (Integer(0),))
_START_2 = Param(u20, Interval(-3, 3), "component of w_2(0) along the eigenvector", (Integer(0),))
_TWO_OR_MORE = Param(K, Range(2, 8), "number of units", (Integer(2), Integer(7)))

_LACKS_K = "the exponent lacks a factor 1/K and the limit a factor K; C is set by w_1(0)"

EXCLUSIVE_MODE = Claim(
    id="flow.exclusive.mode",
    title="A mode of one unit at time t under exclusive gates",
    kind=Kind.EQUATION,
    statement=Eq(
        u1(t),
        sympy.exp(-lam * t / (K**2 * tau)) * u10 + t / (K * tau) * phi1(lam * t / (K**2 * tau)) * c1,
        evaluate=False,
    ),
    params=(UNITS, TIME_CONSTANT, TIME, _EIGENVALUE, _FORCE, _START_1),
    assumptions=("g_1 g_l = 0 almost surely for every other unit l",),
    sources=tuple(
        Source(NOTES, label, printed=(u10 - c1 / lam) * sympy.exp(-lam * t / (K * tau)) + c1 / lam, note=_LACKS_K)
        for label in ("(21)", "(22)", "(23)", "(24)", "(25)")
    ),
    oracle=_exclusive_by_series,
    derive=gates.exclusive_mode,
    numeric=lambda **at: _in_float64(at, [at["u10"]])[0],
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

EXCLUSIVE_FIXED_POINT = Claim(
    id="flow.exclusive.fixed_point",
    title="Where one unit comes to rest under exclusive gates: K A_11^-1 b_1",
    kind=Kind.EQUATION,
    statement=Eq(gates.w_first(oo), K * (a22 * b1 - a12 * b2) / (a11 * a22 - a12**2), evaluate=False),
    params=(
        UNITS,
        Param(a11, Interval.open(0, 5), "entry of A_11 = <g_1 x x^T>"),
        Param(a12, Interval(-3, 3), "entry of A_11", (Integer(0),)),
        Param(a22, Interval.open(0, 5), "entry of A_11"),
        Param(b1, Interval(-3, 3), "first entry of b_1 = <g_1 x y>"),
        Param(b2, Interval(-3, 3), "second entry of b_1"),
    ),
    assumptions=("g_1 g_l = 0 almost surely for every other unit l; two inputs",),
    conditions=(a11 * a22 - a12**2 > Rational(1, 100),),
    sources=(
        Source(
            NOTES,
            "(26)",
            printed=(a22 * b1 - a12 * b2) / (a11 * a22 - a12**2),
            note="lacks the factor K and keeps the transient, which is taken here at its limit 0",
        ),
    ),
    oracle=_exclusive_at_rest,
    derive=gates.exclusive_fixed_point,
    numeric=lambda K, a11, a12, a22, b1, b2: float64_flow(
        [[a11, a12], [a12, a22]], [b1, b2], [[0.0, 0.0]], K
    ).fixed_point[0, 0],
    unchecked={Level.EXACT: reasons.A_LIMIT},
)

_RATE = 2 * lam / (K**2 * tau)
_HALF_SUM = (u10 + u20) / 2 * sympy.exp(-_RATE * t) + t / (K * tau) * phi1(_RATE * t) * c1
_PRINTED_FIRST = (u10 - c1 / (2 * lam)) * sympy.exp(-lam * t / (K * tau)) + c1 / (2 * lam)

REDUNDANT_FIRST = Claim(
    id="flow.redundant.first",
    title="The first of two units that share a gate",
    kind=Kind.EQUATION,
    statement=Eq(u1(t), (u10 - u20) / 2 + _HALF_SUM, evaluate=False),
    params=(_TWO_OR_MORE, TIME_CONSTANT, TIME, _EIGENVALUE, _FORCE, _START_1, _START_2),
    assumptions=("g_1 = g_2, and every other gate is exclusive to them",),
    sources=(
        Source(
            NOTES,
            "(31)",
            printed=_PRINTED_FIRST,
            note="drops Delta and has the rate of one unit, not of two, besides the factors of K; C is set by w_1(0)",
        ),
    ),
    oracle=_first_of_two_by_series,
    derive=gates.redundant_first,
    numeric=lambda **at: _in_float64(at, [at["u10"], at["u20"]])[0],
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

REDUNDANT_SECOND = Claim(
    id="flow.redundant.second",
    title="The second of two units that share a gate",
    kind=Kind.EQUATION,
    statement=Eq(u2(t), _HALF_SUM - (u10 - u20) / 2, evaluate=False),
    params=(_TWO_OR_MORE, TIME_CONSTANT, TIME, _EIGENVALUE, _FORCE, _START_1, _START_2),
    assumptions=("g_1 = g_2, and every other gate is exclusive to them",),
    sources=(
        Source(
            NOTES,
            "(32)",
            printed=_PRINTED_FIRST - (u10 - u20),
            note="w_2 = w_1 - (w_1(0) - w_2(0)) is right; it is subtracted from (31), which is not w_1",
        ),
    ),
    oracle=_second_of_two_by_series,
    derive=gates.redundant_second,
    numeric=lambda **at: _in_float64(at, [at["u10"], at["u20"]])[1],
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

CLAIMS = (EXCLUSIVE_MODE, EXCLUSIVE_FIXED_POINT, REDUNDANT_FIRST, REDUNDANT_SECOND)
