"""The data view: covariance, spectrum, marginal and examples of each class, exact and in samples."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Data"
QUESTION = "How do the inputs x of the classes differ: exactly, and in samples?"
ORDER = 10
CHAPTERS = ("data-laws",)


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statistics of the law: exact, and with settings["sample"] beside those of drawn examples.

    settings["first"] is the first of the two classes whose covariances are drawn.
    """
    from derivations.explore import data
    from derivations.explore.data_page import page

    theory = data.theory_of(problem.data)
    want = settings.get("want")
    if want == "latex":
        return {"text": data.latex(theory)}
    if want == "python":
        from derivations.explore.problems import python_code
        from theory.problem import dumps

        return {"text": python_code(dumps(problem), data.PYTHON)}
    sample = data.sampled(problem.data) if settings.get("sample") or want == "csv" else None
    if want == "csv":
        return {"text": data.csv(theory, sample)}
    return page(theory, sample, int(settings.get("first", 0)))
