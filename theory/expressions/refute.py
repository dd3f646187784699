"""Numerical refutation of an identity: points of a domain, and balls that exclude zero at one of them.

A ball that excludes zero at one point refutes the identity. Agreement, at any number of points and to any number of
digits, proves nothing.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product

import sympy
from flint import arb
from sympy.core.function import AppliedUndef

from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import FUNCTIONS, Undecided, Undefined, enclose
from theory.expressions.exact import rational
from theory.expressions.pieces import decisive
from theory.expressions.real_algebra import RealSet, inner_ends, outer_ends, within
from theory.expressions.region import interval_of

Domains = Mapping[sympy.Symbol, sympy.Interval]
Point = dict[sympy.Expr, Fraction]

# Precisions, in bits, of the first evaluation, and of those after a proof has failed.
FIRST_BITS = (128,)
MORE_BITS = (256, 1024, 4096)
POINTS = 6
# The most draws for each point requested; expressions are not real at some of them.
DRAWS = 40
# The most functions whose signs are combined: 2^k questions for the solver.
MOST_FUNCTIONS = 5
# Distances from an end, as shares of the length of an interval; their inverses where there is none.
MARKS = (Fraction(1, 2**6), Fraction(1, 2**14), Fraction(1, 2**34))


def excludes_zero(expr: sympy.Expr, point: Point, precisions: tuple[int, ...]) -> bool:
    """Whether a ball shows that `expr` is a real number and not zero at the point."""
    return any(not ball.contains(0) for ball in _balls(expr, point, precisions))


def is_real(expr: sympy.Expr, point: Point, ball_of: Callable[[sympy.Expr, Point], arb] = enclose) -> bool:
    """Whether a ball shows that `expr` has a real value at the point."""
    return next(_balls(expr, point, (*FIRST_BITS, *MORE_BITS), ball_of), None) is not None


def _balls(
    expr: sympy.Expr, point: Point, precisions: tuple[int, ...], ball_of: Callable[[sympy.Expr, Point], arb] = enclose
) -> Iterator[arb]:
    """Yield a ball of the value at each precision that gives one, and nothing where the value is undefined."""
    for bits in precisions:
        try:
            with precision(bits):
                ball = ball_of(expr, point)
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
    yielded = 0
    for attempt in range(DRAWS * count):
        size = Fraction(2, 1 + attempt % 8)
        point: Point = {symbol: _drawn(symbol, domains, size, draw) for symbol in symbols}
        point |= {atom: size * Fraction(draw.randint(-9973, 9973), 9974) for atom in free}
        if is_real(expr, point):
            yield point
            yielded += 1
        if yielded == count or not point:
            return


def solved_points(expr: sympy.Expr, domains: Domains) -> Iterator[Point]:
    """Yield points of the solver at which `expr` is real: one where it is algebraic and not 0, then one in each piece.

    In a piece each function whose zeros matter has one sign; a random draw may miss narrow ones.
    """
    symbols = sorted(expr.free_symbols, key=lambda symbol: symbol.name)
    inside = RealSet(within({symbol: interval_of(symbol, domains) for symbol in symbols}))
    functions = sorted({f for f, _ in decisive(expr) if f.free_symbols}, key=sympy.default_sort_key)[:MOST_FUNCTIONS]
    signs = product("<>", repeat=len(functions)) if functions else ()
    for question in ([(expr, "!=")], *(list(zip(functions, choice, strict=True)) for choice in signs)):
        point = inside.point(symbols, *question) or {}
        whole = all(x.is_Rational and (x.is_Integer or not symbol.is_integer) for symbol, x in point.items())
        if point and whole and is_real(expr, rationals := {symbol: rational(x) for symbol, x in point.items()}):
            yield rationals


def points_near_ends(expr: sympy.Expr, domains: Domains, base: Point) -> Iterator[Point]:
    """Yield points with one symbol close to an end of its interval, or far out, and the others as in `base`."""
    for symbol in (symbol for symbol in expr.free_symbols if not symbol.is_integer):
        low, high = outer_ends(interval_of(symbol, domains))
        for mark in MARKS:
            size = 1 / mark if low is None or high is None else (high - low) * mark
            above = base[symbol] - size if low is None else low + size * (mark**2 if high is None else 1)
            below = base[symbol] + size if high is None else high - size * (mark**2 if low is None else 1)
            points = ({**base, symbol: above}, {**base, symbol: below})
            yield from (point for point in points if is_real(expr, point))


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


def random_fraction(interval: sympy.Interval, draw: random.Random, size: Fraction = Fraction(1)) -> Fraction:
    """Return a random fraction inside the interval; where an end is infinite, of about this size."""
    low, high = inner_ends(interval)
    share = Fraction(draw.randint(1, 996), 997)
    if low is not None and high is not None:
        return low + (high - low) * share
    size *= share / (1 - share)
    if low is None and high is None:
        return size * draw.choice((-1, 1))
    return low + size if low is not None else high - size


def _drawn(symbol: sympy.Symbol, domains: Domains, size: Fraction, draw: random.Random) -> Fraction:
    """Return a random value of a symbol, an integer where it stands for integers."""
    if symbol.is_integer:
        return Fraction(draw.randint(1, 9) * (1 if symbol.is_positive else draw.choice((-1, 1))))
    return random_fraction(interval_of(symbol, domains), draw, size)
