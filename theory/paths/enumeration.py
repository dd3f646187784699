"""The paths of a network: their activity, feature and value, and the output as a sum over them.

A path p = (p(0), ..., p(d-1)) starts at an input node and passes one node of each hidden level; its end is the one
output. With the gates G_l and the weights Theta_l

    A(x, p) = prod_(l=1..d-1) G_l(x, p(l))                activity
    phi(x, p) = x(p(0)) A(x, p)                           neural path feature
    v(p) = prod_(l=1..d) Theta_l(p(l-1) -> p(l))          neural path value, or strength
    y(x) = <phi(x), v>

Sources: neural path kernel, Definition 2.1 and Proposition 2.1; deep gated networks, (2), Definitions 7.1 to 7.4.
"""

from fractions import Fraction
from itertools import product
from math import prod

from theory.paths.network import WeightedNetwork, inner
from theory.problem.errors import OutOfReachError

Path = tuple[int, ...]  # the input node, then a node of each hidden level
Weight = tuple[int, int, int]  # layer from 0, target, source
MOST_PATHS = 10**5


def paths(network: WeightedNetwork) -> tuple[Path, ...]:
    """Return all paths, those of the first input node first. Raises OutOfReachError for more than MOST_PATHS.

    >>> from theory.paths.network import weighted
    >>> paths(weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]))
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    number = network.number_of_paths
    if number > MOST_PATHS:
        shown = str(number) if number < 10**15 else f"10^{len(str(number)) - 1}"
        raise OutOfReachError(
            f"The network has {shown} paths, and at most {MOST_PATHS} are enumerated.",
            "Take fewer levels or nodes. The output, the number of active paths, overlap, path kernel and tangent "
            "kernel need no enumeration: theory.paths computes them layer by layer.",
        )
    return tuple(product(*(range(width) for width in network.widths)))


def activities(network: WeightedNetwork, number: int) -> tuple[Fraction, ...]:
    """Return A(x, p) of each path for one input: the product of the path's gates.

    >>> from theory.paths.network import weighted
    >>> [int(a) for a in activities(weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]), 0)]
    [1, 0, 1, 0]
    """
    gates = network.gates(number)
    return tuple(
        prod((level[node] for level, node in zip(gates, path[1:], strict=True)), start=Fraction(1))
        for path in paths(network)
    )


def active_paths(network: WeightedNetwork, number: int) -> tuple[Path, ...]:
    """Return the paths whose gates are all other than 0 for one input.

    >>> from theory.paths.network import weighted
    >>> active_paths(weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]), 0)
    ((0, 0), (1, 0))
    """
    return tuple(path for path, activity in zip(paths(network), activities(network, number), strict=True) if activity)


def number_active(network: WeightedNetwork, number: int) -> int:
    """Return the number of active paths for one input, without enumeration: a product over the levels.

    >>> from theory.paths.network import weighted
    >>> number_active(weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]), 0)
    2
    """
    return network.widths[0] * prod(sum(gate != 0 for gate in level) for level in network.gates(number))


def features(network: WeightedNetwork, number: int) -> tuple[Fraction, ...]:
    """Return the neural path feature phi(x, p) = x(p(0)) A(x, p) of each path for one input.

    >>> from theory.paths.network import weighted
    >>> [int(phi) for phi in features(weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]), 0)]
    [1, 0, 2, 0]
    """
    x = network.inputs[number]
    active = zip(paths(network), activities(network, number), strict=True)
    return tuple(x[path[0]] * activity for path, activity in active)


def values(network: WeightedNetwork) -> tuple[Fraction, ...]:
    """Return the value v(p) of each path: the product of its weights, in which no gate occurs.

    >>> from theory.paths.network import weighted
    >>> [int(v) for v in values(weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]))]
    [5, 18, 5, 24]
    """
    return tuple(prod((_at(network, edge) for edge in edges(path)), start=Fraction(1)) for path in paths(network))


def value_gradients(network: WeightedNetwork) -> tuple[dict[Weight, Fraction], ...]:
    """Return the gradient of each path's value, by the weights of the path; it is 0 for all other weights.

    The derivative by a weight of the path is the product of the path's other weights. Source: deep gated networks, (3);
    neural path kernel, Definition 3.1.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]])
    >>> {weight: int(slope) for weight, slope in value_gradients(net)[1].items()}  # 3 x 6, by either factor
    {(0, 1, 0): 6, (1, 0, 1): 3}
    """
    gradients = []
    for path in paths(network):
        along = edges(path)
        numbers = [_at(network, edge) for edge in along]
        gradients.append(
            {edge: prod(numbers[:k] + numbers[k + 1 :], start=Fraction(1)) for k, edge in enumerate(along)}
        )
    return tuple(gradients)


def edges(path: Path) -> tuple[Weight, ...]:
    """Return the weights of a path, from the input to the output: layer, target, source.

    >>> edges((1, 0))
    ((0, 0, 1), (1, 0, 0))
    """
    return tuple((layer, target, path[layer]) for layer, target in enumerate((*path[1:], 0)))


def output_over_paths(network: WeightedNetwork, number: int) -> Fraction:
    """Return y(x) = <phi(x), v>, the sum over all paths. Raises OutOfReachError for more than MOST_PATHS.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]])
    >>> output_over_paths(net, 0) == output(net, 0) == 15
    True
    """
    return inner(features(network, number), values(network))


def output(network: WeightedNetwork, number: int) -> Fraction:
    """Return y(x) layer by layer, without paths.

    >>> from theory.paths.network import weighted
    >>> output(weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]]), 0)  # 5 (1 + 2)
    Fraction(15, 1)
    """
    return forward(network, number)[-1][0]


def forward(network: WeightedNetwork, number: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return the values z_0 = x, z_l = G_l Theta_l z_(l-1) of the nodes of each level, the output last.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 2]], [[[1, 0]]], [[[1, 1], [3, 4]], [[5, 6]]])
    >>> [[int(z) for z in level] for level in forward(net, 0)]
    [[1, 2], [3, 0], [15]]
    """
    gates = (*network.gates(number), (Fraction(1),))
    levels = [network.inputs[number]]
    for layer, level_gates in zip(network.weights, gates, strict=True):
        before = levels[-1]
        levels.append(tuple(gate * inner(row, before) for gate, row in zip(level_gates, layer, strict=True)))
    return tuple(levels)


def _at(network: WeightedNetwork, weight: Weight) -> Fraction:
    layer, target, source = weight
    return network.weights[layer][target][source]
