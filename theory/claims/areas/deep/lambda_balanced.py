r"""Two layers whose weights differ: the conserved lambda = b_2^2 - b_1^2 leads from rich (0) to lazy (large) learning.

The solution of the Riccati flow for one mode. Known from Braun et al. (2022) for lambda = 0 and Domine et al. (2024).
"""

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, exp, sqrt

from theory.claims import finite_data, reasons
from theory.claims.areas.deep._layers import (
    FIRST,
    ONE_MODE,
    POSITIVE_TARGET,
    SECOND,
    TARGET,
    TIME,
    TIME_CONSTANT,
    b1,
    b2,
    b10,
    b20,
    flowed,
    pair_of_weights,
    s,
)
from theory.claims.literature import DEEP_LINEAR
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import values
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import t, tau
from theory.flow.graph.solutions.two_layers import mode_weights
from theory.proof.derivation import Derivation, Step

product, size = sympy.Function("a", real=True), sympy.Function("c", real=True)  # b_1 b_2 and b_1^2 + b_2^2
lam = sympy.Symbol("lambda", real=True)

_LAMBDA = b20**2 - b10**2
_OMEGA = sqrt(s**2 + _LAMBDA**2 / 4)
_FALL = exp(-2 * _OMEGA * t / tau)
_ONCE, _TWICE = (t / tau * phi1(count * _OMEGA * t / tau) for count in (2, 4))
_A0, _C0 = b10 * b20, b10**2 + b20**2
_SCALE = _FALL + _C0 * _TWICE + (2 * s * _A0 + _LAMBDA**2 / 2) * _ONCE**2
_PRODUCT = (_A0 * (_FALL + 2 * s**2 * _ONCE**2) + _C0 * s * _TWICE + _LAMBDA**2 * s * _ONCE**2 / 2) / _SCALE
_SIZE = (_C0 * (_FALL + 2 * _OMEGA**2 * _ONCE**2) + (4 * s * _A0 + _LAMBDA**2) * _TWICE) / _SCALE


def _derive_solution() -> Derivation:
    rest = s - product(t)
    pair = Tuple(
        Eq(tau * product(t).diff(t), size(t) * rest, evaluate=False),
        Eq(tau * size(t).diff(t), 4 * product(t) * rest, evaluate=False),
    )
    solved = Tuple(Eq(product(t), _PRODUCT, evaluate=False), Eq(size(t), _SIZE, evaluate=False))
    steps = (
        pair_of_weights(),
        Step(
            pair,
            "the product $a = b_1 b_2$, and $c = b_1^2 + b_2^2$",
            "change-of-unknowns",
            (Tuple(product(t), b1(t) * b2(t)), Tuple(size(t), b1(t) ** 2 + b2(t) ** 2)),
        ),
        Step(
            solved,
            r"the solution of the Riccati flow; $\omega = \sqrt{s^2 + \lambda^2/4}$, $\lambda = b_2(0)^2 - b_1(0)^2$",
            "initial-value",
            (t, Tuple(product(t), _A0), Tuple(size(t), _C0)),
        ),
        Step(solved[0], "the product", "select"),
    )
    return Derivation("deep.lambda_balanced.solution", solved[0], steps)


