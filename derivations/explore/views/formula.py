"""The formula view: an expectation or a conjectured equation; closed form, digits or verdict, and its steps."""

from collections.abc import Mapping
from typing import Any

from theory.problem import InputError, Problem

TITLE = "Formula"
QUESTION = "Does this average hold?"
ORDER = 70
CHAPTERS = ("gaussian-averages",)


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions that the view offers; the job `formula` answers one, and settings["job"] names its texts.

    With settings["want"] of "claims" the answer has the claims of the book on the question of the settings.
    """
    from derivations.explore.questions import EXAMPLES, question_of
    from derivations.explore.running import JOBS

    del problem
    if settings.get("want") == "claims":
        from derivations.explore.book import claims_on

        return {"claims": claims_on(*question_of(settings)[:4])}
    if "want" in settings:
        texts = JOBS.get(str(settings.get("job"))).state().value
        if texts is None or settings["want"] not in texts:
            raise InputError("There is no answer yet.", "Press Answer first.", "want")
        return {"text": texts[settings["want"]]}
    return {"examples": [[name, *question] for name, question in EXAMPLES.items()]}
