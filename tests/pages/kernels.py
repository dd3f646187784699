"""The values of the claims on the tangent kernel: four paths of two kernels, followed from node to node.

K0 is the sum over weights of the product of two slopes of y, and a slope is a sum over paths. The mean of the weights
on four paths is a product over the layers: of the moments of each weight, by the number of paths that use it.
"""

from functools import cache
from itertools import product
from math import comb, factorial

import numpy as np
from mpmath import mp, mpf

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


def at_three(w: mpf, V: mpf, power: int) -> mpf:
    """Return E K0^power of three layers with x = 1, all gates open, for weights of variance V."""
    moment = second_moment(int(w), 3) if power == 2 else mean(w, mpf(3), w, w, mpf(1), mpf(0), mpf(1))
    return moment * V ** (2 * power)


@cache
def walks(width: int, depth: int) -> dict[tuple[int, bool, tuple[int, int], tuple[int, ...]], int]:
    """Return the numbers of walks of four paths by the weights left, an odd node so far, marks, and nodes reached.

    Both pairs pass one marked layer each, on one edge; there the weights are left out. A node is odd where an odd
    number of the four paths pass it: the weights of such a walk are not those of two paths, twice each.
    """
    sums = {(0, False, (0, 0), (0, 0, 0, 0)): 1}
    for following in (*[width] * (depth - 1), 1):
        found: dict = {}
        for (left, odd, already, one), count in sums.items():
            for marks in MARKS:
                if any(a and b for a, b in zip(already, marks, strict=True)):
                    continue
                together = tuple(a + b for a, b in zip(already, marks, strict=True))
                for other in product(range(following), repeat=4):
                    edges = list(zip(one, other, strict=True))
                    if any(mark and edges[2 * pair] != edges[2 * pair + 1] for pair, mark in enumerate(marks)):
                        continue
                    kept = [edge for path, edge in enumerate(edges) if not marks[path // 2]]
                    if all(kept.count(edge) % 2 == 0 for edge in kept):
                        single = any(other.count(node) % 2 for node in other)
                        key = left + len(kept), odd or single, together, other
                        found[key] = found.get(key, 0) + count
        sums = found
    return {key: count for key, count in sums.items() if key[2] == (1, 1)}


def size_of_terms(w: mpf, d: mpf, T: mpf) -> mpf:
    """Return the product of the weights of a term, four of which are T."""
    ((left, _, _, _),) = walks(int(w), int(d))
    return T ** (left // 4)


def alone(w: mpf, d: mpf) -> mpf:
    """Return the number of walks with an odd node."""
    return mpf(sum(count for (_, odd, _, _), count in walks(int(w), int(d)).items() if odd))


def equal_pairs(w: mpf, V: mpf) -> mpf:
    """Return the sum of the terms with both paths of each kernel equal, by the nodes of two paths and their marks."""
    return V**4 * np.ones((int(w),) * 4 + (3, 3), dtype=int).sum()


def transferred(depth: int, first: np.ndarray, hidden: np.ndarray, kurtosis: int) -> int:
    """Return E K0^2 from the numbers of nodes of four paths at a level: 12|34, 13|24, 14|23, all one.

    Without a mark a pair stays, or one of the two levels has all paths at one node; a mark leaves the first pair and
    the single node.
    """
    free = np.array([[int(a == b or 3 in (a, b)) for b in range(4)] for a in range(4)], dtype=object)
    free[3, 3] = kurtosis
    marked = np.array([[int(a in (0, 3) and b in (0, 3)) for b in range(4)] for a in range(4)], dtype=object)
    none, single, double = first, 0 * first, 0 * first  # marks so far
    for level in range(1, depth + 1):
        weights = hidden if level < depth else np.array([0, 0, 0, 1], dtype=object)
        none, single, double = (
            (none @ free) * weights,
            (single @ free + 2 * (none @ marked)) * weights,
            (double @ free + (single + none) @ marked) * weights,
        )
    return double[3]


def wide(d: mpf, k: mpf, e: mpf, f: mpf) -> mpf:
    """Return E K0^2/(E K0)^2 for so many nodes that it is its limit to the digits of a page."""
    size, depth = 10**60, int(d)
    both, one, other = (int(own) * size for own in (k, k + e, k + f))
    counts = np.array([both * (both - 1), one * other - both, both * (both - 1), both], dtype=object)
    ends = np.array([0, 0, 0, 1], dtype=object)
    return mpf(transferred(depth, ends, counts, 1)) / mpf(depth * both ** (depth - 1)) ** 2


def exceptions(w: mpf, d: mpf) -> mpf:
    """Return the number of laws of weights and inputs whose variance is above the bound, by the same four paths."""
    width, depth, count = int(w), int(d), 0
    for kurtosis, x in product((1, 2, 3), ((1,), (1, 1), (1, 2))):
        squares, fourth = sum(own**2 for own in x), sum(own**4 for own in x)
        first = np.array([*[squares**2 - fourth] * 3, fourth], dtype=object)
        counts = np.array([*[width * (width - 1)] * 3, width], dtype=object)
        middle = depth * squares * width ** (depth - 1)
        count += (
            transferred(depth, first, counts, kurtosis) * width ** (depth - 1) > (width + 2) ** (depth - 1) * middle**2
        )
    return mpf(count)


def bound_step(w: mpf, kappa: mpf) -> mpf:
    """Return the value of x^2 - p x - q at x = 1 + 2/w, with the factors p and q of the recursion."""
    return np.polyval([mpf(1), -(1 + (kappa - 1) / w), -(3 - kappa) * (w - 1) / w**2], 1 + 2 / w)


def share_over_bound(w: mpf, d: mpf) -> mpf:
    """Return the largest quotient of the share of common paths and its bound, level by level."""
    width, levels = int(w), int(d) - 1
    sizes = [size for size in product(range(1, width + 1), repeat=3) if size[0] <= min(size[1:])]
    sizes = [(both, own, other) for both, own, other in sizes if own + other - both <= width]
    best = mpf(0)
    for chosen in product(sizes, repeat=levels):
        eta = max(mpf(both) / min(own, other) for both, own, other in chosen)
        best = max(best, mp.fprod(mpf(both) / own for both, own, _ in chosen) / eta**levels)
    return best


VALUES = {
    "kernel.mean.limit": wide,
    "kernel.variance.bound": exceptions,
    "kernel.variance.bound_step": bound_step,
    "kernel.overlap.bound": share_over_bound,
    "kernel.expansion.square": lambda w, V: at_three(w, V, 1) ** 2,
    "kernel.expansion.second": lambda w, V: at_three(w, V, 2),
    "kernel.expansion.term": size_of_terms,
    "kernel.expansion.base_paths": alone,
    "kernel.expansion.cancelled": equal_pairs,
    "kernel.expansion.splicings": lambda k: mpf(comb(4, 2)) ** (k + 1) / mpf(comb(2, 1)) ** (k + 1),
    "kernel.mean.value": mean,
    "kernel.variance.value": normalised,
    "kernel.variance.gaussian_weights": lambda w, d: normalised(w, d, "gaussian"),
    "kernel.variance.leading": leading,
    "kernel.variance.order": order,
}
PRINTED = {
    "kernel.variance.order": lambda: mpf(0),
    # Layer 3 is in no product: V for each of the d - 1 = 2 others, one fewer where the mark is among them.
    "kernel.mean.value": lambda d, V, **at: mean(d=d, V=mpf(1), **at) / d * (V ** (d - 1) + (d - 1) * V ** (d - 2)),
    "kernel.expansion.square": lambda w, V: at_three(w, mpf(1), 1) ** 2 * (2 * V**4 + V**6) / 3,
    # The extra terms of E K0^2 come half from each of the marks before the last layer and in it.
    "kernel.expansion.second": lambda w, V: (
        (at_three(w, mpf(1), 2) - 9 * w**4) * (V**4 + V**6) / 2 + 9 * w**4 * (2 * V**4 + V**6) / 3
    ),
    "kernel.expansion.splicings": lambda k: mpf(4) ** (k + 1),
}
