"""Points of the domain that samples miss, by the solver of real algebra: where sides differ, jump, or cease to be real.

A point of the solver is exact. It is used to refute alone: the equation is evaluated there like at any other point.
"""

from collections.abc import Iterator

import sympy

from theory.conjecture.points import Point
from theory.conjecture.real_algebra import RealSet, Relation
from theory.conjecture.statement import Statement
from theory.expressions.pieces import Kind, decisive
from theory.gaussian.admissible import principal_minors
from theory.problem.errors import OutOfReachError

# The most points of the solver that are tried.
MOST = 24


def domain(statement: Statement) -> RealSet:
    """Return the points of the domain: intervals with their ends, conditions, and the minors of the covariance."""
    relations: list[Relation] = [(c.margin, ">" if c.strict else ">=") for c in statement.conditions]
    for symbol in statement.parameters:
        interval = statement.domains[symbol]
        if interval.start.is_finite:
            relations.append((symbol - interval.start, ">" if interval.left_open else ">="))
        if interval.end.is_finite:
            relations.append((symbol - interval.end, "<" if interval.right_open else "<="))
    if statement.cov is not None:
        relations += [(minor, ">=") for minor in principal_minors(statement.cov) if minor.free_symbols]
    return RealSet(tuple(relations))


def corners(statement: Statement, jumps: list[sympy.Expr]) -> Iterator[Point]:
    """Yield points at which the algebraic sides differ, or a function that matters vanishes, at most one for each."""
    inside, symbols = domain(statement), statement.parameters
    questions: list[tuple[Relation, ...]] = []
    if not statement.expectations:
        questions.append(((statement.lhs - statement.rhs, "!="),))
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
    functions |= {minor: None for minor in ([] if statement.cov is None else principal_minors(statement.cov))}
    questions += [((function, "=="),) for function in functions if function.free_symbols]
    for question in questions[:MOST]:
        point = inside.point(symbols, *question)
        if point:
            yield point
