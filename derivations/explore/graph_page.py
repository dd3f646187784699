"""The graph view as data: loss, strengths and sizes over time, the drawing of the graph, and its equations."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from derivations.explore import graphs
from derivations.explore.fields import BATCHES
from derivations.explore.running import JOBS, Job
from derivations.explore.tables import page_table, python_code
from derivations.explore.training import Learned, train_together
from derivations.publish.graph_drawing import drawing
from theory.flow.graph.strengths import largest
from theory.problem import GatedGraph, InputError, Problem

MOST = 6  # curves of a panel
NO_GRAPH = "The network of the problem is no gated graph. Open the race for an example, or write a graph as TOML."
_COUNTS = ("2", "4", "8", "16", "32")
_START = {"w0": "1", "tau": "1", "batch": "256", "networks": "8"}
_CHOICES = {"w0": graphs.FACTORS, "tau": graphs.FACTORS, "batch": BATCHES, "networks": _COUNTS}
# The colours of the page's theme in the drawing.
_THEMED = {
    "ground": "var(--ground)", "plain": "var(--muted)", "marked": "var(--class-2)", "pale": "var(--raised)",
    "ink": "var(--ink)", "gate": "var(--accent)",
}  # fmt: skip
_PANELS = (
    ("loss", "Loss", "⟨|y − ŷ|²⟩", "y²"),
    ("strengths", "Strengths of paths", "|scales × weights|, their product along the path", "y/x"),
    ("sizes", "Sizes of weights", "|W|", ""),
)


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prediction for the graph, and the networks of the job settings["job"] where it has trained any."""
    if not isinstance(problem.network, GatedGraph):
        return {"example": graphs.EXAMPLE.read_text(encoding="utf-8"), "missing": [NO_GRAPH]}
    job = settings.get("job")
    learned = {} if job is None else JOBS.get(str(job)).state().value or {}
    prediction = shown(problem, settings)
    match settings.get("want"):
        case "csv":
            return {"text": graphs.csv(prediction, learned)}
        case "latex":
            return {"text": prediction.flow.text("latex")}
        case "python":
            return {"text": python_code(prediction.problem, graphs.python())}
    return page(prediction, learned, settings.get("through"))


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train the networks of the graph, and publish their measurements; the job keeps the networks as its value."""
    prediction = shown(problem, settings)

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(share)
        if learned is not None:
            job.publish(trained(prediction, dict(learned)), learned)

    train_together({graphs.NETWORKS: prediction.problem}, report)


def choices(settings: Mapping[str, Any]) -> dict[str, str]:
    """The factors of w0 and tau, the batch and the number of networks; InputError for others than those offered."""
    chosen = {name: str(settings.get(name, start)) for name, start in _START.items()}
    for name, value in chosen.items():
        if value not in _CHOICES[name]:
            raise InputError(
                f"{name} = {value[:40]} is not offered.", f"Choose from: {', '.join(_CHOICES[name])}.", name
            )
    return chosen


def shown(problem: Problem, settings: Mapping[str, Any]) -> graphs.GraphPage:
    """The prediction that the settings ask for. Raises OutOfReachError as `graphs.graph_page` does."""
    chosen = choices(settings)
    return graphs.graph_page(problem, chosen["w0"], chosen["tau"], int(chosen["batch"]), int(chosen["networks"]))


def page(prediction: graphs.GraphPage, learned: dict[str, Learned], through: object) -> dict[str, Any]:
    """Return the curves of the theory, the networks beside them, the drawing, the flow and the table."""
    flow = prediction.flow.flow
    chosen = through if through in flow.weights else None
    return {
        "choices": {name: list(values) for name, values in _CHOICES.items()},
        "weights": list(flow.weights),
        "through": chosen,
        "times": prediction.view.times,
        "tau": prediction.problem.training.tau,
        "panels": [_panel(prediction, *panel) for panel in _PANELS],
        "drawing": drawing(flow.graph, flow.paths, chosen, _THEMED),
        "equations": graphs.equations(prediction),
        "trained": trained(prediction, learned),
        "said": graphs.sentence(prediction),
        "table": page_table(graphs.rows(prediction, learned)),
    }


def _panel(prediction: graphs.GraphPage, what: str, title: str, label: str, unit: str) -> dict[str, Any]:
    theory = prediction.view.means(what)
    names = largest(theory, MOST)
    return {
        "what": what,
        "title": title,
        "label": label,
        "unit": unit,
        "all": len(theory),
        "curves": [{"name": name, "y": theory[name]} for name in names],
    }


def trained(prediction: graphs.GraphPage, learned: dict[str, Learned]) -> dict[str, dict[str, Any]]:
    """Means and standard errors over the networks by quantity and name, up to the times that they have reached."""
    return {
        what: {
            name: {"mean": array.mean(axis=0), "error": array.std(axis=0, ddof=1) / np.sqrt(len(array))}
            for name, array in values.items()
        }
        for what, values in graphs.learned_values(prediction, learned).items()
    }
