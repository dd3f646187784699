"""Gates of a network on the plane: linear, or those of a ReLU network, whose pre-activations are affine piece by piece.

Half-space paper, (2) and (4): the gate of unit i in layer l is open where its pre-activation q_li is positive, with
q_l = W_l q_(l-1) + b_l for linear gates and q_l = W_l relu(q_(l-1)) + b_l for those of a ReLU network. The paper opens
a gate where q >= 0 in (2) and (4), and where q > 0 in its section 3; here gates are strict, 1[q > 0].
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import lcm, prod
from typing import Any

from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact, shown

Point = tuple[Fraction, Fraction]
Form = tuple[Fraction, Fraction, Fraction]  # (a, b, c) is the function a x + b y + c
Pattern = tuple[tuple[bool, ...], ...]  # by layer, whether the gate of each unit is open
Path = tuple[int, ...]  # a unit of each hidden layer, counted from 0
ZERO: Form = (Fraction(0), Fraction(0), Fraction(0))
_AXES: tuple[Form, Form] = ((Fraction(1), Fraction(0), Fraction(0)), (Fraction(0), Fraction(1), Fraction(0)))
MOST_UNITS = 256


@dataclass(frozen=True)
class _Layers:
    """Weights and biases of the hidden layers: `weights[l]` has a row for each unit of the layer, `biases[l]` a number.

    Without biases (an empty tuple) every number is 0.
    """

    weights: tuple[tuple[tuple[Fraction, ...], ...], ...]
    biases: tuple[tuple[Fraction, ...], ...] = ()

    def __post_init__(self) -> None:
        weights = tuple(tuple(tuple(exact(w, "a weight") for w in row) for row in layer) for layer in self.weights)
        before = 2
        for number, layer in enumerate(weights, start=1):
            if not layer or {len(row) for row in layer} != {before}:
                raise InputError(
                    f"The weights of layer {number} are {shown(self.weights[number - 1])}; each of its rows must have "
                    f"{before} numbers, one for each {'coordinate of the plane' if number == 1 else 'unit before'}.",
                    "Give a row for each unit.",
                )
            before = len(layer)
        if not weights:
            raise InputError("A network without a hidden layer has no gates.", "Give the weights of a layer.")
        declared = self.biases or tuple((0,) * len(layer) for layer in weights)
        biases = tuple(tuple(exact(b, "a bias") for b in layer) for layer in declared)
        if [len(layer) for layer in biases] != [len(layer) for layer in weights]:
            raise InputError(
                f"Layers of {_listed(map(len, weights))} units have {_listed(map(len, biases))} biases.",
                "Give a bias for each unit, or none at all.",
            )
        if (units := sum(map(len, weights))) > MOST_UNITS:
            raise OutOfReachError(
                f"{units} hidden units: the plane is divided exactly for up to {MOST_UNITS}.",
                "Use fewer layers or units.",
            )
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "biases", biases)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of units of each hidden layer."""
        return tuple(map(len, self.weights))

    @property
    def paths(self) -> int:
        """The number of paths, one unit of each hidden layer: the product of the widths."""
        return prod(self.widths)

    def checked(self, path: Path) -> Path:
        """Return the path. Raises InputError for one that does not name a unit of each hidden layer."""
        fits = isinstance(path, list | tuple) and len(path) == len(self.widths)
        if not fits or not all(isinstance(i, int) and 0 <= i < m for i, m in zip(path, self.widths, strict=True)):
            raise InputError(
                f"path = {shown(path)} is no path through layers of {_listed(self.widths)} units.",
                "Name one unit of each hidden layer, counted from 0.",
            )
        return tuple(path)


class LinearGates(_Layers):
    """Gates of a deep linearly gated network: q_l = W_l q_(l-1) + b_l, so that each gate opens on a half-plane.

    >>> LinearGates([[[1, 0], [0, 1]], [[1, 1]]]).widths
    (2, 1)
    """


class ReluGates(_Layers):
    """Gates of a ReLU network: q_l = W_l relu(q_(l-1)) + b_l.

    >>> ReluGates([[[1, 0]]], [[1, 2]])
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: Layers of 1 units have 2 biases. Give a bias for each unit, or none at all.
    """


Gates = LinearGates | ReluGates


