"""Networks drawn in fractions, and slopes by differences: y is linear in each weight, so differences are exact."""

import random
from fractions import Fraction
from itertools import pairwise, product

from theory.paths import WeightedNetwork, weighted

SHAPES = ((1, (2, 2, 2)), (2, (3, 1, 2)), (3, (2,)), (4, ()))


def drawn(d_in: int, widths: tuple[int, ...], seed: int, *, soft: bool = False, count: int = 3) -> WeightedNetwork:
    """Return a network of small random fractions with `count` inputs; gates are 0 and 1, or fractions."""
    rng = random.Random(f"{d_in} {widths} {seed} {soft}")

    def number() -> Fraction:
        return Fraction(rng.randint(-9, 9), rng.randint(1, 4))

    gates = [[[number() if soft else rng.randint(0, 1) for _ in range(w)] for _ in range(count)] for w in widths]
    sizes = (d_in, *widths, 1)
    weights = [[[number() for _ in range(a)] for _ in range(b)] for a, b in pairwise(sizes)]
    return weighted([[number() for _ in range(d_in)] for _ in range(count)], gates, weights)


def output(net: WeightedNetwork, number: int, weights=None) -> Fraction:
    """Return y(x) by a loop over the layers, with these weights in place of the network's."""
    layers = net.weights if weights is None else weights
    z = list(net.inputs[number])
    for k, layer in enumerate(layers):
        z = [sum((row[j] * z[j] for j in range(len(z))), Fraction(0)) for row in layer]
        if k < len(layers) - 1:
            z = [g * value for g, value in zip(net.gates(number)[k], z, strict=True)]
    return z[0]


def slopes(net: WeightedNetwork, number: int) -> list[Fraction]:
    """Return dy(x)/dtheta for all weights: y where the weight is one larger, less y."""
    derivatives = []
    for k, layer in enumerate(net.weights):
        for i, j in product(range(len(layer)), range(len(layer[0]))):
            moved = [[list(row) for row in rows] for rows in net.weights]
            moved[k][i][j] += 1
            derivatives.append(output(net, number, moved) - output(net, number))
    return derivatives


def tangent(net: WeightedNetwork) -> list[list[Fraction]]:
    """Return the products of the slopes of each pair of inputs."""
    of = [slopes(net, number) for number in range(len(net.inputs))]
    return [[sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0)) for other in of] for one in of]
