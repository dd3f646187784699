"""The compare view: two problems side by side, by default a law and its Gaussian clone, both trained."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Compare"
QUESTION = "Which of two laws localizes, at which gain, and why?"
ORDER = 40
CHAPTERS = ("relu-gates", "amplifier", "localization-sweep")


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return both laws and their exact statistics, or a text of the state that the page shows.

    The settings are those of `compare_page.asked`; with a `want` also the `snapshot`, the `job` that has trained, and
    the job `sweep` that has trained A at several gains.
    """
    from derivations.explore import compare_page

    if "want" not in settings:
        return compare_page.page(problem, settings)
    return {"text": _text(compare_page.asked(problem, settings), settings)}


def _text(sides: Mapping[str, Problem], settings: Mapping[str, Any]) -> str:
    from derivations.explore import compare_page, fields_page, two_laws
    from derivations.explore.problems import python_code
    from derivations.explore.running import JOBS
    from theory.problem import dumps

    trained = settings.get("job") is not None
    snapshot = int(settings.get("snapshot", len(sides["A"].training.times) - 1))
    if settings["want"] == "python":
        swept = settings.get("sweep") is not None
        return python_code(dumps(sides["A"]), two_laws.python(dumps(sides["B"]), snapshot, trained, swept))
    learned = JOBS.get(str(settings["job"])).state().value if trained else None
    if settings["want"] == "csv":
        gains = () if settings.get("sweep") is None else JOBS.get(str(settings["sweep"])).state().value or ()
        return compare_page.csv(sides, learned or {}, gains)
    known = two_laws.statistics(two_laws.compared(*(sides[side].data for side in two_laws.SIDES)))
    measured = two_laws.rows(sides, snapshot, learned) if learned else []
    return "\n\n".join(fields_page.latex(table) for table in (known, measured) if table)
