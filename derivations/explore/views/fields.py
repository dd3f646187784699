"""The fields view: networks of any model, trained live, and the theory beside them where there is one."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Fields"
QUESTION = "Which fields do networks learn, and when?"
ORDER = 30
CHAPTERS = ("gated-gradient-flow", "small-bump-gate")


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the theory at all times and how the networks are trained, or a text of the state that the page shows.

    The settings are those of `fields_page.asked`; with a `want` also the `snapshot`, and the `job` that has trained.
    """
    from derivations.explore import fields_page

    given = fields_page.asked(problem, settings)
    if "want" in settings:
        return {"text": _text(given, settings)}
    return fields_page.page(given)


def _text(given: Problem, settings: Mapping[str, Any]) -> str:
    from derivations.explore import fields, fields_page
    from derivations.explore.problems import python_code
    from derivations.explore.running import JOBS
    from theory.problem import dumps

    snapshot = int(settings.get("snapshot", len(given.training.times) - 1))
    view, _ = fields_page.prediction(given)
    if settings["want"] == "python":
        trained, beside = settings.get("job") is not None, fields_page.beside(settings)
        lines = fields.python(snapshot, trained, view is not None, beside, settings.get("pieces") or None)
        return python_code(dumps(given), lines)
    learned = {} if settings.get("job") is None else JOBS.get(str(settings["job"])).state().value or {}
    if settings["want"] == "csv":
        return fields_page.csv(given, learned, view)
    return fields_page.latex(fields.rows(given, snapshot, learned, view))
