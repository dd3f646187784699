"""Proofs of equations: the engine's steps for every E[...], then one decision on each cell of the domain.

On a cell both sides are analytic, so that what `theory.expressions.algebra` decides by normal forms and derivatives,
with the signs that roots have at points of the cell, holds on all of it; where the sides are continuous it extends to
the boundaries of cells, and where they may jump the boundaries are proved one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import sympy

from theory.conjecture import enclosure
from theory.conjecture.cells import Cell, NoCells, cells
from theory.conjecture.points import Point, admissible, values
from theory.conjecture.statement import Statement, symbolic_power
from theory.expressions import precise
from theory.expressions.algebra import is_zero
from theory.gaussian.moment import text
from theory.problem.errors import InputError, OutOfReachError

RULE = "identity on cells"
# Bounds on what the decision procedure is given; beyond them it might not answer in seconds.
MAX_OPERATIONS = 400
MAX_EXPANSION = 1500
MAX_ATOMS = 8
MAX_TOWER = 2
# Points of a cell tried until one has a covariance matrix, and boundaries proved one by one.
CELL_POINTS = 40
MAX_FACES = 12
# The difference is constant on a cell and zero to this many digits beyond all those written in the statement.
DIGITS_BEYOND = 60
MAX_WRITTEN = 1000


class NotProved(ValueError):
    """The statement is not proved; the message gives the reason."""


class Counterexample(ValueError):
    """A point of a cell at which the sides differ."""

    def __init__(self, point: Point) -> None:
        super().__init__(str(point))
        self.point = point


@dataclass(frozen=True)
class ProofStep:
    """One line of a proof; `error` is empty where the rule accepts it."""

    expr: str
    why: str
    rule: str
    error: str = ""

    @property
    def checked(self) -> bool:
        return not self.error


def prove(statement: Statement, digits: int) -> list[ProofStep]:
    """The steps of a proof of the statement; NotProved or Counterexample where there is none."""
    if statement.lhs == statement.rhs:
        return [ProofStep(text(statement.lhs), "the two sides are the same expression", "identity")]
    try:
        return _steps(statement, digits)
    except OutOfReachError as error:
        raise NotProved(error.message) from error


def _steps(statement: Statement, digits: int) -> list[ProofStep]:
    steps = [*_expectation_steps(statement)]
    unchecked = [step for step in steps if not step.checked]
    if unchecked:
        raise NotProved(f"a step of the derivation of an expectation is not proved: {unchecked[0].error}")
    return [*steps, *_sides(statement), *_decide(statement, digits, MAX_FACES)]


def _expectation_steps(statement: Statement) -> Iterator[ProofStep]:
    for moment in statement.moments.values():
        for step, check in zip(moment.derivation.steps, moment.derivation.check(), strict=False):
            yield ProofStep(text(step.expr), step.why, step.rule, check.error)


def _sides(statement: Statement) -> Iterator[ProofStep]:
    lhs, rhs = statement.closed
    yield ProofStep(f"{text(lhs)} = {text(rhs)}", "what is left to prove", "substitute")


def _decide(statement: Statement, digits: int, faces: int) -> list[ProofStep]:
    """The decision on every cell of the domain, and on its faces where the sides may jump."""
    lhs, rhs = statement.closed
    _require_small(lhs - rhs)
    domains = {symbol: statement.domains[symbol] for symbol in statement.parameters}
    try:
        found = cells((lhs, rhs), domains, statement.cov)
    except NoCells as error:
        raise NotProved(str(error)) from error
    steps = [_on_cell(statement, cell, digits) for cell in found]
    if _may_jump(statement):
        for face in _faces(statement, found):
            faces -= 1
            if faces < 0:
                raise NotProved("the sides may jump at too many places")
            steps += _on_face(statement, face, digits, faces)
    return steps


def _on_cell(statement: Statement, cell: Cell, digits: int) -> ProofStep:
    why = f"on {cell}: no root, denominator or absolute value changes sign, so both sides are analytic; "
    outcome = _try_cell(statement, cell, digits)
    if outcome == "undefined":
        return ProofStep("no statement", why + "one of them is not real there", "domain")
    point = {symbol: values(interval)[0] for symbol, interval in cell.inner.items()}
    lhs, rhs = (resolved(side, point) for side in statement.closed)
    if is_zero(lhs - rhs, cell.inner) is not True:
        raise NotProved(f"on {cell} the difference could not be shown to vanish")
    return ProofStep(f"{text(lhs)} = {text(rhs)}", why + "their difference vanishes identically", RULE)


def _try_cell(statement: Statement, cell: Cell, digits: int) -> str:
    """Compare the sides at a point of the cell, to more digits than are written; Counterexample where they differ."""
    beyond = max(digits, DIGITS_BEYOND + written_digits(statement))
    for point in _points_of(statement, cell):
        outcome = compare_at(statement, point, beyond).outcome
        if outcome == "differ":
            raise Counterexample(point)
        if outcome != "unknown":
            return outcome
    raise NotProved(f"on {cell} no point was found at which both sides can be compared to {beyond} digits")


def _points_of(statement: Statement, cell: Cell) -> Iterator[Point]:
    lists = {symbol: values(interval) for symbol, interval in cell.inner.items()}
    for k in range(CELL_POINTS):
        shift = {symbol: items[(k // (1 + j)) % len(items)] for j, (symbol, items) in enumerate(lists.items())}
        point = {symbol: sympy.Rational(x.numerator, x.denominator) for symbol, x in shift.items()}
        if admissible(statement, point):
            yield point
        if not point:
            return


def compare_at(statement: Statement, point: Point, digits: int) -> enclosure.Comparison:
    """The two sides at a point, every expectation derived anew from the numbers."""
    if not admissible(statement, point):
        return enclosure.Comparison("unknown")
    try:
        forms = statement.forms_at(point)
    except (ValueError, TypeError):  # out of reach, or what SymPy says of an integrand that is not real there
        return enclosure.Comparison("unknown")
    return enclosure.compare(statement.lhs, statement.rhs, digits, {**point, **forms})


def written_digits(statement: Statement) -> int:
    """The digits d of all numbers in the statement: a nonzero difference is unlikely to be smaller than 10^-d."""
    return min(MAX_WRITTEN, precise.written_digits(statement.lhs - statement.rhs))


def resolved(expr: sympy.Expr, point: dict) -> sympy.Expr:
    """Replace sign, step, absolute value, extremes and atan2 by their form in the cell that contains `point`."""
    if not expr.args or isinstance(expr, sympy.Integral) or not expr.free_symbols:
        return expr
    arguments = [resolved(argument, point) for argument in expr.args]
    if isinstance(expr, sympy.Abs):
        return _sign(arguments[0], point) * arguments[0]
    if isinstance(expr, sympy.sign):
        return sympy.Integer(_sign(arguments[0], point))
    if isinstance(expr, sympy.Heaviside):
        return sympy.Rational(1 + _sign(arguments[0], point), 2)
    if isinstance(expr, sympy.Max | sympy.Min):
        best = arguments[0]
        for other in arguments[1:]:
            larger = other if _sign(other - best, point) > 0 else best
            smaller = best if larger is other else other
            best = larger if isinstance(expr, sympy.Max) else smaller
        return best
    if isinstance(expr, sympy.atan2):
        y, x = arguments
        turn = 0 if _sign(x, point) > 0 else _sign(y, point)
        return sympy.atan(y / x) + turn * sympy.pi
    return expr.func(*arguments)


def _sign(expr: sympy.Expr, point: dict) -> int:
    table = {s: sympy.Rational(x.numerator, x.denominator) for s, x in point.items()}
    try:
        return enclosure.sign(enclosure.enclose(expr, table))
    except (enclosure.Undecided, enclosure.Undefined) as error:
        raise NotProved(f"the sign of {expr} is not certain") from error


def _require_small(expr: sympy.Expr) -> None:
    atoms = [
        part
        for part in sympy.preorder_traversal(expr)
        if part.free_symbols and (isinstance(part, sympy.Function) or (part.is_Pow and not part.exp.is_Integer))
    ]
    reasons = {
        "operations": sympy.count_ops(expr) > MAX_OPERATIONS,
        "roots and functions": len(set(atoms)) > MAX_ATOMS,
        "terms": _expansion(expr) > MAX_EXPANSION,
        "exponentials on exponentials": _tower(expr) > MAX_TOWER,
        "parameters in exponents": symbolic_power(expr),
    }
    for what, too_many in reasons.items():
        if too_many:
            raise NotProved(f"the difference of the sides has too many {what} for the decision procedure")


def _expansion(expr: sympy.Expr) -> int:
    """A bound on the terms of the expanded expression, and of what is under its roots."""
    if expr.is_Add:
        return min(MAX_EXPANSION + 1, sum(_expansion(term) for term in expr.args))
    if expr.is_Mul:
        size = 1
        for factor in expr.args:
            size = min(MAX_EXPANSION + 1, size * _expansion(factor))
        return size
    if expr.is_Pow and expr.exp.is_Rational:
        size, power = _expansion(expr.base), abs(int(expr.exp.p))
        return min(MAX_EXPANSION + 1, comb(min(size, 100) + power - 1, power))
    return max([1, *(_expansion(argument) for argument in expr.args if isinstance(argument, sympy.Expr))])


def _tower(expr: sympy.Basic) -> int:
    inner = max((_tower(argument) for argument in expr.args), default=0)
    return inner + isinstance(expr, sympy.exp)


def _may_jump(statement: Statement) -> bool:
    """Whether a side may be discontinuous inside its domain: signs of parameters, or steps that may degenerate."""
    signs = (sympy.sign, sympy.Heaviside, sympy.atan2)
    if any(
        side.xreplace(dict.fromkeys(statement.expectations, sympy.Integer(1))).has(*signs) for side in _both(statement)
    ):
        return True
    for e in statement.expectations:
        steps = e.integrand.atoms(sympy.sign, sympy.Heaviside)
        variances = {e.cov[k, k] for k in range(e.cov.rows)}
        bound = set(e.bound_symbols)
        if steps and (any(v.free_symbols for v in variances) or any(s.free_symbols - bound for s in steps)):
            return True
    return False


def _both(statement: Statement) -> tuple[sympy.Expr, sympy.Expr]:
    return statement.lhs, statement.rhs


def _faces(statement: Statement, found: list[Cell]) -> list[tuple[sympy.Symbol, sympy.Expr]]:
    """The values of single parameters, inside the domain, at which cells end; NotProved for an irrational one."""
    faces = {}
    for cell in found:
        for symbol, interval in cell.inner.items():
            outer = cell.outer[symbol]
            for inner_end, outer_end in ((interval.start, outer.start), (interval.end, outer.end)):
                inside = statement.domains[symbol].contains(outer_end) == True  # noqa: E712 - a SymPy truth value
                if inner_end.is_finite and inner_end != outer_end:
                    raise NotProved(f"the sides may jump at an irrational {symbol}")
                if inner_end.is_finite and inside:
                    faces[symbol, outer_end] = None
    return list(faces)


def _on_face(statement: Statement, face: tuple[sympy.Symbol, sympy.Expr], digits: int, faces: int) -> list[ProofStep]:
    symbol, value = face
    try:
        there = statement.at({symbol: value})
        return _decide(there, digits, faces)
    except InputError:
        return []  # no covariance matrix there
    except Counterexample as error:
        raise Counterexample({**error.point, symbol: value}) from error
