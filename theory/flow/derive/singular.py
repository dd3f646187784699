"""The fixed point where A is singular: what the data do not see keeps its initial value (notes, after eq. 11)."""

import sympy
from sympy import Eq, Tuple, oo

import theory.proof.rules.shared  # noqa: F401 - it registers the rules that rooms share
from theory.expressions.symbols import K, t, tau
from theory.flow.derive.gradient import entry, reading
from theory.flow.derive.modes import relax
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import modes as rules_modes  # noqa: F401 - it registers the rules named below

x1 = sympy.Symbol("x1", positive=True)  # the one input, (x1, x2), and its label
x2, y = sympy.symbols("x2 y", real=True)
w_first, w_second = sympy.Function("w_11"), sympy.Function("w_12")
along, across = sympy.Function("s"), sympy.Function("d")  # w.x and the component of w that x does not see
w10, w20 = sympy.symbols("w10 w20", real=True)


def singular_fixed_point() -> Derivation:
    """w(oo) = K A^+ b + (I - A A^+) w(0) for A = x x^T and b = y x, the smallest singular case; first entry.

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
            "one unit is open, and the data are one input x with label y: b = y x and A = x x^T has rank 1",
            "stack",
            (
                reading(w_first(t).diff(t), x1 * y, x1 * seen),
                reading(w_second(t).diff(t), x2 * y, x2 * seen),
            ),
        ),
        Step(
            decoupled,
            "the component along x, and the one that x does not see",
            "linear-change",
            (Tuple(along(t), seen), Tuple(across(t), unseen)),
        ),
        Step(solved, "variation of constants", "solve-ode", (t, Tuple(along(t), s0), Tuple(across(t), d0))),
        Step(settled, "the transient decays; the unseen component stays", "limit", (t,)),
        Step(
            back,
            "back to the two weights",
            "linear-change",
            (
                Tuple(w_first(oo), (x1 * along(oo) + x2 * across(oo)) / square),
                Tuple(w_second(oo), (x2 * along(oo) - x1 * across(oo)) / square),
            ),
        ),
        Step(back[0], "the first weight", "select"),
    )
    return Derivation("flow.fixed_point.singular", back[0], steps)
