"""Witnesses of the claims on the tangent kernel: sums over paths, node by node, and over the signs of all weights.

K0^2 is a sum over two marked layers and four paths. The mean of a product of weights +-1 is 1 where each occurs an even
number of times, and 0 otherwise; the four paths are followed from level to level by the nodes at which they are.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial

from witness import At, Witness

Nodes = tuple[int, int, int, int]  # of the four paths: the first two are those of one kernel


def _mean_of_layer(before: Nodes, after: Nodes, marks: tuple[bool, bool]) -> int:
    """The mean of the weights of one layer on the four paths; a marked kernel has none, and one edge for both paths."""
    edges = list(zip(before, after, strict=True))
    left: list[tuple[int, int]] = []
    for kernel, marked in enumerate(marks):
        first, second = edges[2 * kernel : 2 * kernel + 2]
        if not marked:
            left += [first, second]
        elif first != second:
            return 0
    return int(all(count % 2 == 0 for count in Counter(left).values()))


def _paired(width: int) -> list[Nodes]:
    """The nodes of four paths at a level; a node on an odd number of them would leave a weight alone."""
    return [own for own in product(range(width), repeat=4) if all(count % 2 == 0 for count in Counter(own).values())]


@cache
def _layer(width: int, following: int, marks: tuple[bool, bool]) -> list[tuple[Nodes, Nodes]]:
    pairs = product(_paired(width), _paired(following))
    return [(before, after) for before, after in pairs if _mean_of_layer(before, after, marks)]


@cache
def _second_moment(width: int, depth: int) -> int:
    """E K0^2 for x = 1 and weights +-1, all gates open."""
    sums = {((0, 0, 0, 0), (False, False)): 1}
    size = 1
    for following in (*[width] * (depth - 1), 1):
        found: Counter = Counter()
        for marks in product((False, True), repeat=2):
            for already in product((False, True), repeat=2):
                if any(one and other for one, other in zip(marks, already, strict=True)):
                    continue
                together = tuple(one or other for one, other in zip(marks, already, strict=True))
                for before, after in _layer(size, following, marks):
                    found[after, together] += sums.get((before, already), 0)
        sums, size = found, following
    return sums[(0, 0, 0, 0), (True, True)]


def _value(at: At, _digits: int) -> Fraction:
    width, depth = int(at["w"]), int(at["d"])
    return Fraction(_second_moment(width, depth), width ** (2 * depth - 2))


def _leading(depth: int) -> Fraction:
    """The coefficient of w^(2d-3) of the variance, a polynomial in w of this degree, from its values at 0 to 2d - 3."""
    order = 2 * depth - 3
    values = [0] + [_second_moment(w, depth) - (depth * w ** (depth - 1)) ** 2 for w in range(1, order + 1)]
    terms = ((-1) ** (order - k) * comb(order, k) * value for k, value in enumerate(values))
    return Fraction(sum(terms), factorial(order))


def _order(_at: At, _digits: int) -> Fraction:
    two, three, four, five = (_leading(depth) for depth in range(2, 6))
    return (five - 3 * four + 3 * three - two) / 6


def _mean(at: At, _digits: int) -> Fraction:
    """Over all signs: the slopes of y by differences, as y is linear in each weight."""
    width, depth = int(at["w"]), int(at["d"])
    sizes = [2, *[width] * (depth - 1), 1]
    places = [(layer, i, j) for layer in range(depth) for i in range(sizes[layer + 1]) for j in range(sizes[layer])]
    inputs = ((1, at["u"]), (at["v"], 1))
    gates = [[i < at["a"] for i in range(width)], [i >= width - at["b"] for i in range(width)]]

    def output(weights: dict, which: int) -> Fraction:
        nodes = list(inputs[which])
        for layer in range(depth):
            sums = [sum(weights[layer, i, j] * node for j, node in enumerate(nodes)) for i in range(sizes[layer + 1])]
            nodes = [g * node for g, node in zip(gates[which], sums, strict=True)] if layer < depth - 1 else sums
        return nodes[0]

    total = Fraction(0)
    for signs in product((1, -1), repeat=len(places)):
        weights = dict(zip(places, signs, strict=True))
        for place in places:
            slopes = [output(weights | {place: 1}, k) - output(weights | {place: 0}, k) for k in (0, 1)]
            total += slopes[0] * slopes[1]
    return total / 2 ** len(places) * at["V"] ** (depth - 1)


WITNESSES = {
    "kernel.mean.value": Witness(
        _mean,
        (
            "w=2 d=2 a=2 b=2 u=1/3 v=-2 V=1/4",
            "w=3 d=2 a=3 b=2 u=2 v=1/5 V=2/3",
            "w=1 d=3 a=1 b=1 u=-1/2 v=3 V=5",
            "w=2 d=3 a=2 b=1 u=1 v=1/7 V=1/2",
            "w=2 d=1 a=2 b=2 u=-3 v=2/5 V=7",
        ),
    ),
    "kernel.variance.value": Witness(_value, ("w=1 d=4", "w=2 d=6", "w=3 d=4", "w=4 d=5", "w=5 d=3", "w=6 d=2")),
    "kernel.variance.leading": Witness(lambda at, _digits: _leading(int(at["d"])), ("d=2", "d=3", "d=4", "d=5")),
    "kernel.variance.order": Witness(_order, ("",)),
}
