"""Deciding whether an expression is identically zero: numbers refute, the normal form proves, the rest is undecided.

"Identically" means: at every point of the domain at which all parts of the expression are real and no function whose
sign matters (a radicand, a denominator, the argument of |x|) vanishes, and hence, by continuity, at the limits of such
points too, where the expression does not jump.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy

from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, Undefined
from theory.expressions.generators import Names, NoForm, Point, Void
from theory.expressions.normal_form import NormalForm
from theory.expressions.refute import (
    FIRST_BITS,
    MORE_BITS,
    excludes_zero,
    points_in_pieces,
    real_points,
    without_numbers,
)
from theory.expressions.region import Domains, Open, Region, interval_of

# The most cases that the signs of factors may make of a region.
CASES = 64


@dataclass(frozen=True)
class Proof:
    """The result of the kernel on a region: `verdict` is "zero", "void" (the expression is real nowhere) or "open".

    `everywhere` says that no sign was used only because the expression would not be real otherwise.
    """

    verdict: str
    everywhere: bool


def prove_equal(a: sympy.Expr, b: sympy.Expr, domains: Domains | None = None) -> bool | None:
    """Whether a = b on the symbols' domains: True (proved), False (refuted by a value), None (undecided).

    >>> a = sympy.Symbol("a", positive=True)
    >>> prove_equal(sympy.atan(a) + sympy.atan(1 / a), sympy.pi / 2)
    True
    >>> prove_equal(sympy.atan(a) + sympy.atan(a), sympy.pi / 2)
    False
    """
    return is_zero(a - b, domains)


def is_zero(expr: sympy.Expr, domains: Domains | None = None) -> bool | None:
    """Whether `expr` vanishes identically: True (proved), False (refuted by a value), None (undecided).

    The domain is what the symbols' assumptions and `domains` (symbol to interval) allow, where all roots, inverse
    functions and logarithms are real; None where no such point is found.

    >>> r = sympy.Symbol("r", real=True)
    >>> is_zero(sympy.asin(r) - sympy.atan(r / sympy.sqrt(1 - r**2)))
    True
    >>> is_zero(sympy.sqrt(1 - r**2) - 1 + r**2 / 2)
    False
    """
    if expr.is_Rational:
        return expr == 0
    domains = domains or {}
    opaque = without_numbers(expr)
    seen = expr.xreplace({atom: sympy.Dummy(real=True) for atom in opaque})
    points: list[Point] = []
    for point in real_points(seen, domains):
        if not opaque and excludes_zero(expr, point, FIRST_BITS):
            return False
        points.append(point)
    if not points:
        return None
    # Multiplying out, inside functions too, is all that most equal forms need, and factoring their roots is dear.
    if sympy.expand(expr, power_base=False, power_exp=False, log=False) == 0:
        return True
    if proved_zero(expr, region_of(expr, domains), points).verdict == "zero":
        return True
    for point in () if opaque else (*points, *points_in_pieces(expr, domains, points)):
        if excludes_zero(expr, point, (*FIRST_BITS, *MORE_BITS)):
            return False
    return None


def region_of(expr: sympy.Expr, domains: Mapping[sympy.Symbol, sympy.Interval]) -> Region:
    """The box of the symbols in an expression."""
    return Region({symbol: interval_of(symbol, domains) for symbol in expr.free_symbols})


def proved_zero(expr: sympy.Expr, region: Region, points: list[Point]) -> Proof:
    """The kernel's proof on `expr` on a region, case by case where the sign of a factor varies.

    `points` are points of the region at which `expr` is real, as far as they are known.
    """
    holds, void, everywhere = case_by_case(lambda form: form.vanishes(expr), region, points)
    verdict = "open" if not holds else "void" if void else "zero"
    return Proof(verdict, everywhere)


def case_by_case(
    question: Callable[[NormalForm], bool], region: Region, points: list[Point]
) -> tuple[bool, bool, bool]:
    """Whether the answer is yes on all parts of a region; whether all are void; whether it is the same on all of it.

    A part is void where what the question is about is real nowhere. It is not the same on all of the region where some
    parts are void, or where a sign is known only because the expression is real.
    """
    names, answers, deduced = Names(), set(), False
    waiting = [(region, points)]
    for _ in range(CASES):
        if not waiting or False in answers:
            break
        part, outside = waiting.pop()
        inside = [point for point in outside if _lies_in(point, part, names)]
        try:
            answers.add(question(NormalForm(part, names, inside)))
            deduced = deduced or bool(part.deduced)
        except Void:
            answers.add(None)
        except NoForm:
            answers.add(False)
        except Open as sign:
            waiting += [(piece, inside) for piece in part.split(sign.factor)]
    holds = not waiting and False not in answers
    return holds, answers == {None}, not deduced and len(answers) == 1


def _lies_in(point: Point, region: Region, names: Names) -> bool:
    """Whether a point is shown to lie in the region."""
    for symbol, interval in region.box.items():
        if symbol in point:
            x = sympy.Rational(point[symbol].numerator, point[symbol].denominator)
            # Boxes are open; `Interval.contains` takes twenty times as long.
            if any(side != True for side in (interval.start < x, x < interval.end)):  # noqa: E712 - SymPy truth values
                return False
    divided = {f: sign for f, sign in region.certified.items() if sign and not f.free_symbols & names.meaning.keys()}
    signs = {**divided, **region.signs, **region.deduced}
    return all(_has_sign(factor, sign, point, names) for factor, sign in signs.items())


def _has_sign(factor: sympy.Expr, sign: int, point: Point, names: Names) -> bool:
    try:
        with precision(FIRST_BITS[0]):
            return bool(sign * names.ball(factor, point) > 0)
    except (Undefined, Undecided):
        return False
