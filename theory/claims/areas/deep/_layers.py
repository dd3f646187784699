"""One mode of a deep linear network: its symbols, and its weights under gradient flow by Taylor series.

The oracles start from tau db_l/dt = -dL/db_l of L = (s - b_1 ... b_N)^2/2 and know no solution.
"""

from collections.abc import Sequence

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, oo

from theory.claims.model import Param
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

ONE_MODE = r"one mode $s = u \cdot \Sigma^{yx} v$ of white inputs, and layers that carry it alone"

# Where the oracle takes a Taylor step for every tenth of 1/(s N) the drawn times are short.
TIME = Param(t, Interval(0, oo), "time", (Integer(0), Rational(1, 2**30), Integer(12)), Interval(0, 6))
TIME_CONSTANT = Param(tau, Interval.open(0, oo), "time constant", (Rational(1, 2), Integer(50)), Interval(1, 4))
TARGET = Param(s, Interval(0, oo), "singular value", (Integer(0), Integer(1)), Interval(0, 3))
POSITIVE_TARGET = Param(s, Interval.open(0, oo), "singular value", (Rational(1, 2),), Interval.open(0, 3))
START = Param(
    a0, Interval.open(0, oo), "product of the weights at $t = 0$", (Rational(1, 2**20), Integer(5)), Interval.open(0, 2)
)
FIRST = Param(b10, Interval(-2, 2), "first weight at $t = 0$", (Rational(1, 2**20),))
SECOND = Param(b20, Interval(-2, 2), "second weight at $t = 0$", (Integer(1),))

_ORDER = 40
_GUARD = 15


def pair_of_weights() -> Step:
    """The first step of derivations for two layers: the gradient flow of both weights."""
    equations = Tuple(
        Eq(tau * b1(t).diff(t), b2(t) * (s - b1(t) * b2(t)), evaluate=False),
        Eq(tau * b2(t).diff(t), b1(t) * (s - b1(t) * b2(t)), evaluate=False),
    )
    return Step(equations, "minus the gradient of $L = (s - b_1 b_2)^2/2$", "definition")


def flowed(target: mpf, start: Sequence[mpf], time: mpf, digits: int) -> list[mpf]:
    """The weights b_l(time) of the flow in units of tau, from `start`."""
    with mpmath.workdps(digits + _GUARD):
        weights, left = list(start), time
        while left > 0:
            series = _series(target, weights)
            step = min(left, _radius(series, digits + _GUARD))
            weights = [_value(each, step) for each in series]
            left -= step
        return weights


def time_until(target: mpf, start: Sequence[mpf], reached: mpf, digits: int) -> mpf:
    """The time, in units of tau, at which the growing product of the weights is `reached`."""
    with mpmath.workdps(digits + _GUARD):
        weights, passed = list(start), mpf(0)
        while True:
            series = _series(target, weights)
            step = _radius(series, digits + _GUARD)

            def missing(time: mpf, series: list[list[mpf]] = series) -> mpf:
                return mpmath.fprod(_value(each, time) for each in series) - reached

            if missing(step) >= 0:
                return passed + mpmath.findroot(
                    missing, (mpf(0), step), solver="anderson", tol=mpf(10) ** -(2 * digits)
                )
            weights, passed = [_value(each, step) for each in series], passed + step


def _series(target: mpf, weights: Sequence[mpf]) -> list[list[mpf]]:
    """Taylor coefficients of every weight: order by order, from the product of the others times s - the product."""
    count = len(weights)
    series = [[weight] for weight in weights]
    before = [[] for _ in range(count + 1)]  # products of the first l weights
    after = [[] for _ in range(count + 1)]  # products of all but these
    others: list[list[mpf]] = [[] for _ in range(count)]
    rest: list[mpf] = []  # s minus the product of all
    for k in range(_ORDER):
        before[0].append(mpf(k == 0))
        after[count].append(mpf(k == 0))
        for l in range(count):
            before[l + 1].append(_coefficient(before[l], series[l], k))
        for l in reversed(range(count)):
            after[l].append(_coefficient(series[l], after[l + 1], k))
        rest.append((target if k == 0 else 0) - before[count][k])
        for l in range(count):
            others[l].append(_coefficient(before[l], after[l + 1], k))
            series[l].append(_coefficient(others[l], rest, k) / (k + 1))
    return series


def _coefficient(one: list[mpf], other: list[mpf], k: int) -> mpf:
    return mpmath.fdot(one[: k + 1], reversed(other[: k + 1]))


def _radius(series: list[list[mpf]], digits: int) -> mpf:
    """A step at which the last two terms are below 10^-digits of the largest weight."""
    size = max(abs(each[0]) for each in series)
    last = [(each[k], k) for each in series for k in (_ORDER - 1, _ORDER) if each[k]]
    steps = [(mpf(10) ** -digits * size / abs(term)) ** (mpf(1) / k) for term, k in last]
    return min(steps, default=mpf(1))


def _value(series: list[mpf], time: mpf) -> mpf:
    return mpmath.polyval(series[::-1], time)
