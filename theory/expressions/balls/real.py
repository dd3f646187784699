"""Real values of expressions as balls, or a certificate that an expression has no real value.

Every ball contains the true value. An expression has a value only if each of its parts has one: a root of a negative
number, a division by zero or an inverse sine beyond 1 is `Undefined`, even when multiplied by zero.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from math import prod

import sympy
from flint import arb, fmpq

from theory.expressions.balls.owens_t import owens_t
from theory.expressions.exact import rational
from theory.expressions.functions import OwensT, Phi, Relu, with_tails
from theory.expressions.relaxation import phi1

# Powers of fractions with at most this many bits are computed exactly, and those of shorter ones at higher exponents.
MAX_BITS, MAX_EXPONENT = 2000, 64

Value = arb | Fraction
Table = Mapping[sympy.Expr, sympy.Expr | Value]
Known = dict[sympy.Expr, sympy.Expr | Value]
# A function that returns the value of an atom without a rule in this file, or None.
Others = Callable[[sympy.Expr, Callable[[sympy.Expr], arb]], arb | None]


class Undefined(ValueError):
    """The expression certainly has no real value at the point."""


class Undecided(ValueError):
    """The balls do not decide whether a value exists, or a function has no rule."""


def sign(x: arb) -> int:
    """Return the sign of the numbers in the ball; Undecided where it contains zero and other numbers."""
    if x.is_zero():
        return 0
    if not (x > 0 or x < 0):
        raise Undecided("a sign that the ball does not show")
    return 1 if x > 0 else -1


def _root(x: arb, power: Fraction) -> arb:
    if x < 0:
        raise Undefined("a root of a negative number")
    if power < 0 and x.is_zero():
        raise Undefined("division by zero")
    if not x >= 0:
        raise Undecided("a root of what may be negative")
    return x.root(power.denominator) ** power.numerator


def _power(base: arb, exponent: arb) -> arb:
    if base < 0 or base.is_zero():
        raise Undefined("a power of a number that is not positive")
    if not base > 0:
        raise Undecided("a power of what may be negative")
    return (exponent * base.log()).exp()


def _inside(function: Callable[[arb], arb]) -> Callable[[arb], arb]:
    def value(x: arb) -> arb:
        if x > 1 or x < -1:
            raise Undefined("an inverse sine beyond 1")
        return function(x)

    return value


def _log(x: arb) -> arb:
    if x < 0 or x.is_zero():
        raise Undefined("the logarithm of a number that is not positive")
    return x.log()


def _atan2(y: arb, x: arb) -> arb:
    if x.is_zero() and y.is_zero():
        raise Undefined("the angle of the origin")
    if not x > 0:
        sign(y)
    return arb.atan2(y, x)


def _extreme(function: Callable[[arb, arb], arb]) -> Callable[..., arb]:
    def value(*numbers: arb) -> arb:
        result = numbers[0]
        for number in numbers[1:]:
            result = function(result, number)
        return result

    return value


def _phi1(x: arb) -> arb:
    if x.is_zero():
        return arb(1)
    if x.contains(0):
        raise Undecided("a quotient whose denominator may be 0")
    return -(-x).expm1() / x


FUNCTIONS: Mapping[type, Callable[..., arb]] = {
    sympy.asin: _inside(arb.asin),
    sympy.acos: _inside(arb.acos),
    sympy.atan: arb.atan,
    sympy.atan2: _atan2,
    sympy.exp: arb.exp,
    sympy.log: _log,
    sympy.sin: arb.sin,
    sympy.cos: arb.cos,
    sympy.tan: arb.tan,
    sympy.sinh: arb.sinh,
    sympy.cosh: arb.cosh,
    sympy.tanh: arb.tanh,
    sympy.erf: arb.erf,
    sympy.erfc: arb.erfc,
    Phi: lambda x: (-x / arb(2).sqrt()).erfc() / 2,
    Relu: lambda x: arb.max(x, arb(0)),
    sympy.Abs: abs,
    sympy.sign: lambda x: arb(sign(x)),
    sympy.Heaviside: lambda x, at_zero: at_zero if sign(x) == 0 else arb((sign(x) + 1) // 2),
    OwensT: owens_t,
    phi1: _phi1,
    sympy.Max: _extreme(arb.max),
    sympy.Min: _extreme(arb.min),
}


def enclose(expr: sympy.Expr, table: Table, others: Others | None = None) -> arb:
    """Return a ball that contains `expr` at the current precision, given the values of symbols and atoms in `table`.

    Values are not substituted into the SymPy expression, which would try to factor large numbers under roots. Raises
    Undefined where there is no real value, and Undecided where none is found.

    >>> bool(enclose(sympy.erfc(100), {}) > 0)
    True
    >>> x, n = sympy.symbols("x n")
    >>> enclose(x**n, {x: sympy.Integer(-2), n: sympy.Integer(3)}) == -8
    True
    """
    return _finite(expr, dict(table), others)


def _finite(expr: sympy.Expr, known: Known, others: Others | None) -> arb:
    number = _arb(_enclose(expr, known, others))
    if not number.is_finite():
        raise Undecided(f"{expr.func.__name__} is not finite at this precision")
    return number


def values_of_parts(expr: sympy.Expr, table: Table, others: Others | None = None) -> Table:
    """The table with the values of all parts of an expression added that have one: a table for its variants.

    They are those of `enclose` at the current precision, and serve at no other.

    >>> x = sympy.Symbol("x")
    >>> parts = values_of_parts(sympy.exp(2 * x), {x: sympy.Integer(3)})
    >>> parts[2 * x], bool(parts[sympy.exp(2 * x)] > 403)
    (Fraction(6, 1), True)
    """
    known = dict(table)
    for part in sympy.postorder_traversal(expr):
        if isinstance(part, sympy.Expr) and part not in known:
            with suppress(Undefined, Undecided):
                known[part] = _enclose(part, known, others)
    return known


def _arb(number: Value) -> arb:
    return arb(fmpq(number.numerator, number.denominator)) if isinstance(number, Fraction) else number


def _enclose(expr: sympy.Expr, known: Known, others: Others | None) -> Value:
    """Return the value, as an exact fraction if only rational operations occur in it; `known` remembers it.

    Parts of an expression may occur in it thousands of times.
    """
    if expr.is_Rational:
        return rational(expr)
    value = known.get(expr)
    if value is None or isinstance(value, sympy.Expr):
        value = _value(expr, known, others) if value is None else _enclose(value, {}, others)
        known[expr] = value
    return value


def _value(expr: sympy.Expr, known: Known, others: Others | None) -> Value:
    # SymPy represents atan(1/0) by the interval between its two limits.
    if expr in (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I) or isinstance(expr, sympy.AccumBounds):
        raise Undefined("division by zero, or not real")
    if expr is sympy.pi:
        return arb.pi()
    if expr is sympy.E:
        return arb(1).exp()
    if expr.is_Add or expr.is_Mul:
        parts = [_enclose(part, known, others) for part in (with_tails(expr) if expr.is_Add else expr.args)]
        if not all(isinstance(part, Fraction) for part in parts):
            parts = [_arb(part) for part in parts]
        return sum(parts[1:], parts[0]) if expr.is_Add else prod(parts[1:], start=parts[0])
    if expr.is_Pow:
        return _enclose_power(_enclose(expr.base, known, others), expr.exp, known, others)
    if others is not None:
        value = others(expr, lambda part: _finite(part, known, others))
        if value is not None:
            return value
    function = FUNCTIONS.get(expr.func)
    if function is None:
        raise Undecided(f"{expr.func.__name__} has no numerical rule here")
    return function(*(_finite(argument, known, others) for argument in expr.args))


def _enclose_power(base: Value, exponent: sympy.Expr, known: Known, others: Others | None) -> Value:
    power = _enclose(exponent, known, others)
    if not isinstance(power, Fraction):
        return _power(_arb(base), power)
    if power.denominator != 1:
        return _root(_arb(base), power)
    power = power.numerator
    if power < 0 and (base == 0 if isinstance(base, Fraction) else base.is_zero()):
        raise Undefined("division by zero")
    if isinstance(base, Fraction):
        bits = base.denominator.bit_length() + base.numerator.bit_length()
        if bits <= MAX_BITS and bits * abs(power) <= MAX_EXPONENT * MAX_BITS:
            return base**power
    return _arb(base) ** power
