"""The map view: a quantity of the exact field over two parameters, with trained networks of a sweep."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Map"
QUESTION = "Where in two parameters is a field local, or a flat one unstable?"
ORDER = 50
CHAPTERS = ("amplifier",)


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices of the view, and the fields at the place settings["at"].

    The job `map` computes the map. The CSV has what the job settings["job"] has computed, and says what it has not.
    """
    from derivations.explore import phase_map
    from derivations.explore.map_page import asked, page
    from derivations.explore.problems import python_code
    from derivations.explore.running import JOBS
    from theory.problem import InputError, dumps

    want = settings.get("want")
    if want == "python":
        return {"text": python_code(dumps(problem), phase_map.python(*asked(problem, settings)))}
    if want == "csv":
        found = None if settings.get("job") is None else JOBS.get(str(settings["job"])).state().value
        if found is None:
            raise InputError("No part of the map is computed yet.", "Compute the map first.", "want")
        return {"text": phase_map.csv(found)}
    if want == "latex":
        return {"text": phase_map.latex(*asked(problem, settings)[2:])}
    return page(problem, settings)
