"""The domain on which a matrix with parameters is a covariance matrix: no principal minor is negative.

A minor in one parameter alone cuts the interval of that parameter, with a remark. The other minors become conditions.
"""

from dataclasses import dataclass
from itertools import combinations

import sympy

from theory.expressions.domains import Condition, Domain, Nowhere, bounds_of, domain_of
from theory.expressions.real_algebra import RealSet, sign_on, within
from theory.problem.errors import InputError

# Larger matrices have too many minors to be written out.
MAX_ROWS = 4
NO_GAUSSIAN = "No Gaussian has such covariances; a correlation lies between -1 and 1."


@dataclass(frozen=True)
class Admissible:
    """A domain cut to where a matrix may be a covariance, the conditions that remain, and a remark for each cut.

    `whole` is False for a matrix too large to write out all its minors: the conditions are then necessary only.
    """

    domain: Domain
    conditions: tuple[Condition, ...]
    remarks: tuple[str, ...]
    whole: bool = True


def principal_minors(cov: sympy.MatrixBase, rows: int = MAX_ROWS) -> list[sympy.Expr]:
    """Return the expanded principal minors of the first `rows` rows that have parameters, smaller blocks first.

    >>> r = sympy.Symbol("r", real=True)
    >>> principal_minors(sympy.Matrix([[1, r], [r, 1]]))
    [1 - r**2]
    """
    first = range(min(cov.rows, rows))
    blocks = [block for size in range(1, len(first) + 1) for block in combinations(first, size)]
    minors = [sympy.expand(cov.extract(list(block), list(block)).det(method="berkowitz")) for block in blocks]
    return list(dict.fromkeys(minor for minor in minors if minor.free_symbols))


def admissible(domain: Domain, cov: sympy.MatrixBase) -> Admissible:
    """Return the part of a domain on which `cov`, in the domain's symbols, can be a covariance matrix.

    Raises InputError where a minor or a condition shows that this part is empty.

    >>> from theory.expressions.domains import parse_domains
    >>> wide = parse_domains("-2<r<2")
    >>> r = wide.names["r"]
    >>> found = admissible(wide, sympy.Matrix([[1, r], [r, 1]]))
    >>> found.domain.bounds, found.remarks
    (['-1 <= r <= 1'], ('-2 < r < 2 is cut to -1 <= r <= 1: the covariance needs 1 - r**2 >= 0.',))
    """
    needs = [Condition(minor, ">=", sympy.Integer(0)) for minor in principal_minors(cov)]
    intervals, cut = dict(domain.intervals), {}
    for need in needs:
        for symbol, interval in _cut(need, intervals):
            intervals[symbol] = interval
            cut.setdefault(symbol, []).append(str(need))
    for symbol, interval in intervals.items():
        for condition in domain.conditions:
            intervals[symbol] = _without_ends(symbol, intervals[symbol], condition)
            if symbol in cut and intervals[symbol] != interval:
                cut[symbol].append(str(condition))
                interval = intervals[symbol]
    remarks = tuple(
        f"{bounds_of(symbol, domain.intervals[symbol])} is cut to {bounds_of(symbol, intervals[symbol])}: "
        f"the covariance needs {' and '.join(reasons)}."
        for symbol, reasons in cut.items()
    )
    for condition in (*needs, *domain.conditions):
        if RealSet(within(intervals)).empty(condition.relation):
            why = NO_GAUSSIAN if condition in needs else "The condition contradicts the bounds."
            box = ", ".join(bounds_of(symbol, interval) for symbol, interval in intervals.items())
            raise InputError(f"{condition} holds nowhere on {box}.", f"{why} Correct the domain.")
    stated = {condition.polynomial for condition in domain.conditions}
    left = [need for need in needs if not need.left.is_nonnegative]
    left = [need for need in left if need.polynomial is None or need.polynomial not in stated]
    left = [need for need in left if need.polynomial is None or not sign_on(need.polynomial, intervals)]
    table_domain = domain_of(intervals, domain.conditions)
    table = {symbol: table_domain.names[symbol.name] for symbol in intervals}
    return Admissible(table_domain, tuple(need.at(table) for need in left), remarks, cov.rows <= MAX_ROWS)


def _without_ends(symbol: sympy.Symbol, interval: sympy.Interval, condition: Condition) -> sympy.Interval:
    """Return the interval without the ends at which a condition cannot hold: a >= 0 and c**2 < a*b make a > 0."""
    low, high = (
        not is_open and end.is_finite and condition.at({symbol: end}).impossible
        for end, is_open in ((interval.start, interval.left_open), (interval.end, interval.right_open))
    )
    return sympy.Interval(interval.start, interval.end, interval.left_open or low, interval.right_open or high)


def _cut(need: Condition, intervals: dict[sympy.Symbol, sympy.Interval]) -> list[tuple[sympy.Symbol, sympy.Interval]]:
    """Return the parameter of a minor in one parameter with its reduced interval; empty where nothing changes."""
    if len(need.left.free_symbols) != 1:
        return []
    (symbol,) = need.left.free_symbols
    bounds = intervals[symbol]
    try:
        needed = need.interval()
        kept = bounds if needed is None else bounds.intersect(needed)
    except Nowhere:
        kept = sympy.S.EmptySet
    if not isinstance(kept, sympy.Interval):
        point = f"{symbol} = {kept.args[0]}" if isinstance(kept, sympy.FiniteSet) else ""
        raise InputError(
            f"Of {bounds_of(symbol, bounds)} {f'only {point}' if point else 'no point'} makes the matrix a covariance "
            f"(positive semidefinite): it needs {need}.",
            f"{NO_GAUSSIAN} {f'Put in {point}, or correct' if point else 'Correct'} the bounds.",
        )
    return [] if kept == bounds else [(symbol, kept)]
