"""Certificates that a polynomial keeps its sign on a box, which may be unbounded.

Each variable is written as a fractional linear function of a variable s in (0, oo): x = (a + b s)/(1 + s) on (a, b),
x = a + s on (a, oo). If all coefficients of the numerator have one sign, so has the polynomial. Otherwise the box is
halved a few times, into open boxes that overlap so that their union is the box.
"""

from collections.abc import Mapping
from fractions import Fraction

import sympy
from sympy.polys.rings import PolyElement, PolyRing

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
    ring = PolyRing([f"s{k}" for k in range(len(symbols))], poly.domain, sympy.lex)
    ends = [outer_ends(box[symbol]) for symbol in symbols]
    terms = poly.rep.to_dict()
    signs = {_sign(ring, terms, piece, MAX_HALVINGS) for piece in _without_whole_lines(ends)}
    return signs.pop() if len(signs) == 1 else 0


def _without_whole_lines(ends: list[Ends]) -> list[list[Ends]]:
    """Return boxes that cover the given one, and in none of which a variable runs over the whole line."""
    pieces: list[list[Ends]] = [[]]
    for low, high in ends:
        options = [(None, Fraction(1)), (Fraction(-1), None)] if low is None and high is None else [(low, high)]
        pieces = [[*piece, option] for piece in pieces for option in options]
    return pieces


def _sign(ring: PolyRing, terms: dict, ends: list[Ends], halvings: int) -> int:
    signs = _coefficient_signs(ring, terms, ends)
    if len(signs) == 1:
        return signs.pop()
    if halvings == 0 or _opposite_at_centres(ring, terms, ends):
        return 0
    k = halvings % len(ends)
    found = 0
    for half in _halves(*ends[k]):
        here = _sign(ring, terms, [*ends[:k], half, *ends[k + 1 :]], halvings - 1)
        if here == 0 or found not in (0, here):
            return 0
        found = here
    return found


def _opposite_at_centres(ring: PolyRing, terms: dict, ends: list[Ends]) -> bool:
    """Whether the values at s = 1/2, 1 and 2, equal for all variables, differ in sign."""
    whole = _in_positive(ring, terms, ends)
    values = [whole.evaluate([(s, ring.domain.convert(x)) for s in ring.gens]) for x in _THREE]
    return len({_sign_of(ring, value) for value in values}) > 1


_THREE = (sympy.QQ(1, 2), sympy.QQ(1), sympy.QQ(2))


def _halves(low: Fraction | None, high: Fraction | None) -> tuple[Ends, Ends]:
    if low is not None and high is not None:
        middle, margin = (low + high) / 2, (high - low) * OVERLAP
        return (low, middle + margin), (middle - margin, high)
    if low is not None:
        return (low, low + 1 + OVERLAP), (low + 1 - OVERLAP, None)
    return (None, high - 1 + OVERLAP), (high - 1 - OVERLAP, high)


def _in_positive(ring: PolyRing, terms: dict, ends: list[Ends]) -> PolyElement:
    """Return the numerator of the polynomial in variables that run over (0, oo)."""
    degrees = [max(exponents[k] for exponents in terms) for k in range(len(ends))]
    total = ring.zero
    for exponents, coefficient in terms.items():
        product = ring.ground_new(coefficient)
        for s, (low, high), power, degree in zip(ring.gens, ends, exponents, degrees, strict=True):
            if low is not None and high is not None:
                product *= (_number(ring, low) + _number(ring, high) * s) ** power * (1 + s) ** (degree - power)
            elif low is not None:
                product *= (_number(ring, low) + s) ** power
            else:
                product *= (_number(ring, high) - s) ** power
        total += product
    return total


def _number(ring: PolyRing, x: Fraction) -> PolyElement:
    return ring.ground_new(ring.domain.convert(sympy.QQ(x.numerator, x.denominator)))


def _coefficient_signs(ring: PolyRing, terms: dict, ends: list[Ends]) -> set[int]:
    return {_sign_of(ring, coefficient) for coefficient in _in_positive(ring, terms, ends).values()}


def _sign_of(ring: PolyRing, number: object) -> int:
    """Return the sign of a coefficient, or 0 where it is not certain."""
    return _sign_of_number(ring.domain.to_sympy(ring.domain.convert(number)))


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