def _product_by_series(point: Point, digits: int) -> mpf:
    """b_1 b_2 under the flow."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        first, second = flowed(at["s"], [at["b10"], at["b20"]], at["t"] / at["tau"], digits + 15)
        return first * second


def _product_in_float64(tau: float, t: float, s: float, b10: float, b20: float) -> float:
    first, second = mode_weights(np.array([t / tau]), s, b10, b20)
    return (first * second).item()


SOLUTION = Claim(
    id="deep.lambda_balanced.solution",
    known=DEEP_LINEAR,
    title=r"A mode of two layers from any two weights, $\lambda = b_2(0)^2 - b_1(0)^2$",
    kind=Kind.EQUATION,
    statement=Eq(product(t), _PRODUCT, evaluate=False),
    params=(TIME_CONSTANT, TIME, TARGET, FIRST, SECOND),
    assumptions=(ONE_MODE,),
    oracle=_product_by_series,
    derive=_derive_solution,
    numeric=_product_in_float64,
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

rate = sympy.Symbol("r", positive=True)
missing = sympy.Function("e", positive=True)
_missing = sympy.Symbol("e", positive=True)
_END = sqrt(s**2 + lam**2 / 4)
_b1, _b2 = sympy.symbols("b_1 b_2", real=True)


def _derive_rate() -> Derivation:
    decay = Eq(tau * missing(t).diff(t), -(b1(t) ** 2 + b2(t) ** 2) * missing(t), evaluate=False)
    at_end = Eq(-tau * rate * _missing, -(_b1**2 + _b2**2) * _missing, evaluate=False)
    relative = Eq(rate, (_b1**2 + _b2**2) / tau, evaluate=False)
    final = Eq(rate, 2 * _END / tau, evaluate=False)
    ends = (Tuple(_b1, sqrt(_END - lam / 2)), Tuple(_b2, sqrt(_END + lam / 2)))
    steps = (
        pair_of_weights(),
        Step(
            decay,
            r"the rest $e = s - b_1 b_2$",
            "change-of-unknowns",
            (Tuple(missing(t), s - b1(t) * b2(t)),),
        ),
        Step(
            at_end,
            "$r$ is the rate at which $e$ falls, relative to $e$",
            "stack",
            (
                Tuple(
                    Tuple(missing(t).diff(t), -rate * _missing),
                    Tuple(missing(t), _missing),
                    Tuple(b1(t), _b1),
                    Tuple(b2(t), _b2),
                ),
            ),
        ),
        Step(relative, r"divided by $-\tau e$", "rescale", (-1 / (tau * _missing),)),
        Step(
            final,
            r"where $b_1 b_2 = s$ and $b_2^2 - b_1^2 = \lambda$: $b_1^2 + b_2^2 = \sqrt{4 s^2 + \lambda^2}$",
            "substitute",
            ends,
        ),
    )
    return Derivation("deep.lambda_balanced.rate", final, steps)


def _rate_of_the_loss(point: Point, digits: int) -> mpf:
    """The curvature of the loss at rest over tau: the trace of the Hessian, as it is zero along b_1 b_2 = s.

    L is quadratic in each weight, so that second differences are exact.
    """
    with mpmath.workdps(digits + 30):
        at = values(point)
        target, lam = at["s"], at["lambda"]
        high = 1 + target + abs(lam)
        square = mpmath.findroot(lambda q: q * q + lam * q - target**2, (mpf(0), high), solver="anderson")
        first = mpmath.sqrt(square)
        end = [first, target / first]

        def loss(weights: finite_data.Vector) -> mpf:
            return (target - weights[0] * weights[1]) ** 2 / 2

        moved = [[[end[0] + sign, end[1]], [end[0], end[1] + sign]] for sign in (1, -1)]
        return (sum(loss(each) for side in moved for each in side) - 4 * loss(end)) / at["tau"]


RATE = Claim(
    id="deep.lambda_balanced.rate",
    title=r"The asymptotic rate at which a mode of two layers is learned: $2 \sqrt{s^2 + \lambda^2/4}/\tau$",
    kind=Kind.EQUATION,
    statement=Eq(rate, 2 * _END / tau, evaluate=False),
    params=(
        TIME_CONSTANT,
        POSITIVE_TARGET,
        Param(lam, Interval(-8, 8), "$b_2^2 - b_1^2$", (Integer(0), Rational(1, 2**40), Integer(8))),
    ),
    assumptions=(
        ONE_MODE,
        "the start is not on the stable manifold of the saddle $b_1 = b_2 = 0$, that is, $b_1(0) \\neq -b_2(0)$",
    ),
    oracle=_rate_of_the_loss,
    derive=_derive_rate,
    unchecked={
        Level.EXACT: "a square root of a fraction is not rational",
        Level.FLOATING: "the library has the solution, whose asymptotic rate this is",
    },
)

CLAIMS = (SOLUTION, RATE)
