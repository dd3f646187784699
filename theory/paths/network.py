"""A gated network with given weights, in fractions: the data from which paths are enumerated."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod

from theory.kernels.network import AllOn, BernoulliGates, GatedNetwork, GivenValues
from theory.problem.errors import InputError
from theory.problem.numbers import exact

Rows = tuple[tuple[Fraction, ...], ...]


def inner(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Return sum_i a_i b_i, as one fraction over the least common multiple of the products' denominators.

    >>> inner((Fraction(1, 2), Fraction(0), Fraction(1, 3)), (Fraction(1), Fraction(5), Fraction(2)))
    Fraction(7, 6)
    """
    # Fractions would be put in lowest terms after every product and every sum, which takes ten times as long.
    terms = [
        (a.numerator * b.numerator, a.denominator * b.denominator) for a, b in zip(one, other, strict=True) if a and b
    ]
    common = lcm(*(denominator for _, denominator in terms))
    return Fraction(sum(numerator * (common // denominator) for numerator, denominator in terms), common)


@dataclass(frozen=True)
class WeightedNetwork:
    """The network y(x) = Theta_d G_(d-1) Theta_(d-1) ... G_1 Theta_1 x with given gates and weights.

    `gated` has the inputs as rows and the gates of each hidden level, a row for each input; the law of weights that it
    names is not used. `weights` are the layers Theta_1 ... Theta_d, a row for each target: the entry [i][j] leads from
    node j to node i. The last layer has one row. Gates may be any numbers, 0 and 1 or soft. Raises InputError for
    random gates, and for a layer of another shape than the levels on its two sides.

    >>> from theory.kernels import GatedNetwork, GivenValues
    >>> gated = GatedNetwork([[1, 2]], (GivenValues([[1, 0]]),))
    >>> WeightedNetwork(gated, ([[1, 1], [3, 4]], [[5, 6]])).widths
    (2, 2)
    """

    gated: GatedNetwork
    weights: tuple[Rows, ...]

    def __post_init__(self) -> None:
        layers = tuple(
            tuple(tuple(exact(value, f"a weight of layer {number}") for value in row) for row in layer)
            for number, layer in enumerate(self.weights, 1)
        )
        object.__setattr__(self, "weights", layers)
        for number, level in enumerate(self.gated.levels, 1):
            if isinstance(level, BernoulliGates):
                raise InputError(
                    f"Level {number} has random gates, and a path has a feature only where each gate has a value.",
                    "Give the gates by GivenValues, a row for each input.",
                )
        shapes = list(zip((*self.widths[1:], 1), self.widths, strict=True))
        if len(layers) != len(shapes):
            raise InputError(
                f"{len(layers)} layers of weights do not fit {len(shapes) - 1} hidden levels.",
                f"Give {len(shapes)} layers: one before each hidden level and one before the output.",
            )
        for number, (layer, (targets, sources)) in enumerate(zip(layers, shapes, strict=True), 1):
            if len(layer) != targets or any(len(row) != sources for row in layer):
                raise InputError(
                    f"Layer {number}, from {sources} to {targets} nodes, has {len(layer)} rows of "
                    f"{sorted({len(row) for row in layer})} weights.",
                    f"Give {targets} rows of {sources} numbers: a row has the weights that lead to one node.",
                )

    @property
    def inputs(self) -> Rows:
        """The inputs, a row each."""
        return self.gated.inputs.rows

    @property
    def depth(self) -> int:
        """The number d of layers of weights."""
        return self.gated.depth

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of input nodes, then of the nodes of each hidden level."""
        return (self.gated.inputs.width, *(level.width for level in self.gated.levels))

    @property
    def number_of_paths(self) -> int:
        """P, the product of the widths: d_in w^(d-1) for equal levels."""
        return prod(self.widths)

    def gates(self, number: int) -> Rows:
        """Return the gates of one input, a row for each hidden level. Raises InputError for an unknown input."""
        if not 0 <= number < len(self.inputs):
            raise InputError(f"There is no input {number}.", f"Inputs are 0 to {len(self.inputs) - 1}.")
        return tuple(
            (Fraction(1),) * level.width if isinstance(level, AllOn) else level.rows[number]
            for level in self.gated.levels
        )


def weighted(
    inputs: Sequence[Sequence[Fraction | int]],
    gates: Sequence[Sequence[Sequence[Fraction | int]]],
    weights: Sequence[Sequence[Sequence[Fraction | int]]],
) -> WeightedNetwork:
    """Return the network of these inputs, gates (level, input, node) and weights (layer, target, source).

    >>> weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]).number_of_paths
    4
    """
    levels = tuple(GivenValues(tuple(tuple(row) for row in level)) for level in gates)
    rows = tuple(tuple(tuple(row) for row in layer) for layer in weights)
    return WeightedNetwork(GatedNetwork(GivenValues(tuple(tuple(row) for row in inputs)), levels), rows)
