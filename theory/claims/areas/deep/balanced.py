r"""Balanced deep linear networks: all layers carry the same mode with the same weight.

The product a of N equal weights follows tau da/dt = N a^{2 - 2/N} (s - a). Known from Saxe, McClelland and Ganguli
(2014).
"""

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Integral, Interval, Range, Rational, Tuple, log, sqrt

from theory.claims import finite_data, reasons
from theory.claims.areas.deep._layers import (
    FIRST,
    ONE_MODE,
    POSITIVE_TARGET,
    SECOND,
    START,
    TARGET,
    TIME,
    TIME_CONSTANT,
    N,
    a,
    a0,
    b1,
    b2,
    b10,
    b20,
    flowed,
    pair_of_weights,
    s,
    strength,
    time_of,
    time_until,
    weight,
)
from theory.claims.literature import DEEP_LINEAR
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import values
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import t, tau
from theory.flow.graph.solutions.balanced import layers, time_to, two_layers
from theory.proof.derivation import Derivation, Step

_EQUAL = "all $N$ layers start with the same weight, so that they keep the same weight"
_LIBRARY_ODE = "the library solves the equation and does not evaluate its right side"

speed = sympy.Symbol(r"\dot{a}", real=True)
x = sympy.Symbol("x", positive=True)
_VELOCITY = N * a ** (2 - 2 / N) * (s - a) / tau


def _of_one_weight() -> Step:
    flow = Eq(tau * weight(t).diff(t), weight(t) ** (N - 1) * (s - weight(t) ** N), evaluate=False)
    why = "minus the gradient of $L = (s - a)^2/2$, $a$ the product of the weights, where all of them are $b$"
    return Step(flow, why, "definition")


def _of_the_product(target: sympy.Expr) -> sympy.Eq:
    return Eq(tau * strength(t).diff(t), N * strength(t) ** (2 - 2 / N) * (target - strength(t)), evaluate=False)


def _derive_layers() -> Derivation:
    stated = Eq(speed, _VELOCITY, evaluate=False)
    cleared = Eq(tau * speed, N * a ** (2 - 2 / N) * (s - a), evaluate=False)
    reading = Tuple(Tuple(strength(t).diff(t), speed), Tuple(strength(t), a))
    steps = (
        _of_one_weight(),
        Step(
            _of_the_product(s),
            "the product $a = b^N$",
            "change-of-unknowns",
            (Tuple(strength(t), weight(t) ** N),),
        ),
        Step(cleared, "at one time", "stack", (reading,)),
        Step(stated, r"divided by $\tau$", "rescale", (1 / tau,)),
    )
    return Derivation("deep.balanced.layers", stated, steps)


def _velocity_of_the_loss(point: Point, digits: int) -> mpf:
    """sum_l (product of the others) (-dL/db_l)/tau at N equal weights."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        count = int(at["N"])
        start = [mpmath.root(at["a"], count)] * count
        slopes = finite_data.gradient(lambda b: (at["s"] - mpmath.fprod(b)) ** 2 / 2, start)
        return -sum(slope * mpmath.fprod(start[1:]) for slope in slopes) / at["tau"]


LAYERS = Claim(
    id="deep.balanced.layers",
    known=DEEP_LINEAR,
    title="The product of $N$ balanced layers: $\\tau\\, da/dt = N a^{2 - 2/N} (s - a)$",
    kind=Kind.EQUATION,
    statement=Eq(speed, _VELOCITY, evaluate=False),
    params=(
        Param(N, Range(1, 8), "layers of weights", (Integer(1), Integer(2), Integer(7))),
        TIME_CONSTANT,
        TARGET,
        Param(a, Interval.open(0, sympy.oo), "product of the weights", (Rational(1, 2**30), Integer(5))),
    ),
    assumptions=(ONE_MODE, _EQUAL),
    oracle=_velocity_of_the_loss,
    derive=_derive_layers,
    unchecked={Level.EXACT: "the $N$-th root of a fraction is not rational", Level.FLOATING: _LIBRARY_ODE},
)

_TIME = tau / N * Integral(x ** (2 / N - 2) / (s - x), (x, a0, a))
_clock = sympy.Function("q")


def _timed(name: str, formula: sympy.Expr, premise: tuple[Step, ...]) -> Derivation:
    """T(a0, a) = formula from the equation of a: the formula at a(t) grows from 0 at the rate 1."""
    running = formula.xreplace({a: strength(t)})
    stated = Eq(time_of(a0, a), formula, evaluate=False)
    steps = (
        *premise,
        Step(
            Eq(_clock(t).diff(t), 1, evaluate=False),
            r"$q$ is the right side with $a(t)$ for $a$; it grows by 1 in a unit of time",
            "change-of-unknowns",
            (Tuple(_clock(t), running),),
        ),
        Step(Eq(_clock(t), t, evaluate=False), r"$q(0) = 0$, as $a(0) = a_0$", "solve-ode", (t, Tuple(_clock(t), 0))),
        Step(
            Eq(time_of(a0, strength(t)), running, evaluate=False),
            "$T(a_0, a(t))$ is the time itself",
            "change-of-unknowns",
            (Tuple(time_of(a0, strength(t)), t), Tuple(running, _clock(t))),
        ),
        Step(stated, "at one time", "stack", (Tuple(Tuple(strength(t), a)),)),
    )
    return Derivation(name, stated, steps)


def _in_time(target: sympy.Symbol) -> tuple[Step, ...]:
    """The steps from the claim on N layers at one time to its equation in time."""
    stated = Eq(speed, _VELOCITY.xreplace({s: target}), evaluate=False)
    cleared = Eq(tau * speed, N * a ** (2 - 2 / N) * (target - a), evaluate=False)
    reading = Tuple(Tuple(speed, strength(t).diff(t)), Tuple(a, strength(t)))
    return (
        Step(stated, "the product of $N$ balanced layers", "premise", (stated,), ("deep.balanced.layers",)),
        Step(cleared, r"times $\tau$", "rescale", (tau,)),
        Step(_of_the_product(target), "at every time", "stack", (reading,)),
    )


def _of_depth(depth: int, target: sympy.Symbol) -> tuple[Step, ...]:
    """The steps of `_in_time`, then a number inserted for the layers."""
    equation = _of_the_product(target).xreplace({N: Integer(depth)})
    return *_in_time(target), Step(equation, f"{depth} layers", "substitute", (Tuple(N, Integer(depth)),))


def _by_the_flow(point: Point, digits: int) -> mpf:
    """The time that N equal weights take from a0 to a."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        count = int(at.get("N", 4))
        start = [mpmath.root(at["a0"], count)] * count
        return at["tau"] * time_until(at["s"], start, at["a"], digits + 10)


