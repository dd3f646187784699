"""Small networks in fractions: outputs node by node, slopes by differences, and all signs of the weights."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

Number = Fraction | int
Weights = list[list[list[Number]]]  # layer, node behind it, node before it
Gates = Sequence[Sequence[Number]]  # level, node


def output(x: Number, weights: Weights, gates: Gates) -> Number:
    """Return y for one input node.

    >>> output(2, [[[3], [1]], [[1, 1]]], [[1, 0]])
    6
    """
    nodes = [x]
    for layer, open_ in zip(weights, [*gates, [1]], strict=True):
        nodes = [g * sum(a * b for a, b in zip(row, nodes, strict=True)) for g, row in zip(open_, layer, strict=True)]
    return nodes[0]


def signs(sizes: Sequence[int]) -> Iterator[Weights]:
    """Yield the weights +-1 of a network with these numbers of nodes, each choice once."""
    shapes = [(sizes[layer + 1], sizes[layer]) for layer in range(len(sizes) - 1)]
    for choice in product((1, -1), repeat=sum(rows * columns for rows, columns in shapes)):
        values = iter(choice)
        yield [[[next(values) for _ in range(columns)] for _ in range(rows)] for rows, columns in shapes]


def by_weights(x: Number, weights: Weights, gates: Gates) -> list[Number]:
    """Return dy/dtheta for each weight: y is linear in it, so a difference is exact."""
    found = []
    for layer in weights:
        for row in layer:
            for place, value in enumerate(row):
                ends = []
                for changed in (1, 0):
                    row[place] = changed
                    ends.append(output(x, weights, gates))
                row[place] = value
                found.append(ends[0] - ends[1])
    return found


def by_gates(x: Number, weights: Weights, gates: Gates, slope: Number) -> list[Number]:
    """Return dy/dm for the gate weights m, one for each gate, by which its gate has this slope."""
    own = [list(level) for level in gates]
    found = []
    for level in own:
        for place, value in enumerate(level):
            ends = []
            for changed in (1, 0):
                level[place] = changed
                ends.append(output(x, weights, own))
            level[place] = value
            found.append(slope * (ends[0] - ends[1]))
    return found
