"""Witnesses of the claims on kernels with gates: paths, levels and positions followed one by one, in fractions."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import comb, factorial, prod

import mpmath
from claims_kernel import Nodes, _layer
from witness import At, Witness, real


@cache
def _second_moment(width: int, depth: int, share: Fraction, cross: bool) -> Fraction:
    """E K0^2 for inputs 1, weights +-1 and gates: the four paths belong to the inputs 0, 0, 0, 0 or 0, 1, 0, 1."""
    inputs, each = ((0, 1, 0, 1), 2) if cross else ((0, 0, 0, 0), 1)
    sums: dict = {((0, 0, 0, 0), (False, False)): Fraction(1)}
    size = 1
    for level, following in enumerate((*[width] * (depth - 1), 1), start=1):
        found: Counter = Counter()
        for marks in product((False, True), repeat=2):
            for already in product((False, True), repeat=2):
                if any(one and other for one, other in zip(marks, already, strict=True)):
                    continue
                together = tuple(one or other for one, other in zip(marks, already, strict=True))
                for before, after in _layer(size, following, marks):
                    if value := sums.get((before, already), 0):
                        found[after, together] += value
        if level < depth:
            found = Counter({key: value * _open(key[0], inputs, each, share) for key, value in found.items()})
        sums, size = found, following
    return sums[(0, 0, 0, 0), (True, True)]


def _open(nodes: Nodes, inputs: tuple[int, ...], each: int, share: Fraction) -> Fraction:
    """The probability that the nodes are open: `share` is that of one node for all inputs of the entry."""
    gates, more = divmod(len(set(zip(nodes, inputs, strict=True))), each)
    if more:
        raise ArithmeticError(f"{nodes} has an odd number of gates")
    return share**gates


def _normalised(at: At, _digits: int) -> Fraction:
    width, depth = int(at["w"]), int(at["d"])
    return _second_moment(width, depth, at["mu"], False) / (at["mu"] * width) ** (2 * depth - 2)


def _variance(width: int, depth: int, share: Fraction, cross: bool) -> Fraction:
    return _second_moment(width, depth, share, cross) - (depth * (share * width) ** (depth - 1)) ** 2


def _without_growth(at: At, cross: bool) -> int:
    """Depths at which one more layer does not raise the variance, in the unit (mu w)^(2d-2)."""
    w, mu = int(at["w"]), at["mu"]
    share = mu**2 if cross else mu
    values = [_variance(w, depth, share, cross) / (mu * w) ** (2 * depth - 2) for depth in range(2, int(at["d"]) + 2)]
    return sum(after <= before for before, after in pairwise(values))


def _cross(at: At, _digits: int) -> Fraction:
    return _variance(int(at["w"]), 3, at["mu"] ** 2, True) / (at["mu"] * at["w"]) ** 4


@cache
def _leading(depth: int, share: Fraction, cross: bool) -> Fraction:
    """The coefficient of w^(2d-3) of the variance, a polynomial in w of this degree, for s^2 = 1/(mu w)."""
    order = 2 * depth - 3
    if order < 0:
        return Fraction(0)
    values = [Fraction(0)] + [_variance(w, depth, share, cross) for w in range(1, order + 1)]
    total = sum(((-1) ** (order - k) * comb(order, k) * value for k, value in enumerate(values)), Fraction(0))
    return total / factorial(order) / share ** ((depth - 1) * (1 if cross else 2))


def _floor(at: At, _digits: int) -> Fraction:
    """The constant c of f(d) = c + (cubic in d) r^d, from f(2) to f(6)."""
    r = at["mu"] ** 2
    values = [_leading(depth, r, True) for depth in range(2, 7)]
    for _ in range(4):
        values = [(after - r * before) / (1 - r) for before, after in pairwise(values)]
    return values[0]


def _binomial(width: int, share: Fraction, power: int) -> Fraction:
    """The mean of N^power for the number N of open nodes of a level."""
    return sum(
        (k**power * comb(width, k) * share**k * (1 - share) ** (width - k) for k in range(width + 1)), Fraction(0)
    )


def _overlap(at: At, inputs: int, power: int = 1) -> Fraction:
    return _binomial(int(at["w"]), at["mu"] ** inputs, power) ** (int(at["d"]) - 1)


def _entry(at: At, _digits: int = 0) -> Fraction:
    """A path that both inputs open counts once for each of its d weights."""
    levels = int(at["d"]) - 1
    mean = sum((at["mu"] ** (2 * levels) for _ in product(range(int(at["w"])), repeat=levels)), Fraction(0))
    return at["r"] * int(at["d"]) * mean / (at["mu"] * at["w"]) ** levels / int(at["d"])


def _eigenvalue(place: int):
    def value(at: At, digits: int) -> mpmath.mpf:
        count = int(at["n"])
        with mpmath.workdps(digits + 15):
            own = real(_overlap(at, 1) / (at["mu"] * at["w"]) ** (int(at["d"]) - 1))
            other = real(_entry({**at, "r": Fraction(1)}))
            matrix = mpmath.matrix(count, count)
            for i, j in product(range(count), repeat=2):
                matrix[i, j] = own if i == j else other
            return sorted(mpmath.eigsy(matrix, eigvals_only=True))[place]

    return value


def _edges(path: tuple[int, ...]) -> set[tuple[int, int, int]]:
    return {(layer, one, two) for layer, (one, two) in enumerate(pairwise(path))}


def _different(at: At, _digits: int) -> Fraction:
    """E<phi_p, phi_q> is the number of common weights without which the other weights occur in pairs."""
    width, depth = int(at["w"]), int(at["d"])
    paths = [_edges((*path, 0)) for path in product(range(2), *[range(width)] * (depth - 1))]
    total = 0
    for p, q in product(paths, repeat=2):
        if p != q:
            total += sum(p - {edge} == q - {edge} for edge in p & q) ** 2
    return Fraction(total)


def _same(at: At, _digits: int) -> Fraction:
    path = _edges((0,) * (int(at["d"]) + 1))
    return sum((prod((at["V"] for edge in path if edge != own), start=Fraction(1)) for own in path), Fraction(0))


def _through(at: At, first: int, last: int) -> int:
    """The paths that are at node 0 at the levels `first` to `last`, by the numbers that arrive at each node."""
    depth, inputs, width = int(at["d"]), int(at["d_in"]), int(at["w"])
    sizes = [inputs, *[width] * (depth - 1), 1]
    arrived = [int(not first <= 0 <= last or node == 0) for node in range(inputs)]
    for level in range(1, depth + 1):
        fixed = first <= level <= last
        arrived = [sum(arrived) * int(not fixed or node == 0) for node in range(sizes[level])]
    return arrived[0]


def _shared_node(at: At, _digits: int) -> Fraction:
    """In each layer two of the four paths follow the first base path; they may change at a node of both alone."""
    halves = [half for half in product((0, 1), repeat=4) if sum(half) == 2]
    ways = dict.fromkeys(halves, 1)
    for _ in range(int(at["k"])):
        ways = dict.fromkeys(halves, sum(ways.values()))
    return Fraction(ways[1, 1, 0, 0])


def _adaptable(at: At) -> tuple[Fraction, Fraction]:
    """Sums over the paths: A A' for each of d slopes, and the slopes of A A' by the weight of each gate."""
    depth, levels = int(at["d"]), int(at["d"]) - 1
    strengths = activations = Fraction(0)
    for _path in product(range(int(at["w"])), repeat=levels):
        one, other = [at["g"]] * levels, [at["h"]] * levels
        strengths += depth * prod(one) * prod(other)
        for level in range(levels):
            left, right = (prod(own[:level] + own[level + 1 :], start=Fraction(1)) for own in (one, other))
            activations += at["alpha"] * left * at["beta"] * right
    return at["r"] * strengths * at["V"] ** levels, at["r"] * activations * at["V"] ** depth


def _bundles(x: list, other: list, gates: list, others: list, paired: bool) -> Fraction:
    """Sums over the bundles, two weights in each layer of three positions: over paths with one end, or any two ends."""
    total = Fraction(0)
    for steps in product((0, 1), repeat=len(gates)):

        def followed(values: list, open_: list, end: int, steps: tuple = steps) -> Fraction:
            place, activity = end, Fraction(1)
            for step, level in zip(reversed(steps), reversed(open_), strict=True):
                activity *= level[place]
                place = (place + step) % 3
            return activity * values[place]

        one, two = ([followed(*own, end) for end in range(3)] for own in ((x, gates), (other, others)))
        total += sum(a * b for a, b in zip(one, two, strict=True)) if paired else sum(one) * sum(two) / Fraction(9)
    return total


def _convolved(at: At, paired: bool) -> Fraction:
    gates = [[1, 1, 1]] * int(at["n"])
    return at["V"] ** int(at["n"]) * _bundles([1, at["u"], 0], [at["v"], 0, 1], gates, gates, paired)


def _gated(at: At, _digits: int) -> Fraction:
    return at["V"] * _bundles([1, at["u"], 0], [at["v"], 0, 1], [[at["g"], 1, 1]], [[1, 1, at["h"]]], False)


def _fixed(at: At, _digits: int) -> Fraction:
    gates = [[at["g"], 1, 1]]
    still, turned = (_bundles([1, 0, 0], other, gates, gates, False) for other in ([1, 0, 0], [0, 1, 0]))
    return at["V"] * (still - turned)


def _linear_mean(at: At, _digits: int) -> Fraction:
    depth = int(at["d"])
    slopes = [at["V"] ** (depth - 1) for _ in range(depth)]
    return sum((sum(slopes) for _path in product(range(int(at["w"])), repeat=depth - 1)), Fraction(0))


def _step(at: At, _digits: int) -> Fraction:
    """The central difference of e_(t+1), which is quadratic in the step size."""
    error = at["u"] * at["v"] * at["x"] - at["y"]

    def after(step: int) -> Fraction:
        u, v = (own - step * 2 * error * other * at["x"] for own, other in ((at["u"], at["v"]), (at["v"], at["u"])))
        return u * v * at["x"] - at["y"]

    return (after(1) - after(-1)) / 2


def _rate(at: At, _digits: int) -> Fraction:
    """One step of depth d to first order in the step size, the derivative by the binomial coefficients."""
    depth, error = int(at["d"]), 1 - at["y"]
    slope = comb(depth, 1) * -error
    return (1 + slope / (10 * depth) / error) ** 2


@cache
def _relu() -> tuple[Fraction, Fraction]:
    """Over all signs: y by nodes, its slopes by differences at fixed gates, and the open gates of the second level."""
    total, open_, choices = 0, 0, 0
    for signs in product((1, -1), repeat=12):
        first, middle = signs[:3], [signs[3 + 3 * i : 6 + 3 * i] for i in range(3)]
        one = [int(value > 0) for value in first]
        second = [sum(a * b * c for a, b, c in zip(row, first, one, strict=True)) for row in middle]
        two = [int(value > 0) for value in second]
        open_ += sum(two)
        for last in product((1, -1), repeat=3):
            total += sum((value * gate) ** 2 for value, gate in zip(second, two, strict=True))
            total += sum((last[i] * two[i] * first[j] * one[j]) ** 2 for i, j in product(range(3), repeat=2))
            total += sum((one[j] * sum(last[i] * two[i] * middle[i][j] for i in range(3))) ** 2 for j in range(3))
        choices += 1
    return Fraction(total, 8 * choices), Fraction(open_, 3 * choices)


_ADAPTABLE = (
    "w=1 d=2 V=1/2 r=1 g=1/3 h=2 alpha=1/2 beta=3/2",
    "w=2 d=3 V=2 r=-1/3 g=1 h=1/2 alpha=2/3 beta=1/4",
    "w=2 d=2 V=1/5 r=2 g=3/2 h=3/4 alpha=1 beta=2",
    "w=1 d=3 V=3 r=1/7 g=5/4 h=7/4 alpha=1/3 beta=1/2",
)
_GATES = ("w=1 d=3 mu=1/2", "w=3 d=2 mu=2/7", "w=2 d=4 mu=1", "w=3 d=3 mu=3/4")
_EIGEN = ("w=1 d=2 mu=1/2 n=2", "w=2 d=3 mu=1/3 n=5", "w=2 d=2 mu=1 n=3", "w=1 d=3 mu=3/4 n=6")
_THROUGH = ("w=1 d=5 d_in=2", "w=3 d=4 d_in=1", "w=2 d=5 d_in=3", "w=3 d=5 d_in=2")
_CONVOLVED = ("n=1 u=1/3 v=-2 V=1/4", "n=2 u=-1 v=1/2 V=2", "n=3 u=5/3 v=3 V=1/2", "n=2 u=2 v=-1/7 V=3")


def _bundled(at: At, paths: bool) -> Fraction:
    """Paths by the numbers that arrive at the positions, or strengths by words over the weights of a kernel."""
    if paths:
        arrived = [1] * int(at["N"])
        for _ in range(int(at["n"])):
            arrived = [sum(arrived[(i + j) % len(arrived)] for j in range(int(at["q"]))) for i in range(len(arrived))]
        return Fraction(sum(arrived))
    words = {""}
    for _ in range(int(at["n"])):
        words = {f"{word}{letter}" for word in words for letter in range(int(at["q"]))}
    return Fraction(len(words))


def _rotated(at: At, _digits: int) -> Fraction:
    """The weights a and b of the kernel have mean products of 0 and V: y = (A a + B b)/3, linear in both."""
    none, one = Fraction(0), Fraction(1)

    def sums(x: list[Fraction], gates: list[Fraction], turn: int) -> tuple[Fraction, Fraction]:
        row = [(x[(i - turn) % 3], x[(i + 1 - turn) % 3], gates[(i - turn) % 3]) for i in range(3)]
        return sum(here * gate for here, _, gate in row), sum(behind * gate for _, behind, gate in row)

    still = sums([one, at["u"], none], [at["g"], one, one], 0)
    turned = sums([at["v"], none, one], [one, one, at["h"]], int(at["k"]))
    return at["V"] * (still[0] * turned[0] + still[1] * turned[1]) / 9


_BUNDLES = ("q=1 N=3 n=2", "q=2 N=3 n=3", "q=3 N=5 n=2", "q=2 N=4 n=4")
WITNESSES = {
    "kernel.pooling.paths": Witness(lambda at, _digits: _bundled(at, True), _BUNDLES),
    "kernel.pooling.bundles": Witness(lambda at, _digits: _bundled(at, False), _BUNDLES),
    "kernel.pooling.rotated": Witness(
        _rotated,
        (
            "k=0 u=1/3 v=-2 g=0 h=1 V=1/4",
            "k=1 u=-1 v=1/2 g=2 h=-1/3 V=2",
            "k=2 u=5/3 v=3 g=1 h=1 V=1/2",
            "k=1 u=2 v=-1/7 g=-1 h=2 V=3",
        ),
    ),
    "kernel.random_gates.own": Witness(
        _normalised, ("w=2 d=1 mu=1/2", "w=2 d=5 mu=1/3", "w=3 d=4 mu=3/4", "w=5 d=3 mu=1", "w=4 d=3 mu=2/7")
    ),
    "kernel.random_gates.own_leading": Witness(
        lambda at, _digits: _leading(int(at["d"]), at["mu"], False),
        ("d=1 mu=1/2", "d=2 mu=1/2", "d=3 mu=1/3", "d=4 mu=3/4", "d=5 mu=1"),
    ),
    "kernel.random_gates.growth": Witness(
        lambda at, _digits: _without_growth(at, cross=False),
        ("w=2 d=2 mu=1/2", "w=2 d=5 mu=1/3", "w=3 d=4 mu=1", "w=5 d=3 mu=2/7"),
    ),
    "kernel.random_gates.cross_growth": Witness(
        lambda at, _digits: _without_growth(at, cross=True),
        ("w=2 d=2 mu=1/2", "w=2 d=5 mu=2/3", "w=3 d=4 mu=1", "w=5 d=3 mu=4/7"),
    ),
    "kernel.random_gates.cross": Witness(_cross, ("w=1 mu=1/2", "w=2 mu=1/3", "w=4 mu=3/4", "w=5 mu=1")),
    "kernel.random_gates.cross_leading": Witness(
        lambda at, _digits: _leading(int(at["d"]), at["r"], True), ("d=2 r=1/4", "d=3 r=1/3", "d=4 r=2/5", "d=5 r=3/4")
    ),
    "kernel.random_gates.floor": Witness(_floor, ("mu=1/2", "mu=1/3", "mu=2/3", "mu=3/4")),
    "kernel.overlap.own": Witness(lambda at, _digits: _overlap(at, 1), _GATES),
    "kernel.overlap.cross": Witness(lambda at, _digits: _overlap(at, 2), _GATES),
    "kernel.overlap.variance": Witness(lambda at, _digits: _overlap(at, 1, 2) - _overlap(at, 1) ** 2, _GATES),
    "kernel.whitening.entry": Witness(
        _entry, ("w=1 d=1 mu=1/2 r=2", "w=2 d=3 mu=1/3 r=-1/2", "w=2 d=2 mu=1 r=1", "w=1 d=3 mu=3/4 r=-3")
    ),
    "kernel.whitening.largest": Witness(_eigenvalue(-1), _EIGEN),
    "kernel.whitening.smallest": Witness(
        _eigenvalue(0), ("w=1 d=2 mu=1/2 n=2", "w=2 d=3 mu=1/3 n=5", "w=2 d=2 mu=2/7 n=3", "w=1 d=3 mu=3/4 n=6")
    ),
    "kernel.proof.different": Witness(_different, ("w=1 d=2", "w=2 d=2", "w=2 d=3", "w=1 d=3")),
    "kernel.proof.same": Witness(_same, ("w=1 d=1 V=1/2", "w=2 d=2 V=3", "w=2 d=3 V=2/5", "w=1 d=3 V=7")),
    "kernel.proof.first_layer": Witness(lambda at, _digits: Fraction(_through(at, 0, 1)), _THROUGH),
    "kernel.proof.middle_layer": Witness(lambda at, _digits: Fraction(_through(at, 1, 2)), _THROUGH),
    "kernel.proof.last_layer": Witness(
        lambda at, _digits: Fraction(_through(at, int(at["d"]) - 1, int(at["d"]))), _THROUGH
    ),
    "kernel.proof.adjacent": Witness(lambda at, _digits: Fraction(_through(at, 1, 3), _through(at, 1, 2)), _THROUGH),
    "kernel.proof.shared_node": Witness(_shared_node, ("k=0", "k=1", "k=2", "k=5")),
    "kernel.adaptable.strengths": Witness(lambda at, _digits: _adaptable(at)[0], _ADAPTABLE),
    "kernel.adaptable.activations": Witness(lambda at, _digits: _adaptable(at)[1], _ADAPTABLE),
    "kernel.adaptable.sum": Witness(lambda at, _digits: sum(_adaptable(at)), _ADAPTABLE),
    "kernel.pooling.after": Witness(lambda at, _digits: _convolved(at, False), _CONVOLVED),
    "kernel.pooling.before": Witness(lambda at, _digits: _convolved(at, True), _CONVOLVED),
    "kernel.pooling.gated": Witness(
        _gated,
        (
            "u=1/3 v=-2 g=0 h=1 V=1/4",
            "u=-1 v=1/2 g=2 h=-1/3 V=2",
            "u=5/3 v=3 g=1 h=1 V=1/2",
            "u=2 v=-1/7 g=-1 h=2 V=3",
        ),
    ),
    "kernel.pooling.fixed_gates": Witness(_fixed, ("g=0 V=1", "g=2 V=1/3", "g=1 V=2", "g=-1/2 V=5")),
    "kernel.linear.mean": Witness(_linear_mean, ("w=1 d=1 V=2", "w=2 d=3 V=1/2", "w=3 d=2 V=1/3", "w=3 d=4 V=1")),
    "kernel.error.step": Witness(
        _step, ("u=1 v=1 x=1 y=0", "u=1/2 v=-1 x=2 y=1/3", "u=-2 v=1/3 x=-1 y=2", "u=1/5 v=2 x=1/2 y=-1")
    ),
    "kernel.error.rate": Witness(_rate, ("d=1 y=2", "d=2 y=3", "d=6 y=5", "d=10 y=8")),
    "kernel.relu.mean": Witness(lambda _at, _digits: _relu()[0], ("",)),
    "kernel.relu.open_share": Witness(lambda _at, _digits: _relu()[1], ("",)),
}
