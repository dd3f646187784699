"""The limit of the gradient flow, for regular and for singular A. Localization notes, after eq. (11).

Where A is singular, the component of w(0) in its null space keeps its initial value.
"""

import math

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, oo

from theory.claims import finite_data, reasons
from theory.claims.areas.flow._modes import FORCE, MODE_ODE, c, lam, positive_lam, relax, u, u0
from theory.claims.documents import NOTES
from theory.claims.float_flow import float64_flow
from theory.claims.gradient_flow import entry, reading, w_first, w_second
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import UNITS
from theory.claims.points import values
from theory.claims.slips import READOUT, under_sum_readout
from theory.claims.sources import Says, Source
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import Derivation, Step


def mode_fixed_point() -> Derivation:
    """Derive u(oo) = K c/lam for lam > 0, so that w(oo) = K A^-1 b where A is invertible.

    Notes, after eq. (11): A^-1 b, once (3) is a sum.
    """
    at_time = Eq(u(t), relax(MODE_ODE, u(t), u0), evaluate=False)
    decaying = Eq(u(t), relax(MODE_ODE, u(t), u0).xreplace({lam: positive_lam}), evaluate=False)
    settled = Eq(u(oo), sympy.limit(decaying.rhs.rewrite(sympy.exp), t, oo), evaluate=False)
    steps = (
        Step(at_time, "the mode at time $t$", "premise", (at_time,), ("flow.mode.solution",)),
        Step(decaying, r"a mode that decays, $\lambda > 0$", "substitute", (Tuple(lam, positive_lam),)),
        Step(settled, "the transient decays", "limit", (t,)),
    )
    return Derivation("flow.fixed_point.mode", settled, steps)


def null_mode_fixed_point() -> Derivation:
    """Derive u(oo) = u(0) for lam = 0: no force acts, because A v = 0 gives <(v.x~)^2> = 0, hence c = <v.x~ y> = 0.

    With `mode_fixed_point`: w(oo) = K A^+ b + (I - A A^+) w(0).
    """
    at_time = Eq(u(t), relax(MODE_ODE, u(t), u0), evaluate=False)
    resting = Eq(u(t), u0, evaluate=False)
    settled = Eq(u(oo), u0, evaluate=False)
    steps = (
        Step(at_time, "the mode at time $t$", "premise", (at_time,), ("flow.mode.solution",)),
        Step(
            resting,
            r"$A v = 0$ gives $\langle (v \cdot \tilde x)^2 \rangle = 0$, so $v \cdot \tilde x = 0$ almost surely "
            r"and $c = \langle v \cdot \tilde x y \rangle = 0$",
            "substitute",
            (Tuple(lam, sympy.S.Zero), Tuple(c, sympy.S.Zero)),
        ),
        Step(settled, "nothing moves", "limit", (t,)),
    )
    return Derivation("flow.fixed_point.null_mode", settled, steps)


