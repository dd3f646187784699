"""Numbers of the formula view: an expectation or an equation, as `gdln moment` and `gdln check` answer it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from derivations.answers import check, moment
from derivations.explore.comparison import Comparison, compared
from derivations.explore.typesetting import Typesetter
from derivations.markdown import plain
from derivations.sweeps.table import csv_text
from theory.conjecture import Statement, read
from theory.gaussian import Moment
from theory.gaussian.moment import text as as_text

CHECKED = "checked"


@dataclass(frozen=True)
class Typeset:
    """A line for a page: the reason in Markdown, the line as TeX, and the covariances that it names first.

    `tex` is None for lines that are no expression of the engine.
    """

    why: str
    tex: str | None
    covariances: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormulaView:
    """The answer to one line: `rows` of a table, `steps` of the proof, its LaTeX, Python, and the text of the verb.

    `typeset` has the question and each step of the proof for a page, the first of them the question.
    `compare` gives the content of the figure, along one of the `parameters`.
    """

    rows: tuple[dict[str, Any], ...]
    steps: tuple[dict[str, Any], ...]
    typeset: tuple["Typeset", ...]
    latex: str
    python: str
    text: str
    statement: Statement
    sides: tuple[str, ...]
    refuted: Mapping[str, Any] | None = None
    certified: str | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters; the figure uses the first by default."""
        return tuple(symbol.name for symbol in self.statement.parameters)

    def compare(self, against: str | None = None) -> Comparison:
        """Both sides, exact and sampled. Raises InputError and OutOfReachError as `compared` does."""
        return compared(self.statement, self.sides, against, self.refuted, self.certified)


def formula_view(line: str, cov: str, mean: str, where: str, digits: int) -> FormulaView:
    """The answer to an expectation, or, where there is an equals sign, to an equation.

    Raises InputError and OutOfReachError as the verbs do.

    >>> formula_view("erf(z1)*z1", "[[1]]", "", "", 10).rows[1]
    {'what': 'class', 'answer': 'elementary'}
    """
    return _equation(line, cov, mean, where, digits) if "=" in line else _expectation(line, cov, mean, where, digits)


def _expectation(line: str, cov: str, mean: str, where: str, digits: int) -> FormulaView:
    answer = moment.answer(line, cov, mean or None, where or None, digits)
    payload = answer.json()
    rows = [("closed form", payload["expr"]), ("class", payload["kind"])]
    if payload["value"] is None:
        rows += [("value", "depends on the parameters; give numbers in their place for digits")]
    else:
        rows += [
            ("value", payload["value"]),
            ("error at most", payload["radius"]),
            ("correct digits", f"{payload['digits']} by {payload['method']}"),
        ]
    code = _call("moment", f"moment.answer({line!r}, {cov!r}, {mean or None!r}, {where or None!r}, {digits})")
    return FormulaView(
        _table(rows),
        _steps(payload["derivation"]),
        _typeset(_first(answer.moment), payload["derivation"], _expressions(answer.moment)),
        payload["latex"],
        code,
        answer.text(),
        read(f"E[{line}] = 0", cov, mean or None, where or None),
        ("closed form" if payload["value"] is None else "certified value",),
        certified=payload["value"],
    )


def _equation(line: str, cov: str, mean: str, where: str, digits: int) -> FormulaView:
    answer = check.answer(line, cov or None, mean or None, where or None, digits)
    payload = answer.json()
    rows = [("verdict", payload["verdict"])]
    counter = payload["counterexample"]
    if counter is not None:
        rows += [
            ("fails at", ", ".join(f"{name} = {value}" for name, value in counter["values"].items()) or "these numbers")
        ]
        rows += [("left side", counter["lhs"]), ("right side", counter["rhs"])]
    if payload["suggestion"] is not None:
        rows += [(f"it holds with {payload['suggestion']['change']}", payload["suggestion"]["rhs"])]
    if payload["reason"]:
        rows += [("reason", payload["reason"])]
    rows += [("points that agree", f"{payload['points']['agreeing']} of {payload['points']['tried']}")]
    statement = answer.statement
    latex = f"{sympy.latex(statement.lhs)} = {sympy.latex(statement.rhs)}"
    code = _call("check", f"check.answer({line!r}, {cov or None!r}, {mean or None!r}, {where or None!r}, {digits})")
    text, sides = answer.text(), ("left side", "right side")
    known = {}
    if payload["steps"]:
        known = _expressions(*statement.moments.values()) | {
            " = ".join(map(as_text, statement.closed)): statement.closed
        }
    typeset = _typeset((statement.lhs, statement.rhs), payload["steps"], known)
    return FormulaView(_table(rows), _steps(payload["steps"]), typeset, latex, code, text, statement, sides, counter)


def _table(rows: list[tuple[str, Any]]) -> tuple[dict[str, Any], ...]:
    return tuple({"what": what, "answer": str(answer)} for what, answer in rows)


def _steps(steps: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "step": number,
            "rule": step["rule"],
            "checked": CHECKED if step["checked"] else f"NOT CHECKED: {step['error']}",
            "why": plain(step["why"]),
            "expression": str(step["expr"]),
        }
        for number, step in enumerate(steps)
    )


def _first(moment: Moment) -> tuple[sympy.Basic, ...]:
    """The expectation that was asked for, and its closed form."""
    return moment.derivation.steps[0].expr, moment.closed_form


def _typeset(
    question: Sequence[sympy.Basic], steps: list[dict[str, Any]], known: Mapping[str, Sequence[sympy.Basic]]
) -> tuple[Typeset, ...]:
    """The question and the steps; `known` has the sides of a step that is an expression of the engine by its text."""
    setter, lines = Typesetter(), []
    for why, sides in [("", question), *((step["why"], known.get(str(step["expr"]))) for step in steps)]:
        before = len(setter.covariances)
        tex = None if sides is None else " = ".join(map(setter.tex, sides))
        lines.append(Typeset(why, tex, tuple(setter.names(before))))
    return tuple(lines)


def _expressions(*moments: Moment) -> dict[str, tuple[sympy.Basic, ...]]:
    """Every step of the moments' derivations by its text."""
    proofs = [proof for moment in moments for proof in (moment.derivation, moment.arctan_derivation) if proof]
    return {as_text(step.expr): (step.expr,) for proof in proofs for step in proof.steps}


def _call(verb: str, call: str) -> str:
    return f"from derivations.answers import {verb}\n\nprint({call}.json())\n"


def csv(view: FormulaView) -> str:
    """The steps of the proof, or where there are none the rows of the answer, as comma-separated values."""
    return csv_text(view.steps or view.rows)
