"""Cells of a domain on which two sides are analytic, and the certificates of real algebra that make them so.

The zeros of a function of one parameter whose sign matters divide that parameter's interval. For a function of several
parameters the solver of `theory.expressions.real_algebra` must show, on each cell and under the conditions and minors
of the domain, that it has no zero where a side may jump, and that a side that is real on one side of it only is real on
all of the cell or meets no zero of it; otherwise there are no cells. Absolute values and denominators may change sign:
both sides are continuous there, or have no value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

import sympy

from theory.conjecture.statement import Domains, Statement
from theory.expressions.domains import Condition
from theory.expressions.exact import rational
from theory.expressions.pieces import Kind, decisive, polynomial_on_line, unnamed
from theory.expressions.real_algebra import RealSet, Relation, Root, outer_ends, within
from theory.expressions.region import open_interval, real_roots
from theory.gaussian.admissible import principal_minors

MAX_CELLS = 48
# The most choices of signs and extremes in a function whose zeros are isolated.
MAX_BRANCHES = 16
Ends = tuple[Fraction, Fraction]
# Numbers by the fractions around them.
Marks = dict[Ends, sympy.Expr | Root]


class NoCells(ValueError):
    """A function whose sign matters could not be certified to keep its sign; the message names the function."""


class Decided(NamedTuple):
    """A sentence that real algebra has decided, and the question in SMT-LIB to which "unsat" is the answer."""

    sentence: str
    query: str


@dataclass(frozen=True)
class Cell:
    """A product of open intervals; `inner` and `outer` have rational ends and differ at irrational roots only.

    `place` has the index of the interval of each parameter. `interior` is the part where the strict `conditions` hold
    and the minors of the covariance are positive, and `real` says whether both sides are real on all of it. `points`
    are the points of the domain in the cell, and where a side is real the functions `radicands` are not negative.
    """

    inner: Domains
    outer: Domains
    place: tuple[int, ...]
    interior: RealSet
    conditions: tuple[Condition, ...]
    real: bool
    decided: tuple[Decided, ...]
    points: RealSet
    radicands: tuple[sympy.Expr, ...]

    @property
    def is_void(self) -> bool:
        """Whether the solver shows that a side is real nowhere on the cell."""
        return self.points.empty(*((function, ">=") for function in self.radicands))

    def __str__(self) -> str:
        named = sorted(self.inner.items(), key=lambda item: item[0].name)
        ranges = [_range(symbol, interval) for symbol, interval in named]
        return ", ".join([*ranges, *map(str, self.conditions)]) or "numbers"


@dataclass(frozen=True)
class Cells:
    """All cells, the boundaries between them and the ends of the domain, each as a closed interval around one number.

    `ends[symbol]` are in ascending order, None where the domain is infinite; at those in `jumps` a side may jump.
    """

    cells: tuple[Cell, ...]
    ends: Mapping[sympy.Symbol, tuple[Ends | None, ...]]
    jumps: Mapping[sympy.Symbol, frozenset[Ends]]


def _range(symbol: sympy.Symbol, interval: sympy.Interval) -> str:
    low, high = (_short(end) for end in (interval.start, interval.end))
    if interval.start.is_infinite and interval.end.is_infinite:
        return f"any {symbol}"
    if interval.end.is_infinite:
        return f"{symbol}>{low}"
    return f"{symbol}<{high}" if interval.start.is_infinite else f"{low}<{symbol}<{high}"


def _short(number: sympy.Expr) -> str:
    return str(number if number.is_infinite or rational(number).denominator < 10**6 else number.evalf(9))


def cells(statement: Statement, jumps: tuple[sympy.Expr, ...]) -> Cells:
    """Return the cells on which both sides are analytic where they are real. Raises NoCells if that is not certified.

    The sides may jump at the zeros of `jumps`, which need not occur in them. Cells without a point of the domain are
    left out.
    """
    sides = statement.closed
    domains = {symbol: statement.domains[symbol] for symbol in statement.parameters}
    for side in sides:
        for atom in sorted(unnamed(side), key=sympy.default_sort_key)[:1]:
            raise NoCells(f"it is not known where {atom} is analytic")
    wanted = {item for side in sides for item in decisive(side)} | {(jump, Kind.JUMP) for jump in jumps}
    wanted = sorted(((f, kind) for f, kind in wanted if f.free_symbols), key=str)
    marks: dict[sympy.Symbol, Marks] = {symbol: {} for symbol in domains}
    joint = []
    for function, kind in wanted:
        (only,) = function.free_symbols if len(function.free_symbols) == 1 else (None,)
        zeros = _zeros(function, only) if only in domains else None
        if zeros is None:
            joint.append((function, kind))
            continue
        marks[only] |= zeros
    ends = {symbol: _ends(domains[symbol], set(marks[symbol])) for symbol in domains}
    for symbol, interval in domains.items():
        marks[symbol] |= {_enclosed(end): end for end in interval.args[:2] if end.is_finite}
    number = prod(len(cuts) - 1 for cuts in ends.values())
    if number > MAX_CELLS:
        raise NoCells(f"the domain falls into {number} cells")
    domain = statement.points.relations
    strict = [condition.relation for condition in statement.conditions if condition.strict]
    inside = (*strict, *_positive_minors(statement.cov, domains))
    radicands = tuple(function for function, kind in wanted if kind is Kind.REAL)
    result = []
    for place in product(*(range(len(cuts) - 1) for cuts in ends.values())):
        box = _box(ends, place, marks)
        points = RealSet(domain, box)
        if points.empty():
            continue
        interior = RealSet(inside, box)
        real, decided = _certify(sides, joint, radicands, points, interior)
        pieces = {symbol: _piece(ends[symbol], k) for symbol, k in zip(ends, place, strict=True)}
        inner, outer = ({symbol: piece[i] for symbol, piece in pieces.items()} for i in (0, 1))
        result.append(Cell(inner, outer, place, interior, statement.conditions, real, decided, points, radicands))
    jumping = [function for function, kind in wanted if kind is Kind.JUMP]
    at_jumps = {symbol: _jumps_at(symbol, cuts, marks[symbol], jumping, domain) for symbol, cuts in ends.items()}
    return Cells(tuple(result), ends, at_jumps)


def _jumps_at(
    symbol: sympy.Symbol,
    ends: tuple[Ends | None, ...],
    marks: Marks,
    jumping: list[sympy.Expr],
    domain: tuple[Relation, ...],
) -> frozenset[Ends]:
    """Return the ends of a parameter's intervals at which the solver does not exclude a zero of these functions."""
    faces = {end: RealSet(domain, ((symbol, "==", marks[end]),)) for end in filter(None, ends)}
    return frozenset(end for end, face in faces.items() if not all(face.empty((f, "==")) for f in jumping))