def _mode_at_rest(point: Point, digits: int) -> mpf:
    """The limit of the flow on one sample: x = sqrt(lam), y = c/sqrt(lam), one of K units open, w(0) = 1."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        x = mpmath.sqrt(at["lambda"])
        sample = finite_data.Sample(mpf(1), (1,), (x,), at["c"] / x)
        return finite_data.flow_limit(finite_data.half_mse([sample], 1 / at["K"]), [mpf(1)], digits)[0]


FIXED_POINT_MODE = Claim(
    id="flow.fixed_point.mode",
    title="Where a mode of the gradient flow comes to rest in the mean readout",
    kind=Kind.EQUATION,
    statement=Eq(u(oo), K * c / positive_lam, evaluate=False),
    params=(
        UNITS,
        Param(
            positive_lam,
            Interval.open(0, oo),
            "positive eigenvalue of $A$",
            (Rational(1, 2**40), Integer(1), Integer(1000)),
        ),
        FORCE,
    ),
    assumptions=(r"$u = v \cdot w$ and $c = v \cdot b$ for a unit eigenvector $v$ of $A$",),
    sources=(
        Source(
            NOTES,
            "after (11)",
            printed=c / positive_lam,
            note=r"$w(\infty) = A^{-1} b$, component by component; the mean readout of (3) gives it a factor $K$",
            slip=READOUT,
            repaired=under_sum_readout(c / positive_lam, condition="no eigenvalue of $A$ is zero"),
        ),
    ),
    oracle=_mode_at_rest,
    derive=mode_fixed_point,
    numeric=lambda **at: float64_flow([[at["lambda"]]], [at["c"]], [[0.0]], at["K"]).fixed_point[0, 0],
    unchecked={Level.EXACT: reasons.A_LIMIT},
)


def _null_mode_at_rest(point: Point, digits: int) -> mpf:
    """The limit of the flow on the sample x = (3, 4), y = 2; w(0) = u0 v + x, and v.w(oo) for v = (4, -3)/5."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        x, v = (mpf(3), mpf(4)), (mpf(4) / 5, mpf(-3) / 5)
        start = [at["u0"] * along_v + along_x for along_v, along_x in zip(v, x, strict=True)]
        sample = finite_data.Sample(mpf(1), (1,), x, mpf(2))
        end = finite_data.flow_limit(finite_data.half_mse([sample], 1 / at["K"]), start, digits)
        return sum(entry * weight for entry, weight in zip(v, end, strict=True))


def _difference_in_float64(K: int, u0: float) -> float:
    """(w_1 - w_2)/sqrt(2) at the end, for two units that share a gate: their difference is in the null space of A."""
    first, second = float64_flow([[2.0]], [0.0], [[math.sqrt(2) * u0], [0.0]], K).fixed_point[:, 0]
    return (first - second) / math.sqrt(2)


FIXED_POINT_NULL_MODE = Claim(
    id="flow.fixed_point.null_mode",
    title="A mode that the data do not see keeps its initial value",
    kind=Kind.EQUATION,
    statement=Eq(u(oo), u0, evaluate=False),
    params=(UNITS, Param(u0, Interval(-3, 3), "component of $w(0)$ along the eigenvector")),
    assumptions=(
        r"$u = v \cdot w$ for a unit vector $v$ with $A v = 0$",
        r"with `flow.fixed_point.mode`: $w(\infty) = K A^+ b + (I - A A^+) w(0)$",
    ),
    sources=(
        Source(
            NOTES,
            "after (11)",
            note="the case that 'if none of the eigenvalues are zero' leaves out",
            says=Says.UNSTATED,
        ),
    ),
    oracle=_null_mode_at_rest,
    derive=null_mode_fixed_point,
    numeric=_difference_in_float64,
    unchecked={Level.EXACT: reasons.A_LIMIT},
)

# A singular A: one input (x1, x2) with label y, so that A = x x^T and b = y x
x1 = sympy.Symbol("x1", positive=True)  # the one input, (x1, x2), and its label
x2, y = sympy.symbols("x2 y", real=True)
along, across = sympy.Function("s"), sympy.Function("d")  # w.x and the component of w orthogonal to x
w10, w20 = sympy.symbols("w10 w20", real=True)


