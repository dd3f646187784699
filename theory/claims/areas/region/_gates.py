"""Networks on the plane for the claims, and their regions by clipping polygons: one bit pattern after the other.

Every network has L - 1 hidden layers of m units. Each layer begins with two units whose lines cross, so that the rows
of the next layer can make any function of the plane from them.
"""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from theory.paths.regions import LinearGates

Form = tuple[Fraction, Fraction, Fraction]  # a x + b y + c
Polygon = tuple[tuple[Fraction, Fraction], ...]
Bits = tuple[bool, ...]
Weights = list[list[list[Fraction]]]
Biases = list[list[Fraction]]


def forms(weights: Weights, biases: Biases) -> list[list[Form]]:
    """Return the pre-activations of a deep linearly gated network, layer by layer: eta_l = W_l eta_(l-1) + b_l."""
    before: list[Form] = [(Fraction(1), Fraction(0), Fraction(0)), (Fraction(0), Fraction(1), Fraction(0))]
    found = []
    for rows, shifts in zip(weights, biases, strict=True):
        own = []
        for row, shift in zip(rows, shifts, strict=True):
            a, b, c = (sum(w * form[k] for w, form in zip(row, before, strict=True)) for k in range(3))
            own.append((a, b, c + shift))
        found.append(own)
        before = own
    return found


def network(wanted: Sequence[Sequence[Form]]) -> tuple[Weights, Biases]:
    """Return weights and biases whose pre-activations are these, layer by layer; the first two of a layer cross."""
    before = [(Fraction(1), Fraction(0), Fraction(0)), (Fraction(0), Fraction(1), Fraction(0))]
    weights, biases = [], []
    for layer in wanted:
        (a, b, e), (c, d, f) = before[:2]
        determinant = a * d - b * c
        rows, shifts = [], []
        for u, v, constant in layer:
            first, second = (u * d - v * c) / determinant, (v * a - u * b) / determinant
            rows.append([first, second, *[Fraction(0)] * (len(before) - 2)])
            shifts.append(constant - first * e - second * f)
        weights.append(rows)
        biases.append(shifts)
        before = list(layer)
    return weights, biases


def general(seed: int, m: int, hidden: int, biased: bool) -> tuple[Weights, Biases]:
    """Return random weights whose lines are in general position: no two parallel, no three through a point with biases.

    Without biases all lines pass through the origin, and no two are the same.
    """
    rng = random.Random(seed)
    while True:
        weights = [
            [[Fraction(rng.randint(-9, 9)) for _ in range(m if layer else 2)] for _ in range(m)]
            for layer in range(hidden)
        ]
        biases = [[Fraction(rng.randint(-9, 9) * biased) for _ in range(m)] for _ in range(hidden)]
        lines = [form for layer in forms(weights, biases) for form in layer]
        if _is_general(lines, biased):
            return weights, biases


def _is_general(lines: Sequence[Form], biased: bool) -> bool:
    if any(a * d == b * c for (a, b, _), (c, d, _) in combinations(lines, 2)):
        return False
    if not biased:
        return True
    corners = [crossing(*pair) for pair in combinations(lines, 2)]
    return len(set(corners)) == len(corners)


def crossing(one: Form, other: Form) -> tuple[Fraction, Fraction]:
    """Return the point at which two lines that are not parallel cross."""
    (a, b, c), (d, e, f) = one, other
    determinant = a * e - b * d
    return (b * f - c * e) / determinant, (c * d - a * f) / determinant


def tangents(seed: int, m: int, hidden: int) -> tuple[Weights, Biases]:
    """Return a network whose gates are all open in the unit circle, and whose lines touch it in different points."""
    shares = random.Random(seed).sample(range(-40, 41), m * hidden)
    lines = [_tangent(Fraction(share, 13)) for share in shares]
    return network([lines[layer * m : (layer + 1) * m] for layer in range(hidden)])


def _tangent(t: Fraction) -> Form:
    """Return 1 - u.x for the point u of the unit circle at the half-angle of tangent t."""
    return (t * t - 1) / (1 + t * t), -2 * t / (1 + t * t), Fraction(1)


