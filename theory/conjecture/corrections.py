"""Corrections of a refuted equation: named changes of its right side, each judged as a conjecture."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import sympy

from theory.conjecture.enclosure import Comparison
from theory.conjecture.points import Point
from theory.conjecture.prove import compare_at
from theory.conjecture.statement import Statement

# A constant factor or term is sought among fractions of at most this height times these numbers.
HEIGHT = 64
UNITS = (1, sympy.pi, 1 / sympy.pi, sympy.sqrt(2), 1 / sympy.sqrt(2), sympy.pi**2, sympy.pi**-2, sympy.sqrt(sympy.pi))
# Values have at least 30 digits; a fraction of height 64 agrees with a value by chance to about 4.
SAME = Fraction(1, 10**20)
DIGITS = 30
# The number of points at which a change must hold before it is judged, and the most changes tried.
FIRST_POINTS = 5
MAX_CHANGES = 40


@dataclass(frozen=True)
class Correction:
    """A correction: the change in words, the right side with which the equation holds, and its verdict."""

    change: str
    rhs: sympy.Expr
    verdict: str


def find(statement: Statement, points: list[Point], judge: Callable[[Statement], str]) -> Correction | None:
    """Return the first named change of the right side that is proved, else the first that is supported, else None.

    `judge` returns the verdict on a statement, `points` are those at which the equation was tried.
    """
    few = points[:FIRST_POINTS]
    seen = [compare_at(statement, point, DIGITS) for point in few]
    supported = None
    for count, (change, rhs) in enumerate(_changes(statement, seen)):
        if count == MAX_CHANGES:
            break
        changed = statement.with_rhs(rhs)
        if rhs == statement.rhs or not _helps(changed, few):
            continue
        verdict = judge(changed)
        if verdict == "proved":
            return Correction(change, rhs, verdict)
        if verdict == "supported" and supported is None:
            supported = Correction(change, rhs, verdict)
    return supported


def _helps(statement: Statement, points: list[Point]) -> bool:
    outcomes = []
    for point in points:
        outcomes.append(compare_at(statement, point, DIGITS).outcome)
        if outcomes[-1] == "differ":
            return False
    return "agree" in outcomes


def _changes(statement: Statement, seen: list[Comparison]) -> Iterator[tuple[str, sympy.Expr]]:
    rhs = statement.rhs
    both = [(Fraction(c.lhs.value), Fraction(c.rhs.value)) for c in seen if c.outcome in ("agree", "differ")]
    factor = _constant([a / b for a, b in both if b and a])
    if factor is not None:
        yield f"the right side multiplied by {factor}", factor * rhs
    term = _constant([a - b for a, b in both])
    if term is not None:
        yield f"{term} added to the right side", rhs + term
    symbols = sorted(rhs.free_symbols, key=lambda symbol: symbol.name)
    for symbol in symbols:
        domain = statement.domains[symbol]
        if domain.start < 0 < domain.end:
            yield f"the right side multiplied by sign({symbol})", sympy.sign(symbol) * rhs
            yield f"{symbol} replaced by Abs({symbol}) on the right side", rhs.xreplace({symbol: sympy.Abs(symbol)})
        if (domain.start, domain.end) == (0, sympy.oo):
            for scale in (sympy.sqrt(2), 1 / sympy.sqrt(2)):
                new = scale * symbol
                yield f"{symbol} replaced by {new} on the right side", rhs.xreplace({symbol: new})
    for a, b in combinations(symbols, 2):
        if statement.domains[a] == statement.domains[b]:
            yield f"{a} and {b} exchanged on the right side", rhs.xreplace({a: b, b: a})


def _constant(numbers: list[Fraction]) -> sympy.Expr | None:
    """Return the simple constant to which all `numbers` are equal, if there is one."""
    if not numbers or any(abs(x - numbers[0]) > SAME * max(1, abs(x)) for x in numbers):
        return None
    for unit in UNITS:
        size = Fraction(str(sympy.N(unit, DIGITS + 5)))
        guess = (numbers[0] / size).limit_denominator(HEIGHT)
        if guess and abs(guess.numerator) <= HEIGHT and abs(guess * size - numbers[0]) <= SAME * abs(numbers[0]):
            return sympy.Rational(guess.numerator, guess.denominator) * unit
    return None
