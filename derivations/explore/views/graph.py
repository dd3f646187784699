"""The graph view: a gated graph, its flow, and the strengths of its paths beside trained networks."""

from collections.abc import Mapping
from typing import Any

from theory.problem import GatedGraph, Problem

TITLE = "Graph"
QUESTION = "How do the paths of a gated graph race?"
ORDER = 80
CHAPTERS = ("gated-graphs", "race")


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prediction for the graph, and the networks of the job settings["job"] where it has trained any."""
    from derivations.explore import graph_page, graphs
    from derivations.explore.running import JOBS

    if not isinstance(problem.network, GatedGraph):
        return {"example": graphs.EXAMPLE.read_text(encoding="utf-8"), "missing": [graph_page.NO_GRAPH]}
    job = settings.get("job")
    learned = {} if job is None else JOBS.get(str(job)).state().value or {}
    shown = graph_page.shown(problem, settings)
    want = settings.get("want")
    if want == "csv":
        return {"text": graphs.csv(shown, learned)}
    if want == "latex":
        return {"text": shown.flow.text("latex")}
    if want == "python":
        return {"text": graph_page.python(shown)}
    return graph_page.page(shown, learned, settings.get("through"))


def rivals(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Problem]:
    """The networks to train: those of the graph, with the settings' batch and number."""
    from derivations.explore import graph_page, graphs

    return {graphs.NETWORKS: graph_page.shown(problem, settings).problem}


def learned(problem: Problem, settings: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measurements of the networks up to the last time that they have reached."""
    from derivations.explore import graph_page

    return graph_page.trained(graph_page.shown(problem, settings), dict(found))
