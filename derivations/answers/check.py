"""The answer of `gdln check`: the verdict on a conjectured formula, its proof or its simplest counter-example."""

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from derivations.answers.domain import domain_json, domain_lines
from derivations.answers.steps import step_lines
from derivations.markdown import plain
from derivations.output import columns, counted
from theory.conjecture import Answer, Statement, judge, read
from theory.conjecture.verdict import Trial
from theory.expressions.domains import Condition
from theory.gaussian.moment import text
from theory.problem import InputError, OutOfReachError
from theory.problem.user_files import read_text

# A number with digits after its point, and perhaps a power of ten.
DECIMAL = re.compile(r"[+-]?(?P<whole>[0-9]*)\.(?P<places>[0-9]+)(?:[eE](?P<power>[+-]?[0-9]+))?")


@dataclass(frozen=True)
class CheckAnswer:
    """The verdict on `equation` given the observations `given` on the domain `where`, all as typed, and its parts."""

    equation: str
    where: str | None
    statement: Statement
    judged: Answer
    given: str | None = None

    @property
    def verdict(self) -> str:
        """One of proved, supported, refuted, undecided."""
        return self.judged.verdict

    @property
    def _typed(self) -> tuple[Condition, ...]:
        """The conditions that the user typed; those that the observations need stand behind them."""
        return self.statement.asked.domain.conditions

    @cached_property
    def _content(self) -> dict[str, Any]:
        """Return the content of `json()`, computed once, because the rules check every step of the proof."""
        lhs, rhs = _closed(self.statement)
        rounded = _rounded(self.equation, self.judged.counterexample)
        judged, suggestion = self.judged, self.judged.suggestion
        return {
            "equation": self.equation,
            "given": self.given,
            "needs": [str(condition) for condition in self.statement.conditions[len(self._typed) :]],
            "domain": domain_json(self.statement.asked),
            "verdict": judged.verdict,
            "digits": judged.digits,
            "counterexample": _trial(judged.counterexample) if judged.counterexample else None,
            "suggestion": suggestion
            and {"change": suggestion.change, "rhs": text(suggestion.rhs), "verdict": suggestion.verdict},
            "lhs": lhs,
            "rhs": rhs,
            "rule": judged.rule,
            "reason": judged.reason,
            "points": {
                "tried": judged.tried,
                "agreeing": judged.agreeing,
                "undefined": [_trial(trial) for trial in judged.undefined],
            },
            "steps": [
                {"expr": step.expr, "why": step.why, "rule": step.rule, "checked": step.checked, "error": step.error}
                | ({"smt_lib": list(step.queries)} if step.queries else {})
                for step in judged.steps
            ],
        } | ({"rounded": rounded} if rounded else {})

    def json(self) -> dict[str, Any]:
        """The object that `gdln check --json` prints."""
        return dict(self._content)

    def text(self) -> str:
        """The verdict for a reader."""
        content = self._content
        points, counterexample, digits = content["points"], content["counterexample"], content["digits"]
        domain = f" for {self.where}" if self.where else ""
        condition = f" given {self.given}" if self.given else ""
        lines = [f"{content['equation']}{condition}{domain}", *domain_lines(content["domain"])]
        lines += [f"only where {need}: elsewhere an observation has no variance" for need in content["needs"]]
        if content["verdict"] == "proved":
            lines.append(
                f"proved wherever both sides are real, by the steps below; they agree to {digits} digits at "
                f"{counted(points['agreeing'], 'point')}"
            )
        elif content["verdict"] == "supported":
            lines.append(
                f"supported: the sides agree to {digits} digits at {counted(points['agreeing'], 'point')}; "
                "this is no proof"
            )
        elif content["verdict"] == "undecided":
            missing = points["tried"] - points["agreeing"] - len(points["undefined"])
            more = f"; {missing} could not be computed" if missing else ""
            lines.append(f"undecided: the sides agree at {points['agreeing']} of {points['tried']} points{more}")
        elif content["verdict"] == "refuted":
            rounded = content.get("rounded")
            lines += [
                f"agrees to all {rounded} digits given; not equal exactly"
                if rounded
                else f"refuted at {_at(counterexample['values'])}",
                f"  left side   {counterexample['lhs']}   (error at most {counterexample['lhs_radius']})",
                f"  right side  {counterexample['rhs']}   (error at most {counterexample['rhs_radius']})",
            ]
            if counterexample["difference"]:
                difference, radius = counterexample["difference"], counterexample["difference_radius"]
                lines.append(f"  difference  {difference}   (error at most {radius})")
        if content["reason"]:
            lines.append(f"  {content['reason']}")
        lines += _suggestion(content["suggestion"]) + _undefined(points["undefined"])
        lines += [f"Nothing is said {plain(step['why'])}." for step in content["steps"] if step["rule"] == "domain"]
        if content["verdict"] != "proved" and content["lhs"] is not None:
            lines += ["closed forms", f"  left side   {content['lhs']}", f"  right side  {content['rhs']}"]
        if content["steps"]:
            lines += ["proof", *step_lines(content["steps"])]
        return "\n".join(lines)