_BETWEEN = (a0 < a, a < s)
_FROM = Param(a0, Interval.open(0, sympy.oo), "product at $t = 0$", (Rational(1, 2**12),), Interval.open(0, 1))
_TO = Param(a, Interval.open(0, sympy.oo), "product at the time $T$", (), Interval.open(0, 1))

DURATION = Claim(
    id="deep.balanced.time",
    known=DEEP_LINEAR,
    title="The time that $N$ balanced layers take from $a_0$ to $a < s$, as one integral",
    kind=Kind.EQUATION,
    statement=Eq(time_of(a0, a), _TIME, evaluate=False),
    params=(
        Param(N, Range(2, 6), "layers of weights", (Integer(2), Integer(5))),
        TIME_CONSTANT,
        POSITIVE_TARGET,
        _FROM,
        _TO,
    ),
    conditions=_BETWEEN,
    assumptions=(ONE_MODE, _EQUAL),
    oracle=_by_the_flow,
    drawn=3,
    derive=lambda: _timed("deep.balanced.time", _TIME, _in_time(s)),
    numeric=lambda N, tau, s, a0, a: tau * time_to(a, s, a0, N),
    unchecked={Level.EXACT: "a logarithm of a fraction is not rational"},
)

_LOG = log((sqrt(s) + sqrt(a)) / (sqrt(s) - sqrt(a)))
_HALFWAY = tau / 4 * (_LOG / s ** Rational(3, 2) - 2 / (s * sqrt(a)))
_FOUR = _HALFWAY - _HALFWAY.xreplace({a: a0})

FOUR_LAYERS = Claim(
    id="deep.balanced.four_layers",
    title="The time of four balanced layers",
    protocol="The time of four balanced layers in elementary functions: the wait is $\\tau/(2 s \\sqrt{a_0})$ to "
    "leading "
    "order",
    kind=Kind.EQUATION,
    statement=Eq(time_of(a0, a), _FOUR, evaluate=False),
    params=(TIME_CONSTANT, POSITIVE_TARGET, _FROM, _TO),
    conditions=_BETWEEN,
    assumptions=(ONE_MODE, "all four layers start with the same weight"),
    oracle=_by_the_flow,
    derive=lambda: _timed("deep.balanced.four_layers", _FOUR, _of_depth(4, s)),
    numeric=lambda tau, s, a0, a: tau * time_to(a, s, a0, 4),
    unchecked={Level.EXACT: "a logarithm of a fraction is not rational"},
)

_TWO = a0 / (sympy.exp(-2 * s * t / tau) + 2 * a0 * t / tau * phi1(2 * s * t / tau))


def _derive_two_layers() -> Derivation:
    solved = Eq(strength(t), _TWO, evaluate=False)
    why = r"$(1 - \exp(-z))/z$ is entire, so $s = 0$ is included"
    steps = (*_of_depth(2, s), Step(solved, why, "initial-value", (t, Tuple(strength(t), a0))))
    return Derivation("deep.balanced.two_layers", solved, steps)


