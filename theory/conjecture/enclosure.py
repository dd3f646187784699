"""Certified comparison of two real numbers by enclosing balls, at growing precision until they separate or agree.

Every ball contains the true value, so that disjoint balls refute an equality. Two numbers agree to N digits where each
is known to a relative radius below 10^-N, or to be zero exactly, and their balls overlap: relative to the larger side,
at every magnitude. That only supports an equality.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import sympy
from flint import arb, ctx

from theory.expressions.algebra import Region, proved_zero
from theory.expressions.balls import real
from theory.expressions.balls.closed_form import NotCertified, fraction
from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Table, Undecided, Undefined
from theory.expressions.functions import OwensT, Phi2
from theory.gaussian.certified.digits import average_ball
from theory.gaussian.certified.effort import Effort
from theory.gaussian.certified.signs import two_signs
from theory.gaussian.expectation import Expectation, Quadrature

# Bits beyond the requested digits, and the most doublings of the precision before a point counts as undecided.
GUARD_BITS = 40
DOUBLINGS = 6
# An integral converges after few doublings or not at all.
INTEGRAL_DOUBLINGS = 2
# Digits of a difference.
SHORT = 3
# Numbers beyond 2^(+-MAX_SCALE) are not written out.
MAX_SCALE = 200_000


class TooLargeOrSmall(Undecided):
    """A number too large or too small in magnitude to be printed, at any precision."""


@dataclass(frozen=True)
class Number:
    """A decimal and a bound on its distance from the true value; `value` is None where no value exists."""

    value: str | None
    radius: str


@dataclass(frozen=True)
class Comparison:
    """`outcome` is "agree", "differ" (the balls are disjoint), "undefined" (a side has no value) or "unknown".

    `difference` is given where it is certified to be nonzero but is too small to show in the printed digits of the
    sides.
    """

    outcome: str
    lhs: Number | None = None
    rhs: Number | None = None
    difference: Number | None = None


def enclose(expr: sympy.Expr, table: Table) -> arb:
    """Return a ball that contains `expr`, expectations of signs and Phi2 included. Raises Undefined or Undecided."""
    return real.enclose(expr, table, _others)


def _others(expr: sympy.Expr, ball: Callable[[sympy.Expr], arb]) -> arb | None:
    try:
        if isinstance(expr, Expectation | Quadrature):
            return average_ball(expr, Effort())
        if isinstance(expr, Phi2):
            return _phi2(*map(ball, expr.args))
    except (NotCertified, ArithmeticError) as error:
        raise Undecided(str(error)) from error
    return None


def _phi2(h: arb, k: arb, r: arb) -> arb:
    """Phi2 = (E[sign sign] + erfc(-h/sqrt 2) + erfc(-k/sqrt 2) - 1)/4."""
    if r > 1 or r < -1:
        raise Undefined("a correlation beyond 1")
    root2 = arb(2).sqrt()
    try:
        return (two_signs(r, thresholds=(h, k)) + 1 + (h / root2).erf() + (k / root2).erf()) / 4
    except ValueError as error:
        raise Undecided(str(error)) from error


def compare(lhs: sympy.Expr, rhs: sympy.Expr, digits: int, table: Table | None = None) -> Comparison:
    """Compare two numbers to `digits` significant digits, by balls at growing precision.

    `table` gives the values of symbols and of expectations; expectations of signs are integrated.

    >>> compare(sympy.asin(sympy.Rational(1, 2)), sympy.pi / 6, 30).outcome
    'agree'
    >>> compare(sympy.sqrt(2), sympy.Rational(141421356, 10**8), 5).outcome
    'differ'
    """
    table = table or {}
    apart = Comparison("unknown")
    zeros = [False, False]
    with precision():
        for doubling in range(min(_doublings(lhs, table), _doublings(rhs, table)) + 1):
            ctx.prec = (int(3.33 * digits) + GUARD_BITS) * 2**doubling
            try:
                left, right = (_moderate(enclose(side, table)) for side in (lhs, rhs))
                if doubling == 0:
                    zeros = [_proved_zero(*side, table) for side in ((lhs, left), (rhs, right))]
                left, right = (arb(0) if zero else ball for zero, ball in zip(zeros, (left, right), strict=True))
            except Undefined:
                return _undefined(lhs, rhs, digits, table)
            except TooLargeOrSmall:
                break
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


def told_apart(agreed: Comparison, lhs: sympy.Expr, rhs: sympy.Expr, digits: int, table: Table) -> Comparison | None:
    """Return the comparison "differ" for two sides that `agreed` to `digits` digits; None if no difference is found.

    The ball of the difference, in which equal terms cancel, must exclude zero.
    """
    difference = lhs - rhs
    with precision():
        for doubling in range(_doublings(difference, table) + 1):
            ctx.prec = (int(3.33 * digits) + GUARD_BITS) * 2**doubling
            try:
                ball = _moderate(enclose(difference, table))
            except (Undefined, Undecided):
                continue
            if not ball.contains(0):
                return _sides_apart(agreed, ball, lhs, rhs, digits, table)
    return None


def _sides_apart(
    agreed: Comparison, ball: arb, lhs: sympy.Expr, rhs: sympy.Expr, digits: int, table: Table
) -> Comparison:
    """Return disjoint balls of the sides where the precision suffices for them, else the sides and their difference."""
    if max(_doublings(side, table) for side in (lhs, rhs)) == DOUBLINGS:
        try:
            left, right = enclose(lhs, table), enclose(rhs, table)
        except (Undefined, Undecided):
            pass
        else:
            if not left.overlaps(right):
                return _apart(left, right, digits)
    return Comparison("differ", agreed.lhs, agreed.rhs, decimal(ball, SHORT))


def _doublings(expr: sympy.Expr, table: Table) -> int:
    """Return how often the precision may be doubled: fewer times where an integral is computed."""
    known = {atom: value for atom, value in table.items() if not atom.is_Symbol and expr.has(atom)}
    parts = (expr.xreplace(dict.fromkeys(known, sympy.Integer(1))), *known.values())
    return INTEGRAL_DOUBLINGS if any(part.has(Expectation, Quadrature, OwensT, Phi2) for part in parts) else DOUBLINGS


def _proved_zero(side: sympy.Expr, ball: arb, table: Table) -> bool:
    """Return whether a side is certainly zero: its ball is exactly zero, or the kernel proves it."""
    atoms = {atom for atom in table if not atom.is_Symbol}
    if ball.is_zero() or not ball.contains(0) or side.has(OwensT, Phi2, *atoms):
        return ball.is_zero()
    return proved_zero(side.xreplace(dict(table)), Region({}), []).verdict == "zero"


def _apart(left: arb, right: arb, digits: int) -> Comparison:
    """Return the comparison of disjoint balls, with enough digits that the decimals differ."""
    shown = digits
    while True:
        a, b = decimal(left, shown), decimal(right, shown)
        radii = Fraction(a.radius) + Fraction(b.radius)
        if abs(Fraction(a.value) - Fraction(b.value)) > radii or shown > ctx.prec:
            return Comparison("differ", a, b)
        shown *= 2


def _undefined(lhs: sympy.Expr, rhs: sympy.Expr, digits: int, table: Table) -> Comparison:
    """Return the comparison where at least one side has no value; the other may have one."""
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
    """Return the ball if it can be printed. Raises TooLargeOrSmall, or Undecided where the ball contains zero."""
    if any(abs(int(part.man_exp()[1])) > MAX_SCALE for part in (number.mid(), number.rad())):
        raise (Undecided if number.contains(0) else TooLargeOrSmall)("not to be written out")
    return number


def _sharp(number: arb, digits: int) -> bool:
    """Return whether the relative radius is below 10^-digits, or the number is exactly zero."""
    return fraction(number.rad()) * 10**digits <= abs(fraction(number.mid()))


def decimal(number: arb, digits: int) -> Number:
    """Return the midpoint to `digits` significant digits and a bound on its distance from the true value."""
    middle, radius = fraction(number.mid()), fraction(number.rad())
    printed = Decimal(0)
    if abs(middle) > radius:
        printed = Context(prec=digits).divide(Decimal(middle.numerator), Decimal(middle.denominator))
    error = radius + abs(Fraction(printed) - middle)
    bound = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(error.numerator), Decimal(error.denominator))
    return Number(str(printed), str(bound))
