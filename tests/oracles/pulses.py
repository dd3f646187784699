"""Single pulses one by one: every start, width and flip of a class, in fractions, and the moments as sums over them."""

from fractions import Fraction
from math import inf

ALWAYS = (0, -inf, inf)


def inputs(n, widths, support, flip):
    """Every equally likely x of one class, widths = (a, b), repeated as often as it is drawn."""
    found = []
    for start in range(n):
        for width in range(widths[0], widths[1] + 1):
            u = [0] * n
            for step in range(width):
                u[(start + step) % n] = 1
            for flipped in (False,) if flip == "none" else (False, True):
                bits = [1 - bit for bit in u] if flipped and flip == "complement" else u
                x = bits if support == "zero-one" else [2 * bit - 1 for bit in bits]
                found.append([-value for value in x] if flipped and flip == "sign" else x)
    return found


def average(points, function):
    """The mean of a function of x over equally likely points."""
    return sum((Fraction(function(x)) for x in points), Fraction(0)) / len(points)


def gated(classes, labels, gates, reach=None):
    """A = <x~ x~^T> and b = <x~ y> over both classes; x~ is x where a gate (site, lo, hi) opens, gate after gate.

    With `reach`, the gates themselves and this constant follow: the features of biases.
    """
    n = len(classes[0][0])
    rows = len(gates) * n + (0 if reach is None else len(gates) + 1)
    A = [[Fraction(0)] * rows for _ in range(rows)]
    b = [Fraction(0)] * rows
    for points, label in zip(classes, labels, strict=True):
        counts, sums = [[0] * rows for _ in range(rows)], [0] * rows
        for x in points:
            opened = [int(lo <= x[site] < hi) for site, lo, hi in gates]
            tilde = [open_ * value for open_ in opened for value in x]
            tilde += [] if reach is None else [*opened, reach]
            on = [row for row in range(rows) if tilde[row]]
            for row in on:
                sums[row] += tilde[row]
                for column in on:
                    counts[row][column] += tilde[row] * tilde[column]
        share = Fraction(1, 2 * len(points))
        b = [entry + share * total * Fraction(label) for entry, total in zip(b, sums, strict=True)]
        A = [
            [entry + share * count for entry, count in zip(*pair, strict=True)] for pair in zip(A, counts, strict=True)
        ]
    return A, b
