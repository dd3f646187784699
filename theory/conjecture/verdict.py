"""The verdict on a conjectured equation: refuted by certified numbers, proved by steps, supported or undecided."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from theory.conjecture import corrections
from theory.conjecture.corners import corners
from theory.conjecture.corrections import Correction
from theory.conjecture.enclosure import Comparison
from theory.conjecture.points import Point, points
from theory.conjecture.prove import (
    RULE,
    Counterexample,
    NotProved,
    ProofStep,
    compare_at,
    compare_exactly,
    difference_at,
    jumps,
    prove,
)
from theory.conjecture.statement import Statement
from theory.expressions.balls.precision import decimals
from theory.problem.errors import InputError, OutOfReachError

MAX_DIGITS = 200
# Points of each kind that are tried (plain, drawn), and fewer where an integral remains.
EASY = (16, 8)
HARD = (6, 4)
# Points besides the counter-example at which a correction must hold.
FEW = (8, 0)
OTHERS = 5
# The fewest agreeing points that support an equation with parameters.
FEWEST = 5


@dataclass(frozen=True)
class Trial:
    """A point, and the comparison of the two sides at it."""

    point: Point
    comparison: Comparison


@dataclass(frozen=True)
class Answer:
    """`verdict` is "proved", "supported", "refuted" or "undecided"; the rest is its evidence.

    An equation is judged where both sides are real; `undefined` holds points of the domain where one is not.

    >>> from theory.conjecture.statement import read
    >>> answer = judge(read("E[Heaviside(z1)*z1] = 1/sqrt(pi)", "[[1]]"))
    >>> answer.verdict, answer.suggestion.rhs  # the right side was sqrt(2) too large
    ('refuted', sqrt(2)/(2*sqrt(pi)))
    """

    verdict: str
    digits: int
    counterexample: Trial | None = None
    rule: str | None = None
    steps: tuple[ProofStep, ...] = ()
    tried: int = 0
    agreeing: int = 0
    undefined: tuple[Trial, ...] = ()
    reason: str = ""
    suggestion: Correction | None = None


@decimals()
def judge(statement: Statement, digits: int = 30, suggest: bool = True) -> Answer:
    """Judge a statement as refuted by certified numbers, proved by checked steps, supported or undecided.

    Raises InputError where no point of the domain is admissible, OutOfReachError where none of the expectations can be
    derived.

    >>> from theory.conjecture.statement import read
    >>> judge(read("asin(x) = atan(x/sqrt(1 - x**2))", where="-1<x<1")).verdict
    'proved'
    >>> judge(read("sqrt(x**2) = x", where="-1<x<1")).counterexample.point
    {x: -1/2}
    """
    if not 1 <= digits <= MAX_DIGITS:
        raise InputError(f"{digits} digits are not between 1 and {MAX_DIGITS}.", "Ask for 30, say.")
    trials = []
    for point in points(statement, *(HARD if _leaves_integrals(statement) else EASY)):
        trials.append(Trial(point, compare_at(statement, point, digits)))
        if trials[-1].comparison.outcome == "differ":
            return _refuted(statement, trials, digits, suggest)
    for point in _corners(statement):
        compared = compare_exactly(statement, point, digits)
        if compared.outcome == "differ":
            return _refuted(statement, [*trials, Trial(point, compared)], digits, suggest)
    outcomes = [trial.comparison.outcome for trial in trials]
    if not {"agree", "undefined"} & set(outcomes):
        _ = statement.moments  # raises OutOfReachError if that is the reason
    return _not_refuted(statement, trials, digits, suggest)


def _corners(statement: Statement) -> Iterator[Point]:
    try:
        yield from corners(statement, list(jumps(statement)))
    except (NotProved, OutOfReachError):  # a step that is not one of a linear form, an average without a closed form
        return


def _not_refuted(statement: Statement, trials: list[Trial], digits: int, suggest: bool) -> Answer:
    outcomes = [trial.comparison.outcome for trial in trials]
    agreeing = outcomes.count("agree")
    undefined = tuple(trial for trial in trials if trial.comparison.outcome == "undefined")
    if not agreeing:
        reason = "both sides could be evaluated at none of the points"
        return Answer("undecided", digits, tried=len(trials), undefined=undefined, reason=reason)
    try:
        steps = tuple(prove(statement, digits))
        return Answer("proved", digits, None, RULE, steps, len(trials), agreeing, undefined)
    except Counterexample as counterexample:
        last = Trial(counterexample.point, difference_at(statement, counterexample.point, digits))
        return _refuted(statement, [*trials, last], digits, suggest)
    except NotProved as error:
        reason = str(error)
    for trial in trials:
        apart = difference_at(statement, trial.point, digits) if trial.comparison.outcome == "agree" else None
        if apart is not None:
            return _refuted(statement, [*trials, Trial(trial.point, apart)], digits, suggest)
    enough = agreeing >= min(FEWEST, len(trials)) and 2 * agreeing >= len(trials)
    verdict = "supported" if enough else "undecided"
    return Answer(verdict, digits, None, None, (), len(trials), agreeing, undefined, f"not proved: {reason}")


def _refuted(statement: Statement, trials: list[Trial], digits: int, suggest: bool) -> Answer:
    suggestion = None
    if suggest:
        first = trials[-1].point
        others = [point for point in islice(points(statement, *FEW), OTHERS) if point != first]
        suggestion = corrections.find(statement, [first, *others], lambda s: judge(s, digits, False).verdict)
    agreeing = sum(trial.comparison.outcome == "agree" for trial in trials)
    undefined = tuple(trial for trial in trials if trial.comparison.outcome == "undefined")
    return Answer("refuted", digits, trials[-1], None, (), len(trials), agreeing, undefined, suggestion=suggestion)


def _leaves_integrals(statement: Statement) -> bool:
    """Return whether an integral remains in an expectation, or may remain where that is not known in advance."""
    try:
        return any(moment.kind == "integral" for moment in statement.moments.values())
    except OutOfReachError:
        return bool(statement.expectations)
