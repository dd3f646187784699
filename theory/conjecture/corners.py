"""Points of the domain that samples miss, by the solver of real algebra: where sides differ, jump, or cease to be real.

A point of the solver is exact. It is used to refute alone: the equation is evaluated there like at any other point.
"""

from collections.abc import Iterable, Iterator

import sympy

from theory.conjecture.points import Point, admissible, points
from theory.conjecture.statement import Statement
from theory.expressions.pieces import Kind, decisive
from theory.expressions.real_algebra import Relation
from theory.problem.errors import OutOfReachError

# The most points of the solver that are tried.
MOST = 36
ANGLES = [k * sympy.pi / 12 for k in range(-24, 25)]


def corners(statement: Statement, jumps: list[sympy.Expr]) -> Iterator[Point]:
    """Yield points at which the algebraic sides differ, or a function that matters vanishes or has either sign."""
    inside, symbols = statement.points, statement.parameters
    questions: list[tuple[Relation, ...]] = []
    if not statement.expectations:
        lhs, rhs = statement.lhs, statement.rhs
        questions.append(((lhs - rhs, "!="),))
        questions.append(((lhs, "real"), (lhs - rhs, "real and not 0")))
    functions = dict.fromkeys(jumps)
    functions |= {jump.args[0] - 1: None for jump in jumps if isinstance(jump, sympy.log)}
    try:
        sides = statement.closed
    except OutOfReachError:  # the sides are compared at points all the same
        sides = (statement.lhs, statement.rhs)
    for side in sides:
        functions |= dict.fromkeys(function for function, kind in decisive(side) if kind in (Kind.REAL, Kind.JUMP))
    functions |= {
        symbol - end: None for symbol in symbols for end in statement.domains[symbol].args[:2] if end.is_finite
    }
    functions |= {minor: None for minor in statement.minors}
    questions += [((function, sign),) for sign in ("==", "<", ">") for function in functions if function.free_symbols]
    for question in questions[:MOST]:
        point = inside.point(symbols, *question)
        if point:
            yield point
    yield from _at_angles(statement, functions)


def _at_angles(statement: Statement, functions: Iterable[sympy.Expr]) -> Iterator[Point]:
    """Yield points at which a function with sines and cosines vanishes at a multiple of pi/12."""
    waves = [function for function in functions if function.has(sympy.sin, sympy.cos) and function.free_symbols]
    plain = next(points(statement, 1, 0)) if waves else {}
    for function in waves:
        for symbol in function.free_symbols:
            inside = (angle for angle in ANGLES if statement.domains[symbol].contains(angle) == sympy.true)
            zeros = (angle for angle in inside if function.xreplace({symbol: angle}) == 0)
            yield from (point for angle in zeros if admissible(statement, point := {**plain, symbol: angle}))