@singledispatch
def passed_on(gates: Any, _form: Form, _opened: bool) -> Form:
    """Return the function that a unit passes to the next layer, of one with the pre-activation `_form`.

    >>> passed_on(ReluGates([[[1, 0]]]), (1, 0, 0), False) == ZERO
    True
    """
    raise InputError(f"{shown(gates)} has no gates on the plane.", "Use LinearGates or ReluGates.")


@passed_on.register
def _(_gates: LinearGates, form: Form, _opened: bool) -> Form:
    return form


@passed_on.register
def _(_gates: ReluGates, form: Form, opened: bool) -> Form:
    return form if opened else ZERO


def combined(row: tuple[Fraction, ...], bias: Fraction, forms: tuple[Form, ...]) -> Form:
    """Return the function sum_j row_j forms_j + bias.

    >>> combined((2, 3), 5, ((1, 0, 0), (0, 1, 0))) == (2, 3, 5)
    True
    """
    a, b, c = (sum((w * form[k] for w, form in zip(row, forms, strict=True) if w), Fraction(0)) for k in range(3))
    return a, b, c + bias


def inputs() -> tuple[Form, Form]:
    """Return the two coordinates of the plane as functions.

    >>> [value(form, (Fraction(3), Fraction(5))) for form in inputs()]
    [Fraction(3, 1), Fraction(5, 1)]
    """
    return _AXES


def value(form: Form, point: Point) -> Fraction:
    """Return the value of the function at a point.

    >>> value((1, 2, 3), (Fraction(1, 2), Fraction(1)))
    Fraction(11, 2)
    """
    return form[0] * point[0] + form[1] * point[1] + form[2]


def pattern_at(gates: Gates, point: Point) -> Pattern:
    """Return the gates that are open at a point, by layer.

    >>> pattern_at(ReluGates([[[1, 0], [0, 1]], [[-1, 1]]]), (1, 0))  # the second layer has q = -1
    ((True, False), (False,))
    """
    at = (exact(point[0], "x"), exact(point[1], "y"))
    forms, pattern = inputs(), []
    for weights, biases in zip(gates.weights, gates.biases, strict=True):
        before = [combined(row, bias, forms) for row, bias in zip(weights, biases, strict=True)]
        opened = tuple(value(form, at) > 0 for form in before)
        forms = tuple(passed_on(gates, form, gate) for form, gate in zip(before, opened, strict=True))
        pattern.append(opened)
    return tuple(pattern)


def is_active(pattern: Pattern, path: Path) -> bool:
    """Return whether all gates of a path are open.

    >>> is_active(((True, False), (True,)), (0, 0)), is_active(((True, False), (True,)), (1, 0))
    (True, False)
    """
    return all(layer[unit] for layer, unit in zip(pattern, path, strict=True))


def reach(gates: Gates) -> Fraction:
    """Return R such that |x|, |y| < R at every vertex of the division of the plane, and every line of it enters there.

    With all weights multiplied to whole numbers, the function of a unit on any region has whole coefficients of sizes
    at most A (of x and y) and C (the constant). Two lines that cross do so at quotients of determinants, of which the
    denominator is at least 1 in size and the numerators are at most 2 A C; a line is at most C from the origin.

    >>> reach(LinearGates([[[1, 0], [0, 1]]]))  # two lines through the origin
    Fraction(1, 1)
    """
    slopes, constants, scale = [1, 1], [0, 0], 1
    largest_slope = largest_constant = 0
    for weights, biases in zip(gates.weights, gates.biases, strict=True):
        step = lcm(*(number.denominator for row in (*weights, biases) for number in row))
        sizes = [[int(abs(w) * step) for w in row] for row in weights]
        scale *= step
        slopes, constants = (
            [sum(size * one for size, one in zip(row, slopes, strict=True)) for row in sizes],
            [
                sum(size * one for size, one in zip(row, constants, strict=True)) + int(abs(bias) * scale)
                for row, bias in zip(sizes, biases, strict=True)
            ],
        )
        largest_slope, largest_constant = max(largest_slope, *slopes), max(largest_constant, *constants)
    return Fraction(2 * largest_slope * largest_constant + largest_constant + 1)


def _listed(numbers: Any) -> str:
    return ", ".join(map(str, numbers))