def singular_fixed_point() -> Derivation:
    """Derive w(oo) = K A^+ b + (I - A A^+) w(0) for A = x x^T and b = y x, the smallest singular case; first entry.

    Notes, after eq. (11), where "A^-1 b" is stated for regular A only, and without the factor K.
    """
    seen, unseen = x1 * w_first(t) + x2 * w_second(t), x2 * w_first(t) - x1 * w_second(t)
    square = x1**2 + x2**2
    s0, d0 = x1 * w10 + x2 * w20, x2 * w10 - x1 * w20
    flow = Tuple(
        Eq(K * tau * w_first(t).diff(t), x1 * y - x1 * seen / K, evaluate=False),
        Eq(K * tau * w_second(t).diff(t), x2 * y - x2 * seen / K, evaluate=False),
    )
    decoupled = Tuple(
        Eq(K * tau * along(t).diff(t), square * y - square * along(t) / K, evaluate=False),
        Eq(K * tau * across(t).diff(t), 0, evaluate=False),
    )
    solved = Tuple(
        Eq(along(t), relax(decoupled[0], along(t), s0), evaluate=False),
        Eq(across(t), d0, evaluate=False),
    )
    settled = Tuple(
        Eq(along(oo), sympy.limit(solved[0].rhs.rewrite(sympy.exp), t, oo), evaluate=False),
        Eq(across(oo), d0, evaluate=False),
    )
    from_data, kept = x1 * settled[0].rhs / square, x2 * settled[1].rhs / square
    back = Tuple(
        Eq(w_first(oo), from_data + kept, evaluate=False),
        Eq(w_second(oo), x2 * settled[0].rhs / square - x1 * settled[1].rhs / square, evaluate=False),
    )
    steps = (
        *entry(K, "flow.gradient.entry"),
        Step(
            flow,
            r"one unit is open, and the data are one input $x$ with label $y$: $b = y x$ and $A = x x^\top$ has rank 1",
            "stack",
            (
                reading(w_first(t).diff(t), x1 * y, x1 * seen),
                reading(w_second(t).diff(t), x2 * y, x2 * seen),
            ),
        ),
        Step(
            decoupled,
            "the component along $x$, and the one that $x$ does not see",
            "change-of-unknowns",
            (Tuple(along(t), seen), Tuple(across(t), unseen)),
        ),
        Step(solved, "variation of constants", "solve-ode", (t, Tuple(along(t), s0), Tuple(across(t), d0))),
        Step(settled, "the transient decays; the unseen component stays", "limit", (t,)),
        Step(
            back,
            "back to the two weights",
            "change-of-unknowns",
            (
                Tuple(w_first(oo), (x1 * along(oo) + x2 * across(oo)) / square),
                Tuple(w_second(oo), (x2 * along(oo) - x1 * across(oo)) / square),
            ),
        ),
        Step(back[0], "the first weight", "select"),
    )
    return Derivation("flow.fixed_point.singular", back[0], steps)


def _one_sample_at_rest(point: Point, digits: int) -> mpf:
    """The limit of the flow on one sample (x1, x2) with label y, one of K units open."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        sample = finite_data.Sample(mpf(1), (1,), (at["x1"], at["x2"]), at["y"])
        return finite_data.flow_limit(finite_data.half_mse([sample], 1 / at["K"]), [at["w10"], at["w20"]], digits)[0]


_SQUARE = x1**2 + x2**2

FIXED_POINT_SINGULAR = Claim(
    id="flow.fixed_point.singular",
    title="Where the gradient flow comes to rest when $A$ is singular: $K A^+ b + (I - A A^+) w(0)$",
    kind=Kind.EQUATION,
    statement=Eq(
        w_first(oo),
        K * y * x1 / _SQUARE + x2 * (x2 * w10 - x1 * w20) / _SQUARE,
        evaluate=False,
    ),
    params=(
        UNITS,
        Param(x1, Interval.open(0, 3), "first entry of the only input", (Rational(1, 2**20),)),
        Param(x2, Interval(-3, 3), "second entry", (Integer(0),)),
        Param(y, Interval(-3, 3), "its label"),
        Param(w10, Interval(-3, 3), "first weight at $t = 0$"),
        Param(w20, Interval(-3, 3), "second weight at $t = 0$"),
    ),
    assumptions=(r"$n = 2$, one unit open, one input: $A = x x^\top$ and $b = y x$",),
    oracle=_one_sample_at_rest,
    derive=singular_fixed_point,
    unchecked={
        Level.EXACT: reasons.A_LIMIT,
        Level.FLOATING: "float64 removes dependent gates by their exact rank and takes "
        r"$\langle x x^\top \rangle$ to be regular",
    },
)

CLAIMS = (FIXED_POINT_MODE, FIXED_POINT_NULL_MODE, FIXED_POINT_SINGULAR)
