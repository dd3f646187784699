"""Points of a domain at which an equation is tried: plain values first, then random ones and some close to its edges.

Points that break a condition, or at which the matrix is not a covariance matrix, are rejected; the search is bounded.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product

import sympy

from theory.conjecture.statement import Domains, Statement, is_covariance
from theory.expressions.domains import Condition
from theory.expressions.real_algebra import RealSet, inner_ends, within
from theory.expressions.refute import random_fraction
from theory.problem.errors import InputError

Point = dict[sympy.Symbol, sympy.Rational]

# Plainest first.
_WHOLE, _BROKEN = (0, 1, 2, 3, 4, 10), ((1, 2), (1, 3), (1, 4), (3, 4), (2, 3), (1, 5))
_POSITIVE = sorted(
    [*map(Fraction, _WHOLE), *(Fraction(*pair) for pair in _BROKEN)], key=lambda x: x.numerator + x.denominator
)
PLAIN = tuple(dict.fromkeys(side * x for x in _POSITIVE for side in (1, -1)))
# How close points come to a finite bound and to where a condition ceases to hold, and how far out where there is none.
EDGES = ((sympy.Rational(1, 10**3), 100), (sympy.Rational(1, 10**9), 10**4))
# The most combinations of plain values tried; at most of them the matrix may not be a covariance matrix.
MAX_LOOKED_AT = 600
# The most combinations of plain values that are sorted.
MAX_COMBINED = 10_000
MAX_DRAWN = 60
# With conditions this factor more points are drawn: an equation may be false only close to a condition's boundary.
MORE_DRAWN = 3


def values(interval: sympy.Interval) -> list[Fraction]:
    """Return fractions in the interval, plainest first. Raises InputError where it is narrower than 1e-30.

    >>> [str(x) for x in values(sympy.Interval.open(0, 1))[:4]]
    ['1/2', '1/3', '1/4', '2/3']
    """
    low, high = inner_ends(interval)
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


def contains(interval: sympy.Interval, x: Fraction) -> bool:
    """Return whether x lies in the interval."""
    low, high = inner_ends(interval)
    above = low is None or x > low or (x == low and not (interval.left_open and interval.start.is_Rational))
    below = high is None or x < high or (x == high and not (interval.right_open and interval.end.is_Rational))
    return above and below


def _plain_points(domains: Domains, parameters: list[sympy.Symbol]) -> Iterator[Point]:
    """Yield combinations of plain values, ordered by the sum of their indices in the lists."""
    lists = [values(domains[symbol]) for symbol in parameters]
    most = int(MAX_COMBINED ** (1 / len(lists)))
    choices = sorted(product(*(range(min(len(items), most)) for items in lists)), key=sum)
    for choice in choices[:MAX_LOOKED_AT]:
        yield _point(parameters, [items[k] for items, k in zip(lists, choice, strict=True)])


def _point(parameters: list[sympy.Symbol], numbers: Iterable[Fraction]) -> Point:
    return {s: sympy.Rational(x.numerator, x.denominator) for s, x in zip(parameters, numbers, strict=True)}


def _drawn_points(statement: Statement) -> Iterator[Point]:
    """Yield random points, every second one close to an edge; the solver moves few parameters of a point for it."""
    parameters, edges = statement.parameters, [*_edges(statement)]
    draw = random.Random(len(parameters))
    for attempt in range(MAX_DRAWN):
        target = _point(parameters, [random_fraction(statement.domains[symbol], draw) for symbol in parameters])
        edge = [] if attempt % 2 else [(edges[attempt // 2 % len(edges)], "<")]
        if not edge and admissible(statement, target):
            yield target
            continue
        pins = [(symbol - target[symbol], "==") for symbol in draw.sample(parameters, len(parameters))]
        nearest = (statement.points.point(parameters, *edge, *pins[k:]) for k in range(1, len(pins) + 1))
        point = next(filter(None, nearest), None)
        if point and all(x.is_Rational for x in point.values()):
            yield point


def _edges(statement: Statement) -> Iterator[sympy.Expr]:
    """Yield functions that are negative close to where the domain ends, or far out where it does not."""
    for close, far in EDGES:
        yield from (condition.margin - close for condition in statement.conditions)
        for symbol in statement.parameters:
            low, high = statement.domains[symbol].args[:2]
            yield symbol + far if low.is_infinite else symbol - low - close
            yield far - symbol if high.is_infinite else high - symbol - close


def admissible(statement: Statement, point: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    """Return whether the point certainly meets the conditions and gives a valid covariance matrix."""
    if not all(condition.holds(point) for condition in statement.conditions):
        return False
    if statement.cov is None or not statement.cov.free_symbols:
        return True
    return is_covariance(statement.cov.xreplace(dict(point)))


def points(statement: Statement, plain: int, drawn: int) -> Iterator[Point]:
    """Yield at most `plain` and `drawn` admissible points of each kind. Raises InputError if there are none."""
    parameters = statement.parameters
    if not parameters:
        yield {}
        return
    if statement.conditions and statement.points.empty():
        against = _contradiction(statement)
        contradict = "contradicts the bounds" if len(against) == 1 else "contradict each other"
        raise InputError(f"The domain is empty: {' and '.join(map(str, against))} {contradict}.", "Correct it.")
    kinds = (
        (_plain_points(statement.domains, parameters), plain),
        (_drawn_points(statement), drawn * (MORE_DRAWN if statement.conditions else 1)),
    )
    seen: list[Point] = []
    looked_at = missing = 0
    for candidates, limit in kinds:
        # Conditions may exclude all plain points; then more random ones are drawn.
        missing = limit + (missing if statement.conditions else 0)
        while missing and (point := next(candidates, None)) is not None:
            looked_at += 1
            if admissible(statement, point):
                missing -= 1
                if point not in seen:
                    seen.append(point)
                    yield point
    if not seen:
        raise _no_point(statement, looked_at)


def _no_point(statement: Statement, looked_at: int) -> InputError:
    """Return the error for a domain in which no point was found; the domain may be empty or narrow."""
    wanted = [str(condition) for condition in statement.conditions]
    hint = "Give bounds close to the points that you mean."
    if statement.cov is not None and statement.cov.free_symbols:
        wanted.append("that the matrix is a covariance matrix (positive semidefinite)")
        hint += " Correlations lie between -1 and 1."
    return InputError(f"No point was found: none of the {looked_at} tried meets {' and '.join(wanted)}.", hint)


def _contradiction(statement: Statement) -> list[Condition]:
    """Return conditions that cannot all hold within the bounds, none of which can be spared."""
    rest = list(statement.conditions)
    bounds = RealSet(within({symbol: statement.domains[symbol] for symbol in statement.parameters}))
    for condition in statement.conditions:
        fewer = [other for other in rest if other is not condition]
        rest = fewer if bounds.empty(*(other.relation for other in fewer)) else rest
    return rest
