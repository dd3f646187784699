"""Kernels of a network with given gates and weights: overlap, path kernel, value tangent kernel, tangent kernel.

    Lambda(s, t) = prod_l sum_i G_l(x_s, i) G_l(x_t, i)         overlap: for gates 0 and 1 the number of hidden paths
                                                                that both inputs open
    H = Phi^T Phi = Sigma o Lambda                              neural path kernel, Sigma the Gram matrix of the inputs
    V = (grad v)^T (grad v)                                     value tangent kernel, of the weights alone
    K = (grad y)^T (grad y) = Phi^T V Phi                       neural tangent kernel, gates fixed
    K(s, t) = sum_(i, j) x_s(i) x_t(j) kappa(s, t, i, j)        signal and wire: paths that start at i and at j

Sources: neural path kernel, Definitions 2.2 and 3.2, Lemma 2.1, Proposition 3.1; deep gated networks, Lemma 2.1 (4) and
Lemma 7.1 (9), which keep only i = j and hold for one input node; half-space feature learning, section 3.2.
"""

from fractions import Fraction
from itertools import product
from math import prod

from theory.paths.enumeration import Weight, activities, features, forward, paths, value_gradients
from theory.paths.network import Rows, WeightedNetwork, inner
from theory.problem.errors import OutOfReachError

MOST_PAIRED = 1_000  # paths of which all pairs are formed


def input_gram(network: WeightedNetwork) -> Rows:
    """Return Sigma(s, t) = <x_s, x_t>.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 2], [0, 3]], [[[1, 0], [1, 1]]], [[[1, 1], [3, 4]], [[5, 6]]])
    >>> [[int(value) for value in row] for row in input_gram(net)]
    [[5, 6], [6, 9]]
    """
    return tuple(tuple(inner(x, other) for other in network.inputs) for x in network.inputs)


def overlap(network: WeightedNetwork) -> Rows:
    """Return Lambda(s, t), the product over the hidden levels of <G_l(x_s), G_l(x_t)>; no path is enumerated.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 2], [0, 3]], [[[1, 0], [1, 1]]], [[[1, 1], [3, 4]], [[5, 6]]])
    >>> [[int(value) for value in row] for row in overlap(net)]
    [[1, 1], [1, 2]]
    """
    gates = [network.gates(number) for number in range(len(network.inputs))]
    return tuple(
        tuple(prod((inner(a, b) for a, b in zip(one, other, strict=True)), start=Fraction(1)) for other in gates)
        for one in gates
    )


def path_kernel(network: WeightedNetwork) -> Rows:
    """Return H = Sigma o Lambda, entry by entry, which is Phi^T Phi; no path is enumerated.

    >>> from theory.paths.enumeration import features
    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 2], [0, 3]], [[[1, 0], [1, 1]]], [[[1, 1], [3, 4]], [[5, 6]]])
    >>> path_kernel(net)[0][1] == sum(a * b for a, b in zip(features(net, 0), features(net, 1)))
    True
    """
    return tuple(
        tuple(a * b for a, b in zip(one, other, strict=True))
        for one, other in zip(input_gram(network), overlap(network), strict=True)
    )


def value_tangent_kernel(network: WeightedNetwork) -> Rows:
    """Return V(p, q) = <grad v(p), grad v(q)> over all weights. Raises OutOfReachError for more than MOST_PAIRED paths.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1]], [[[1, 0]]], [[[2], [3]], [[5, 7]]])
    >>> [[int(value) for value in row] for row in value_tangent_kernel(net)]  # 2^2 + 5^2, 3^2 + 7^2
    [[29, 0], [0, 58]]
    """
    _check_pairs(network)
    slopes = value_gradients(network)
    return tuple(tuple(_sparse(one, other) for other in slopes) for one in slopes)