def answer(
    equation: str,
    cov: str | None = None,
    mean: str | None = None,
    where: str | None = None,
    digits: int = 30,
    given: str | None = None,
) -> CheckAnswer:
    """The verdict on `equation`, with E[...] under N(mean, cov), on the domain `where`, all as a user types them.

    `given` are linear observations on which each E[...] conditions.

    Raises InputError for text that is no equation, matrix or domain, OutOfReachError where a side has no value.

    >>> answer("E[erf(z1)*z1] = 2/sqrt(3*pi)", "[[1]]").verdict
    'proved'
    """
    statement = read(equation, cov, mean, where, given)
    return CheckAnswer(equation, where, statement, judge(statement, digits), given)


@dataclass(frozen=True)
class Unreached:
    """An equation of a file whose sides are out of reach, and why."""

    equation: str
    reason: str
    verdict: str = "undecided"

    def json(self) -> dict[str, Any]:
        """The verdict and its reason."""
        return {"equation": self.equation, "verdict": self.verdict, "reason": self.reason}


@dataclass(frozen=True)
class ListAnswer:
    """The verdicts on the equations of a file, in their order."""

    answers: tuple[CheckAnswer | Unreached, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln check @FILE --json` prints."""
        return {"equations": [one.json() for one in self.answers]}

    def text(self) -> str:
        """A line for each equation, with the place where it is refuted, or why it is not decided."""
        rows = [(one.verdict, one.equation, _why(one)) for one in self.answers]
        counts = Counter(one.verdict for one in self.answers)
        listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return "\n".join([*columns(rows, str.ljust), "", f"{counted(len(rows), 'equation')}: {listed}."])


def _why(one: CheckAnswer | Unreached) -> str:
    if isinstance(one, Unreached):
        return one.reason
    trial = one.judged.counterexample
    return f"at {_at(_trial(trial)['values'])}" if trial else one.judged.reason


def of_file(path: str, *rest: Any) -> ListAnswer:
    """Judge every line of a file but blank ones and those that begin with #; `rest` as for `answer`.

    An equation that is out of reach is undecided. Raises InputError with the number of the line, and for a file
    without equations.
    """
    lines = [(number, line.strip()) for number, line in enumerate(read_text(path).splitlines(), 1)]
    equations = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not equations:
        raise InputError(f"{path} has no equation.", "Write one on each line; lines that begin with # are comments.")
    answers = []
    for number, line in equations:
        try:
            answers.append(answer(line, *rest))
        except OutOfReachError as error:
            answers.append(Unreached(line, error.message))
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error.message}", error.hint) from None
    return ListAnswer(tuple(answers))


def _closed(statement: Statement) -> tuple[str | None, str | None]:
    """Return both sides in closed form; None where the engine finds none."""
    try:
        lhs, rhs = statement.closed
    except OutOfReachError:
        return None, None
    return text(lhs), text(rhs)


def _rounded(equation: str, counterexample: Trial | None) -> int | None:
    """Return how many digits a side has that is a decimal and the other side rounded to these digits; else None.

    >>> _rounded("sqrt(2) = 1.4142", answer("sqrt(2) = 1.4142").judged.counterexample)
    5
    """
    if counterexample is None:
        return None
    sides = equation.split("=")
    numbers = counterexample.comparison.lhs, counterexample.comparison.rhs
    for typed, number in ((sides[0], numbers[1]), (sides[-1], numbers[0])):
        decimal = DECIMAL.fullmatch(typed.strip())
        if decimal and number is not None and number.value is not None:
            half = Fraction(1, 2 * 10 ** len(decimal["places"])) * Fraction(f"1e{decimal['power'] or 0}")
            if abs(Fraction(number.value) - Fraction(typed.strip())) + Fraction(number.radius) <= half:
                return len((decimal["whole"] + decimal["places"]).lstrip("0"))
    return None


def _trial(trial: Trial) -> dict[str, Any]:
    lhs, rhs, difference = trial.comparison.lhs, trial.comparison.rhs, trial.comparison.difference
    return {
        "values": {symbol.name: str(number) for symbol, number in trial.point.items()},
        "lhs": lhs.value if lhs else None,
        "rhs": rhs.value if rhs else None,
        "lhs_radius": lhs.radius if lhs else None,
        "rhs_radius": rhs.radius if rhs else None,
        "difference": difference.value if difference else None,
        "difference_radius": difference.radius if difference else None,
    }


def _at(values: dict[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "these numbers"


def _suggestion(suggestion: dict[str, str] | None) -> list[str]:
    if suggestion is None:
        return []
    sure = "proved" if suggestion["verdict"] == "proved" else "supported at all points tried"
    return [f"It holds with {suggestion['change']} ({sure}):", f"  {suggestion['rhs']}"]


def _undefined(trials: list[dict[str, Any]]) -> list[str]:
    if not trials:
        return []
    more = f" and {len(trials) - 1} more points" if len(trials) > 1 else ""
    return [f"A side is not a real number at {_at(trials[0]['values'])}{more}; nothing is said about such points."]
