"""The pieces on which an expression is analytic: the functions whose zeros bound them, and points between the zeros.

On a line, all symbols but one fixed, the pieces end where the argument of a root, a denominator, a logarithm or an
absolute value becomes 0 or an inverse sine reaches 1: at real roots of polynomials, which are isolated exactly. The
points serve only to refute. With one and two symbols they lie in every piece, with more symbols in some. Where such a
function is not algebraic on the line, points that become dense at its ends replace those between roots.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from fractions import Fraction
from itertools import combinations, islice, pairwise

import sympy
from sympy.polys.polyerrors import PolynomialError

from theory.expressions.exact import rational
from theory.expressions.functions import OwensT, Phi, Phi2

Domains = Mapping[sympy.Symbol, sympy.Interval]
Point = dict[sympy.Symbol, Fraction]

# The most points on lines for three symbols and more: the cost of a decision grows with their number.
MOST_ON_LINES = 40
LINES = 2
MOST_DEGREE = 48
# The largest sum of the degrees of all factors in two symbols.
MOST_PLANE_DEGREE = 24
# Isolating intervals are refined to the first of these widths at which they are disjoint.
WIDTHS = (Fraction(1, 10**12), Fraction(1, 10**60))
# Distances from the ends: shares of the length of an interval; on a half line these numbers and their inverses.
MARKS = tuple(Fraction(1, 2**k) for k in (1, 2, 3, 5, 8, 13, 21, 34))
# An irrational bound of a domain is replaced by a fraction this close.
BOUND_DIGITS = 50


class Kind(Enum):
    """Why the zeros of a function matter to an expression that contains it."""

    REAL = "the expression is real only where the function is not negative"
    POLE = "the expression has no value where the function is zero"
    KINK = "the expression has another form on either side, and is continuous"
    JUMP = "the expression may jump"


def decisive(expr: sympy.Expr) -> Iterator[tuple[sympy.Expr, Kind]]:
    """Yield the functions between whose zeros `expr` is analytic, each with its kind."""
    if isinstance(expr, sympy.Integral) or not expr.args:
        return
    for argument in expr.args:
        yield from decisive(argument)
    if expr.is_Pow and not (expr.exp.is_Integer and expr.exp > 0):
        yield expr.base, Kind.POLE if expr.exp.is_Integer else Kind.REAL
    elif isinstance(expr, sympy.log):
        yield expr.args[0], Kind.REAL
    elif isinstance(expr, sympy.tan):
        yield sympy.cos(expr.args[0]), Kind.POLE
    elif isinstance(expr, sympy.asin | sympy.acos):
        yield 1 - expr.args[0] ** 2, Kind.REAL
    elif isinstance(expr, Phi2):
        yield 1 - expr.args[2] ** 2, Kind.REAL
    elif isinstance(expr, sympy.Abs):
        yield expr.args[0], Kind.KINK
    elif isinstance(expr, sympy.sign | sympy.Heaviside):
        yield expr.args[0], Kind.JUMP
    elif isinstance(expr, sympy.atan2):
        yield from ((argument, Kind.JUMP) for argument in expr.args)
    elif isinstance(expr, sympy.Max | sympy.Min):
        yield from ((a - b, Kind.KINK) for a, b in combinations(expr.args, 2))


# Functions that are analytic wherever their arguments are, and those whose exceptions `decisive` names.
NAMED = (
    *(sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan, sympy.erf, sympy.erfc, Phi),
    *(OwensT, Phi2, sympy.log, sympy.tan, sympy.asin, sympy.acos, sympy.Abs, sympy.sign, sympy.Heaviside),
    *(sympy.atan2, sympy.Max, sympy.Min),
)


def unnamed(expr: sympy.Expr) -> set[sympy.Expr]:
    """Return the functions in an expression, outside of integrals, whose domain of analyticity is not known."""
    if isinstance(expr, sympy.Integral):
        return set()
    inner = set().union(*(unnamed(argument) for argument in expr.args)) if expr.args else set()
    plain = expr.is_Symbol or expr.is_number or expr.is_Add or expr.is_Mul or expr.is_Pow or isinstance(expr, NAMED)
    return inner if plain else inner | {expr}


def candidates(exprs: tuple[sympy.Expr, ...], domains: Domains, bases: list[Point]) -> Iterator[Point]:
    """Yield a point in each piece of the domain that the search reaches; the expressions need not be real there.

    The first of `bases` gives the values of symbols that bound no piece. For three symbols and more, lines are searched
    that pass through the first few bases, and near two corners of the domain.
    """
    functions = {function for expr in exprs for function, _ in decisive(expr) if function.free_symbols}
    symbols = sorted(set().union(*(function.free_symbols for function in functions), set()), key=str)
    plane = _in_plane(functions, symbols, domains, bases[0]) if len(symbols) == 2 else None
    lines = _on_lines(functions, symbols, domains, bases)
    yield from plane if plane is not None else (lines if len(symbols) == 1 else islice(lines, MOST_ON_LINES))


def _on_lines(
    functions: set[sympy.Expr], symbols: list[sympy.Symbol], domains: Domains, bases: list[Point]
) -> Iterator[Point]:
    through = bases[:1] if len(symbols) == 1 else [*_corners(symbols, domains, bases[0]), *bases[:LINES]]
    # Lines alternate between symbols and bases, so that each occurs before the points are enough.
    turns = [(through[(k + j) % len(through)], symbol) for k in range(len(through)) for j, symbol in enumerate(symbols)]
    for base, symbol in turns:
        polynomials = [polynomial_on_line(f, symbol, base) for f in functions if f.has(symbol)]
        for number in _between_zeros(polynomials, symbol, domains.get(symbol)):
            yield {**base, symbol: number}


def _corners(symbols: list[sympy.Symbol], domains: Domains, base: Point) -> list[Point]:
    """Return points slightly inside the lower and the upper ends of all symbols; without an end, as in `base`."""
    lower, upper = dict(base), dict(base)
    for symbol in symbols:
        low, high = ends(symbol, domains.get(symbol))
        margin = (high - low) * MARKS[-1] if low is not None and high is not None else MARKS[-1]
        if not symbol.is_integer:
            lower[symbol] = base[symbol] if low is None else low + margin
            upper[symbol] = base[symbol] if high is None else high - margin
    return [lower, upper]


def _in_plane(
    functions: set[sympy.Expr], symbols: list[sympy.Symbol], domains: Domains, base: Point
) -> list[Point] | None:
    """Return a point in every piece of a plane, from one line between each two values of the first symbol that matter.

    The zeros of the functions on the line change their number or order only where a leading coefficient, a discriminant
    or a resultant of their factors vanishes, or where a zero meets an end of the line. Returns None for degrees above
    MOST_PLANE_DEGREE, and for functions that are not algebraic.
    """
    first, second = symbols
    rest = {symbol: x for symbol, x in base.items() if symbol not in symbols}
    polynomials = [polynomial_on_line(function, second, rest, (first,)) for function in functions]
    if None in polynomials:
        return None
    factors = {factor for poly in polynomials for factor, _ in poly.factor_list()[1]}
    if sum(factor.total_degree() for factor in factors) > MOST_PLANE_DEGREE:
        return None
    curves = {f.as_expr() for f in factors if f.has(second)}
    changes = {f.as_expr() for f in factors if not f.has(second)}
    for curve in curves:
        changes |= {sympy.LC(curve, second), sympy.discriminant(curve, second)}
        limits = [end for end in ends(second, domains.get(second)) if end is not None]
        changes |= {curve.subs(second, sympy.Rational(e.numerator, e.denominator)) for e in limits}
    changes |= {sympy.resultant(a, b, second) for a, b in combinations(sorted(curves, key=str), 2)}
    at = [sympy.Poly(change, first).sqf_part() for change in changes if change.has(first)]
    points = []
    for x in _between_zeros(at, first, domains.get(first)):
        line = [polynomial_on_line(curve, second, {**rest, first: x}) for curve in curves]
        points += [{**base, first: x, second: y} for y in _between_zeros(line, second, domains.get(second))]
    return points


def _between_zeros(
    polynomials: list[sympy.Poly | None], symbol: sympy.Symbol, domain: sympy.Interval | None
) -> Iterator[Fraction]:
    """Yield a number between any two neighbours among the ends of a line and the zeros of the polynomials on it."""
    low, high = ends(symbol, domain)
    zeros = _isolated([item for item in polynomials if item is not None and item.degree() > 0])
    inside = [(a, b) for a, b in zeros if (low is None or b > low) and (high is None or a < high)]
    for (_, left), (right, _) in pairwise([(low, low), *inside, (high, high)]):
        if left is None or right is None or left < right:
            yield from _suitable(_between(left, right), left, right, symbol)
    if None in polynomials:
        for mark in MARKS:
            for number in _marked(low, high, mark):
                yield from _suitable(number, low, high, symbol)


def ends(symbol: sympy.Symbol, domain: sympy.Interval | None) -> tuple[Fraction | None, Fraction | None]:
    """Return the lower and the upper bound of a symbol, None where there is none."""
    low = Fraction(0) if symbol.is_nonnegative else None
    high = Fraction(0) if symbol.is_nonpositive else None
    if domain is not None and not domain.start.is_infinite:
        low = _rational(domain.start)
    if domain is not None and not domain.end.is_infinite:
        high = _rational(domain.end)
    return low, high


def _rational(end: sympy.Expr) -> Fraction:
    return rational(end if end.is_Rational else sympy.Rational(str(end.evalf(BOUND_DIGITS))))


def _between(left: Fraction | None, right: Fraction | None) -> Fraction:
    if left is None or right is None:
        return Fraction(0) if left is right else right - 1 if left is None else left + 1
    return (left + right) / 2


def _marked(low: Fraction | None, high: Fraction | None, mark: Fraction) -> tuple[Fraction, ...]:
    if low is None or high is None:
        end, steps = low or high or 0, (mark, 1 / mark)
        signs = (1, -1) if low is high else (1,) if high is None else (-1,)
        return tuple(end + sign * step for sign in signs for step in steps)
    return low + (high - low) * mark, high - (high - low) * mark


def _suitable(
    number: Fraction, left: Fraction | None, right: Fraction | None, symbol: sympy.Symbol
) -> Iterator[Fraction]:
    """Yield the number, or for an integer symbol a neighbouring integer, if it lies inside."""
    candidates = (number.__floor__(), number.__ceil__()) if symbol.is_integer else (number,)
    inside = [Fraction(x) for x in candidates if (left is None or x > left) and (right is None or x < right)]
    yield from inside[:1]


def polynomial_on_line(
    function: sympy.Expr, symbol: sympy.Symbol, base: Point, others: tuple[sympy.Symbol, ...] = ()
) -> sympy.Poly | None:
    """Return a polynomial whose zeros include those of the function on the line; None if it is not algebraic.

    The polynomial is in `symbol`, and also in the `others`, which have no value in `base`.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> polynomial_on_line(sympy.sqrt(1 - x) - y * x, x, {x: Fraction(0), y: Fraction(2)})
    Poly(4*x**2 + x - 1, x, domain='ZZ')
    """
    fixed = {s: sympy.Rational(x.numerator, x.denominator) for s, x in base.items() if s != symbol}
    try:
        numerator = _without_roots(sympy.fraction(sympy.together(function.xreplace(fixed)))[0])
        poly = sympy.Poly(numerator, symbol, *others)
    except PolynomialError:
        return None
    if poly.is_zero or poly.degree() > MOST_DEGREE or not (poly.domain.is_QQ or poly.domain.is_ZZ):
        return None
    return poly.sqf_part()


def _without_roots(expr: sympy.Expr) -> sympy.Expr:
    """Return the product over the conjugates of all roots: a polynomial that vanishes where `expr` does."""
    while True:
        roots = [power for power in expr.atoms(sympy.Pow) if power.exp.is_Rational and not power.exp.is_Integer]
        if not roots:
            return expr
        outer = next(a for a in roots if not any(b.base.has(a) for b in roots))
        generator, q = sympy.Dummy("w"), int(max(p.exp.q for p in roots if p.base == outer.base))
        powers = {p: generator ** int(p.exp * q) for p in roots if p.base == outer.base}
        if any(not (p.exp * q).is_Integer for p in powers):
            raise PolynomialError("roots of different degrees of one base")
        above, below = (sympy.expand(part) for part in sympy.fraction(sympy.together(outer.base)))
        top = sympy.expand(sympy.fraction(sympy.together(expr.xreplace(powers)))[0])
        expr = sympy.expand(sympy.resultant(top, below * generator**q - above, generator))


def _isolated(polynomials: list[sympy.Poly]) -> list[tuple[Fraction, Fraction]]:
    """Return ascending, disjoint intervals, each around one real root of the polynomials."""
    found: list[tuple[Fraction, Fraction]] = []
    for width in WIDTHS if polynomials else ():
        isolated = sympy.intervals(polynomials, eps=sympy.QQ(width.numerator, width.denominator))
        found = [(rational(sympy.Rational(a)), rational(sympy.Rational(b))) for (a, b), _ in isolated]
        if all(left < right for (_, left), (right, _) in pairwise(found)):
            break
    return found
