"""The map view: a quantity of the exact field over two parameters, with trained networks of a sweep."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Map"
QUESTION = "Where in two parameters does the field localize?"
ORDER = 50


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices of the view, and the fields at the place settings["at"]; the job `map` computes the map."""
    from derivations.explore import phase_map
    from derivations.explore.map_page import asked, page
    from derivations.explore.problems import python_code
    from theory.problem import dumps

    want = settings.get("want")
    if want == "python":
        return {"text": python_code(dumps(problem), phase_map.python(*asked(problem, settings)))}
    if want == "csv":
        return {"text": phase_map.csv(phase_map.phase_map(problem, *asked(problem, settings)))}
    if want == "latex":
        return {"text": phase_map.latex(*asked(problem, settings)[2:])}
    return page(problem, settings)
