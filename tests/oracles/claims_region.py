"""Witnesses of the claims on path regions: sweeps around points, cyclic orders and roots, in fractions and integers.

Networks are given by the lines of their gates, drawn here; no half-plane is clipped, and no division is made.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb

from mpmath import mp, mpf
from witness import GUARD, At, Witness

Line = tuple[Fraction, Fraction, Fraction]  # a x + b y + c


def _sizes(at: At) -> tuple[int, int]:
    return int(at["m"]), int(at["L"]) - 1


def _walks(nodes: list[list[bool]]) -> int:
    """Walks through the nodes of each layer that are True."""
    reached = 1
    for layer in nodes:
        reached = sum(reached for own in layer if own)
    return reached


def _paths(at: At, _digits: int) -> Fraction:
    units, hidden = _sizes(at)
    return Fraction(_walks([[True] * units] * hidden))


def _subsets(size: int) -> Fraction:
    return Fraction(sum(comb(size, k) for k in range(size + 1)))


def _drawn(seed: int, count: int, biased: bool) -> list[Line]:
    """Lines whose slopes all differ, by a parabola where they have biases: no three of its tangents share a point."""
    slopes = random.Random(seed).sample(range(-50, 51), count)
    signs = random.Random(-seed).choices((1, -1), k=count)
    return [(s * Fraction(t), Fraction(-s), -s * Fraction(t * t) * biased) for s, t in zip(signs, slopes, strict=True)]


def _signs(lines: list[Line], x: Fraction, y: Fraction) -> tuple[bool, ...]:
    return tuple(a * x + b * y + c > 0 for a, b, c in lines)


def _central(at: At, _digits: int) -> Fraction:
    """Patterns on rays between neighbouring lines y = t x, on both sides of the origin."""
    units, hidden = _sizes(at)
    lines = _drawn(int(at["s"]), units * hidden, biased=False)
    slopes = sorted(-a / b for a, b, _ in lines)
    between = [slopes[0] - 1, *((s + t) / 2 for s, t in pairwise(slopes)), slopes[-1] + 1]
    return Fraction(len({_signs(lines, x, x * t) for t in between for x in (Fraction(1), Fraction(-1))}))


def _occurring(at: At, _digits: int) -> Fraction:
    """Pairs of half-planes that share a ray between neighbouring lines, less the patterns on these rays."""
    units = int(at["m"])
    lines = _drawn(int(at["s"]), 2 * units, biased=False)
    slopes = sorted(-a / b for a, b, _ in lines)
    between = [slopes[0] - 1, *((s + t) / 2 for s, t in pairwise(slopes)), slopes[-1] + 1]
    patterns = {_signs(lines, x, x * t) for t in between for x in (Fraction(1), Fraction(-1))}
    pairs = {(i, j) for bits in patterns for i in range(units) for j in range(units, 2 * units) if bits[i] and bits[j]}
    return Fraction(len(pairs) - len(patterns))


def _affine(at: At, _digits: int) -> Fraction:
    """Patterns beside each crossing: the two lines there are passed on either side, the others keep their signs."""
    units, hidden = _sizes(at)
    lines = _drawn(int(at["s"]), units * hidden, biased=True)
    found = set()
    for i, j in combinations(range(len(lines)), 2):
        (a, b, c), (d, e, f) = lines[i], lines[j]
        bottom = a * e - b * d
        signs = list(_signs(lines, (b * f - c * e) / bottom, (c * d - a * f) / bottom))
        for signs[i], signs[j] in product((False, True), repeat=2):
            found.add(tuple(signs))
    return Fraction(len(found))


def _most(at: At, _digits: int) -> Fraction:
    """Lines as the places 0 to k - 1 of a circle with 2 k sectors; a gate opens on the k sectors from a place on."""
    units, hidden = _sizes(at)
    lines, largest = units * hidden, 0
    for chosen in combinations(range(lines), hidden):
        for turned in product((0, lines), repeat=hidden):
            starts = [place + turn for place, turn in zip(chosen, turned, strict=True)]
            sectors = sum(
                all((sector - start) % (2 * lines) < lines for start in starts) for sector in range(2 * lines)
            )
            largest = max(largest, sectors)
    return Fraction(largest)


def _facets(lines: list[Line]) -> Fraction:
    """Lines of which a part is the edge: on it the other half-planes leave an interval."""
    count = 0
    for index, (a, b, c) in enumerate(lines):
        foot, along = (-a * c / (a * a + b * b), -b * c / (a * a + b * b)), (-b, a)
        low, high, empty = None, None, False
        for d, e, f in (*lines[:index], *lines[index + 1 :]):
            slope, start = d * along[0] + e * along[1], d * foot[0] + e * foot[1] + f
            if slope > 0:
                low = max(x for x in (low, -start / slope) if x is not None)
            elif slope < 0:
                high = min(x for x in (high, -start / slope) if x is not None)
            else:
                empty |= start <= 0
        count += not empty and (low is None or high is None or low < high)
    return Fraction(count)


def _tangents(seed: int) -> Iterator[Line]:
    """Half-planes with the unit disc inside, whose lines touch it in different points."""
    for t in random.Random(seed).sample(range(-30, 31), 61):
        bottom = 49 + t * t
        yield Fraction(t * t - 49, bottom), Fraction(-14 * t, bottom), Fraction(1)


def _of_path(at: At, _digits: int) -> Fraction:
    units, hidden = _sizes(at)
    lines = list(_tangents(int(at["s"])))[: units * hidden]
    return _facets(lines[::units])


def _of_pattern(at: At, _digits: int) -> Fraction:
    units, hidden = _sizes(at)
    return _facets(list(_tangents(int(at["s"])))[: units * hidden])


def _active(at: At, _digits: int) -> Fraction:
    values = [2] * int(at["p"]) + [0] * int(at["r"]) + [-3] * int(at["z"])
    return Fraction(_walks([[value >= 0 for value in values]] * (int(at["L"]) - 1)))


def _normal(at: At, _digits: int) -> Fraction:
    """The row W_2 W_1 first, then its product with the input."""
    first, second = ((at["a"], at["b"]), (at["c"], at["d"])), (at["u"], at["v"])
    row = [sum(second[k] * first[k][j] for k in range(2)) for j in range(2)]
    return row[0] * at["x"] + row[1] * at["y"]


def _segment(at: At, _digits: int) -> Fraction:
    """The points of a segment on which the first units are open; a bias opens each of them at both ends, not more."""
    hidden, rng = int(at["L"]) - 1, random.Random(int(at["s"]))
    inputs = [(Fraction(rng.randint(-4, 4), 7), Fraction(rng.randint(-4, 4), 7)) for _ in range(2)]
    ways = [Fraction(k, int(at["n"])) for k in range(int(at["n"]) + 1)]
    values = [[one + way * (other - one) for one, other in zip(*inputs, strict=True)] for way in ways]
    is_open = [True] * len(values)
    for _ in range(hidden):
        weights = [[Fraction(rng.randint(-3, 3)) for _ in values[0]] for _ in range(3)]
        own = [[sum(w * v for w, v in zip(row, before, strict=True)) for row in weights] for before in values]
        least = min(own[0][0], own[-1][0])
        values = [[first - least, second + 1, third - 2] for first, second, third in own]
        is_open = [was and now[0] >= 0 for was, now in zip(is_open, values, strict=True)]
    return Fraction(sum(is_open))


def _saw(x: mpf | Fraction, hinges: int) -> mpf | Fraction:
    """2 h_1 - 4 h_2 + 4 h_3 - ... - 1 with h_j = relu(x - j + 1)."""
    total = 2 * max(x, 0) - 1
    for k in range(1, hinges):
        total += (-4 if k % 2 else 4) * max(x - k, 0)
    return total


def _end(at: At, digits: int) -> mpf:
    """The end of this number, by bisection between points of a grid at which the sign differs."""
    with mp.workdps(digits + GUARD):
        found = []
        for k in range(-8, 48):
            low, high = mpf(k) / 8 + mpf(1) / 17, mpf(k + 1) / 8 + mpf(1) / 17
            if (_saw(low, 4) > 0) != (_saw(high, 4) > 0):
                while high - low > mpf(10) ** -(digits + GUARD // 2):
                    middle = (low + high) / 2
                    low, high = (middle, high) if (_saw(middle, 4) > 0) == (_saw(low, 4) > 0) else (low, middle)
                found.append(low)
        return found[int(at["e"]) - 1]


def _pieces(at: At, _digits: int) -> Fraction:
    hinges = 2 * int(at["r"])
    active = [_saw(Fraction(k, 8) + Fraction(1, 17), hinges) > 0 for k in range(-8, 8 * hinges + 16)]
    return Fraction(sum(now and not before for before, now in pairwise(active)))


def _area(at: At, _digits: int) -> Fraction:
    """The share of the cells of a grid, by their middles; gates change at the sides of cells alone."""
    places = [Fraction(2 * k + 1, 6) for k in range(-3, 3)]
    cells = [(x, y) for x, y in product(places, repeat=2) if x >= 0 and max(y, 0) + at["epsilon"] * max(-y, 0) >= 0]
    return Fraction(4 * len(cells), len(places) ** 2)


_SIZES = ("m=1 L=3", "m=2 L=2", "m=2 L=4", "m=3 L=3", "m=4 L=2")
_WITH_LINES = ("m=2 L=2 s=1", "m=2 L=3 s=2", "m=2 L=4 s=3", "m=3 L=3 s=4", "m=3 L=4 s=5")

WITNESSES = {
    "region.number.paths": Witness(_paths, (*_SIZES, "m=5 L=4")),
    "region.number.patterns": Witness(lambda at, _digits: _subsets(int(at["m"] * (at["L"] - 1))), _SIZES),
    "region.number.central": Witness(_central, _WITH_LINES),
    "region.number.affine": Witness(_affine, _WITH_LINES),
    "region.number.occurring": Witness(_occurring, ("m=2 s=1", "m=3 s=2", "m=5 s=3", "m=7 s=4")),
    "region.union.patterns": Witness(lambda at, _digits: _subsets(int((at["m"] - 1) * (at["L"] - 1))), _SIZES),
    "region.union.plane": Witness(_most, ("m=2 L=2", "m=2 L=4", "m=3 L=3", "m=4 L=2", "m=3 L=4")),
    "region.faces.path": Witness(_of_path, _WITH_LINES),
    "region.faces.pattern": Witness(_of_pattern, _WITH_LINES),
    "region.boundary.active_paths": Witness(
        _active, ("p=1 r=0 z=1 L=3", "p=2 r=1 z=0 L=3", "p=0 r=2 z=1 L=4", "p=3 r=2 z=2 L=2", "p=1 r=2 z=1 L=4")
    ),
    "region.half_space.normal": Witness(
        _normal,
        (
            "a=1/2 b=-3 c=2 d=5/7 u=-1 v=4/3 x=2/5 y=-7",
            "a=3 b=2/9 c=-1/4 d=6 u=2 v=-5 x=-1/3 y=8",
            "a=-2 b=1 c=1/5 d=-4 u=3/8 v=7 x=9 y=1/6",
            "a=1 b=-1/3 c=0 d=2 u=-5/2 v=1/9 x=3/4 y=6",
        ),
    ),
    "region.half_space.segment": Witness(_segment, ("n=1 L=2 s=1", "n=7 L=3 s=2", "n=40 L=5 s=3", "n=12 L=4 s=9")),
    "region.figure.ends": Witness(_end, ("e=1", "e=2", "e=3", "e=4")),
    "region.figure.pieces": Witness(_pieces, ("r=1", "r=2", "r=3", "r=7")),
    "region.figure.area": Witness(_area, ("epsilon=1/1000", "epsilon=-1/1000", "epsilon=5", "epsilon=-3/2")),
}
