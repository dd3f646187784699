"""Gradient flow: errors and path values. Neural path kernel, Propositions 1.1 and 3.2."""

from fractions import Fraction

import sympy
from sympy import Eq, Symbol

from theory.claims.areas.path import _networks
from theory.claims.areas.path._networks import (
    FIRST,
    LAST,
    SECOND,
    SMALL,
    Dual,
    derivative,
    g1,
    g2,
    gate,
    r1,
    r2,
    u11,
    u21,
    w11,
)
from theory.claims.areas.path.output import exactly
from theory.claims.areas.path.overlap import p1, p2
from theory.claims.documents import NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Source
from theory.paths import output, tangent_kernel, value_gradients, weighted
from theory.proof.derivation import Derivation, Step

x, y, a, b = sympy.symbols("x y a b", real=True)
_DATA = tuple(
    Param(own, sympy.S.Reals, doc, likely=SMALL)
    for own, doc in ((x, "input 1"), (y, "input 2"), (a, "label of input 1"), (b, "label of input 2"))
)
_ERRORS = (
    x * (g1 * r1 * u11 + g2 * r2 * u21) - a,
    y * (p1 * r1 * u11 + p2 * r2 * u21) - b,
)
_OWN = x**2 * (g1**2 * (u11**2 + r1**2) + g2**2 * (u21**2 + r2**2))
_BETWEEN = x * y * (g1 * p1 * (u11**2 + r1**2) + g2 * p2 * (u21**2 + r2**2))
_VELOCITY = -_OWN * _ERRORS[0] - _BETWEEN * _ERRORS[1]
_RATE = Symbol(r"\dot{e}_1", real=True)


def _by_descent(at: dict[str, Fraction]) -> Fraction:
    """The slope of e_1 along minus the gradient of the loss; both by differences, exact as y is linear in a weight."""
    start = [at["u11"], at["u21"], at["r1"], at["r2"]]

    def errors(weights: list[Fraction]) -> list[Fraction]:
        layers = [[[weights[0]], [weights[1]]], [weights[2:]]]
        gates = ([[at["g1"], at["g2"]]], [[at["p1"], at["p2"]]])
        found = zip(gates, (at["x"], at["y"]), (at["a"], at["b"]), strict=True)
        return [_networks.output(layers, own, [given]) - label for own, given, label in found]

    def loss(weights: list[Fraction]) -> Fraction:
        return sum((error**2 for error in errors(weights)), start=Fraction(0)) / 2

    def moved(which: int, by: int) -> list[Fraction]:
        return [value + by * (k == which) for k, value in enumerate(start)]

    downhill = [(loss(moved(k, -1)) - loss(moved(k, 1))) / 2 for k in range(4)]
    return sum(
        ((errors(moved(k, 1))[0] - errors(start)[0]) * speed for k, speed in enumerate(downhill)), start=Fraction(0)
    )


def _rate_of_the_library(**values: float) -> float:
    at = exactly(**values)
    gates = [[[at["g1"], at["g2"]], [at["p1"], at["p2"]]]]
    net = weighted([[at["x"]], [at["y"]]], gates, [[[at["u11"]], [at["u21"]]], [[at["r1"], at["r2"]]]])
    errors = (output(net, 0) - at["a"], output(net, 1) - at["b"])
    return float(-sum(k * e for k, e in zip(tangent_kernel(net)[0], errors, strict=True)))


def _derive_error() -> Derivation:
    e_1, e_2 = _ERRORS
    slopes = (
        (x * g1 * r1, y * p1 * r1),
        (x * g2 * r2, y * p2 * r2),
        (x * g1 * u11, y * p1 * u11),
        (x * g2 * u21, y * p2 * u21),
    )
    result = Eq(_RATE, _VELOCITY, evaluate=False)
    steps = (
        Step(
            Eq(_RATE, sum(one * -(one * e_1 + other * e_2) for one, other in slopes), evaluate=False),
            r"the slope of $e_1$ by each weight times its rate $-(\partial_\theta y_1 e_1 + \partial_\theta y_2 e_2)$",
            "definition",
        ),
        Step(result, "collect the two errors", "identity"),
    )
    return Derivation("path.dynamics.error", result, steps)


ERROR = Claim(
    id="path.dynamics.error",
    title=r"Under gradient flow the errors obey $\dot e = -K e$",
    kind=Kind.EQUATION,
    statement=Eq(_RATE, _VELOCITY, evaluate=False),
    params=(
        *_DATA,
        *(gate(own, 1, "1") for own in (g1, g2)),
        *(gate(own, 1, "2") for own in (p1, p2)),
        FIRST[0],
        FIRST[2],
        *LAST,
    ),
    assumptions=(
        "two inputs, one input node, one hidden level of two nodes, one output; gates do not change",
        "the loss is half the sum of the squared errors; their factors in the formula are the entries of $K$",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 1.1",
            printed=_VELOCITY,
            note="for every network with differentiable outputs, here for one with fixed gates",
        ),
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 3.2",
            printed=_VELOCITY,
            note=r"$K = \Phi^\top V \Phi$ with the features of the last switching instant",
        ),
    ),
    **rational_by_name(_by_descent),
    derive=_derive_error,
    numeric=_rate_of_the_library,
    cites=("path.kernel.tangent",),
)

s1, s2, s3 = sympy.symbols("s1 s2 s3", real=True)
_CHANGE = s1 * w11 * r1 + s2 * u11 * r1 + s3 * u11 * w11


def _by_duals(at: dict[str, Fraction]) -> Fraction:
    def value(time: list[Dual]) -> Dual:
        (t,) = time
        first, second, last = (
            Dual(at[name]) + Dual(at[speed]) * t for name, speed in (("u11", "s1"), ("w11", "s2"), ("r1", "s3"))
        )
        return first * second * last

    return derivative(value, [Fraction(0)], 0)


def _change_of_the_library(**values: float) -> float:
    at = exactly(**values)
    net = weighted([[1]], [[[1]], [[1]]], [[[at["u11"]]], [[at["w11"]]], [[at["r1"]]]])
    (slopes,) = value_gradients(net)
    return float(sum(slopes[layer, 0, 0] * at[f"s{layer + 1}"] for layer in range(3)))


VALUE = Claim(
    id="path.dynamics.value",
    title="The value of a path changes at the rate of its gradient times the velocity of the weights",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\dot{v}(p)", real=True), _CHANGE, evaluate=False),
    params=(
        *(Param(own, sympy.S.Reals, "velocity of a weight", likely=SMALL) for own in (s1, s2, s3)),
        FIRST[0],
        SECOND[0],
        LAST[0],
    ),
    assumptions=("one path of three layers, with the weights $u_{11}$, $w_{11}$, $r_1$",),
    sources=(
        Source(NEURAL_PATH_KERNEL, "section 3.1", printed=_CHANGE, note="the remark on Definition 3.1"),
        Source(NEURAL_PATH_KERNEL, "Proposition 3.2", printed=_CHANGE, note="the second row"),
        Source(NEURAL_PATH_KERNEL, "Proposition 4.1", printed=_CHANGE, note="the third row"),
    ),
    **rational_by_name(_by_duals),
    numeric=_change_of_the_library,
    unchecked={Level.SYMBOLIC: "the product rule for one monomial; dual numbers give it exactly"},
)

CLAIMS = (ERROR, VALUE)
