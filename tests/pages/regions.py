"""The values of the claims on path regions, and regions of given networks, by Fourier-Motzkin and by sums over sets."""

import random
from fractions import Fraction
from itertools import combinations, groupby, product

from mpmath import mpf

Form = tuple  # (a, b, c) is a x + b y + c


def solvable(forms: list[Form]) -> bool:
    """Whether all forms are positive together somewhere in the plane."""
    rising, falling = ([form for form in forms if sign * form[0] > 0] for sign in (1, -1))
    rest = [(b, c) for a, b, c in forms if a == 0]
    rest += [(a * e - d * b, a * f - d * c) for a, b, c in rising for d, e, f in falling]
    low = max((Fraction(-c) / b for b, c in rest if b > 0), default=None)
    high = min((Fraction(-c) / b for b, c in rest if b < 0), default=None)
    return all(c > 0 for b, c in rest if b == 0) and (low is None or high is None or low < high)


def opposite(form: Form) -> Form:
    """The form with the other sign."""
    return tuple(-part for part in form)


def patterns(weights: list, biases: list, relu: bool) -> list[tuple]:
    """The patterns of open gates, by layer, on regions of the plane with an interior; unit by unit."""
    found = [((), [], [(1, 0, 0), (0, 1, 0)])]  # the layers so far, the inequalities, and what the last layer passes on
    for rows, shifts in zip(weights, biases, strict=True):
        after = []
        for pattern, held, passed in found:
            grown = [((), held, ())]
            for row, shift in zip(rows, shifts, strict=True):
                a, b, c = (sum(w * form[k] for w, form in zip(row, passed, strict=True)) for k in range(3))
                own = (a, b, c + shift)
                grown = [
                    ((*bits, bit), more, (*values, own if bit or not relu else (0, 0, 0)))
                    for bits, before, values in grown
                    for bit in ((0, 1) if any(own) else (0,))
                    if not any(own) or solvable([*before, own if bit else opposite(own)])
                    for more in [[*before, own if bit else opposite(own)] if any(own) else before]
                ]
            after += [((*pattern, bits), more, list(values)) for bits, more, values in grown]
        found = after
    return [pattern for pattern, _, _ in found]


def on_a_path(found: list[tuple], path: tuple) -> int:
    """The number of patterns that open all gates of a path."""
    return sum(all(layer[unit] for layer, unit in zip(pattern, path, strict=True)) for pattern in found)


def occurring(lines: list[Form]) -> int:
    """The number of patterns of half-planes with an interior."""
    return len(patterns([[form[:2] for form in lines]], [[form[2] for form in lines]], relu=False))


def drawn(seed: int, count: int, biased: bool) -> list[Form]:
    """Lines with different slopes; with biases, no three through one point."""
    source = random.Random(1000 + seed)
    while True:
        slopes = source.sample(range(-30, 31), count)
        lines = [(slope, 7, source.randint(-99, 99) * biased) for slope in slopes]
        minors = (
            (one[0] - two[0]) * (two[2] - six[2]) - (two[0] - six[0]) * (one[2] - two[2])
            for one, two, six in combinations(lines, 3)
        )
        if not biased or all(minors):
            return lines


def touching(seed: int, count: int) -> list[Form]:
    """Half-planes around the unit circle, by different points of it."""
    halves = random.Random(2000 + seed).sample(range(-20, 21), count)
    return [(Fraction(t * t - 81, 81 + t * t), Fraction(-18 * t, 81 + t * t), 1) for t in halves]


def faces(lines: list[Form]) -> int:
    """The number of lines that can be crossed alone: all others stay positive where this one turns negative."""
    return sum(solvable([*lines[:k], opposite(line), *lines[k + 1 :]]) for k, line in enumerate(lines))


def whole(*numbers: mpf) -> list[int]:
    """Numbers of units and layers."""
    return [int(number) for number in numbers]


def most(m: mpf, L: mpf) -> int:
    """The largest number of sectors of a path over the orders of the lines and the sides of its gates."""
    units, layers = whole(m, L)
    total, best = units * (layers - 1), 0
    sectors = [tuple((sector - place) % (2 * total) < total for place in range(total)) for sector in range(2 * total)]
    for chosen in combinations(range(total), layers - 1):
        sides = [tuple(sector[place] for place in chosen) for sector in sectors]
        best = max(best, *(sides.count(side) for side in set(sides)))
    return best