def _certify(
    sides: tuple[sympy.Expr, ...],
    joint: list[tuple[sympy.Expr, Kind]],
    radicands: tuple[sympy.Expr, ...],
    points: RealSet,
    interior: RealSet,
) -> tuple[bool, tuple[Decided, ...]]:
    """Return whether both sides are certainly real on the interior, and what the solver decided.

    Raises NoCells where a side may jump or end.
    """
    decided = []

    def shown(where: RealSet, sentence: str, *relations: Relation) -> bool:
        proved = where.empty(*relations)
        if proved:
            decided.append(Decided(sentence, where.query(*relations)))
        return proved

    for function, kind in joint:
        if kind is Kind.JUMP and not shown(points, f"no point has {function} = 0", (function, "==")):
            raise NoCells(f"it is not certified that {function} has no zero, where the sides may jump")
    real = {f: shown(interior, f"no point has {f} < 0", (f, "<")) for f in radicands}
    for function in (f for f, kind in joint if kind is Kind.REAL and not real[f]):
        if not shown(points, f"no point has {function} = 0", (function, "==")):
            raise NoCells(f"the sign of {function} is not certified, and a side is real on one side of it only")
    both = tuple((side, "real") for side in sides)
    for function in radicands:
        complex_somewhere = not points.empty((function, "<"))
        if complex_somewhere and not shown(points, f"no side is real where {function} < 0", (function, "<"), *both):
            raise NoCells(f"the sides may be real where {function} is negative, though parts of them are not")
    return all(real.values()), tuple(decided)


