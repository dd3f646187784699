"""Tools of the makers of claims.json: a witness, quadrature by panels, linear algebra in fractions, a flow at rest.

Nothing here or in the claims_*.py beside it imports the package whose statements are judged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import mpmath
from mpmath import mpf

At = Mapping[str, Fraction]  # a point: parameter values by name
GUARD = 15  # digits carried beyond those asked for


@dataclass(frozen=True)
class Witness:
    """`value(point, digits)` computes the left-hand side of a claim from its definition, at each of `points`."""

    value: Callable[[At, int], mpf | Fraction]
    points: tuple[str, ...]  # "a=1/2 b=-3"; one empty text where there is nothing to vary
    digits: int = 32


def parsed(point: str) -> dict[str, Fraction]:
    """The parameter values of a point written as `a=1/2 b=-3`."""
    return {name: Fraction(value) for name, _, value in (word.partition("=") for word in point.split())}


def reals(at: At) -> dict[str, mpf]:
    """The same values at the working precision."""
    return {name: real(value) for name, value in at.items()}


def real(value: Fraction | mpf) -> mpf:
    """A fraction at the working precision."""
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpf(value)


@cache
def rule(count: int, precision: int) -> tuple[tuple[mpf, mpf], ...]:
    """Nodes and weights of Gauss-Legendre on [-1, 1] by Newton's method on the recurrence, at `precision` bits."""

    def legendre(x: mpf) -> tuple[mpf, mpf]:
        before, now = mpf(1), x
        for order in range(2, count + 1):
            before, now = now, ((2 * order - 1) * x * now - (order - 1) * before) / order
        return now, count * (x * now - before) / (x * x - 1)

    upper = []
    with mpmath.workprec(precision + 10):
        for index in range(count // 2):
            x = mpmath.cos(mpmath.pi * (index + mpf(3) / 4) / (count + mpf(1) / 2))
            step = mpf(1)
            while abs(step) > mpf(2) ** (-(precision // 2) - 10):  # the next error is about the square of a step
                value, slope = legendre(x)
                step = value / slope
                x -= step
            slope = legendre(x)[1]
            upper.append((x, 2 / ((1 - x * x) * slope * slope)))
        middle = [(mpf(0), 2 / legendre(mpf(0))[1] ** 2)] if count % 2 else []
        return (*upper, *middle, *((-x, weight) for x, weight in reversed(upper)))


def panels(low: mpf, high: mpf, *near: tuple[mpf, mpf]) -> list[mpf]:
    """Ends of panels on [low, high] that double in length away from each (centre, width)."""
    ends = {mpf(low), mpf(high)}
    for centre, width in near:
        reach = mpf(0)
        while reach <= high - low:
            ends |= {end for end in (centre - reach, centre + reach) if low < end < high}
            reach = 2 * reach if reach else mpf(width)
    return sorted(ends)


def integral(f: Callable[[mpf], mpf], ends: Sequence[mpf], digits: int) -> mpf:
    """The integral by Gauss-Legendre between consecutive ends, with enough nodes for analyticity one panel around."""
    total = mpf(0)
    for start, end in pairwise(ends):
        middle, half = (start + end) / 2, (end - start) / 2
        total += half * mpmath.fsum(weight * f(middle + half * x) for x, weight in rule(digits + 8, mpmath.mp.prec))
    return total


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a regular linear system by elimination with exchanges, in fractions."""
    size = len(right)
    rows = [[Fraction(entry) for entry in (*row, value)] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        chosen = next(row for row in range(column, size) if rows[row][column])
        rows[column], rows[chosen] = rows[chosen], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for row in range(size):
            if row != column:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [row[size] for row in rows]


def residual(columns: Sequence[Sequence[Fraction]], target: Sequence[Fraction], shares: Sequence[Fraction]) -> Fraction:
    """The weighted mean square that is left of `target` when the columns are projected out, one after another."""

    def product(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
        return sum((p * x * y for p, x, y in zip(shares, a, b, strict=True)), Fraction(0))

    def without(vector: Sequence[Fraction], basis: Sequence[Sequence[Fraction]]) -> list[Fraction]:
        left = list(vector)
        for axis in basis:
            factor = product(left, axis) / product(axis, axis)
            left = [a - factor * b for a, b in zip(left, axis, strict=True)]
        return left

    basis: list[list[Fraction]] = []
    for column in columns:
        remaining = without(column, basis)
        if product(remaining, remaining):
            basis.append(remaining)
    left = without(target, basis)
    return product(left, left)


def at_rest(second: mpmath.matrix, force: Sequence[mpf], start: Sequence[mpf], units: mpf, digits: int) -> list[mpf]:
    """Where K dw/dt = b - A w/K ends: implicit Euler steps, each ten times longer than the one before.

    A step divides a mode of rate r by 1 + r h and leaves a mode of rate 0 alone, so forty decades of h reach the end.
    """
    size = len(force)
    with mpmath.workdps(digits + GUARD + 60):
        w = mpmath.matrix(list(start))
        for decade in range(-2, digits + 8):
            step = mpf(10) ** decade
            system = mpmath.eye(size) + second * (step / units**2)
            w = mpmath.lu_solve(system, w + mpmath.matrix(list(force)) * (step / units))
        return [w[index] for index in range(size)]
