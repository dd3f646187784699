"""The values of the claims on the tangent kernel: four paths of two kernels, followed from node to node.

K0 is the sum over weights of the product of two slopes of y, and a slope is a sum over paths. The mean of the weights
on four paths is a product over the layers: of the moments of each weight, by the number of paths that use it.
"""

from functools import cache
from itertools import product
from math import comb, factorial

import numpy as np
from mpmath import mpf

MARKS = tuple(product((0, 1), repeat=2))  # which of the two kernels takes its slope by a weight of the layer
MOMENTS = {"signs": {0: 1, 2: 1, 4: 1}, "gaussian": {0: 1, 2: 1, 4: 3}}


@cache
def nodes(width: int) -> np.ndarray:
    """Return the nodes of four paths, those that coincide in pairs; others have a weight that occurs once."""
    every = np.array(list(product(range(width), repeat=4))).reshape(-1, 4)
    pairs = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2))
    return every[np.any([(every[:, a] == every[:, b]) & (every[:, c] == every[:, d]) for a, b, c, d in pairs], 0)]


@cache
def layer(width: int, following: int, law: str, marks: tuple[int, int]) -> np.ndarray:
    """Return the means of the weights of a layer on four paths, (nodes before, nodes after), exact integers."""
    one, other = nodes(width)[:, None, :], nodes(following)[None, :, :]
    edge = one * following + other  # a number for each edge
    factor = np.ones(edge.shape[:2], dtype=object)
    for kernel, marked in enumerate(marks):
        if marked:
            factor = factor * (edge[..., 2 * kernel] == edge[..., 2 * kernel + 1])
    using = [path for path in range(4) if not marks[path // 2]]
    for position, path in enumerate(using):
        shared = (edge[..., using] == edge[..., path, None]).sum(-1)
        first = ~(edge[..., using[:position]] == edge[..., path, None]).any(-1)  # each edge once
        moments = np.array([MOMENTS[law].get(count, 0) for count in range(5)], dtype=object)
        factor = factor * np.where(first, moments[shared], 1)
    return factor


@cache
def second_moment(w: int, d: int, law: str = "signs") -> int:
    """Return E K0^2 for x = 1, all gates open and weights of variance 1."""
    sums = {(0, 0): np.array([1], dtype=object)}
    size = 1
    for following in (*[w] * (d - 1), 1):
        found: dict[tuple[int, int], np.ndarray] = {}
        for already, vector in sums.items():
            for marks in MARKS:
                if not (already[0] and marks[0]) and not (already[1] and marks[1]):
                    together = already[0] + marks[0], already[1] + marks[1]
                    found[together] = found.get(together, 0) + vector @ layer(size, following, law, marks)
        sums, size = found, following
    return int(sums[1, 1][0])


def normalised(w: mpf, d: mpf, law: str = "signs") -> mpf:
    """Return E K0^2 for weights of variance 1/w."""
    return mpf(second_moment(int(w), int(d), law)) / mpf(int(w)) ** (2 * int(d) - 2)


def leading(d: mpf) -> mpf:
    """Return the coefficient of 1/w of the variance of wide networks: a polynomial in w divided by w^(2d-2)."""
    depth = int(d)
    order = max(2 * depth - 3, 0)
    values = [0, *(second_moment(w, depth) - (depth * w ** (depth - 1)) ** 2 for w in range(1, order + 1))]
    return mpf(sum((-1) ** (order - k) * comb(order, k) * own for k, own in enumerate(values))) / factorial(order)


def order() -> mpf:
    """Return the coefficient of d^3, by the third difference."""
    return (leading(5) - 3 * leading(4) + 3 * leading(3) - leading(2)) / 6


def mean(w: mpf, d: mpf, a: mpf, b: mpf, u: mpf, v: mpf, V: mpf) -> mpf:
    """Return E K0(x, x'): two paths, which every layer but the marked one holds together by its weights."""
    width, depth = int(w), int(d)
    open_ = np.array([[i < a, i >= w - b] for i in range(width)], dtype=object)
    both = [np.array([[1 * v, 1], [u * v, u]], dtype=object), *[np.outer(*open_.T) * 1] * (depth - 1), np.ones((1, 1))]
    total = mpf(0)
    for marked in range(depth):
        value = both[0]
        for number in range(depth):
            # A weight's mean square is V where both paths use it; its slope puts both paths on it, with no factor.
            value = np.trace(value) * np.eye(len(both[number + 1])) * both[number + 1] * (1 if number == marked else V)
        total += value[0, 0]
    return total


VALUES = {
    "kernel.mean.value": mean,
    "kernel.variance.value": normalised,
    "kernel.variance.gaussian_weights": lambda w, d: normalised(w, d, "gaussian"),
    "kernel.variance.leading": leading,
    "kernel.variance.order": order,
}
PRINTED = {"kernel.variance.order": lambda: mpf(0)}
