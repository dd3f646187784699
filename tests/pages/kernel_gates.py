"""The values of the claims on kernels with gates: random, learned, of convolutions, and of ReLU networks."""

from functools import cache
from itertools import pairwise, product
from math import comb, factorial

import numpy as np
from mpmath import mp, mpf

from tests.pages.kernels import MARKS, layer, nodes


@cache
def opened(width: int, share: mpf, cross: bool, _digits: int) -> np.ndarray:
    """Return the probability that the nodes of four paths are open; `share` is that of one node for all inputs."""
    inputs, each = ((0, 1, 0, 1), 2) if cross else ((0, 0, 0, 0), 1)
    counts = [len({(int(node), x) for node, x in zip(row, inputs, strict=True)}) // each for row in nodes(width)]
    return np.array([share**count for count in counts], dtype=object)


@cache
def gated_moment(w: int, d: int, share: mpf, cross: bool, digits: int) -> mpf:
    """Return E K0^2 for x = x' = 1 and weights of variance 1."""
    sums = {(0, 0): np.array([mpf(1)], dtype=object)}
    size = 1
    for level, following in enumerate((*[w] * (d - 1), 1), start=1):
        found: dict[tuple[int, int], np.ndarray] = {}
        for already, vector in sums.items():
            for marks in MARKS:
                if not (already[0] and marks[0]) and not (already[1] and marks[1]):
                    together = already[0] + marks[0], already[1] + marks[1]
                    found[together] = found.get(together, 0) + vector @ layer(size, following, "signs", marks)
        gates = opened(following, share, cross, digits) if level < d else 1
        sums, size = {key: vector * gates for key, vector in found.items()}, following
    return sums[1, 1][0]


def spread(w: int, d: int, share: mpf, cross: bool) -> mpf:
    """Return the variance of K0 for weights of variance 1."""
    return gated_moment(w, d, share, cross, mp.dps) - (d * (share * w) ** (d - 1)) ** 2


def own(w: mpf, d: mpf, mu: mpf) -> mpf:
    """Return E K0(x, x)^2 for weights of variance 1/(mu w)."""
    return gated_moment(int(w), int(d), mu, False, mp.dps) / (mu * w) ** (2 * int(d) - 2)


def cross(w: mpf, mu: mpf) -> mpf:
    """Return the variance of K0(x, x') for three layers."""
    return spread(int(w), 3, mu**2, True) / (mu * w) ** 4


def leading(d: mpf, share: mpf, two: bool) -> mpf:
    """Return the coefficient of 1/w of the variance: that of w^(2d-3) of a polynomial in w."""
    depth = int(d)
    order = max(2 * depth - 3, 0)
    values = [mpf(0), *(spread(w, depth, share, two) for w in range(1, order + 1))]
    total = mp.fsum((-1) ** (order - k) * comb(order, k) * one for k, one in enumerate(values))
    return total / factorial(order) / share ** ((depth - 1) * (1 if two else 2))


def floor(mu: mpf) -> mpf:
    """Return the constant of the leading coefficients, which is left when a cubic times mu^(2 d) is taken out."""
    values = [leading(d, mu**2, True) for d in range(2, 7)]
    for _ in range(4):
        values = [(after - mu**2 * before) / (1 - mu**2) for before, after in pairwise(values)]
    return values[0]


def depths_without_growth(w: mpf, d: mpf, mu: mpf) -> mpf:
    """Return how often one more layer than 2 to d does not raise the variance of an entry K0(x, x)."""
    values = [spread(int(w), n, mu, False) / (mu * w) ** (2 * n - 2) for n in range(2, int(d) + 2)]
    return mpf(sum(after <= before for before, after in pairwise(values)))


def open_paths(w: mpf, d: mpf, share: mpf, power: int = 1) -> mpf:
    """Return the mean power of the number of open paths: levels are independent, and a level has a binomial number."""
    width = int(w)
    terms = (k**power * comb(width, k) * share**k * (1 - share) ** (width - k) for k in range(width + 1))
    return mp.fsum(terms) ** (int(d) - 1)


def entry(w: mpf, d: mpf, mu: mpf, r: mpf) -> mpf:
    """Return E K0(x, x')/d: each open path has d slopes, and weights have the variance 1/(mu w)."""
    return r * open_paths(w, d, mu**2) / (mu * w) ** (int(d) - 1)


def eigenvalue(place: int, w: mpf, d: mpf, mu: mpf, n: mpf) -> mpf:
    """Return an eigenvalue of E K0/d for n inputs 1."""
    count = int(n)
    other, one = entry(w, d, mu, mpf(1)), open_paths(w, d, mu) / (mu * w) ** (int(d) - 1)
    matrix = mp.matrix([[one if i == j else other for j in range(count)] for i in range(count)])
    return sorted(mp.eigsy(matrix, eigvals_only=True))[place]


def arrived(sizes: list[int], fixed: tuple[int, ...]) -> mpf:
    """Return the number of paths that are at node 0 at the levels `fixed`."""
    vector = np.ones(1, dtype=object)
    for level, size in enumerate(sizes):
        vector = np.full(size, vector.sum(), dtype=object)
        if level in fixed:
            vector[1:] = 0
    return mpf(int(vector.sum()))


def sizes(w: mpf, d: mpf, d_in: mpf) -> list[int]:
    """Return the nodes of the levels, from the inputs to the output."""
    return [int(d_in), *[int(w)] * (int(d) - 1), 1]


def unlike(w: mpf, d: mpf) -> mpf:
    """Return the sum of the squared means of the products of sensitivities of two different paths."""
    paths = list(product(range(2), *[range(int(w))] * (int(d) - 1), range(1)))
    total = 0
    for p, q in product(paths, repeat=2):
        edges = [set(zip(range(int(d)), path, path[1:], strict=False)) for path in (p, q)]
        # Without a common weight the others must be the same, weight by weight.
        mean = sum(edges[0] - {edge} == edges[1] - {edge} for edge in edges[0] & edges[1])
        total += mean**2 if p != q else 0
    return mpf(total)


def alike(w: mpf, d: mpf, V: mpf) -> mpf:
    """Return the squared sensitivity of a path: a slope in each weight, the product of the others."""
    del w
    return mp.fsum(mp.fprod(V if other != one else 1 for other in range(int(d))) for one in range(int(d)))


def splices(k: mpf) -> mpf:
    """Return the number of ways in which four paths follow two base paths by twos, with a choice at each of k nodes."""
    ways = [half for half in product((0, 1), repeat=4) if sum(half) == 2]
    return mpf(len(ways) ** int(k))


def learned(w: mpf, d: mpf, V: mpf, r: mpf, g: mpf, h: mpf, alpha: mpf, beta: mpf) -> tuple[mpf, mpf]:
    """Return E K0^w and E K0^a by a forward pass of pairs of paths: value, slopes, and both slopes at once."""
    number, levels = int(w), int(d) - 1
    # Of the sums over paths up to a level: the product of both activities, and of their slopes by one common gate.
    value, sloped = r, mpf(0)
    for _ in range(levels):
        value, sloped = number * g * h * value, number * (g * h * sloped + alpha * beta * value)
    return int(d) * V**levels * value, V ** int(d) * sloped


def convolved(x: list, other: list, gates: list, others: list) -> tuple[mpf, mpf]:
    """Return the means before and after pooling over the signs of the kernels, by pairs of positions."""
    pairs = np.array([[a * b for b in other] for a in x], dtype=object)
    for one, two in zip(gates, others, strict=True):
        pairs = pairs + np.roll(pairs, (-1, -1), (0, 1))
        pairs = pairs * np.outer(np.array(one, dtype=object), np.array(two, dtype=object))
    return mpf(np.trace(pairs)), mpf(pairs.sum()) / 9


def pooled(place: int, n: mpf, u: mpf, v: mpf, V: mpf) -> mpf:
    """Return the mean before or after pooling with all gates open."""
    gates = [[1, 1, 1]] * int(n)
    return V ** int(n) * convolved([1, u, 0], [v, 0, 1], gates, gates)[place]


def fixed_gates(g: mpf, V: mpf) -> mpf:
    """Return the difference that a rotation of one input makes."""
    gates = [[g, 1, 1]]
    return V * (convolved([1, 0, 0], [1, 0, 0], gates, gates)[1] - convolved([1, 0, 0], [0, 1, 0], gates, gates)[1])


def step(u: mpf, v: mpf, x: mpf, y: mpf) -> mpf:
    """Return the slope of the error by the step size, for the sum of squares."""
    error = v * u * x - y
    slopes = 2 * error * v * x, 2 * error * u * x
    return -(slopes[0] * v * x + slopes[1] * u * x)


def rate(d: mpf, y: mpf) -> mpf:
    """Return the squared ratio of the errors to first order: d weights 1, half the squared error, step 1/(10 d)."""
    error = 1 - y
    return ((error - d * error / (10 * d)) / error) ** 2


@cache
def relu() -> tuple[mpf, mpf]:
    """Return the mean kernel and the share of open gates of the second level, over the signs of all weights."""
    signs = np.array(list(product((1, -1), repeat=15)))
    first, last, middle = signs[:, :3], signs[:, 3:6], signs[:, 6:].reshape(-1, 3, 3)
    hidden = np.maximum(first, 0)
    inner = np.einsum("nij,nj->ni", middle, hidden)
    behind = last * (inner > 0)
    before = np.einsum("ni,nij->nj", behind, middle) * (first > 0)
    slopes = [np.maximum(inner, 0), np.einsum("ni,nj->nij", behind, hidden).reshape(len(signs), -1), before]
    total = sum(int((slope**2).sum()) for slope in slopes)
    return mpf(total) / len(signs), mpf(int((inner > 0).sum())) / (3 * len(signs))


def rotated(k: mpf, u: mpf, v: mpf, g: mpf, h: mpf, V: mpf) -> mpf:
    """Return the mean product of the pooled outputs of one input and of another rotated by k, gates included."""
    turn = [list(np.roll(np.array(row, dtype=object), int(k))) for row in ([v, mpf(0), mpf(1)], [mpf(1), mpf(1), h])]
    return V * convolved([mpf(1), u, mpf(0)], turn[0], [[g, mpf(1), mpf(1)]], [turn[1]])[1]


VALUES = {
    "kernel.pooling.paths": lambda q, N, n: mpf(np.ones((int(N), *[int(q)] * int(n)), dtype=int).sum().item()),
    "kernel.pooling.bundles": lambda q, N, n: mpf(np.ones([int(q)] * int(n), dtype=int).sum().item()),
    "kernel.pooling.rotated": rotated,
    "kernel.random_gates.own": own,
    "kernel.random_gates.own_leading": lambda d, mu: leading(d, mu, False),
    "kernel.random_gates.cross": cross,
    "kernel.random_gates.cross_leading": lambda d, r: leading(d, r, True),
    "kernel.random_gates.floor": floor,
    "kernel.random_gates.growth": depths_without_growth,
    "kernel.overlap.own": lambda w, d, mu: open_paths(w, d, mu),
    "kernel.overlap.cross": lambda w, d, mu: open_paths(w, d, mu**2),
    "kernel.overlap.variance": lambda w, d, mu: open_paths(w, d, mu, 2) - open_paths(w, d, mu) ** 2,
    "kernel.whitening.entry": entry,
    "kernel.whitening.largest": lambda w, d, mu, n: eigenvalue(-1, w, d, mu, n),
    "kernel.whitening.smallest": lambda w, d, mu, n: eigenvalue(0, w, d, mu, n),
    "kernel.proof.different": unlike,
    "kernel.proof.same": alike,
    "kernel.proof.first_layer": lambda w, d, d_in: arrived(sizes(w, d, d_in), (0, 1)),
    "kernel.proof.middle_layer": lambda w, d, d_in: arrived(sizes(w, d, d_in), (1, 2)),
    "kernel.proof.last_layer": lambda w, d, d_in: arrived(sizes(w, d, d_in), (int(d) - 1, int(d))),
    "kernel.proof.adjacent": lambda w, d, d_in: (
        arrived(sizes(w, d, d_in), (1, 2, 3)) / arrived(sizes(w, d, d_in), (1, 2))
    ),
    "kernel.proof.shared_node": splices,
    "kernel.adaptable.strengths": lambda **at: learned(**at)[0],
    "kernel.adaptable.activations": lambda **at: learned(**at)[1],
    "kernel.adaptable.sum": lambda **at: sum(learned(**at)),
    "kernel.pooling.after": lambda **at: pooled(1, **at),
    "kernel.pooling.before": lambda **at: pooled(0, **at),
    "kernel.pooling.gated": lambda u, v, g, h, V: V * convolved([1, u, 0], [v, 0, 1], [[g, 1, 1]], [[1, 1, h]])[1],
    "kernel.pooling.fixed_gates": fixed_gates,
    "kernel.linear.mean": lambda w, d, V: mp.fsum([V ** (int(d) - 1)] * int(d)) * arrived(sizes(w, d, mpf(1)), ()),
    "kernel.error.step": step,
    "kernel.error.rate": rate,
    "kernel.relu.mean": lambda: relu()[0],
    "kernel.relu.open_share": lambda: relu()[1],
}
PRINTED = {
    "kernel.proof.first_layer": lambda w, d, d_in: d_in * w ** (int(d) - 2),
    "kernel.proof.adjacent": lambda w, d, d_in: 1 / w**2,
    "kernel.proof.shared_node": lambda k: mpf(1),
    "kernel.adaptable.strengths": lambda d, **at: learned(d=d, **at)[0] / d,
    "kernel.pooling.before": lambda **at: 3 * pooled(1, **at),
    "kernel.error.step": lambda u, v, x, y: -(x**2) * (u**2 + v**2) * (u * v * x - y),
}
