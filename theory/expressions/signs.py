"""Certificates that a polynomial keeps its sign on a box, which may be unbounded.

Each variable is written as a fractional linear function of a variable s in (0, oo): x = (a + b s)/(1 + s) on (a, b),
x = a + s on (a, oo). If all coefficients of the numerator have one sign, so has the polynomial. Otherwise the box is
halved a few times, into open boxes that overlap so that their union is the box.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, Undefined, enclose, sign
from theory.expressions.exact import rational

MAX_TERMS = 400
MAX_DEGREE = 24
# The most halvings of the box; each at most doubles the number of boxes.
MAX_HALVINGS = 6
# How far the halves of a box extend beyond its middle, relative to its size.
OVERLAP = Fraction(1, 16)
# An irrational end of an interval is replaced by the next multiple of 1/CLOSE outside of it.
CLOSE = 10**30
# Precisions, in bits, at which the sign of a coefficient is determined.
BITS = (64, 512)

Box = Mapping[sympy.Symbol, sympy.Interval]
Ends = tuple[Fraction | None, Fraction | None]
# A polynomial: the coefficients, integers or elements of a field of SymPy, by the exponents of the variables.
Terms = dict[tuple[int, ...], Any]


def outer_ends(interval: sympy.Interval) -> Ends:
    """Return the rational ends of an interval that contains `interval`; None for an infinite end.

    >>> [str(end) for end in outer_ends(sympy.Interval.open(0, sympy.oo))]
    ['0', 'None']
    """
    low, high = interval.start, interval.end
    below = None if low.is_infinite else rational(low if low.is_Rational else sympy.floor(low * CLOSE) / CLOSE)
    above = None if high.is_infinite else rational(high if high.is_Rational else sympy.ceiling(high * CLOSE) / CLOSE)
    return below, above


def sign_on(polynomial: sympy.Expr, box: Box) -> int:
    """Return 1 or -1 where the polynomial certainly has this sign everywhere inside the box, else 0.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> sign_on(1 + 2 * x**2 * (1 - y**2), {x: sympy.Interval.open(0, sympy.oo), y: sympy.Interval.open(-1, 1)})
    1
    """
    symbols = sorted(polynomial.free_symbols, key=lambda symbol: symbol.name)
    if not symbols:
        return _sign_of_number(polynomial)
    poly = sympy.Poly(polynomial, *symbols, extension=True).to_field()
    if len(poly.terms()) > MAX_TERMS or max(poly.degree_list()) > MAX_DEGREE or not poly.domain.is_Exact:
        return 0
    if poly.domain.is_QQ:
        _, whole = poly.clear_denoms(convert=True)
        terms, sign_of = {exponents: int(number) for exponents, number in whole.rep.to_dict().items()}, _sign_of_integer
    else:
        terms, sign_of = poly.rep.to_dict(), lambda number: _sign_of_number(poly.domain.to_sympy(number))
    ends = [outer_ends(box[symbol]) for symbol in symbols]
    signs = {_sign(terms, sign_of, piece, MAX_HALVINGS) for piece in _without_whole_lines(ends)}
    return signs.pop() if len(signs) == 1 else 0


def _without_whole_lines(ends: list[Ends]) -> list[list[Ends]]:
    """Return boxes that cover the given one, and in none of which a variable runs over the whole line."""
    pieces: list[list[Ends]] = [[]]
    for low, high in ends:
        options = [(None, Fraction(1)), (Fraction(-1), None)] if low is None and high is None else [(low, high)]
        pieces = [[*piece, option] for piece in pieces for option in options]
    return pieces


def _sign(terms: Terms, sign_of: Callable[[Any], int], ends: list[Ends], halvings: int) -> int:
    whole = _in_positive(terms, ends)
    signs = {sign_of(coefficient) for coefficient in whole.values()}
    if len(signs) == 1:
        return signs.pop()
    if halvings == 0 or len({sign_of(value) for value in _at_centres(whole)}) > 1:
        return 0
    k = halvings % len(ends)
    found = 0
    for half in _halves(*ends[k]):
        here = _sign(terms, sign_of, [*ends[:k], half, *ends[k + 1 :]], halvings - 1)
        if here == 0 or found not in (0, here):
            return 0
        found = here
    return found


def _at_centres(whole: Terms) -> tuple[Any, Any, Any]:
    """The values at s = 1/2, 1 and 2, the same for all variables; the first times a power of 2."""
    by_degree: dict[int, Any] = {}
    for exponents, coefficient in whole.items():
        degree = sum(exponents)
        by_degree[degree] = by_degree[degree] + coefficient if degree in by_degree else coefficient
    most = max(by_degree)
    zero = by_degree[most] * 0
    return (
        sum((number * 2 ** (most - degree) for degree, number in by_degree.items()), zero),
        sum(by_degree.values(), zero),
        sum((number * 2**degree for degree, number in by_degree.items()), zero),
    )


def _halves(low: Fraction | None, high: Fraction | None) -> tuple[Ends, Ends]:
    if low is not None and high is not None:
        middle, margin = (low + high) / 2, (high - low) * OVERLAP
        return (low, middle + margin), (middle - margin, high)
    if low is not None:
        return (low, low + 1 + OVERLAP), (low + 1 - OVERLAP, None)
    return (None, high - 1 + OVERLAP), (high - 1 - OVERLAP, high)


def _in_positive(terms: Terms, ends: list[Ends]) -> Terms:
    """The numerator of the polynomial in variables that run over (0, oo), times a positive number."""
    for k, (low, high) in enumerate(ends):
        degree = max(exponents[k] for exponents in terms)
        rows = {power: _row(low, high, power, degree) for power in {exponents[k] for exponents in terms}}
        moved: Terms = {}
        for exponents, coefficient in terms.items():
            before, after = exponents[:k], exponents[k + 1 :]
            for j, factor in enumerate(rows[exponents[k]]):
                if factor:
                    key, part = (*before, j, *after), coefficient * factor
                    moved[key] = moved[key] + part if key in moved else part
        terms = {exponents: coefficient for exponents, coefficient in moved.items() if coefficient}
    return terms


def _row(low: Fraction | None, high: Fraction | None, power: int, degree: int) -> list[int]:
    """The coefficients in s of x^power, times the denominator of x^degree and a number that makes them integers."""
    if low is not None and high is not None:
        scale = math.lcm(low.denominator, high.denominator)
        top, bottom = (int(low * scale), int(high * scale)), (scale, scale)
    elif low is not None:
        top, bottom = (low.numerator, low.denominator), (low.denominator, 0)
    else:
        top, bottom = (high.numerator, -high.denominator), (high.denominator, 0)
    row = [1]
    for constant, slope in (top,) * power + (bottom,) * (degree - power):
        row = [constant * x + slope * y for x, y in zip([*row, 0], [0, *row], strict=True)]
    return row


def _sign_of_integer(number: int) -> int:
    return (number > 0) - (number < 0)


def _sign_of_number(number: sympy.Expr) -> int:
    if number.is_Rational:
        return int(sympy.sign(number))
    for bits in BITS:
        try:
            with precision(bits):
                return sign(enclose(number, {}))
        except (Undecided, Undefined):
            continue
    return 0
