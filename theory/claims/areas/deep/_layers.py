"""One mode of a deep linear network: its symbols, and its weights under gradient flow by Taylor series.

The oracles start from tau db_l/dt = -dL/db_l of L = (s - b_1 ... b_N)^2/2 and use no solution.
"""

from collections.abc import Sequence
from math import prod

import sympy
from flint import arb
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, oo

from theory.claims import unreduced
from theory.claims.model import Param
from theory.claims.unreduced import at_time, ball, chain
from theory.expressions.symbols import t, tau
from theory.proof.derivation import Step

s = sympy.Symbol("s", nonnegative=True)  # the singular value to be learned
N = sympy.Symbol("N", integer=True, positive=True)  # layers of weights
a = sympy.Symbol("a", positive=True)  # the product of the weights
a0 = sympy.Symbol("a0", positive=True)
strength = sympy.Function("a", positive=True)  # a(t) where it is positive
weight = sympy.Function("b", positive=True)  # b(t), one of N equal weights
time_of = sympy.Function("T")  # T(a0, a), the time from a0 to a

b1, b2 = (sympy.Function(f"b_{layer}", real=True) for layer in (1, 2))  # two weights that may differ
b10, b20 = sympy.symbols("b10 b20", real=True)

ONE_MODE = (
    r"one mode $s = u \cdot \Sigma^{yx} v$ of inputs with $\langle x x^\top \rangle = \mathbb{1}$, layers that carry "
    r"it alone, and $L = \langle \lvert y - \hat y \rvert^2 \rangle/2$"
)

# The drawn times are short, because the oracle takes a Taylor step for every tenth of 1/(s N).
TIME = Param(t, Interval(0, oo), "time", (Integer(0), Rational(1, 2**30), Integer(12)), Interval(0, 6))
TIME_CONSTANT = Param(tau, Interval.open(0, oo), "time constant", (Rational(1, 2), Integer(50)), Interval(1, 4))
TARGET = Param(s, Interval(0, oo), "singular value", (Integer(0), Integer(1)), Interval(0, 3))
POSITIVE_TARGET = Param(s, Interval.open(0, oo), "singular value", (Rational(1, 2),), Interval.open(0, 3))
START = Param(
    a0, Interval.open(0, oo), "product of the weights at $t = 0$", (Rational(1, 2**20), Integer(5)), Interval.open(0, 2)
)
FIRST = Param(b10, Interval(-2, 2), "first weight at $t = 0$", (Rational(1, 2**20),))
SECOND = Param(b20, Interval(-2, 2), "second weight at $t = 0$", (Integer(1),))


def pair_of_weights() -> Step:
    """The first step of derivations for two layers: the gradient flow of both weights."""
    equations = Tuple(
        Eq(tau * b1(t).diff(t), b2(t) * (s - b1(t) * b2(t)), evaluate=False),
        Eq(tau * b2(t).diff(t), b1(t) * (s - b1(t) * b2(t)), evaluate=False),
    )
    return Step(equations, "minus the gradient of $L = (s - b_1 b_2)^2/2$", "definition")


def flowed(target: mpf, start: Sequence[mpf], time: mpf, digits: int) -> list[mpf]:
    """The weights b_l(time) of the flow in units of tau, from `start`."""
    return at_time(chain(len(start)), (ball(target), arb(1)), [ball(weight) for weight in start], ball(time), digits)


def time_until(target: mpf, start: Sequence[mpf], reached: mpf, digits: int) -> mpf:
    """The time, in units of tau, at which the growing product of the weights is `reached`."""
    goal, weights = ball(reached), [ball(weight) for weight in start]
    return unreduced.time_until(chain(len(start)), (ball(target), arb(1)), weights, lambda at: prod(at) - goal, digits)
