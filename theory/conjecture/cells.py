"""Cells of a domain on which two sides are analytic: no root, denominator, logarithm or absolute value changes sign.

Where a function whose sign matters depends on one parameter, its real roots divide that parameter's interval. One
that depends on several must be certified to keep its sign (`theory.conjecture.signs`), or to be a factor of a
principal minor of the covariance matrix, which is positive inside the domain. Otherwise there are no cells.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod

import sympy

from theory.conjecture.points import BOUND
from theory.conjecture.signs import sign_on
from theory.conjecture.statement import Domains
from theory.expressions.pieces import decisive
from theory.expressions.precise import rational

MAX_CELLS = 48
# Irrational roots are isolated by fractions this close.
ISOLATION = sympy.QQ(1, 10**8)
POSITIVE = sympy.Interval.open(0, sympy.oo)
# Atoms that are no polynomials stand for a variable on these open intervals, which contain all their values.
RANGES = {
    sympy.exp: POSITIVE,
    sympy.Abs: POSITIVE,
    sympy.erf: sympy.Interval.open(-1, 1),
    sympy.asin: sympy.Interval.open(-2, 2),
    sympy.atan: sympy.Interval.open(-2, 2),
    sympy.sin: sympy.Interval.open(-2, 2),
    sympy.cos: sympy.Interval.open(-2, 2),
    sympy.acos: sympy.Interval.open(-1, 4),
}
LINE = sympy.Interval(-sympy.oo, sympy.oo)


class NoCells(ValueError):
    """A function whose sign matters could not be certified to keep it; the message names it."""


@dataclass(frozen=True)
class Cell:
    """A product of open intervals; `inner` and `outer` have rational ends and differ at irrational roots only."""

    inner: Domains
    outer: Domains

    def __str__(self) -> str:
        named = sorted(self.inner.items(), key=lambda item: item[0].name)
        return ", ".join(_range(symbol, interval) for symbol, interval in named) or "numbers"


def _range(symbol: sympy.Symbol, interval: sympy.Interval) -> str:
    low, high = (_short(end) for end in (interval.start, interval.end))
    if interval.start.is_infinite and interval.end.is_infinite:
        return f"any {symbol}"
    if interval.end.is_infinite:
        return f"{symbol}>{low}"
    return f"{symbol}<{high}" if interval.start.is_infinite else f"{low}<{symbol}<{high}"


def _short(number: sympy.Expr) -> str:
    return str(number if number.is_infinite or rational(number).denominator < 10**6 else number.evalf(9))


@dataclass(frozen=True)
class Factor:
    """An irreducible function whose zeros matter; `kink` where its sign itself does, as inside Abs."""

    expr: sympy.Expr
    kink: bool


def _factors(expr: sympy.Expr, kink: bool, ranges: dict[sympy.Symbol, sympy.Interval]) -> Iterator[Factor]:
    """Irreducible factors of numerator and denominator; roots and transcendental atoms become variables."""
    numerator, denominator = sympy.fraction(sympy.cancel(_polynomial(sympy.together(expr), ranges)))
    for part in (numerator, denominator):
        symbols = sorted(part.free_symbols, key=lambda symbol: symbol.name)
        if not symbols:
            continue
        poly = sympy.Poly(part, *symbols)
        if not (poly.domain.is_QQ or poly.domain.is_ZZ):
            yield Factor(part, True)
            continue
        for factor, power in poly.factor_list()[1]:
            yield Factor(factor.as_expr(), kink or power % 2 == 0)


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
    ranges[variable] = POSITIVE if expr.is_Pow else RANGES.get(expr.func, LINE)
    return variable


def cells(exprs: tuple[sympy.Expr, ...], domains: Domains, cov: sympy.MatrixBase | None) -> list[Cell]:
    """The cells of the domain on which all `exprs` are analytic where they are real; NoCells if not certified."""
    ranges: dict[sympy.Symbol, sympy.Interval] = {}
    wanted = {(function, kink) for expr in exprs for function, kink in decisive(expr) if function.free_symbols}
    found = {factor for function, kink in wanted for factor in _factors(function, kink, ranges)}
    roots: dict[sympy.Symbol, list[tuple[Fraction, Fraction]]] = {symbol: [] for symbol in domains}
    joint = []
    for factor in sorted(found, key=str):
        symbols = factor.expr.free_symbols
        (only,) = symbols if len(symbols) == 1 else (None,)
        isolated = _real_roots(factor.expr, only) if only in roots else None
        if isolated is None:
            joint.append(factor)
        else:
            roots[only] += isolated
    pieces = {symbol: _pieces(domains[symbol], roots[symbol]) for symbol in domains}
    number = prod(len(items) for items in pieces.values())
    if number > MAX_CELLS:
        raise NoCells(f"the domain falls into {number} cells")
    minors = _minors(cov)
    result = []
    for choice in product(*pieces.values()):
        inner = {symbol: piece[0] for symbol, piece in zip(pieces, choice, strict=True)}
        outer = {symbol: piece[1] for symbol, piece in zip(pieces, choice, strict=True)}
        for factor in joint:
            _require_sign(factor, {**outer, **ranges}, minors)
        result.append(Cell(inner, outer))
    return result


def _require_sign(factor: Factor, box: Mapping[sympy.Symbol, sympy.Interval], minors: list[sympy.Expr]) -> None:
    if sign_on(factor.expr, box):
        return
    if not factor.kink and any(_divides(factor.expr, minor, box) for minor in minors):
        return
    raise NoCells(f"the sign of {factor.expr} is not certified")


def _divides(factor: sympy.Expr, minor: sympy.Expr, box: Mapping[sympy.Symbol, sympy.Interval]) -> bool:
    """Whether `factor` is the one factor of a principal minor whose sign is not certified otherwise."""
    if not factor.free_symbols <= minor.free_symbols or not minor.is_polynomial(*minor.free_symbols):
        return False
    powers = sympy.factor_list(minor)[1]
    same = [power for f, power in powers if sympy.expand(f - factor) == 0 or sympy.expand(f + factor) == 0]
    others = [f for f, _ in powers if sympy.expand(f - factor) != 0 and sympy.expand(f + factor) != 0]
    return same == [1] and all(sign_on(f, box) for f in others)


def _minors(cov: sympy.MatrixBase | None) -> list[sympy.Expr]:
    """Principal minors with parameters, where the entries are linear in them: then the domain is convex."""
    if cov is None or not cov.free_symbols:
        return []
    symbols = sorted(cov.free_symbols, key=lambda symbol: symbol.name)
    if not all(entry.is_polynomial(*symbols) and sympy.Poly(entry, *symbols).total_degree() <= 1 for entry in cov):
        return []
    rows = range(min(cov.rows, 4))
    blocks = [block for size in range(1, len(rows) + 1) for block in combinations(rows, size)]
    minors = [sympy.expand(cov.extract(list(block), list(block)).det(method="berkowitz")) for block in blocks]
    return [minor for minor in minors if minor.free_symbols]


def _real_roots(polynomial: sympy.Expr, x: sympy.Symbol) -> list[tuple[Fraction, Fraction]] | None:
    """Isolating intervals (both ends the root where it is rational); None where coefficients are not rational."""
    poly = sympy.Poly(polynomial, x)
    if not (poly.domain.is_QQ or poly.domain.is_ZZ):
        return None
    if poly.degree() == 1:
        root = rational(-poly.nth(0) / sympy.Integer(1) / poly.nth(1))
        return [(root, root)]
    return [(rational(low), rational(high)) for (low, high), _ in poly.intervals(eps=ISOLATION)]


def _pieces(
    interval: sympy.Interval, roots: list[tuple[Fraction, Fraction]]
) -> list[tuple[sympy.Interval, sympy.Interval]]:
    """The open interval divided at the roots, as (inner, outer) pairs with rational ends."""
    inside = sorted({(low, high) for low, high in roots if _meets(interval, low, high)})
    marks = [_end(interval.start), *inside, _end(interval.end)]
    result = []
    for (low_outer, low_inner), (high_inner, high_outer) in pairwise(marks):
        if high_inner is not None and low_inner is not None and high_inner <= low_inner:
            raise NoCells("two roots are too close to each other to be told apart")
        result.append((_open(low_inner, high_inner), _open(low_outer, high_outer)))
    return result


def _meets(interval: sympy.Interval, low: Fraction, high: Fraction) -> bool:
    left, right = (sympy.Rational(x.numerator, x.denominator) for x in (low, high))
    return bool(right > interval.start) and bool(left < interval.end)


def _end(end: sympy.Expr) -> tuple[Fraction | None, Fraction | None]:
    """A bound of the domain as (smaller, larger) fractions; None where it is infinite."""
    if end.is_infinite:
        return None, None
    if end.is_Rational:
        return rational(end), rational(end)
    below = Fraction(int(sympy.floor(end * BOUND)), BOUND)
    return below, below + Fraction(1, BOUND)


def _open(low: Fraction | None, high: Fraction | None) -> sympy.Interval:
    start = -sympy.oo if low is None else sympy.Rational(low.numerator, low.denominator)
    end = sympy.oo if high is None else sympy.Rational(high.numerator, high.denominator)
    return sympy.Interval.open(start, end)
