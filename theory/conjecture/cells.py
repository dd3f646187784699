"""Cells of a domain on which two sides are analytic: no root, denominator, logarithm or absolute value changes sign.

Where a function whose sign matters depends on one parameter, its real roots divide that parameter's interval. A
function of several parameters must be certified to keep its sign (`theory.expressions.signs`), or must be a factor of
a condition a < b on the domain, or of a principal minor of the covariance matrix, which is positive inside the domain;
a denominator and the argument of an absolute value may change sign if both sides are continuous there. Otherwise
there are no cells. A condition a <= b fixes no sign: the proof then holds on a larger domain.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise, product
from math import prod

import sympy

from theory.conjecture.points import values
from theory.conjecture.statement import Domains
from theory.expressions.domains import Condition
from theory.expressions.exact import rational
from theory.expressions.normal_form import RANGES
from theory.expressions.pieces import Kind, decisive, unnamed
from theory.expressions.region import LINE, POSITIVE
from theory.expressions.signs import outer_ends, sign_on
from theory.gaussian.admissible import principal_minors

MAX_CELLS = 48
# The most points tried in the search for one at which all principal minors are positive.
MAX_WITNESSES = 600
# The width of the intervals with rational ends that isolate irrational roots.
ISOLATION = sympy.QQ(1, 10**8)
# Atoms that are not polynomials become variables on these open intervals, which contain all their values.
VALUES = {
    **RANGES,
    sympy.exp: POSITIVE,
    sympy.Abs: POSITIVE,
    sympy.asin: sympy.Interval.open(-2, 2),
    sympy.acos: sympy.Interval.open(-1, 4),
}

Ends = tuple[Fraction, Fraction]


class NoCells(ValueError):
    """A function whose sign matters could not be certified to keep its sign; the message names the function."""


@dataclass(frozen=True)
class Cell:
    """A product of open intervals; `inner` and `outer` have rational ends and differ at irrational roots only.

    `place` has the index of the interval of each parameter, `signs` are those of the factors of principal minors, and
    `given` those of the factors of `conditions`.
    """

    inner: Domains
    outer: Domains
    place: tuple[int, ...]
    signs: Mapping[sympy.Expr, int]
    given: Mapping[sympy.Expr, int]
    conditions: tuple[Condition, ...]

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


def _factors(
    expr: sympy.Expr, kind: Kind, ranges: dict[sympy.Symbol, sympy.Interval]
) -> Iterator[tuple[sympy.Expr, Kind]]:
    """Irreducible factors of numerator and denominator; roots and transcendental atoms become variables."""
    numerator, denominator = sympy.fraction(sympy.cancel(_polynomial(sympy.together(expr), ranges)))
    for part, own in ((numerator, kind), (denominator, Kind.JUMP if kind is Kind.JUMP else Kind.POLE)):
        symbols = sorted(part.free_symbols, key=lambda symbol: symbol.name)
        if not symbols:
            continue
        poly = sympy.Poly(part, *symbols)
        if not (poly.domain.is_QQ or poly.domain.is_ZZ):
            yield part, own
            continue
        for factor, power in poly.factor_list()[1]:
            yield factor.as_expr(), Kind.KINK if own is Kind.REAL and power % 2 == 0 else own


def _polynomial(expr: sympy.Expr, ranges: dict[sympy.Symbol, sympy.Interval]) -> sympy.Expr:
    """`expr` with roots, exponentials and other functions of parameters as variables with a range."""
    if expr.is_Symbol or not (expr.free_symbols or expr.has(sympy.Integral)):
        return expr
    if expr.is_Add or expr.is_Mul:
        return expr.func(*(_polynomial(argument, ranges) for argument in expr.args))
    if expr.is_Pow and expr.exp.is_Integer:
        return _polynomial(expr.base, ranges) ** expr.exp
    if expr.is_Pow and expr.exp.is_Rational:
        root = sympy.Pow(expr.base, sympy.Rational(1, expr.exp.q))
        variable = sympy.Symbol(f"[{root}]", positive=True)
        ranges[variable] = POSITIVE
        return variable**expr.exp.p
    variable = sympy.Symbol(f"[{expr}]", real=True)
    ranges[variable] = POSITIVE if expr.is_Pow else VALUES.get(expr.func, LINE)
    return variable


def cells(
    exprs: tuple[sympy.Expr, ...],
    jumps: tuple[sympy.Expr, ...],
    domains: Domains,
    cov: sympy.MatrixBase | None,
    conditions: tuple[Condition, ...] = (),
) -> Cells:
    """Return the cells on which all `exprs` are analytic where they are real. Raises NoCells if that is not certified.

    The sides may jump at the zeros of `jumps`, which need not occur in `exprs`. Cells on which a condition certainly
    fails, or a minor is certainly negative, are left out.
    """
    for expr in exprs:
        for atom in sorted(unnamed(expr), key=sympy.default_sort_key)[:1]:
            raise NoCells(f"it is not known where {atom} is analytic")
    ranges: dict[sympy.Symbol, sympy.Interval] = {}
    wanted = {item for expr in exprs for item in decisive(expr)} | {(jump, Kind.JUMP) for jump in jumps}
    found = {f for function, kind in wanted if function.free_symbols for f in _factors(function, kind, ranges)}
    roots: dict[sympy.Symbol, set[Ends]] = {symbol: set() for symbol in domains}
    jumping: dict[sympy.Symbol, set[Ends]] = {symbol: set() for symbol in domains}
    joint = []
    for factor, kind in sorted(found, key=str):
        symbols = factor.free_symbols
        (only,) = symbols if len(symbols) == 1 else (None,)
        isolated = _real_roots(factor, only) if only in roots else None
        if isolated is None:
            joint.append((factor, kind))
            continue
        roots[only] |= set(isolated)
        jumping[only] |= set(isolated) if kind is Kind.JUMP else set()
    ends = {symbol: _ends(domains[symbol], roots[symbol]) for symbol in domains}
    number = prod(len(marks) - 1 for marks in ends.values())
    if number > MAX_CELLS:
        raise NoCells(f"the domain falls into {number} cells")
    minors = _minors(cov, domains)
    positive = [condition for condition in conditions if condition.polynomial is not None]
    needs = [*(condition.polynomial for condition in positive), *minors]
    strict = [condition for condition in positive if condition.strict]
    result = []
    for place in product(*(range(len(marks) - 1) for marks in ends.values())):
        pieces = {symbol: _piece(ends[symbol], k) for symbol, k in zip(ends, place, strict=True)}
        inner = {symbol: piece[0] for symbol, piece in pieces.items()}
        outer = {symbol: piece[1] for symbol, piece in pieces.items()}
        if any(sign_on(polynomial, outer) < 0 for polynomial in needs):
            continue
        given = _given_signs(strict, outer)
        known = {}
        for factor, kind in joint:
            if kind in (Kind.REAL, Kind.JUMP) and not _looked_up(factor, given):
                known[factor] = _required_sign(factor, kind, {**outer, **ranges}, minors)
        signs = {factor: sign for factor, sign in known.items() if factor.free_symbols <= set(domains)}
        result.append(Cell(inner, outer, place, signs, given, conditions))
    return Cells(tuple(result), ends, {symbol: frozenset(marks) for symbol, marks in jumping.items()})


def _required_sign(
    factor: sympy.Expr, kind: Kind, box: Mapping[sympy.Symbol, sympy.Interval], minors: list[sympy.Expr]
) -> int:
    sign = sign_on(factor, box)
    if not sign and kind is Kind.REAL:
        sign = next(filter(None, (_sign_by(factor, minor, box) for minor in minors)), 0)
    if not sign:
        what = "the sides may jump where it is zero" if kind is Kind.JUMP else "a side is real on one side of it only"
        raise NoCells(f"the sign of {factor} is not certified, and {what}")
    return sign


def _given_signs(conditions: list[Condition], box: Domains) -> dict[sympy.Expr, int]:
    """Return signs of factors of the polynomials that the conditions make positive; see `_sign_by`."""
    found = {}
    for condition in conditions:
        for factor, _ in sympy.factor_list(condition.polynomial)[1]:
            if sign := _sign_by(factor, condition.polynomial, box):
                found[factor] = sign
    return found


def _looked_up(factor: sympy.Expr, signs: Mapping[sympy.Expr, int]) -> int:
    return signs.get(factor, 0) or -signs.get(sympy.expand(-factor), 0)


def _sign_by(factor: sympy.Expr, minor: sympy.Expr, box: Mapping[sympy.Symbol, sympy.Interval]) -> int:
    """Return the sign of `factor` if it is the only factor of a positive polynomial without a certified sign."""
    if not factor.free_symbols <= minor.free_symbols or not minor.is_polynomial(*minor.free_symbols):
        return 0
    number, powers = sympy.factor_list(minor)
    own = [side for f, power in powers for side in (1, -1) if power == 1 and sympy.expand(f - side * factor) == 0]
    others = [f for f, _ in powers if sympy.expand(f - factor) != 0 and sympy.expand(f + factor) != 0]
    if len(own) != 1 or len(others) != len(powers) - 1:
        return 0
    return int(sympy.sign(number)) * own[0] * prod(sign_on(f, box) for f in others)


def _minors(cov: sympy.MatrixBase | None, domains: Domains) -> list[sympy.Expr]:
    """Return the principal minors with parameters, if the entries are linear in these: the domain is then convex.

    Return no minors where no point is found at which all are positive. Such a point shows that every point of the
    domain is a limit of points at which they are positive.
    """
    if cov is None or not cov.free_symbols:
        return []
    symbols = sorted(cov.free_symbols, key=lambda symbol: symbol.name)
    if not all(entry.is_polynomial(*symbols) and sympy.Poly(entry, *symbols).total_degree() <= 1 for entry in cov):
        return []
    minors = principal_minors(cov)
    lists = [values(sympy.Interval.open(domains[symbol].start, domains[symbol].end)) for symbol in symbols]
    for numbers in islice(product(*lists), MAX_WITNESSES):
        point = dict(zip(symbols, numbers, strict=True))
        if all(Condition(minor, ">", sympy.Integer(0)).holds(point) for minor in minors):
            return minors
    return []


def _real_roots(polynomial: sympy.Expr, x: sympy.Symbol) -> list[tuple[Fraction, Fraction]] | None:
    """Return isolating intervals (both ends the root where it is rational); None where coefficients are irrational."""
    poly = sympy.Poly(polynomial, x)
    if not (poly.domain.is_QQ or poly.domain.is_ZZ):
        return None
    if poly.degree() == 1:
        root = rational(-poly.nth(0) / sympy.Integer(1) / poly.nth(1))
        return [(root, root)]
    return [(rational(low), rational(high)) for (low, high), _ in poly.intervals(eps=ISOLATION)]


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
    inner = _open(left and left[1], right and right[0])
    return inner, _open(left and left[0], right and right[1])


def _open(low: Fraction | None, high: Fraction | None) -> sympy.Interval:
    start = -sympy.oo if low is None else sympy.Rational(low.numerator, low.denominator)
    end = sympy.oo if high is None else sympy.Rational(high.numerator, high.denominator)
    return sympy.Interval.open(start, end)
