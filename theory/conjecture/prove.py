"""Proofs of equations: derivations of every E[...], then the kernel on each cell of the domain, then the cells' ends.

On a cell both sides are analytic, and the kernel of `theory.expressions.normal_form` decides. An end of a cell is a
limit of points of a cell on which both sides are real; where both are continuous they agree there too. Where a side
may jump, or is not real in the adjacent cells, the equation is proved separately with the number inserted. Numbers
only refute: each cell is first tried at a point.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from math import comb, prod

import sympy

from theory.conjecture import enclosure
from theory.conjecture.cells import Cell, Cells, Ends, NoCells, cells
from theory.conjecture.points import Point, admissible, values
from theory.conjecture.statement import Statement, step_factors, symbolic_power
from theory.expressions.algebra import Region, proved_zero
from theory.expressions.exact import rational
from theory.expressions.generators import LOOKS
from theory.expressions.refute import is_real
from theory.gaussian.expectation import Quadrature, variables
from theory.gaussian.moment import text
from theory.problem.errors import InputError, OutOfReachError

RULE = "identity on cells"
# Bounds on the input of the decision procedure; beyond them it might not answer in seconds.
MAX_OPERATIONS = 400
MAX_TERMS = 1500
MAX_ATOMS = 8
# The most points of a cell tried for a valid covariance matrix, and the most boundaries proved one by one.
CELL_POINTS = 40
MAX_FACES = 12


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
    queries: tuple[str, ...] = ()  # of real algebra, in SMT-LIB; each was decided as "unsat"

    @property
    def checked(self) -> bool:
        """Whether the step has no error."""
        return not self.error


def prove(statement: Statement, digits: int) -> list[ProofStep]:
    """Return the steps of a proof of the statement. Raises NotProved or Counterexample where there is none."""
    # Different questions may have the same average under the conditional law, which has to be derived for each.
    apart = len({question for _, question in statement.questions}) > len(dict(statement.questions))
    if statement.lhs == statement.rhs and not apart:
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
    if any(side.has(Quadrature) for side in statement.closed):
        raise NotProved("an average has no closed form here, only certified digits")
    return [*steps, *_sides(statement), *_decide(statement, digits, MAX_FACES)]


def _expectation_steps(statement: Statement) -> Iterator[ProofStep]:
    for moment in statement.derived:
        for step, check in zip(moment.derivation.steps, moment.derivation.check(), strict=False):
            yield ProofStep(text(step.expr), step.why, step.rule, check.error)


def _sides(statement: Statement) -> Iterator[ProofStep]:
    lhs, rhs = statement.closed
    yield ProofStep(f"{text(lhs)} = {text(rhs)}", "what is left to prove", "substitute")


def _decide(statement: Statement, digits: int, faces: int) -> list[ProofStep]:
    """Return the steps on every cell of the domain, and on those faces that the cells do not decide."""
    lhs, rhs = statement.closed
    if any(side.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.AccumBounds) for side in (lhs, rhs)):
        return [ProofStep("no statement", "a side divides by zero", "domain")]
    _require_small(lhs - rhs)
    try:
        partition = cells(statement, tuple(jumps(statement)))
    except NoCells as error:
        raise NotProved(str(error)) from error
    steps, real = [], set()
    for cell in partition.cells:
        step, is_real_there = _on_cell(statement, cell, digits)
        steps.append(step)
        real |= {cell.place} if is_real_there and cell.real else set()
    for symbol, ends in _faces(statement, partition, real):
        faces -= 1
        if faces < 0:
            raise NotProved("there are too many ends of cells at which a side may jump or is not real beside them")
        if ends[0] != ends[1]:
            raise NotProved(f"the ends of cells at an irrational {symbol} are not settled by what is beside them")
        steps += _on_face(statement, symbol, sympy.Rational(ends[0].numerator, ends[0].denominator), digits, faces)
    return steps


def _on_cell(statement: Statement, cell: Cell, digits: int) -> tuple[ProofStep, bool]:
    """Return the step on a cell, and whether both sides are real on all of it."""
    _try_cell(statement, cell, digits)
    lhs, rhs = statement.closed
    tried = ({symbol: rational(x) for symbol, x in point.items()} for point in _points_of(statement, cell))
    both_real = (p for p in tried if all(is_real(side, p, enclosure.enclose) for side in (lhs, rhs)))
    points = list(islice(both_real, LOOKS))
    region = Region(dict(cell.outer), inside=cell.interior)
    proof = proved_zero(sympy.Add(lhs, -rhs, evaluate=False), region, points)
    why = f"on {cell}: no root, denominator or absolute value changes sign that matters, "
    sentences = dict.fromkeys(one.sentence for one in cell.decided)
    why += f"{', '.join(sentences)} (decided by real algebra), " if sentences else ""
    queries = tuple(dict.fromkeys(one.query for one in cell.decided))
    if proof.verdict == "void" and not cell.is_void:
        raise NotProved(f"it is not certified that a side is real nowhere on {cell}")
    if proof.verdict == "void":
        return ProofStep("no statement", why + "and a side is not real there", "domain", queries=queries), False
    if proof.verdict != "zero" or not proof.everywhere:
        for point in islice(_points_of(statement, cell), LOOKS):
            if difference_at(statement, point, digits) is not None:
                raise Counterexample(point)
        raise NotProved(f"on {cell} the difference could not be shown to vanish")
    why += "and the difference has the normal form 0"
    return ProofStep(f"{text(lhs)} = {text(rhs)}", why, RULE, queries=queries), bool(points)


def _try_cell(statement: Statement, cell: Cell, digits: int) -> None:
    """Compare the sides at a point of the cell. Raises Counterexample where they differ."""
    for point in _points_of(statement, cell):
        outcome = compare_at(statement, point, digits).outcome
        if outcome == "differ":
            raise Counterexample(point)
        if outcome == "agree":
            return


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
    """Compare the two sides at a point; every expectation is derived again with the numbers inserted."""
    if not admissible(statement, point):
        return enclosure.Comparison("unknown")
    try:
        forms = statement.forms_at(point)
    except (ValueError, TypeError):  # out of reach, or SymPy's error for an integrand that is not real there
        return enclosure.Comparison("unknown")
    return enclosure.compare(statement.lhs, statement.rhs, digits, {**point, **forms})


def compare_exactly(statement: Statement, point: Point, digits: int) -> enclosure.Comparison:
    """Compare the sides at a point, where balls do not decide with the numbers inserted before: sign(0) is exact."""
    compared = compare_at(statement, point, digits)
    if compared.outcome in ("agree", "differ") or not point or not admissible(statement, point):
        return compared
    try:
        return compare_at(statement.at(point), {}, digits)
    except (ValueError, TypeError):  # out of reach, or SymPy's error for a side that is not real there
        return compared


def difference_at(statement: Statement, point: Point, digits: int) -> enclosure.Comparison | None:
    """Return the comparison at a point if it is "differ", also where only more than `digits` digits show it."""
    compared = compare_exactly(statement, point, digits)
    if compared.outcome != "agree":
        return compared if compared.outcome == "differ" else None
    table = {**point, **statement.forms_at(point)}
    return enclosure.told_apart(compared, statement.lhs, statement.rhs, digits, table)


def _require_small(expr: sympy.Expr) -> None:
    atoms = [
        part
        for part in sympy.preorder_traversal(expr)
        if part.free_symbols and (isinstance(part, sympy.Function) or (part.is_Pow and not part.exp.is_Integer))
    ]
    reasons = {
        "operations": sympy.count_ops(expr) > MAX_OPERATIONS,
        "roots and functions": len(set(atoms)) > MAX_ATOMS,
        "terms": _terms(expr) > MAX_TERMS,
        "parameters in exponents": symbolic_power(expr),
    }
    for what, too_many in reasons.items():
        if too_many:
            raise NotProved(f"the difference of the sides has too many {what} for the decision procedure")


def _terms(expr: sympy.Basic) -> int:
    """Return a bound on the number of terms of the expanded expression and of its radicands, at most MAX_TERMS + 1."""
    sizes = [_terms(argument) for argument in expr.args]
    if expr.is_Add:
        size = sum(sizes)
    elif expr.is_Mul:
        size = prod(sizes)
    elif expr.is_Pow and expr.exp.is_Rational:
        power = min(abs(int(expr.exp.p)), MAX_TERMS + 1)
        size = comb(sizes[0] + power - 1, power)
    else:
        size = max(sizes, default=1)
    return min(size, MAX_TERMS + 1)


def jumps(statement: Statement) -> Iterator[sympy.Expr]:
    """Return functions of the parameters at whose zeros a side may jump.

    An expectation is continuous in its parameters except for a step sign(u) whose argument has variance zero; if u does
    not depend on the Gaussian variables, the jump is that of sign(u) itself.
    """
    blank = dict.fromkeys(statement.expectations, sympy.Integer(1))
    for side in (statement.lhs, statement.rhs):
        for step in side.xreplace(blank).atoms(sympy.sign, sympy.Heaviside, sympy.atan2):
            yield from step.args[: 2 if isinstance(step, sympy.atan2) else 1]
    for e in statement.expectations:
        for step in e.integrand.atoms(sympy.sign, sympy.Heaviside):
            for base, _, variance in step_factors(step.args[0], e.cov):
                if variance is not None and variables(variance):
                    raise NotProved(f"the step in {step.args[0]} is not one of linear forms")
                yield base if variance is None else variance


def _faces(statement: Statement, partition: Cells, real: set[tuple[int, ...]]) -> Iterator[tuple[sympy.Symbol, Ends]]:
    """Return the ends of cells at which a side may jump, or for which both sides are real in no adjacent cell."""
    for place, (symbol, ends) in enumerate(partition.ends.items()):
        domain = statement.domains[symbol]
        others = [range(len(marks) - 1) for other, marks in partition.ends.items() if other != symbol]
        for k, end in enumerate(ends):
            if end is None or (k == 0 and domain.left_open) or (k == len(ends) - 1 and domain.right_open):
                continue
            adjacent = [j for j in (k - 1, k) if 0 <= j < len(ends) - 1]
            settled = all(any((*rest[:place], j, *rest[place:]) in real for j in adjacent) for rest in product(*others))
            if end in partition.jumps[symbol] or not settled:
                yield symbol, end


def _on_face(
    statement: Statement, symbol: sympy.Symbol, value: sympy.Rational, digits: int, faces: int
) -> list[ProofStep]:
    try:
        steps = _decide(statement.at({symbol: value}), digits, faces)
    except InputError as error:  # no covariance matrix there, or a condition fails
        if statement.points.empty((symbol - value, "==")):
            return []
        raise NotProved(f"it is not certified that the domain has no point at {symbol} = {value}") from error
    except Counterexample as error:
        raise Counterexample({**error.point, symbol: value}) from error
    return [replace(step, why=f"at {symbol} = {value}, {step.why}") for step in steps]
