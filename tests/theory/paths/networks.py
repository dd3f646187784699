"""Networks of the tests: small integer weights from a seed, with and without biases, degenerate ones included."""

import random
from fractions import Fraction


def drawn(seed, widths, biased, largest=4):
    """Weights and biases of a network on the plane; few different numbers, so that lines meet and coincide."""
    rng = random.Random(seed)
    before, weights, biases = 2, [], []
    for width in widths:
        weights.append([[Fraction(rng.randint(-largest, largest), 2) for _ in range(before)] for _ in range(width)])
        biases.append([Fraction(rng.randint(-largest, largest) if biased else 0) for _ in range(width)])
        before = width
    return weights, biases


def outputs(weights, biases, rectified, point):
    """The pre-activations of every layer at a point, layer by layer."""
    values, layers = list(point), []
    for rows, shifts in zip(weights, biases, strict=True):
        drives = [sum(w * v for w, v in zip(row, values, strict=True)) + b for row, b in zip(rows, shifts, strict=True)]
        layers.append(drives)
        values = [max(v, 0) if rectified else v for v in drives]
    return layers
