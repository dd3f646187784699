"""Numerical refutation of an identity: points of a domain, and balls that exclude zero at one of them.

A ball that excludes zero at one point refutes the identity. Agreement, at any number of points and to any number of
digits, proves nothing.
"""

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction

import sympy
from flint import arb
from sympy.core.function import AppliedUndef

from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import FUNCTIONS, Undecided, Undefined, enclose
from theory.expressions.exact import rational
from theory.expressions.pieces import candidates

Domains = Mapping[sympy.Symbol, sympy.Interval]
Point = dict[sympy.Expr, Fraction]

# Precisions, in bits, of the first evaluation, and of those after a proof has failed.
FIRST_BITS = (128,)
MORE_BITS = (256, 1024, 4096)
POINTS = 6
# The most draws for each point requested; expressions are not real at some of them.
DRAWS = 40


def excludes_zero(expr: sympy.Expr, point: Point, precisions: tuple[int, ...]) -> bool:
    """Whether a ball shows that `expr` is a real number and not zero at the point."""
    return any(not ball.contains(0) for ball in _balls(expr, point, precisions))


def is_real(expr: sympy.Expr, point: Point) -> bool:
    """Whether a ball shows that `expr` has a real value at the point."""
    return next(_balls(expr, point, (*FIRST_BITS, *MORE_BITS)), None) is not None


def _balls(expr: sympy.Expr, point: Point, precisions: tuple[int, ...]) -> Iterator[arb]:
    """Yield a ball of the value at each precision that gives one, and nothing where the value is undefined."""
    for bits in precisions:
        try:
            with precision(bits):
                ball = enclose(expr, point)
        except Undefined:
            return
        except Undecided:
            continue
        yield ball


def real_points(expr: sympy.Expr, domains: Domains, count: int = POINTS) -> Iterator[Point]:
    """Yield up to `count` rational points of the domains at which `expr` is real, the same ones in each call.

    Values of undefined functions are drawn like parameters.
    """
    symbols = sorted(expr.free_symbols, key=lambda symbol: symbol.name)
    free = sorted(free_functions(expr), key=sympy.default_sort_key)
    draw = random.Random(len(symbols))
    found = 0
    for attempt in range(DRAWS * count):
        size = Fraction(2, 1 + attempt % 8)
        point: Point = {symbol: _drawn(symbol, domains.get(symbol), size, draw) for symbol in symbols}
        point |= {atom: size * Fraction(draw.randint(-9973, 9973), 9974) for atom in free}
        if is_real(expr, point):
            yield point
            found += 1
        if found == count or not point:
            return


def points_in_pieces(expr: sympy.Expr, domains: Domains, points: list[Point]) -> Iterator[Point]:
    """Yield points in the pieces on which `expr` is analytic; a random draw may miss narrow ones."""
    for point in candidates((expr,), domains, points) if points else ():
        if is_real(expr, point):
            yield point


def free_functions(expr: sympy.Expr) -> set[sympy.Expr]:
    """Return the undefined functions, and their derivatives, that occur: they may take any value at a point."""
    return {atom for atom in expr.atoms(sympy.Derivative, AppliedUndef) if _is_free(atom)}


def _is_free(atom: sympy.Basic) -> bool:
    function = atom.expr if isinstance(atom, sympy.Derivative) else atom
    return isinstance(atom, sympy.Expr) and isinstance(function, AppliedUndef)


def without_numbers(expr: sympy.Expr) -> set[sympy.Expr]:
    """Return the largest parts without a rule for their values; undefined functions, which may take any, are not among
    them.
    """
    if expr.is_Symbol or expr.is_Rational or expr in (sympy.pi, sympy.E) or _is_free(expr):
        return set()
    if not (expr.is_Add or expr.is_Mul or expr.is_Pow or expr.func in FUNCTIONS):
        return {expr}
    return set().union(*(without_numbers(argument) for argument in expr.args))


def _drawn(symbol: sympy.Symbol, domain: sympy.Interval | None, size: Fraction, draw: random.Random) -> Fraction:
    """Return a random fraction in the domain; without one, of about the given size and the sign the symbol assumes."""
    if symbol.is_integer:
        return Fraction(draw.randint(1, 9) * (1 if symbol.is_positive else draw.choice((-1, 1))))
    share = Fraction(draw.randint(1, 9973), 9974)
    if domain is not None and domain.start.is_Rational and domain.end.is_Rational:
        low, high = rational(domain.start), rational(domain.end)
        return low + (high - low) * share
    spread = size * share
    if domain is not None and domain.start.is_Rational:
        return rational(domain.start) + 2 * spread
    if domain is not None and domain.end.is_Rational:
        return rational(domain.end) - 2 * spread
    if symbol.is_nonnegative:
        return 2 * spread
    if symbol.is_nonpositive:
        return -2 * spread
    return spread * draw.choice((-1, 1))
