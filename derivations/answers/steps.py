"""The steps of a proof as plain data and as lines, for every answer that has one."""

from collections.abc import Iterable, Mapping
from typing import Any

from derivations.markdown import plain
from theory.gaussian.moment import text
from theory.proof.derivation import Derivation


def checked_steps(derivation: Derivation) -> list[dict[str, Any]]:
    """The steps with the outcome of each rule's check: expr, why (Markdown), rule, checked, error."""
    checks = derivation.check()
    return [
        {"expr": text(step.expr), "why": step.why, "rule": step.rule, "checked": check.passed, "error": check.error}
        for step, check in zip(derivation.steps, checks, strict=False)
    ]


def step_lines(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """Yield two lines for each step: number, rule, whether its check passed and the reason; then the expression."""
    lines = []
    for number, step in enumerate(steps):
        mark = "checked" if step["checked"] else f"NOT CHECKED: {step['error']}"
        lines += [f"  {number}. [{step['rule']}, {mark}] {plain(step['why'])}", f"     {step['expr']}"]
    return lines
