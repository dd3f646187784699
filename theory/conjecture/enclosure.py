"""Certified comparison of two real numbers: balls that contain them, made smaller until they part or agree.

Every ball contains the true value, so that disjoint balls refute an equality; overlapping balls of relative radius
below 10^-N only support it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import prod

import sympy
from flint import arb, ctx, fmpq

from theory.expressions.balls.closed_form import NotCertified, fraction
from theory.expressions.balls.owens_t import owens_t
from theory.expressions.balls.precision import precision
from theory.expressions.functions import OwensT, Phi2
from theory.expressions.precise import rational
from theory.gaussian.certified.digits import signs_ball
from theory.gaussian.certified.effort import Effort
from theory.gaussian.certified.signs import two_signs
from theory.gaussian.expectation import Expectation

# Bits beyond the digits asked for, and doublings of the precision before a point counts as not decided.
GUARD_BITS = 40
DOUBLINGS = 4
# An integral converges soon or not at all.
INTEGRAL_DOUBLINGS = 1
# A side that looks like zero must do so to this many times the digits asked for.
ZERO_DIGITS = 4


# Exact powers are taken of fractions of at most this many bits.
MAX_BITS = 2000

# Numbers beyond 2^(+-MAX_SCALE) are not written out.
MAX_SCALE = 20_000

Table = Mapping[sympy.Expr, sympy.Expr]


class Undefined(ValueError):
    """The expression certainly has no real value here."""


class Undecided(ValueError):
    """The balls do not say whether there is a value, or there is no rule for a function."""


@dataclass(frozen=True)
class Number:
    """A decimal and a bound on its distance from the true value; `value` is None where there is none."""

    value: str | None
    radius: str


@dataclass(frozen=True)
class Comparison:
    """`outcome` is "agree", "differ" (the balls are disjoint), "undefined" (a side has no value) or "unknown"."""

    outcome: str
    lhs: Number | None = None
    rhs: Number | None = None


def _root(x: arb, power: sympy.Rational) -> arb:
    if x < 0:
        raise Undefined("a root of a negative number")
    if power < 0 and x.is_zero():
        raise Undefined("division by zero")
    if not x >= 0:
        raise Undecided("a root of what may be negative")
    return x.root(int(power.q)) ** int(power.p)


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


def sign(x: arb) -> int:
    """The sign of the numbers in the ball; Undecided where it contains zero and other numbers."""
    if x.is_zero():
        return 0
    if not (x > 0 or x < 0):
        raise Undecided("a sign that the ball does not show")
    return 1 if x > 0 else -1


def _atan2(y: arb, x: arb) -> arb:
    if x.is_zero() and y.is_zero():
        raise Undefined("the angle of the origin")
    if not x > 0:
        sign(y)
    return arb.atan2(y, x)


def _phi2(h: arb, k: arb, r: arb) -> arb:
    """Phi2 = (E[sign sign] + 1 + erf(h/sqrt 2) + erf(k/sqrt 2))/4."""
    if r > 1 or r < -1:
        raise Undefined("a correlation beyond 1")
    root2 = arb(2).sqrt()
    try:
        return (two_signs(r, thresholds=(h, k)) + 1 + (h / root2).erf() + (k / root2).erf()) / 4
    except (NotCertified, ValueError) as error:
        raise Undecided(str(error)) from error


FUNCTIONS: Mapping[type, Callable[..., arb]] = {
    sympy.asin: _inside(arb.asin),
    sympy.acos: _inside(arb.acos),
    sympy.atan: arb.atan,
    sympy.atan2: _atan2,
    sympy.exp: arb.exp,
    sympy.log: _log,
    sympy.sin: arb.sin,
    sympy.cos: arb.cos,
    sympy.erf: arb.erf,
    sympy.Abs: abs,
    sympy.sign: lambda x: arb(sign(x)),
    sympy.Heaviside: lambda x, at_zero: at_zero if sign(x) == 0 else arb((sign(x) + 1) // 2),
    OwensT: owens_t,
    Phi2: _phi2,
    sympy.Max: lambda *x: _extreme(arb.max, x),
    sympy.Min: lambda *x: _extreme(arb.min, x),
}


def _extreme(function: Callable[[arb, arb], arb], numbers: tuple[arb, ...]) -> arb:
    result = numbers[0]
    for number in numbers[1:]:
        result = function(result, number)
    return result


def enclose(expr: sympy.Expr, table: Table) -> arb:
    """A ball that contains `expr` at the current precision, symbols and expectations having the values in `table`.

    Nothing is substituted in SymPy, which would look for roots of large numbers. Raises Undefined or Undecided where
    there is no value or none is found.
    """
    number = _arb(_enclose(expr, table))
    if not number.is_finite():
        raise Undecided(f"{expr.func.__name__} is not finite at this precision")
    return number


def _arb(number: arb | Fraction) -> arb:
    return arb(fmpq(number.numerator, number.denominator)) if isinstance(number, Fraction) else number


def _enclose(expr: sympy.Expr, table: Table) -> arb | Fraction:
    """The value, as an exact fraction as long as only rational operations were met."""
    if expr in table:
        return _enclose(table[expr], {})
    if expr.is_Rational:
        return rational(expr)
    # SymPy writes atan(1/0) as the interval of its two limits.
    if expr in (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I) or isinstance(expr, sympy.AccumBounds):
        raise Undefined("division by zero, or not real")
    if expr is sympy.pi:
        return arb.pi()
    if expr is sympy.E:
        return arb(1).exp()
    if isinstance(expr, Expectation):
        return _signs(expr)
    if expr.is_Add or expr.is_Mul:
        parts = [_enclose(argument, table) for argument in expr.args]
        if not all(isinstance(part, Fraction) for part in parts):
            parts = [_arb(part) for part in parts]
        return sum(parts[1:], parts[0]) if expr.is_Add else prod(parts[1:], start=parts[0])
    if expr.is_Pow:
        return _enclose_power(_enclose(expr.base, table), expr.exp, table)
    function = FUNCTIONS.get(expr.func)
    if function is None:
        raise Undecided(f"{expr.func.__name__} has no numerical rule here")
    return function(*(enclose(argument, table) for argument in expr.args))


def _enclose_power(base: arb | Fraction, exponent: sympy.Expr, table: Table) -> arb | Fraction:
    if not exponent.is_Rational:
        return _power(_arb(base), enclose(exponent, table))
    if not exponent.is_Integer:
        return _root(_arb(base), exponent)
    power = int(exponent)
    if power < 0 and (base == 0 if isinstance(base, Fraction) else base.is_zero()):
        raise Undefined("division by zero")
    small = isinstance(base, Fraction) and base.denominator.bit_length() + base.numerator.bit_length() <= MAX_BITS
    return base**power if small else _arb(base) ** power


def _signs(e: Expectation) -> arb:
    try:
        return signs_ball(e, Effort())
    except (NotCertified, ValueError) as error:
        raise Undecided(str(error)) from error


def compare(lhs: sympy.Expr, rhs: sympy.Expr, digits: int, table: Table | None = None) -> Comparison:
    """Whether two numbers agree to `digits` significant digits or differ, by balls at growing precision.

    `table` gives the values of symbols and of expectations; expectations of signs are integrated.

    >>> compare(sympy.asin(sympy.Rational(1, 2)), sympy.pi / 6, 30).outcome
    'agree'
    >>> compare(sympy.sqrt(2), sympy.Rational(141421356, 10**8), 5).outcome
    'differ'
    """
    table = table or {}
    integrals = any(expr.has(Expectation, OwensT, Phi2) for expr in (lhs, rhs, *table.values()))
    doublings = INTEGRAL_DOUBLINGS if integrals else DOUBLINGS
    apart = Comparison("unknown")
    with precision():
        for doubling in range(doublings + 1):
            ctx.prec = (int(3.33 * digits) + GUARD_BITS) * 2**doubling
            try:
                left, right = _moderate(enclose(lhs, table)), _moderate(enclose(rhs, table))
            except Undefined:
                return _undefined(lhs, rhs, digits, table)
            except Undecided:
                continue
            sharp = _sharp(left, digits) and _sharp(right, digits)
            if sharp and left.overlaps(right):
                return Comparison("agree", decimal(left, digits), decimal(right, digits))
            if not left.overlaps(right):
                apart = _apart(left, right, digits)
                if sharp:
                    return apart
    return apart


def _apart(left: arb, right: arb, digits: int) -> Comparison:
    """Disjoint balls, printed with so many digits that the decimals show it."""
    shown = digits
    while True:
        a, b = decimal(left, shown), decimal(right, shown)
        radii = Fraction(a.radius) + Fraction(b.radius)
        if abs(Fraction(a.value) - Fraction(b.value)) > radii or shown > ctx.prec:
            return Comparison("differ", a, b)
        shown *= 2


def _undefined(lhs: sympy.Expr, rhs: sympy.Expr, digits: int, table: Table) -> Comparison:
    """At least one side has no value; the other may have one."""
    sides = []
    for side in (lhs, rhs):
        try:
            sides.append(decimal(_moderate(enclose(side, table)), digits))
        except Undefined:
            sides.append(Number(None, "0"))
        except Undecided:
            sides.append(None)
    return Comparison("undefined", *sides)


def _moderate(number: arb) -> arb:
    """The ball, unless it is too large or small to be written out; then Undecided."""
    if any(abs(int(part.man_exp()[1])) > MAX_SCALE for part in (number.mid(), number.rad())):
        raise Undecided("too large or too small to be written out")
    return number


def _sharp(number: arb, digits: int) -> bool:
    """A relative radius below 10^-digits, or a ball around zero that is far smaller."""
    radius, middle = fraction(number.rad()), fraction(number.mid())
    if radius * 10**digits <= abs(middle):
        return True
    return abs(middle) <= radius and radius * 10 ** (ZERO_DIGITS * digits) < 1


def decimal(number: arb, digits: int) -> Number:
    """The midpoint to `digits` significant digits, and a bound on its distance from the true value."""
    middle, radius = fraction(number.mid()), fraction(number.rad())
    printed = Decimal(0)
    if abs(middle) > radius:
        printed = Context(prec=digits).divide(Decimal(middle.numerator), Decimal(middle.denominator))
    error = radius + abs(Fraction(printed) - middle)
    bound = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(error.numerator), Decimal(error.denominator))
    return Number(str(printed), str(bound))