def _zeros(function: sympy.Expr, only: sympy.Symbol) -> Marks | None:
    """Return numbers that include all zeros of a function of one parameter, by intervals around them.

    None where the function is not algebraic, or may vanish on an interval.
    """
    zeros: Marks = {}
    for branch in _branches(function):
        poly = polynomial_on_line(branch, only, {})
        if poly is None:
            return None
        for low, high in real_roots(poly):
            exact = sympy.Rational(low.numerator, low.denominator) if low == high else Root(poly, low, high)
            zeros[low, high] = exact
    return zeros


def _branches(expr: sympy.Expr) -> set[sympy.Expr]:
    """Return expressions without absolute values and extremes, to one of which `expr` is equal at each point."""
    waiting, done = {expr}, set()
    while waiting and len(waiting) + len(done) <= MAX_BRANCHES:
        one = waiting.pop()
        inner = sorted(one.atoms(sympy.Abs, sympy.Max, sympy.Min), key=sympy.count_ops)
        if not inner:
            done.add(one)
            continue
        values_of = (inner[0].args[0], -inner[0].args[0]) if isinstance(inner[0], sympy.Abs) else inner[0].args
        waiting |= {one.xreplace({inner[0]: value}) for value in values_of}
    return done if not waiting else {expr}


def _box(
    ends: Mapping[sympy.Symbol, tuple[Ends | None, ...]],
    place: tuple[int, ...],
    marks: Mapping[sympy.Symbol, Marks],
) -> tuple[tuple[sympy.Symbol, str, sympy.Expr | Root], ...]:
    """Return the comparisons of parameters with numbers that define the open box of a cell, its ends exact."""
    return tuple(
        (symbol, sign, marks[symbol][limits[index]])
        for (symbol, limits), k in zip(ends.items(), place, strict=True)
        for index, sign in ((k, ">"), (k + 1, "<"))
        if limits[index] is not None
    )


def _positive_minors(cov: sympy.MatrixBase | None, domains: Domains) -> list[Relation]:
    """Return minor > 0 for all principal minors, if the entries are linear: the domain of a covariance is convex then.

    Return no minors where no point is found at which all are positive. Such a point shows that every point of the
    domain is a limit of points at which they are positive.
    """
    if cov is None or not cov.free_symbols:
        return []
    symbols = sorted(cov.free_symbols, key=lambda symbol: symbol.name)
    if not all(entry.is_polynomial(*symbols) and sympy.Poly(entry, *symbols).total_degree() <= 1 for entry in cov):
        return []
    positive = [Condition(minor, ">", sympy.Integer(0)) for minor in principal_minors(cov)]
    point = RealSet(within(domains)).point(symbols, *(minor.relation for minor in positive)) or {}
    return [minor.relation for minor in positive] if all(minor.holds(point) for minor in positive) else []


def _ends(interval: sympy.Interval, roots: set[Ends]) -> tuple[Ends | None, ...]:
    """Return the ends of the interval and the roots inside it as disjoint intervals in ascending order."""
    low, high = (None if end.is_infinite else _enclosed(end) for end in (interval.start, interval.end))
    inside = sorted(root for root in roots if (low is None or root[1] > low[1]) and (high is None or root[0] < high[0]))
    marks = [low, *inside, high]
    for left, right in pairwise(marks):
        if left is not None and right is not None and right[0] <= left[1]:
            raise NoCells("two roots are too close to each other to be told apart")
    return tuple(marks)


def _enclosed(end: sympy.Expr) -> Ends:
    low, _ = outer_ends(sympy.Interval(end, sympy.oo))
    _, high = outer_ends(sympy.Interval(-sympy.oo, end))
    return low, high


def _piece(ends: tuple[Ends | None, ...], k: int) -> tuple[sympy.Interval, sympy.Interval]:
    """Return two intervals with rational ends, one inside and one around the interval after the k-th end."""
    left, right = ends[k], ends[k + 1]
    inner = open_interval(left and left[1], right and right[0])
    return inner, open_interval(left and left[0], right and right[1])
