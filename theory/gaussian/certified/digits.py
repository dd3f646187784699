"""Certified digits of a Gaussian expectation: exact, or a decimal with a proved error bound, or OutOfReachError."""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.balls.precision import precision
from theory.expressions.exact import rational
from theory.expressions.symbols import z
from theory.gaussian.certified.saturation import (
    REMAINDER_EXPONENT,
    Remainders,
    refusal,
    without_nines,
    without_saturated_functions,
    without_saturated_signs,
)
from theory.gaussian.derive.engine import value_form
from theory.gaussian.derive.factors import signs_of
from theory.gaussian.derive.four_signs import is_four_signs, representative
from theory.gaussian.expectation import Expectation, Quadrature
from theory.problem.errors import InputError, OutOfReachError

if TYPE_CHECKING:
    from flint import arb

    from theory.gaussian.certified.effort import Effort

# The expectation that each symbol replaces, and the sign by which it is multiplied.
Names = dict[sympy.Dummy, tuple[Expectation | Quadrature, int]]
# Digits that identify a float64.
FLOAT64_DIGITS = 17
# Digits printed beyond those requested, so that rounding the last one affects none of the requested digits.
SPARE = 2
PAIR, TRIPLE = 2, 3
# Remainders of which only the bound exp(-REMAINDER_EXPONENT) is known do not become more accurate with more bits.
MOST_BITS = 2 * REMAINDER_EXPONENT
# The most bits of an integral over a line without poles where fewer digits are requested: some seconds of work.
MOST_LINE_BITS = 2**11


@dataclass(frozen=True)
class Certified:
    """A decimal value, a bound on its error, and how it was obtained ("exact", or "arb": enclosed in a ball).

    `digits` counts the correct significant ones; `value` has two more.

    >>> certified_form(sympy.asin(sympy.Rational(1, 3)) / sympy.pi, 10)
    Certified(value='0.108173447969', radius='3.93E-13', digits=10, method='arb')
    """

    value: str
    radius: str
    digits: int
    method: str


def certified(expr: sympy.Expr, cov: sympy.MatrixBase, digits: int) -> Certified:
    """E[expr] for z ~ N(0, cov), both without parameters, to `digits` correct significant digits.

    Raises OutOfReachError, with the digits reached, where the allowed work does not suffice.

    >>> from theory.expressions.symbols import z
    >>> certified(sympy.sign(z(1)) * z(1), sympy.eye(1), 10).value
    '0.797884560803'
    """
    return certified_form(value_form(expr, cov), digits)


def certified_form(form: sympy.Expr, digits: int) -> Certified:
    """Certify the value of an expression in which expectations of two to four signs may occur.

    >>> certified_form(sympy.sqrt(2), 10)
    Certified(value='1.41421356237', radius='3.10E-12', digits=10, method='arb')
    >>> certified_form(sympy.asin(sympy.sqrt(2) / 2) - sympy.pi / 4, 10)
    Certified(value='0', radius='0', digits=10, method='exact')
    """
    form, quadrants = without_saturated_signs(form)
    form, names = _named(form)
    form, tails = without_saturated_functions(form)
    remainders = quadrants | tails
    if form.is_Rational:
        return rounded(rational(form), Fraction(0), digits, "exact")
    _require_more_than_unknown(form, remainders, names)
    if not names and not remainders and is_zero(form) is True:
        return Certified("0", "0", digits, "exact")
    free = form.free_symbols - names.keys() - remainders.keys()
    if free:
        raise InputError(f"The result depends on {', '.join(sorted(map(str, free)))}.", "Give values for them.")
    form, complements = without_nines(form)
    middle, radius = _enclosed(form, names, digits, remainders | complements)
    return rounded(middle, radius, digits, "arb")


def _require_more_than_unknown(form: sympy.Expr, remainders: Remainders, names: Names) -> None:
    """Raise OutOfReachError for a value that consists of remainders of which only a bound is known."""
    unknown = {name: remainder.source for name, remainder in remainders.items() if not remainder.known}
    if not unknown:
        return
    limit = sympy.expand(form.xreplace(dict.fromkeys(unknown, sympy.Integer(0))))
    symbols = names.keys() | remainders.keys()
    if limit == 0 or (not limit.free_symbols & symbols and is_zero(limit) is True):
        raise refusal(next(iter(unknown.values())))


def _named(form: sympy.Expr) -> tuple[sympy.Expr, Names]:
    """Replace each different expectation of signs by a symbol; returns the form and the expectations by symbol."""
    known: dict[tuple, sympy.Dummy] = {}
    names, replacements = {}, {}
    for e in sorted(form.atoms(Expectation, Quadrature), key=sympy.default_sort_key):
        signs = isinstance(e, Expectation) and is_four_signs(e) and not e.free_symbols
        side, key = representative(e) if signs else (1, (e,))
        if side and key not in known:
            known[key] = sympy.Dummy(f"signs{len(known)}", real=True)
            names[known[key]] = e, side
        replacements[e] = side * known[key] if side else sympy.Integer(0)
    return sympy.expand(form.xreplace(replacements), deep=False), names


def _enclosed(
    form: sympy.Expr, names: Names, digits: int, remainders: Remainders | None = None
) -> tuple[Fraction, Fraction]:
    from flint import acb

    from theory.expressions.balls.closed_form import MAX_BITS, NotCertified, ball, enclose
    from theory.gaussian.certified.effort import Effort

    effort = Effort()
    bounded = not all(remainder.known for remainder in remainders.values())

    def value() -> acb:
        known = {name: acb(average_ball(e, effort) * side) for name, (e, side) in names.items()}
        return ball(form, known | {name: acb(remainder.ball()) for name, remainder in remainders.items()})

    try:
        most = min([MOST_BITS if bounded else MAX_BITS, *(_most_bits(e) for e, _ in names.values())])
        return enclose(value, digits + SPARE + 1, most)
    except NotCertified as error:
        raise OutOfReachError(
            f"{digits} certified digits are out of reach: {error}.", _advice(error.reached)
        ) from error


