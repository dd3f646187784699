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


_Quadruple = tuple[int, ...]


@cache
def _pairings(width: int, depth: int) -> tuple[tuple[_Quadruple, ...], ...]:
    """The walks of four paths through a network with one input, whose two pairs share the weight of a mark each.

    A walk is the tuple of the four nodes at each level; it stands once for each place of the two marks, if the other
    weights of the four paths are even in number. The marks are those of the layers of `_mean_of_layer`.
    """
    levels = [[(0, 0, 0, 0)], *[list(product(range(width), repeat=4))] * (depth - 1), [(0, 0, 0, 0)]]
    found = []
    for walk in product(*levels):
        for marked in product(range(depth), repeat=2):
            steps = (_mean_of_layer(walk[k], walk[k + 1], (marked[0] == k, marked[1] == k)) for k in range(depth))
            if all(steps):
                found.append(walk)
    return tuple(found)


def _layers_of_terms(at: At, _digits: int) -> Fraction:
    """Each layer without a mark has four weights, a marked one two fewer for its mark: T for four weights."""
    walks = _pairings(int(at["w"]), int(at["d"]))
    left = {4 * (len(walk) - 1) - 4 for walk in walks}
    return at["T"] ** Fraction(left.pop(), 4)


def _odd_walks(at: At, _digits: int) -> Fraction:
    """Walks with a level at which the four nodes are not two pairs, or an edge of one path alone."""
    odd = 0
    for walk in _pairings(int(at["w"]), int(at["d"])):
        edges = Counter((k, *step) for k in range(len(walk) - 1) for step in zip(walk[k], walk[k + 1], strict=True))
        odd += any(count % 2 for count in edges.values())
    return Fraction(odd)


def _equal_pairs(at: At, _digits: int) -> Fraction:
    """A path passes d weights: choose two paths and a mark on each."""
    paths = list(product(range(int(at["w"])), repeat=2))
    return sum((at["V"] ** 4 for _ in product(paths, range(3), paths, range(3))), Fraction(0))


def _splicings(at: At, _digits: int) -> Fraction:
    """Each segment is passed by two of four paths, or for a pair of base paths by one of two."""
    ways = [sum(sum(halves) == size // 2 for halves in product((0, 1), repeat=size)) for size in (4, 2)]
    return Fraction(*(way ** (int(at["k"]) + 1) for way in ways))


_STATES = "ABCE"  # nodes of four paths: 12|34, 13|24, 14|23, all at one node
_FREE = {(one, two) for one, two in product(_STATES, repeat=2) if one == two or "E" in (one, two)}
_MARKED = set(product("AE", repeat=2))


def _fixed_gates_moment(depth: int, both: int, one: int, other: int) -> int:
    """E K0(x, x')^2 for inputs 1: `both`, `one` and `other` nodes of a level are open for both, x or x' alone."""
    pairs = both * (both - 1)
    hidden = {"A": pairs, "B": (both + one) * (both + other) - both, "C": pairs, "E": both}
    sums = {("E", frozenset()): 1}
    for level in range(1, depth + 1):
        weights = hidden if level < depth else {"A": 0, "B": 0, "C": 0, "E": 1}
        found: Counter = Counter()
        for (state, already), value in sums.items():
            for marks in (frozenset(), frozenset({1}), frozenset({2}), frozenset({1, 2})):
                if not already & marks:
                    for following in _STATES:
                        if (state, following) in (_MARKED if marks else _FREE):
                            found[following, already | marks] += value * weights[following]
        sums = found
    return sums["E", frozenset({1, 2})]


def _limit(at: At, _digits: int) -> Fraction:
    """The ratio of the leading coefficients, as polynomials in the size of the blocks."""
    depth, *blocks = (int(at[name]) for name in "dkef")
    degree = 2 * (depth - 1)
    values = [_fixed_gates_moment(depth, *(m * own for own in blocks)) for m in range(degree + 1)]
    top = sum((-1) ** (degree - m) * comb(degree, m) * value for m, value in enumerate(values))
    return Fraction(top, factorial(degree) * (depth * blocks[0] ** (depth - 1)) ** 2)


def _overlap_bound(at: At, _digits: int) -> Fraction:
    """The ratio factorises over the levels: in each (open for both, for x alone, for x' alone) with a share and eta."""
    width, levels = int(at["w"]), int(at["d"]) - 1
    sizes = [
        (both, both + one, both + other)
        for both in range(1, width + 1)
        for one in range(width - both + 1)
        for other in range(width - both - one + 1)
    ]
    best = Fraction(0)
    for chosen in product(sizes, repeat=levels):
        eta = max(Fraction(both, open_) for both, *each in chosen for open_ in each)
        ratio = Fraction(1)
        for both, own, _ in chosen:
            ratio *= Fraction(both, own) / eta
        best = max(best, ratio)
    return best


WITNESSES = {
    "kernel.mean.limit": Witness(_limit, ("d=1 k=1 e=0 f=0", "d=2 k=1 e=1 f=1", "d=3 k=2 e=1 f=0", "d=3 k=1 e=1 f=1")),
    "kernel.overlap.bound": Witness(_overlap_bound, ("w=1 d=2", "w=2 d=3", "w=3 d=2", "w=4 d=4")),
    "kernel.expansion.square": Witness(
        lambda at, _digits: (3 * len(list(product(range(int(at["w"])), repeat=2))) * at["V"] ** 2) ** 2,
        ("w=1 V=2", "w=2 V=1/3", "w=3 V=2/5", "w=5 V=1"),
    ),
    "kernel.expansion.second": Witness(
        lambda at, _digits: _second_moment(int(at["w"]), 3) * at["V"] ** 4,
        ("w=1 V=2", "w=2 V=1/3", "w=3 V=2/5", "w=4 V=1"),
    ),
    "kernel.expansion.term": Witness(
        _layers_of_terms, ("w=1 d=1 T=2", "w=2 d=2 T=1/3", "w=2 d=3 T=5", "w=1 d=4 T=2/7")
    ),
    "kernel.expansion.base_paths": Witness(_odd_walks, ("w=1 d=1", "w=2 d=2", "w=2 d=3", "w=1 d=4")),
    "kernel.expansion.cancelled": Witness(_equal_pairs, ("w=1 V=2", "w=2 V=1/3", "w=3 V=2/5", "w=4 V=1/2")),
    "kernel.expansion.splicings": Witness(_splicings, ("k=0", "k=1", "k=2", "k=4")),
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
