"""Instants at which gates switch while the weights move on a straight line, as exact algebraic numbers.

On w(t) = w(0) + t (w(1) - w(0)) a pre-activation of layer l is a polynomial in t of the degree l at most; in a ReLU
network it is one between consecutive switches of the layers before. Gates are strict, so a pre-activation that only
touches 0 closes its gate for one instant, which is no switch.
"""

from dataclasses import dataclass
from itertools import pairwise

from sympy import QQ, Expr, Integer, Poly, Rational, Symbol

from theory.paths.regions.gating import LinearGates, Point, ReluGates
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact

MOST_LAYERS = 6
_t = Symbol("t")
_ZERO = Poly(0, _t, domain=QQ)


@dataclass(frozen=True)
class Switch:
    """The instant at which the gate of a unit opens or closes for an input; layers count from 1, the others from 0.

    >>> turned = switches(LinearGates([[[1, 0]]]), LinearGates([[[-2, 0]]]), [(1, 0)])  # q = 1 - 3 t
    >>> turned[0].time, turned[0].opens
    (1/3, False)
    """

    time: Expr
    input: int
    layer: int
    unit: int
    opens: bool


def switches(
    start: LinearGates | ReluGates, end: LinearGates | ReluGates, points: list[Point] | tuple[Point, ...]
) -> tuple[Switch, ...]:
    """Return the switches of all gates for the inputs `points` at times 0 < t < 1, in the order of time.

    The weights move from those of `start` at t = 0 to those of `end` at t = 1. Raises InputError for networks of
    different kinds or widths, OutOfReachError for more than 6 hidden layers.

    >>> first = ReluGates([[[1, 0]], [[1]]], [[0], [-1]])
    >>> then = ReluGates([[[3, 0]], [[1]]], [[0], [-1]])
    >>> [(switch.time, switch.layer, switch.opens) for switch in switches(first, then, [("1/2", 0)])]  # (1 + 2 t)/2 - 1
    [(1/2, 2, True)]
    """
    if type(start) is not type(end) or start.widths != end.widths:
        raise InputError(
            f"{type(start).__name__} of widths {start.widths} cannot move to {type(end).__name__} of {end.widths}.",
            "Give two networks of one kind and the same widths.",
        )
    if len(start.widths) > MOST_LAYERS:
        raise OutOfReachError(
            f"{len(start.widths)} hidden layers: polynomials in t are solved up to the degree {MOST_LAYERS}.",
            "Move a network with fewer layers.",
        )
    rectified = isinstance(start, ReluGates)
    unsorted = [
        switch for number, point in enumerate(points) for switch in _of_input(start, end, number, point, rectified)
    ]
    return tuple(sorted(unsorted, key=lambda switch: (_Ordered(switch.time), switch.input, switch.layer, switch.unit)))


def _of_input(
    start: LinearGates | ReluGates, end: LinearGates | ReluGates, number: int, point: Point, rectified: bool
) -> list[Switch]:
    times: list[Expr] = [Integer(0), Integer(1)]
    values = [[_constant(exact(x, "a coordinate")) for x in point]]  # of the layer before, by piece of time
    flips = []
    for layer in range(len(start.widths)):
        weights = [[_moving(*pair) for pair in zip(*rows, strict=True)] for rows in _both(start, end, layer)]
        biases = [_moving(*pair) for pair in zip(start.biases[layer], end.biases[layer], strict=True)]
        before = [[_affine(row, bias, piece) for row, bias in zip(weights, biases, strict=True)] for piece in values]
        times, before = _refined(times, before)
        opened = [
            [drive.eval(_between(*ends)) > 0 for drive in piece]
            for piece, ends in zip(before, pairwise(times), strict=True)
        ]
        for unit in range(len(biases)):
            for time, (was, now) in zip(times[1:], pairwise(piece[unit] for piece in opened), strict=False):
                if was != now:
                    flips.append(Switch(time, number, layer + 1, unit, bool(now)))
        values = [
            [drive if gate or not rectified else _ZERO for drive, gate in zip(piece, gates, strict=True)]
            for piece, gates in zip(before, opened, strict=True)
        ]
    return flips


def _both(start: LinearGates | ReluGates, end: LinearGates | ReluGates, layer: int) -> list[tuple]:
    return list(zip(start.weights[layer], end.weights[layer], strict=True))


def _constant(number: Rational) -> Poly:
    return Poly(Rational(number.numerator, number.denominator), _t, domain=QQ)


def _moving(first: Rational, last: Rational) -> Poly:
    return _constant(first) + _constant(last - first) * Poly(_t, _t, domain=QQ)


def _affine(row: list[Poly], bias: Poly, values: list[Poly]) -> Poly:
    return sum((weight * value for weight, value in zip(row, values, strict=True)), bias)


def _refined(times: list[Expr], pieces: list[list[Poly]]) -> tuple[list[Expr], list[list[Poly]]]:
    """Divide the pieces of time at the roots of their polynomials."""
    ends, refined = [times[0]], []
    for piece, (first, last) in zip(pieces, pairwise(times), strict=True):
        roots = {root for poly in piece if not poly.is_ground for root in poly.real_roots(radicals=False)}
        inner = sorted((root for root in roots if first < root < last), key=_Ordered)
        ends += [*inner, last]
        refined += [piece] * (len(inner) + 1)
    return ends, refined


def _between(first: Expr, last: Expr) -> Rational:
    """Return a fraction between two different algebraic numbers."""
    digits = 10
    while True:
        middle = Rational(str(((first + last) / 2).evalf(digits)))
        if first < middle < last:
            return middle
        digits *= 2


class _Ordered:
    """An algebraic number as a key of sorting."""

    def __init__(self, number: Expr) -> None:
        self.number = number

    def __lt__(self, other: "_Ordered") -> bool:
        return bool(self.number != other.number and self.number < other.number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Ordered) and self.number == other.number
