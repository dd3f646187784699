"""Units that share a gate, along an eigenvector of A_11: symbols, parameters, flow by finite data and in float64.

Localization notes, sections 3.4 and 3.5. As everywhere, yhat = (1/K) sum_k g_k(x) w_k.x and L = <(y - yhat)^2>/2.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Integer, Interval, Rational, oo

from theory.claims import finite_data
from theory.claims.finite_data import Sample
from theory.claims.float_flow import Number, float64_flow
from theory.claims.model import Param, Point
from theory.claims.points import values

u1, u2 = sympy.Function("u_1"), sympy.Function("u_2")  # v.w_1(t) and v.w_2(t) for an eigenvector v of A_11
u10, u20 = sympy.symbols("u10 u20", real=True)
c1 = sympy.Symbol("c1", real=True)  # v.b_1
lam = sympy.Symbol("lambda", nonnegative=True)  # A_11 v = lam v

# Unit 1 and the other units: weights, velocities, moments; block A_1r collects <g_1 g_l x x^T> for all l other than 1.
w1, w2, wr, w1_dot, w2_dot = sympy.symbols(r"w_1 w_2 w_r \dot{w}_1 \dot{w}_2", commutative=False)
b1, A11, A1r, v = sympy.symbols("b_1 A_11 A_1r v", commutative=False)

EIGENVALUE = Param(lam, Interval.open(0, oo), "eigenvalue of $A_{11}$", (Rational(1, 2**40), Integer(1), Integer(1000)))
FORCE = Param(c1, Interval(-3, 3), "component of $b_1$ along the eigenvector")
START_1 = Param(u10, Interval(-3, 3), "component of $w_1(0)$ along the eigenvector", (Integer(0),))
START_2 = Param(u20, Interval(-3, 3), "component of $w_2(0)$ along the eigenvector", (Integer(0),))


def _sharing_a_gate(at: dict[str, mpf], shared: int, readout: mpf) -> finite_data.Loss:
    """One input: x = sqrt(2 lam), y = c1/sqrt(lam/2) opens the first `shared` units, another sample the next unit."""
    x = mpmath.sqrt(2 * at["lambda"])
    half = mpf(1) / 2
    shown = Sample(half, (1,) * shared + (0,), (x,), 2 * at["c1"] / x)
    other = Sample(half, (0,) * shared + (1,), (mpf(3),), mpf(-1))
    return finite_data.half_mse([shown, other], readout)


def unit_by_series(point: Point, digits: int, starts: tuple[str, ...], unit: int, in_sum: bool = False) -> mpf:
    """Return the weight of `unit` at the point's time, by the flow of explicit data; `starts` share the gate.

    `in_sum` takes the sum readout with K tau as time constant, in place of the mean readout with tau.
    """
    with mpmath.workdps(digits + 30):
        at = values(point)
        start = [*(at[name] for name in starts), mpf(1)]
        loss = _sharing_a_gate(at, len(starts), mpf(1) if in_sum else 1 / at["K"])
        time_constant = at["K"] * at["tau"] if in_sum else at["tau"]
        return finite_data.flow(loss, start, time_constant, at["t"], digits)[unit]


def in_float64(at: dict[str, Number], start: list[Number]) -> list[float]:
    """Return the library's weights of the units that share a gate."""
    rows = [[weight] for weight in start]
    return list(float64_flow([[at["lambda"]]], [at["c1"]], rows, at["K"], at["t"] / at["tau"]).weights[0, :, 0])
