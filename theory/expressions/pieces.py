"""The functions between whose zeros an expression is analytic, and polynomials that vanish where they do.

A piece ends where the argument of a root, a denominator, a logarithm or an absolute value becomes 0 or an inverse sine
reaches 1.
"""

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from itertools import combinations

import sympy
from sympy.polys.polyerrors import PolynomialError

from theory.expressions.functions import OwensT, Phi, Phi2

Point = dict[sympy.Symbol, Fraction]

MOST_DEGREE = 48


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
