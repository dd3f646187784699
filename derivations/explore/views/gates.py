"""The gates view: a gate on weights that the reader draws, and the moments through the gates of the problem."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Gates"
QUESTION = "What does a gate see?"
ORDER = 60
CHAPTERS = ("relu-gates", "small-bump-gate")


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part settings["part"]: the inspector of a gate, or the moments through all gates.

    With settings["sample"] samples stand beside the formulas.
    """
    from derivations.explore import gates_page

    gates_page.refuse(problem)
    inspects = settings.get("part", gates_page.WEIGHTS) == gates_page.WEIGHTS
    want = settings.get("want")
    if want is not None:
        return {"text": gates_page.text_of(problem, settings, inspects, want)}
    return (gates_page.inspector_page if inspects else gates_page.gates_page)(problem, settings)