def _most_bits(e: Expectation | Quadrature) -> int:
    """Return the most bits of some seconds of work; near poles a line takes four times as many."""
    from theory.expressions.balls.closed_form import MAX_BITS
    from theory.gaussian.certified.line import NEAR_POLES, Line

    if isinstance(e, Expectation):
        return MAX_BITS
    has_poles = e.cov.rows == 1 and Line(*e.standard, z(1)).poles
    return MOST_LINE_BITS // NEAR_POLES if has_poles else MOST_LINE_BITS


def _advice(reached: tuple[Fraction, Fraction] | None) -> str:
    if reached is None:
        return "Ask for fewer digits, or move the covariance away from a singular one."
    middle, radius = reached
    if abs(middle) <= radius:
        return f"The value cannot be separated from zero: its size is at most {upper(abs(middle) + radius)}."
    known = rounded(middle, radius, 15, "arb")
    return f"Reached: {known.value}, error at most {known.radius}."


def average_ball(e: Expectation | Quadrature, effort: "Effort") -> "arb":
    """Return the ball of an average of signs, or of functions of one variable or two.

    >>> from theory.expressions.symbols import z
    >>> from theory.gaussian.certified.effort import Effort
    >>> average_ball(Quadrature(sympy.cosh(z(1)), sympy.eye(1)), Effort()).str(10)
    '[1.648721271 +/- 3.00e-10]'
    """
    if isinstance(e, Expectation):
        return signs_ball(e, effort)
    if e.cov.rows == 1:
        from theory.gaussian.certified.line import Line

        return Line(*e.standard, z(1)).ball()
    from theory.expressions.balls.closed_form import ball
    from theory.gaussian.certified.pair import pair

    return pair(*e.standard, z(1), ball(e.cov[0, 1] / sympy.sqrt(e.cov[0, 0] * e.cov[1, 1]), {}).real, {}, {})


def with_numbers(form: sympy.Expr) -> sympy.Expr:
    """Return a form with decimals of float64 precision in place of its `Quadrature` parts."""
    numbers = {e: certified_form(e, FLOAT64_DIGITS).value for e in form.atoms(Quadrature)}
    return form.xreplace({e: sympy.Float(value, FLOAT64_DIGITS) for e, value in numbers.items()})


def signs_ball(e: Expectation, effort: "Effort") -> "arb":
    """Return the ball of E[prod_k sign(z_k + c_k)]; correlations are computed beyond the working precision.

    E[s1 s2 s3 s4] = 1/5 where all correlations are 1/2:

    >>> from theory.expressions.symbols import z
    >>> from theory.gaussian.certified.effort import Effort
    >>> signs = sympy.prod(sympy.sign(z(k)) for k in (1, 2, 3, 4))
    >>> (5 * signs_ball(Expectation(signs, sympy.ones(4) / 2 + sympy.eye(4) / 2), Effort())).contains(1)
    True
    """
    from flint import ctx

    from theory.expressions.balls.closed_form import ball
    from theory.gaussian.certified.price_path import SPARE_PRECISION
    from theory.gaussian.certified.signs import four_signs, three_signs, two_signs

    offsets = [offset for _, offset in signs_of(e.integrand)]
    rows = range(len(offsets))
    with precision(SPARE_PRECISION * ctx.prec):
        entries = {(i, j): ball(e.cov[i, j], {}).real for i in rows for j in rows if j >= i}
        roots = [entries[i, i].sqrt() for i in rows]
        r = [entries[i, j] / (roots[i] * roots[j]) for i, j in combinations(rows, 2)]
        h = [ball(offset, {}).real / root for offset, root in zip(offsets, roots, strict=True)]
        gap = 1 - entries[0, 1] ** 2 / (entries[0, 0] * entries[1, 1])
    if len(h) == PAIR:
        return two_signs(*r, gap, tuple(h), effort)
    return (three_signs if len(h) == TRIPLE else four_signs)(*r, tuple(h), effort)


def rounded(middle: Fraction, radius: Fraction, digits: int, method: str) -> Certified:
    """Return a decimal with two digits more than requested, and a bound on its distance from the true value.

    >>> rounded(Fraction(2, 3), Fraction(1, 10**9), 6, "arb")
    Certified(value='0.66666667', radius='4.34E-9', digits=6, method='arb')
    """
    if middle == 0 or abs(middle) <= radius:
        bound = radius + abs(middle)
        return Certified("0", upper(bound), digits if bound == 0 else 0, method)
    context = Context(prec=digits + SPARE, rounding=ROUND_HALF_EVEN)
    value = context.divide(Decimal(middle.numerator), Decimal(middle.denominator))
    error = radius + abs(Fraction(value) - middle)
    correct = digits
    while correct > 0 and error * 10**correct > abs(middle):
        correct -= 1
    text = format(value.normalize(context), "f") if -20 < value.adjusted() < digits + SPARE else str(value)
    return Certified(text, upper(error), correct, method)


def upper(error: Fraction) -> str:
    """Return a bound rounded up to three digits.

    >>> upper(Fraction(1, 3000))
    '3.34E-4'
    """
    if error == 0:
        return "0"
    context = Context(prec=3, rounding="ROUND_CEILING")
    return f"{context.divide(Decimal(error.numerator), Decimal(error.denominator)):E}"