def active(p: mpf, r: mpf, z: mpf, L: mpf) -> int:
    """The number of paths through units with a pre-activation that is not negative."""
    values = [1] * int(p) + [0] * int(r) + [-1] * int(z)
    return sum(min(chosen) >= 0 for chosen in product(values, repeat=int(L) - 1))


def between(n: mpf, L: mpf, s: mpf) -> int:
    """The number of points of a segment in half-planes of the layers' forms, each moved until it has both ends."""
    source = random.Random(3000 + int(s))
    ends = [(source.randint(-9, 9), source.randint(-9, 9)) for _ in range(2)]
    forms = [(1, 0, 0), (0, 1, 0)]
    points = [
        tuple(Fraction(a * (int(n) - k) + b * k, int(n)) for a, b in zip(*ends, strict=True)) for k in range(int(n) + 1)
    ]
    held = [True] * len(points)
    for _ in range(int(L) - 1):
        drawn_rows = [[source.randint(-5, 5) for _ in forms] for _ in range(3)]
        forms = [
            tuple(sum(w * form[k] for w, form in zip(row, forms, strict=True)) for k in range(3)) for row in drawn_rows
        ]
        a, b, c = forms[1]
        forms[1] = (a, b, c - min(a * x + b * y + c for x, y in ends))
        held = [
            was and forms[1][0] * x + forms[1][1] * y + forms[1][2] >= 0
            for was, (x, y) in zip(held, points, strict=True)
        ]
    return sum(held)


def green(x: Fraction, hinges: int) -> Fraction:
    """2 relu(x) - 4 relu(x - 1) + 4 relu(x - 2) - ... - 1."""
    return sum((2 if k == 0 else 4 * (-1) ** k) * max(x - k, 0) for k in range(hinges)) - 1


def runs(hinges: int) -> list[tuple[Fraction, Fraction]]:
    """First and last points of a grid in each interval on which the path is active, ends of intervals included."""
    grid = [Fraction(k, 2) for k in range(-2, 2 * hinges + 3)]
    groups = [list(group) for on, group in groupby(grid, lambda x: x >= 0 and green(x, hinges) >= 0) if on]
    return [(group[0], group[-1]) for group in groups]


def end(e: mpf) -> mpf:
    """An end of the intervals; the pre-activation must vanish there."""
    place = [point for run in runs(4) for point in run][int(e) - 1]
    return mpf(place.numerator) / place.denominator if green(place, 4) == 0 else mpf("nan")


def jumping(epsilon: mpf) -> int:
    """The number of unit squares around the origin on which both gates are open, at their middles."""
    half = mpf(1) / 2
    return sum(x >= 0 and max(y, 0) + epsilon * max(-y, 0) >= 0 for x, y in product((half, -half), repeat=2))


VALUES = {
    "region.number.paths": lambda m, L: len(list(product(range(int(m)), repeat=int(L) - 1))),
    "region.number.patterns": lambda m, L: len(list(product((0, 1), repeat=int(m) * (int(L) - 1)))),
    "region.number.central": lambda m, L, s: occurring(drawn(int(s), int(m * (L - 1)), biased=False)),
    "region.number.affine": lambda m, L, s: occurring(drawn(int(s), int(m * (L - 1)), biased=True)),
    "region.union.patterns": lambda m, L: sum(1 for _ in product((0, 1), repeat=(int(m) - 1) * (int(L) - 1))),
    "region.union.plane": most,
    "region.faces.path": lambda m, L, s: faces(touching(int(s), int(m * (L - 1)))[:: int(m)]),
    "region.faces.pattern": lambda m, L, s: faces(touching(int(s), int(m * (L - 1)))),
    "region.boundary.active_paths": active,
    "region.half_space.normal": lambda a, b, c, d, u, v, x, y: u * (a * x + b * y) + v * (c * x + d * y),
    "region.half_space.segment": between,
    "region.figure.ends": end,
    "region.figure.pieces": lambda r: len(runs(2 * int(r))),
    "region.figure.area": jumping,
}
PRINTED = {
    "region.number.paths": lambda m, L: m**L,
    "region.number.patterns": lambda m, L: mpf(2) ** (m * L),
    "region.faces.path": lambda m, L, s: L,
    "region.faces.pattern": lambda m, L, s: m * L,
    "region.boundary.active_paths": lambda p, r, z, L: p ** (L - 1),
}