def fan(m: int, hidden: int) -> tuple[Weights, Biases]:
    """Return a network without biases: the units 0 are open where y > |x|/3, and all other lines enter there."""
    layers = []
    for layer in range(hidden):
        own = [(Fraction(1, 3 + layer) * (-1) ** layer, Fraction(1), Fraction(0))]
        others = ((Fraction(1), Fraction(unit + layer * m, m * hidden) - Fraction(1, 2)) for unit in range(1, m))
        layers.append([*own, *((a, b, Fraction(0)) for a, b in others)])
    return network(layers)


def gates(made: tuple[Weights, Biases]) -> LinearGates:
    """Return the network as the library takes it."""
    return LinearGates(*made)


def rectangle(lines: Sequence[Form]) -> Polygon:
    """Return a square with every crossing of the lines inside, and every line through it."""
    size = Fraction(1)
    for a, b, c in lines:
        size += abs(c) / (abs(a) + abs(b))
    for one, other in combinations(lines, 2):
        if one[0] * other[1] != one[1] * other[0]:
            size = max(size, *(abs(part) + 1 for part in crossing(one, other)))
    return (-size, -size), (size, -size), (size, size), (-size, size)


def clipped(polygon: Polygon, form: Form) -> Polygon:
    """Return the part of a convex polygon on which a form is not negative; empty where it has no interior."""
    values = [form[0] * x + form[1] * y + form[2] for x, y in polygon]
    if not any(value > 0 for value in values):
        return ()
    left = []
    for index, (point, value) in enumerate(zip(polygon, values, strict=True)):
        before, last = values[index - 1], polygon[index - 1]
        if before * value < 0:
            share = before / (before - value)
            left.append(tuple(start + share * (end - start) for start, end in zip(last, point, strict=True)))
        if value >= 0:
            left.append(point)
    return tuple(left)


def area(polygon: Polygon) -> Fraction:
    """Return the area of a polygon."""
    doubled = sum(polygon[i - 1][0] * polygon[i][1] - polygon[i - 1][1] * polygon[i][0] for i in range(len(polygon)))
    return Fraction(doubled) / 2


def regions(lines: Sequence[Form], start: Polygon) -> Iterator[tuple[Bits, Polygon]]:
    """Yield every bit pattern whose half-planes leave a part of the polygon with an interior, and that part."""
    if not lines:
        yield (), start
        return
    for bit in (False, True):
        a, b, c = lines[0]
        own = clipped(start, (a, b, c) if bit else (-a, -b, -c))
        if own:
            yield from (((bit, *bits), part) for bits, part in regions(lines[1:], own))


def facets(lines: Sequence[Form]) -> int:
    """Return the number of half-planes without which the intersection of all would be larger."""
    square = rectangle(lines)

    def remains(kept: Sequence[Form]) -> Fraction:
        part = square
        for form in kept:
            part = clipped(part, form)
        return area(part)

    whole = remains(lines)
    return sum(remains([*lines[:k], *lines[k + 1 :]]) != whole for k in range(len(lines)))


def most_in_a_path(m: int, hidden: int) -> int:
    """Return the largest number of regions in one path's region over all arrangements of lines through the origin.

    Up to a linear map and the names of units only the order of the lines around the origin matters, and on which side
    of its line each unit of the path is open; all of these are tried.
    """
    lines = m * hidden
    normals = [(Fraction(1), Fraction(k), Fraction(0)) for k in range(lines)]
    square = ((Fraction(-1),) * 2, (Fraction(1), Fraction(-1)), (Fraction(1),) * 2, (Fraction(-1), Fraction(1)))
    patterns = [bits for bits, _ in regions(normals, square)]
    largest = 0
    for chosen in combinations(range(lines), hidden):
        for sides in product((False, True), repeat=hidden):
            largest = max(
                largest, sum(all(bits[k] == s for k, s in zip(chosen, sides, strict=True)) for bits in patterns)
            )
    return largest