def _two_by_series(point: Point, digits: int) -> mpf:
    """The product of two equal weights under the flow."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        first, second = flowed(at["s"], [mpmath.sqrt(at["a0"])] * 2, at["t"] / at["tau"], digits + 10)
        return first * second


TWO_LAYERS = Claim(
    id="deep.balanced.two_layers",
    known=DEEP_LINEAR,
    title="A mode of two balanced layers",
    protocol="A mode of two balanced layers: $a(t) = s e^{2st/\\tau}/(e^{2st/\\tau} - 1 + s/a_0)$, $s = 0$ included",
    kind=Kind.EQUATION,
    statement=Eq(strength(t), _TWO, evaluate=False),
    params=(TIME_CONSTANT, TIME, TARGET, START),
    assumptions=(ONE_MODE, "both layers start with the same weight"),
    oracle=_two_by_series,
    derive=_derive_two_layers,
    numeric=lambda tau, t, s, a0: two_layers(np.array([t / tau]), s, a0).item(),
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

_POWER = 2 - 2 / N
_DECAYED = (a0**-_POWER + N * _POWER * t / tau) ** (-1 / _POWER)
_inverse = sympy.Function("v", positive=True)
_DEEP = Param(N, Range(2, 7), "layers of weights", (Integer(2), Integer(6)))


def _derive_decay() -> Derivation:
    solved = Eq(strength(t), _DECAYED, evaluate=False)
    start = a0**-_POWER
    steps = (
        *_in_time(s),
        Step(_of_the_product(Integer(0)), "nothing is to be learned", "substitute", (Tuple(s, Integer(0)),)),
        Step(
            Eq(tau * _inverse(t).diff(t), N * _POWER, evaluate=False),
            "$v = a^{-(2 - 2/N)}$ grows at a constant rate",
            "change-of-unknowns",
            (Tuple(_inverse(t), strength(t) ** -_POWER),),
        ),
        Step(
            Eq(_inverse(t), start + N * _POWER * t / tau, evaluate=False),
            "integrated",
            "solve-ode",
            (t, Tuple(_inverse(t), start)),
        ),
        Step(
            solved,
            "back to the product",
            "change-of-unknowns",
            (Tuple(strength(t), _inverse(t) ** (-1 / _POWER)),),
        ),
    )
    return Derivation("deep.balanced.decay", solved, steps)


def _decay_by_series(point: Point, digits: int) -> mpf:
    """The product of N equal weights under the flow with s = 0."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        count = int(at["N"])
        start = [mpmath.root(at["a0"], count)] * count
        return mpmath.fprod(flowed(mpf(0), start, at["t"] / at["tau"], digits + 10))


DECAY = Claim(
    id="deep.balanced.decay",
    title="A mode without a target fades as a power of time: $s = 0$, $N \\geq 2$ balanced layers",
    kind=Kind.EQUATION,
    statement=Eq(strength(t), _DECAYED, evaluate=False),
    params=(_DEEP, TIME_CONSTANT, TIME, START),
    assumptions=(ONE_MODE, _EQUAL, "$s = 0$: the data ask for nothing of the mode"),
    oracle=_decay_by_series,
    drawn=4,
    derive=_derive_decay,
    numeric=lambda N, tau, t, a0: layers(np.array([t / tau]), 0.0, a0, N).item(),
    unchecked={Level.EXACT: "the $N$-th root of a fraction is not rational"},
)

_kept = sympy.Function("q", real=True)
_LAMBDA = b20**2 - b10**2


def _derive_conserved() -> Derivation:
    constant = Eq(tau * _kept(t).diff(t), 0, evaluate=False)
    solved = Eq(_kept(t), _LAMBDA, evaluate=False)
    steps = (
        pair_of_weights(),
        Step(
            constant,
            r"$q = b_2^2 - b_1^2$: both squares grow by $2 b_1 b_2 (s - b_1 b_2)/\tau$",
            "change-of-unknowns",
            (Tuple(_kept(t), b2(t) ** 2 - b1(t) ** 2),),
        ),
        Step(solved, "so that it keeps its initial value", "solve-ode", (t, Tuple(_kept(t), _LAMBDA))),
    )
    return Derivation("deep.balanced.conserved", solved, steps)


def _difference_by_series(point: Point, digits: int) -> mpf:
    """b_2^2 - b_1^2 after the flow."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        first, second = flowed(at["s"], [at["b10"], at["b20"]], at["t"] / at["tau"], digits + 15)
        return second**2 - first**2


CONSERVED = Claim(
    id="deep.balanced.conserved",
    known=DEEP_LINEAR,
    title=r"The flow conserves $b_2^2 - b_1^2$, for any target: layers that start balanced stay balanced",
    kind=Kind.EQUATION,
    statement=Eq(_kept(t), _LAMBDA, evaluate=False),
    params=(TIME_CONSTANT, TIME, TARGET, FIRST, SECOND),
    assumptions=(ONE_MODE,),
    oracle=_difference_by_series,
    derive=_derive_conserved,
    unchecked={
        Level.EXACT: reasons.EXPONENTIALS,
        Level.FLOATING: "the library's weights are compared in `deep.lambda_balanced.solution`",
    },
)

CLAIMS = (CONSERVED, LAYERS, DURATION, TWO_LAYERS, FOUR_LAYERS, DECAY)
