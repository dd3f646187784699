"""The tables of networks with given weights: exact numbers of regions, and instants at which gates switch."""

from fractions import Fraction

from derivations.markdown import table
from theory.paths.regions import LinearGates, ReluGates, division, switches

_SIZES = ((3, 3), (4, 3), (3, 4), (4, 4))  # units of each hidden layer, layers
_KINDS = (
    ("linear, no biases", LinearGates, False),
    ("linear", LinearGates, True),
    ("ReLU", ReluGates, True),
)
_HEADS = (
    "gates",
    "$m$",
    "$L$",
    "bit patterns",
    "activation regions",
    "paths",
    "active paths",
    "bit patterns of a path",
    "most activation regions of a path",
)


def example(kind: type[LinearGates | ReluGates], units: int, layers: int, biased: bool) -> LinearGates | ReluGates:
    """Return the network of the page with these sizes: `units` in each of its layers - 1 hidden layers.

    The unit i of the hidden layer l = 1, 2, ... has the weight i (4 i + 5 j + 3 l) mod 11 - 5 of the unit j before it,
    and the bias (6 i + 4 l) mod 5 - 2; i and j count from 0.

    >>> example(LinearGates, 2, 2, biased=True).weights[0][1] == (7 - 5, 12 % 11 - 5)
    True
    """
    weights, biases = [], []
    for layer in range(1, layers):
        before = range(units if layer > 1 else 2)
        weights.append([[i * (4 * i + 5 * j + 3 * layer) % 11 - 5 for j in before] for i in range(units)])
        biases.append([(6 * i + 4 * layer) % 5 - 2 if biased else 0 for i in range(units)])
    return kind(weights, biases)


def _counts() -> str:
    rows = []
    for units, layers in _SIZES:
        for title, kind, biased in _KINDS:
            made = division(example(kind, units, layers, biased=biased)).counts
            of_a_path = 2 ** ((units - 1) * (layers - 1))
            numbers = (units, layers, made.bits, made.patterns, made.paths, made.active, of_a_path, made.most)
            rows.append([title, *map(str, numbers)])
    return table(_HEADS, rows)


def _switches() -> str:
    """Return the switches of one input while the weights of the first example turn into their negatives."""
    rows = []
    for title, kind in (("linear", LinearGates), ("ReLU", ReluGates)):
        start = example(kind, 3, 3, biased=True)
        end = kind([[[-w for w in row] for row in layer] for layer in start.weights], start.biases)
        for switch in switches(start, end, [_POINT]):
            change = "opens" if switch.opens else "closes"
            rows.append([title, f"{float(switch.time):.6f}", str(switch.layer), str(switch.unit + 1), change])
    return table(("gates", "$t$", "hidden layer", "unit", "the gate"), rows)


_POINT = Fraction(1), Fraction(-1, 2)
# The tables of the directive {regions NAME}.
TABLES = {"counts": _counts, "switches": _switches}
