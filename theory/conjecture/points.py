"""Points of a domain at which an equation is tried: plain values first, then close to the boundary, then random."""

import random
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice

import sympy

from theory.conjecture.statement import Domains, Statement, is_covariance
from theory.expressions.exact import rational
from theory.problem.errors import InputError

Point = dict[sympy.Symbol, sympy.Rational]

# In the order in which a person would try them.
_WHOLE, _BROKEN = (0, 1, 2, 3, 4, 10), ((1, 2), (1, 3), (1, 4), (3, 4), (2, 3), (1, 5))
_POSITIVE = sorted(
    [*map(Fraction, _WHOLE), *(Fraction(*pair) for pair in _BROKEN)], key=lambda x: x.numerator + x.denominator
)
PLAIN = tuple(dict.fromkeys(side * x for x in _POSITIVE for side in (1, -1)))
# How close to a bound: these parts of the width, or these numbers beside an infinite one.
NEAR = (Fraction(1, 100), Fraction(1, 10**6))
DISTANT = (Fraction(100), Fraction(10**4))
# Irrational bounds are replaced by fractions inside the domain, this close.
BOUND = 10**30
# Combinations looked at for one list of points, most of which may not be covariance matrices.
MAX_LOOKED_AT = 600


def values(interval: sympy.Interval) -> list[Fraction]:
    """Fractions in the interval, plainest first; InputError where it is narrower than 1e-30.

    >>> [str(x) for x in values(sympy.Interval.open(0, 1))[:4]]
    ['1/2', '1/3', '1/4', '2/3']
    """
    low, high = bounds(interval)
    ends = [x for x, is_open in ((low, interval.left_open), (high, interval.right_open)) if x is not None]
    inside = [x for x in (*PLAIN, *ends) if contains(interval, x)]
    if low is not None and high is not None:
        inside += [low + (high - low) * Fraction(k, 4) for k in (2, 1, 3)]
    elif low is not None:
        inside += [low + k for k in (1, Fraction(1, 2), 2)]
    elif high is not None:
        inside += [high - k for k in (1, Fraction(1, 2), 2)]
    inside = [x for x in dict.fromkeys(inside) if contains(interval, x)]
    if not inside:
        raise InputError(f"The domain {interval} is too narrow to try a point.", "Give a wider one.")
    return inside


def bounds(interval: sympy.Interval) -> tuple[Fraction | None, Fraction | None]:
    """Rational bounds of the interval, inside it where the bound itself is irrational; None for an infinite one."""
    low, high = interval.start, interval.end
    inner = None, None
    if low.is_finite:
        inner = (rational(low) if low.is_Rational else Fraction(int(sympy.floor(low * BOUND)) + 1, BOUND)), None
    if high.is_finite:
        inner = (
            inner[0],
            (rational(high) if high.is_Rational else Fraction(int(sympy.ceiling(high * BOUND)) - 1, BOUND)),
        )
    return inner


def contains(interval: sympy.Interval, x: Fraction) -> bool:
    """Whether x lies in the interval."""
    low, high = bounds(interval)
    above = low is None or x > low or (x == low and not (interval.left_open and interval.start.is_Rational))
    below = high is None or x < high or (x == high and not (interval.right_open and interval.end.is_Rational))
    return above and below


def near_boundary(interval: sympy.Interval) -> list[Fraction]:
    """Fractions close to the ends of the interval."""
    low, high = bounds(interval)
    width = high - low if low is not None and high is not None else Fraction(1)
    found = [low + part * width for part in NEAR] if low is not None else [-x for x in DISTANT]
    found += [high - part * width for part in NEAR] if high is not None else list(DISTANT)
    return [x for x in found if contains(interval, x)]


def random_value(interval: sympy.Interval, draw: random.Random) -> Fraction:
    """A fraction of three digits between the ends, or of any size beside an infinite one."""
    low, high = bounds(interval)
    share = Fraction(draw.randint(1, 996), 997)
    if low is not None and high is not None:
        return low + (high - low) * share
    size = share / (1 - share)
    if low is None and high is None:
        return size * draw.choice((-1, 1))
    return low + size if low is not None else high - size


def _plain_points(domains: Domains, parameters: list[sympy.Symbol]) -> Iterator[Point]:
    """Combinations of plain values, by the sum of their places in the lists."""
    lists = [values(domains[symbol]) for symbol in parameters]
    for choice in islice(_by_sum([len(items) for items in lists]), MAX_LOOKED_AT):
        yield _point(parameters, [items[k] for items, k in zip(lists, choice, strict=True)])


def _points_near_boundary(domains: Domains, parameters: list[sympy.Symbol]) -> Iterator[Point]:
    """One parameter close to an end of its domain, the others at their second plainest value."""
    lists = [values(domains[symbol]) for symbol in parameters]
    plain = [items[min(1, len(items) - 1)] for items in lists]
    for k, symbol in enumerate(parameters):
        for x in near_boundary(domains[symbol]):
            yield _point(parameters, [*plain[:k], x, *plain[k + 1 :]])


def _random_points(domains: Domains, parameters: list[sympy.Symbol]) -> Iterator[Point]:
    """Random fractions, some moved towards the plainest values, where correlations are more often admissible."""
    plain = [values(domains[symbol])[0] for symbol in parameters]
    draw = random.Random(len(parameters))
    for attempt in range(MAX_LOOKED_AT):
        shrink = Fraction(1, 1 + attempt % 4)
        drawn = [random_value(domains[symbol], draw) for symbol in parameters]
        yield _point(parameters, [x + (y - x) * shrink for x, y in zip(plain, drawn, strict=True)])


def _point(parameters: list[sympy.Symbol], numbers: Iterable[Fraction]) -> Point:
    return {s: sympy.Rational(x.numerator, x.denominator) for s, x in zip(parameters, numbers, strict=True)}


def _by_sum(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """All tuples k with k_i < sizes_i, by their sum."""
    for total in range(sum(size - 1 for size in sizes) + 1):
        yield from _with_sum(sizes, total)


def _with_sum(sizes: list[int], total: int) -> Iterator[tuple[int, ...]]:
    if not sizes:
        if total == 0:
            yield ()
        return
    rest = sum(size - 1 for size in sizes[1:])
    for first in range(max(0, total - rest), min(sizes[0] - 1, total) + 1):
        for others in _with_sum(sizes[1:], total - first):
            yield (first, *others)


def admissible(statement: Statement, point: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    """Whether the covariance matrix of the statement is one at this point."""
    if statement.cov is None or not statement.cov.free_symbols:
        return True
    return is_covariance(statement.cov.xreplace(dict(point)))


def points(statement: Statement, plain: int, close: int, drawn: int) -> Iterator[Point]:
    """Yield at most `plain`, `close`, `drawn` admissible points of each kind, InputError if none exist."""
    parameters = statement.parameters
    if not parameters:
        yield {}
        return
    seen = []
    for kind, limit in ((_plain_points, plain), (_points_near_boundary, close), (_random_points, drawn)):
        candidates = kind(statement.domains, parameters)
        for point in islice((point for point in candidates if admissible(statement, point)), limit):
            if point not in seen:
                seen.append(point)
                yield point
    if not seen:
        raise InputError(
            "No point of the domain was found at which the matrix is a covariance matrix (positive semidefinite).",
            "Check the matrix and the domains; correlations lie between -1 and 1.",
        )
