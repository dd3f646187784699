"""The amplifier view: phi(a) and its elasticity for the marginal of a law, and whether a flat field is unstable."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Amplifier"
QUESTION = "Which marginals make the flat field of one ReLU neuron unstable, if preactivations are Gaussian?"
ORDER = 20
CHAPTERS = ("amplifier", "localization-sweep")


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return phi and the flat state; settings["scan"] adds them along the gain, settings["class"] chooses the class."""
    from derivations.explore import amplifier

    chosen = settings.get("class")
    view = amplifier.amplifier_view(problem.data, None if chosen is None else int(chosen))
    want = settings.get("want")
    if want == "python":
        from derivations.explore.problems import python_code
        from theory.problem import dumps

        return {"text": python_code(dumps(problem), amplifier.python(view))}
    if want in ("csv", "latex"):
        return {"text": amplifier.csv(view) if want == "csv" else amplifier.latex(view)}
    return amplifier.page(view, settings)
