"""Moments of K0 = sum_theta dy(x)/dtheta dy(x')/dtheta by enumeration of all weights, in integers: the definition."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np


def gradient(weights: Sequence[np.ndarray], x: Sequence[int], gates: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """Return dy/dTheta_l for each layer, (choices, out, in), for integer weights (choices, out, in) of each layer."""
    choices = len(weights[0])
    forward = [np.broadcast_to(np.array(x, dtype=np.int64), (choices, len(x)))]
    for layer, open_ in zip(weights, [*gates, [1]], strict=True):
        forward.append(np.einsum("coi,ci->co", layer, forward[-1]) * np.array(open_, dtype=np.int64))
    backward = np.ones((choices, 1), dtype=np.int64)
    derivatives = []
    for number in reversed(range(len(weights))):
        derivatives.append(np.einsum("co,ci->coi", backward, forward[number]))
        if number:
            backward = np.einsum("co,coi->ci", backward, weights[number]) * np.array(gates[number - 1], dtype=np.int64)
    return derivatives[::-1]


def every_weight(shapes: Sequence[tuple[int, int]], values: Sequence[int]) -> list[np.ndarray]:
    """Return all weights of the layers, each weight one of `values`: an array (choices, out, in) for each layer."""
    sizes = [prod(shape) for shape in shapes]
    choices = len(values) ** sum(sizes)
    digits = np.arange(choices)[:, None] // len(values) ** np.arange(sum(sizes)) % len(values)
    drawn = np.array(values, dtype=np.int64)[digits]
    return [
        part.reshape(-1, *shape) for part, shape in zip(np.split(drawn, np.cumsum(sizes)[:-1], 1), shapes, strict=True)
    ]


def moment(
    inputs: Sequence[Sequence[int]],
    gates: Sequence[Sequence[Sequence[int]]],
    pairs: Sequence[tuple[int, int]],
    law: dict[int, int] | None = None,
    factors: Sequence[int] | None = None,
) -> Fraction:
    """Return E prod K0(x_s, x_t) over the pairs; `gates[s]` has the gates of the input s, level by level.

    `law` has the relative frequency of each integer weight; the weights are 1 and -1 where it is None. Those of each
    layer are multiplied by a factor of `factors`.
    """
    law = law or {1: 1, -1: 1}
    widths = [len(inputs[0]), *map(len, gates[0]), 1]
    shapes = list(zip(widths[1:], widths, strict=False))
    weights = every_weight(shapes, list(law))
    frequency = np.ones(len(weights[0]), dtype=np.int64)
    for layer in weights:
        for value, share in law.items():
            frequency = frequency * share ** (layer == value).sum((1, 2))
    weights = [layer * factor for layer, factor in zip(weights, factors or [1] * len(weights), strict=True)]
    slopes = [gradient(weights, x, levels) for x, levels in zip(inputs, gates, strict=True)]
    kernels = [sum((a * b).sum((1, 2)) for a, b in zip(slopes[s], slopes[t], strict=True)) for s, t in pairs]
    total = sum(map(int, np.prod(kernels, axis=0) * frequency)) if pairs else int(frequency.sum())
    return Fraction(total, int(frequency.sum()))


def with_random_gates(
    inputs: Sequence[Sequence[int]], widths: Sequence[int], mu: Fraction, pairs: Sequence[tuple[int, int]]
) -> Fraction:
    """Return the same moment where all gates are independent, open with probability mu: the mean over every gating."""
    total = Fraction(0)
    size = len(inputs) * sum(widths)
    for flat in product((0, 1), repeat=size):
        rest, gates = list(flat), []
        for _ in inputs:
            gates.append([[rest.pop() for _ in range(width)] for width in widths])
        weight = mu ** sum(flat) * (1 - mu) ** (size - sum(flat))
        total += weight * moment(inputs, gates, pairs)
    return total