def tangent_kernel(network: WeightedNetwork) -> Rows:
    """Return K(s, t) = sum over the weights of the products of the slopes of y(x_s) and y(x_t), gates fixed.

    Layer by layer: K = sum_l <z_(l-1), z'_(l-1)> <b_l, b'_l> with the values z forward and the slopes b backward.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 2], [0, 3]], [[[1, 0], [1, 1]]], [[[1, 1], [3, 4]], [[5, 6]]])
    >>> tangent_kernel(net) == tangent_kernel_over_paths(net)
    True
    """
    numbers = range(len(network.inputs))
    ahead = [forward(network, number)[:-1] for number in numbers]
    back = [_backward(network, number) for number in numbers]
    return tuple(
        tuple(
            sum(
                (
                    inner(z, z_) * inner(b, b_)
                    for z, z_, b, b_ in zip(ahead[s], ahead[t], back[s], back[t], strict=True)
                ),
                start=Fraction(0),
            )
            for t in numbers
        )
        for s in numbers
    )


def tangent_kernel_over_paths(network: WeightedNetwork) -> Rows:
    """Return K = Phi^T V Phi from features and values of the paths. Raises OutOfReachError as `value_tangent_kernel`.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1]], [[[1, 0]]], [[[2], [3]], [[5, 7]]])
    >>> tangent_kernel_over_paths(net)[0][0] == 29  # the one open path
    True
    """
    kernel = value_tangent_kernel(network)
    phi = [features(network, number) for number in range(len(network.inputs))]
    applied = [[inner(row, feature) for row in kernel] for feature in phi]
    return tuple(tuple(inner(feature, other) for other in applied) for feature in phi)


def interaction(network: WeightedNetwork, s: int, t: int) -> Rows:
    """Return kappa(s, t, i, j) = sum A(x_s, p) A(x_t, q) <grad v(p), grad v(q)> over the paths p from i and q from j.

    K(s, t) is the sum over all pairs of input nodes of x_s(i) x_t(j) kappa(s, t, i, j). Terms with different input
    nodes do not vanish: their paths share later weights.

    >>> from theory.paths.network import weighted
    >>> net = weighted([[1, 0], [0, 1]], [[[1], [1]]], [[[1, 1]], [[1]]])
    >>> [[int(value) for value in row] for row in interaction(net, 0, 1)], int(tangent_kernel(net)[0][1])
    ([[2, 1], [1, 2]], 1)
    """
    _check_pairs(network)
    one, other, slopes = activities(network, s), activities(network, t), value_gradients(network)
    nodes = range(network.widths[0])
    sums = {pair: Fraction(0) for pair in product(nodes, nodes)}
    along = paths(network)
    for (p, a, slope), (q, b, other_slope) in product(
        zip(along, one, slopes, strict=True), zip(along, other, slopes, strict=True)
    ):
        if a and b:
            sums[p[0], q[0]] += a * b * _sparse(slope, other_slope)
    return tuple(tuple(sums[i, j] for j in nodes) for i in nodes)


def _backward(network: WeightedNetwork, number: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return the slopes of y by the pre-activations of each level, the output's slope 1 last."""
    slopes = [(Fraction(1),)]
    for layer, gates in zip(reversed(network.weights), reversed(network.gates(number)), strict=False):
        columns = zip(*layer, strict=True)
        slopes.append(tuple(g * inner(slopes[-1], column) for g, column in zip(gates, columns, strict=True)))
    return tuple(reversed(slopes))


def _sparse(one: dict[Weight, Fraction], other: dict[Weight, Fraction]) -> Fraction:
    return sum((slope * other[weight] for weight, slope in one.items() if weight in other), start=Fraction(0))


def _check_pairs(network: WeightedNetwork) -> None:
    if network.number_of_paths > MOST_PAIRED:
        raise OutOfReachError(
            f"The network has {network.number_of_paths} paths, and pairs are formed of at most {MOST_PAIRED}.",
            "Take fewer levels or nodes; theory.paths.tangent_kernel needs no paths.",
        )
