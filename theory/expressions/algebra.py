"""Decide whether an expression is identically zero: numbers refute, the normal form proves, the rest is undecided.

"Identically" means: at every point of the domain at which all parts of the expression are real and no function whose
sign matters (a radicand, a denominator, the argument of |x|) vanishes. By continuity the expression then also vanishes
at limits of such points, unless it jumps there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain

import sympy

from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, Undefined
from theory.expressions.generators import Names, NoForm, Point, Void
from theory.expressions.normal_form import NormalForm
from theory.expressions.refute import (
    FIRST_BITS,
    MORE_BITS,
    excludes_zero,
    points_near_ends,
    real_points,
    solved_points,
    without_numbers,
)
from theory.expressions.region import Domains, Open, Region, interval_of

# The most cases into which the signs of factors may split a region.
CASES = 64


@dataclass(frozen=True)
class Proof:
    """The result of the kernel on a region: `verdict` is "zero", "void" (the expression is real nowhere) or "open".

    `everywhere` is True where the verdict holds on all parts of the region alike, and no sign was deduced from the
    assumption that the expression is real.
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

    The domain consists of the points that the symbols' assumptions and `domains` (symbol to interval) allow and at
    which all roots, inverse functions and logarithms are real. The result is None where no such point is found.

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
    # Expansion, inside functions too, proves most identities and is cheaper than the factorisation of their roots.
    if sympy.expand(expr, power_base=False, power_exp=False, log=False) == 0:
        return True
    if proved_zero(expr, region_of(expr, domains), points).verdict == "zero":
        return True
    more = (solved_points(expr, domains), points_near_ends(expr, domains, points[0]))
    for point in () if opaque else chain(points, *more):
        if excludes_zero(expr, point, (*FIRST_BITS, *MORE_BITS)):
            return False
    return None


def region_of(expr: sympy.Expr, domains: Mapping[sympy.Symbol, sympy.Interval]) -> Region:
    """Return the box of the symbols in an expression."""
    return Region({symbol: interval_of(symbol, domains) for symbol in expr.free_symbols})


def proved_zero(expr: sympy.Expr, region: Region, points: list[Point]) -> Proof:
    """Try to prove `expr` zero on a region, case by case where the sign of a factor varies.

    `points` are known points of the region at which `expr` is real; there may be none.
    """
    holds, void, everywhere = case_by_case(lambda form: form.vanishes(expr), region, points)
    verdict = "open" if not holds else "void" if void else "zero"
    return Proof(verdict, everywhere)


def case_by_case(
    question: Callable[[NormalForm], bool], region: Region, points: list[Point]
) -> tuple[bool, bool, bool]:
    """Return whether the answer is yes on all parts of a region, whether all parts are void, and whether it is uniform.

    A part is void if the expression of the question is real nowhere on it. The answer is uniform unless some parts are
    void and others are not, or a sign was deduced from the assumption that the expression is real.
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
    """Whether a point certainly lies in the region."""
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
