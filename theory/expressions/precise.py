"""Values of expressions to many digits at exact points, with their own mpmath context (no global precision).

`value(expr, point)` evaluates real expressions only: outside the real domain of a root, a logarithm or an
inverse sine it raises `OutsideDomain` instead of continuing into the complex plane, so that a point at which it
succeeds is a point at which the identity in question is meant.
"""

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction

import sympy
from mpmath.ctx_mp import MPContext
from sympy.core.function import AppliedUndef

DIGITS = 60
CONTEXT = MPContext()
CONTEXT.dps = DIGITS


class OutsideDomain(ValueError):
    """The expression has no real value at this point."""


class Opaque(ValueError):
    """The expression contains something without a numerical rule here."""


def rational(number: sympy.Rational) -> Fraction:
    """An exact fraction, whatever integer type SymPy is running on."""
    return Fraction(int(number.p), int(number.q))


def _real(x):
    if not isinstance(x, CONTEXT.mpf) or not CONTEXT.isfinite(x):
        raise OutsideDomain("not a finite real number")
    return x


def _power(base, exponent):
    if base == 0 and exponent < 0:
        raise OutsideDomain("division by zero")
    if base < 0 and exponent != int(exponent):
        raise OutsideDomain("a root of a negative number")
    return base ** (int(exponent) if exponent == int(exponent) else exponent)


FUNCTIONS = {
    sympy.asin: CONTEXT.asin,
    sympy.acos: CONTEXT.acos,
    sympy.atan: CONTEXT.atan,
    sympy.atan2: CONTEXT.atan2,
    sympy.exp: CONTEXT.exp,
    sympy.log: CONTEXT.ln,
    sympy.sin: CONTEXT.sin,
    sympy.cos: CONTEXT.cos,
    sympy.tan: CONTEXT.tan,
    sympy.sinh: CONTEXT.sinh,
    sympy.cosh: CONTEXT.cosh,
    sympy.tanh: CONTEXT.tanh,
    sympy.erf: CONTEXT.erf,
    sympy.erfc: CONTEXT.erfc,
    sympy.Abs: abs,
    sympy.sign: CONTEXT.sign,
    sympy.Max: max,
    sympy.Min: min,
}


def value(expr: sympy.Expr, point: Mapping[sympy.Expr, object]):
    """The real value of `expr` where every symbol has the value `point[symbol]` (an mpf of `CONTEXT`)."""
    if expr in point:
        return point[expr]
    if expr.is_Rational:
        fraction = rational(expr)
        return CONTEXT.mpf(fraction.numerator) / fraction.denominator
    if expr.is_Add:
        return _real(CONTEXT.fsum(value(term, point) for term in expr.args))
    if expr.is_Mul:
        return _real(CONTEXT.fprod(value(factor, point) for factor in expr.args))
    if expr.is_Pow:
        return _real(_power(value(expr.base, point), value(expr.exp, point)))
    if expr is sympy.pi:
        return +CONTEXT.pi
    if expr is sympy.E:
        return +CONTEXT.e
    function = FUNCTIONS.get(expr.func)
    if function is None:
        raise Opaque(f"{expr.func.__name__} has no numerical rule here")
    return _real(function(*(value(argument, point) for argument in expr.args)))


def scale(expr: sympy.Expr, point: Mapping[sympy.Expr, object]):
    """The size of the largest term of `expr`: the scale on which its value is small or not."""
    return value_and_scale(expr, point)[1]


def value_and_scale(expr: sympy.Expr, point: Mapping[sympy.Expr, object]):
    """The value of `expr` and the size of its largest term, at least 1."""
    terms = [value(term, point) for term in sympy.Add.make_args(expr)]
    return _real(CONTEXT.fsum(terms)), max([CONTEXT.one, *map(abs, terms)])


def written_digits(expr: sympy.Expr) -> int:
    """The digits d of all fractions in an expression: a nonzero value is unlikely to be smaller than 10^-d.

    >>> written_digits(sympy.pi / 4 - sympy.Rational(1, 10**50))
    51
    """
    numbers = expr.atoms(sympy.Rational)
    bits = sum(abs(int(number.p)).bit_length() + int(number.q).bit_length() for number in numbers)
    return int(0.302 * bits)


def opaque_atoms(expr: sympy.Expr) -> set[sympy.Expr]:
    """The largest subexpressions that have no numerical rule: unknown functions, integrals, derivatives."""
    if expr.is_Symbol or expr.is_Rational or expr in (sympy.pi, sympy.E):
        return set()
    known = expr.is_Add or expr.is_Mul or expr.is_Pow or expr.func in FUNCTIONS
    if not known or not isinstance(expr, sympy.Expr):
        return {expr}
    return set().union(*(opaque_atoms(argument) for argument in expr.args))


def is_free_function(atom: sympy.Expr) -> bool:
    """Whether `atom` is an undefined function (or its derivative), which may take any value at a point."""
    inner = atom.expr if isinstance(atom, sympy.Derivative) else atom
    return isinstance(inner, AppliedUndef)


def _draw(symbol: sympy.Symbol, domain: sympy.Interval | None, size: Fraction, draw: random.Random) -> Fraction:
    """A random fraction in the domain; without one, of about the given size and the sign the symbol assumes."""
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


def sample_points(
    exprs: tuple[sympy.Expr, ...], domains: Mapping[sympy.Symbol, sympy.Interval], count: int
) -> list[dict[sympy.Symbol, Fraction]]:
    """Up to `count` rational points of the domains at which every expression is real (always the same points)."""
    return list(each_sample_point(exprs, domains, count))


def each_sample_point(
    exprs: tuple[sympy.Expr, ...], domains: Mapping[sympy.Symbol, sympy.Interval], count: int
) -> Iterator[dict[sympy.Symbol, Fraction]]:
    """The same, one by one, for a caller that may need only the first."""
    symbols = sorted(set().union(*(expr.free_symbols for expr in exprs)), key=lambda symbol: symbol.name)
    draw = random.Random(len(symbols))
    found = 0
    for attempt in range(40 * count):
        size = Fraction(2, 1 + attempt % 8)
        point = {symbol: _draw(symbol, domains.get(symbol), size, draw) for symbol in symbols}
        try:
            for expr in exprs:
                value(expr, as_mpf(point))
        except (OutsideDomain, ZeroDivisionError, OverflowError):
            continue
        yield point
        found += 1
        if found == count or not symbols:
            return


def as_mpf(point: Mapping[sympy.Symbol, Fraction]) -> dict[sympy.Symbol, object]:
    """The point in the precision of `CONTEXT`."""
    return {symbol: CONTEXT.mpf(x.numerator) / x.denominator for symbol, x in point.items()}
