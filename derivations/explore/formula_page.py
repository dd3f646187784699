"""The formula view as data: the answer with typeset steps, the figure's curves, and its texts."""

from typing import Any

from derivations.explore import formula
from derivations.explore.bar import marked
from derivations.explore.comparison import Comparison, comparison_csv
from derivations.publish.mathml import mathml
from theory.problem import WorkbenchError

# What a process that answers a formula loads: the page, and what its first answer would load otherwise.
MODULES = ("derivations.explore.formula_page", "latex2mathml.converter", "scipy.special", "sympy.combinatorics")
_GOOD = {"proved": True, "refuted": False}


def answered(
    line: str, cov: str, mean: str, where: str, digits: int, against: str | None
) -> tuple[dict, dict[str, str]]:
    """Return the page of an expectation or equation, and its texts by the names of the tabs.

    Raises InputError and OutOfReachError as `formula.formula_view` does. Where the formula is answered and its figure
    is out of reach, the page says why.
    """
    view = formula.formula_view(line, cov, mean, where, digits)
    try:
        drawn, undrawn = view.compare(against), None
    except WorkbenchError as error:
        drawn, undrawn = None, f"{error.message} {error.hint}"
    verdict = view.rows[0]["answer"] if len(view.sides) > 1 else None
    page = {
        "formula": _typeset(view.typeset[0]),
        "verdict": verdict,
        "holds": _GOOD.get(verdict),
        "steps": [_step(step, line) for step, line in zip(view.steps, view.typeset[1:], strict=True)],
        "parameters": list(view.parameters),
        "figure": None if drawn is None else _figure(drawn),
        "missing": [] if undrawn is None else [undrawn],
        "table": {
            "columns": [{"name": "quantity"}, {"name": "answer"}],
            "rows": [[row["what"], row["answer"]] for row in view.rows],
        },
    }
    numbers = "" if drawn is None else comparison_csv(drawn)
    texts = {"python": view.python, "latex": view.latex, "csv": numbers, "steps": formula.csv(view), "text": view.text}
    return page, texts


def _typeset(line: formula.Typeset) -> str | None:
    """A line as MathML, with the covariances that it names first; None where it is no expression of the engine."""
    if line.tex is None:
        return None
    covariances = rf" \qquad {', '.join(line.covariances)}" if line.covariances else ""
    return mathml(rf"{line.tex}{covariances}", display=True)


def _step(step: dict[str, Any], line: formula.Typeset) -> dict[str, Any]:
    """A step typeset where it is an expression of the engine, else as text, with the rule that checked it."""
    return {
        "rule": step["rule"],
        "checked": step["checked"] == formula.CHECKED,
        "check": step["checked"],
        "why": marked(line.why),
        "formula": _typeset(line),
        "text": step["expression"],
    }


def _figure(view: Comparison) -> dict[str, Any]:
    return {
        "axis": view.axis,
        "fixed": dict(view.values),
        "x": view.x,
        "sides": dict(view.sides),
        "at": view.at,
        "sampled": {name: {"mean": mean, "error": error} for name, (mean, error) in view.sampled.items()},
        "expected": dict(view.expected),
        "counterexample": view.counterexample,
        "running": view.running,
    }
