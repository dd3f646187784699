"""Small networks in fractions, evaluated node by node, with slopes by differences and by dual numbers: no paths here.

The networks have the inputs x1, x2, the weights u (first layer), w (second) and r (last), each named by target and
source. Gates are given numbers, or follow from pre-activations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy
from sympy import FiniteSet, Integer, Interval, Rational

from theory.claims.model import Param

At = Mapping[str, Fraction]
Layers = list[list[list[Fraction]]]
Gates = Sequence[Sequence[Fraction]]

x1, x2, y1, y2 = sympy.symbols("x1 x2 y1 y2", real=True)
u11, u12, u21, u22 = sympy.symbols("u11 u12 u21 u22", real=True)
w11, w12, w21, w22 = sympy.symbols("w11 w12 w21 w22", real=True)
r1, r2 = sympy.symbols("r1 r2", real=True)
g1, g2, h1, h2 = sympy.symbols("g1 g2 h1 h2", real=True)

X = (x1, x2)
U, W, R = ((u11, u12), (u21, u22)), ((w11, w12), (w21, w22)), (r1, r2)
PATHS = tuple(product(range(2), repeat=3))  # input node, node of level 1, node of level 2

SMALL = FiniteSet(*(Integer(k) for k in (-5, -3, -2, 2, 3, 4)))
SOFT = FiniteSet(*(Rational(k, 4) for k in range(5)))
INPUTS = tuple(Param(symbol, sympy.S.Reals, "entry of the input", likely=SMALL) for symbol in X)
FIRST = tuple(
    Param(symbol, sympy.S.Reals, "weight of layer 1, named by its target and its source", likely=SMALL)
    for row in U
    for symbol in row
)
SECOND = tuple(
    Param(symbol, sympy.S.Reals, "weight of layer 2, named by its target and its source", likely=SMALL)
    for row in W
    for symbol in row
)
LAST = tuple(Param(symbol, sympy.S.Reals, "weight of the last layer", likely=SMALL) for symbol in R)


def gate(symbol: sympy.Symbol, level: int, of: str = "$x$") -> Param:
    """Return the parameter of a gate, a number from 0 to 1."""
    return Param(symbol, Interval(0, 1), f"gate of level {level} on the input {of}", (Integer(0), Integer(1)), SOFT)


GATES = tuple(gate(symbol, level) for level, pair in ((1, (g1, g2)), (2, (h1, h2))) for symbol in pair)
NETWORK = "two input nodes, two hidden levels of two nodes, one output, no biases"


def three_layers(at: At) -> Layers:
    """Return the weights of the network 2-2-2-1 at a point."""
    return [
        [[at["u11"], at["u12"]], [at["u21"], at["u22"]]],
        [[at["w11"], at["w12"]], [at["w21"], at["w22"]]],
        [[at["r1"], at["r2"]]],
    ]


def drives(layer: list[list[Fraction]], z: Sequence[Fraction]) -> list[Fraction]:
    """Return the pre-activations of a layer."""
    return [sum((a * b for a, b in zip(row, z, strict=True)), start=Fraction(0)) for row in layer]


def levels(layers: Layers, gates: Gates, x: Sequence[Fraction]) -> list[list[Fraction]]:
    """Return the values of all levels: gate times pre-activation, the output last."""
    found = [list(x)]
    for layer, own in zip(layers, [*gates, [Fraction(1)]], strict=True):
        found.append([g * q for g, q in zip(own, drives(layer, found[-1]), strict=True)])
    return found


def output(layers: Layers, gates: Gates, x: Sequence[Fraction]) -> Fraction:
    """Return the output, node by node."""
    return levels(layers, gates, x)[-1][0]


def relu_levels(layers: Layers, x: Sequence[Fraction]) -> list[list[Fraction]]:
    """Return the values of the hidden levels of a ReLU network, by comparison."""
    found = [list(x)]
    for layer in layers[:-1]:
        found.append([q if q > 0 else q * 0 for q in drives(layer, found[-1])])
    return found


def relu_output(layers: Layers, x: Sequence[Fraction]) -> Fraction:
    """Return the output of a ReLU network."""
    return drives(layers[-1], relu_levels(layers, x)[-1])[0]


def linear_gates(layers: Layers, x: Sequence[Fraction]) -> list[list[Fraction]]:
    """Return the gates 1[eta >= 0] of the hidden levels of a linear gating network."""
    eta, found = list(x), []
    for layer in layers:
        eta = drives(layer, eta)
        found.append([Fraction(int(value >= 0)) for value in eta])
    return found


def slopes(layers: Layers, gates: Gates, x: Sequence[Fraction]) -> list[Fraction]:
    """Return dy/dtheta for all weights: y is linear in each weight, so that a difference is exact."""
    found = []
    for number, layer in enumerate(layers):
        for i, j in product(range(len(layer)), range(len(layer[0]))):
            raised = [[list(row) for row in rows] for rows in layers]
            raised[number][i][j] += 1
            found.append(output(raised, gates, x) - output(layers, gates, x))
    return found


def inner(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Return the sum of products."""
    return sum((a * b for a, b in zip(one, other, strict=True)), start=Fraction(0))


@dataclass(frozen=True)
class Dual:
    """A number with its derivative in one direction."""

    value: Fraction
    slope: Fraction = Fraction(0)

    def __add__(self, other: "Dual") -> "Dual":
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: "Dual") -> "Dual":
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)


def derivative(function: Callable[[list[Dual]], Dual], at: Sequence[Fraction], which: int) -> Fraction:
    """Return the derivative of a function of duals by one of its arguments."""
    return function([Dual(value, Fraction(int(k == which))) for k, value in enumerate(at)]).slope
