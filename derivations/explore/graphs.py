"""Numbers of the graph view: which path wins and when, by gradient descent on the exact moments and by networks."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from derivations.answers.flow import FlowAnswer
from derivations.answers.flow import answer as flow_answer
from derivations.answers.graph_compare import LAW, GraphView, graph_view
from derivations.experiments.folders import problem_file
from derivations.explore.fields import live
from derivations.explore.limits import refuse_long_descent
from derivations.explore.training import Learned
from derivations.sweeps.table import csv_text
from theory.flow.graph import export
from theory.flow.graph.data import flow_of
from theory.flow.graph.strengths import largest, sizes, strengths, strongest
from theory.flow.linear.descent import steps_at_times
from theory.problem import GatedGraph, InitialByName, NormalInitialisation, OutOfReachError, Problem
from theory.problem.parameters import Numbers

EXAMPLE = problem_file("race")
FACTORS = ("1/8", "1/4", "1/2", "1", "2", "4")
NETWORKS = "networks"
MOST_ROWS = 12  # paths of the table; the CSV has them all


@dataclass(frozen=True)
class GraphPage:
    """The prediction of a graph at the times of the view, and its derived flow."""

    view: GraphView
    flow: FlowAnswer

    @property
    def problem(self) -> Problem:
        """The problem as it is trained."""
        return self.view.problem


def graph_page(problem: Problem, w0: str, tau: str, batch: int, replicates: int) -> GraphPage:
    """Return the page of a graph whose initial weights and tau are those of the problem times the factors.

    Raises OutOfReachError for a network that is no graph, where there is no prediction, and where it takes too long.
    """
    if not isinstance(problem.network, GatedGraph):
        raise OutOfReachError(
            f'This view shows gated graphs, and the model of the problem is "{problem.network.model}".',
            "Press “Open the race” for an example, hand in a graph under Problem, or look at the other views.",
        )
    trained = live(scaled(problem, Fraction(w0), Fraction(tau)), batch, replicates)
    refuse_long_descent(trained, flow_of(trained), steps_at_times(trained)[-1])
    return GraphPage(graph_view(trained), flow_answer(trained))


def scaled(problem: Problem, w0: Fraction, tau: Fraction) -> Problem:
    """The problem with each initial weight and tau multiplied by a factor.

    >>> from derivations.experiments.folders import problem_named
    >>> found = scaled(problem_named("race"), Fraction(1, 2), Fraction(2)).training
    >>> found.w0.scale, found.tau
    (Fraction(1, 4), Fraction(2, 1))
    """
    training, start = problem.training, problem.training.w0
    if isinstance(start, InitialByName):
        times = InitialByName(tuple((name, _times(law, w0)) for name, law in start.starts))
    else:
        times = _times(start, w0)
    return replace(problem, training=replace(training, w0=times, tau=training.tau * tau))


def _times(start: NormalInitialisation | Numbers, factor: Fraction) -> NormalInitialisation | Numbers:
    if isinstance(start, NormalInitialisation):
        return replace(start, scale=start.scale * factor)
    return tuple(_times(entry, factor) for entry in start) if isinstance(start, tuple) else start * factor


def learned_values(page: GraphPage, learned: dict[str, Learned]) -> dict[str, dict[str, np.ndarray]]:
    """Loss, sizes and strengths (S, t) of the networks by name, up to the snapshots that they have reached."""
    if NETWORKS not in learned:
        return {}
    flow, networks = page.view.descent.flow, learned[NETWORKS]
    return {
        "loss": {"loss": networks.losses},
        "sizes": sizes(flow, networks.parameters),
        "strengths": strengths(flow, networks.parameters),
    }


def winners(page: GraphPage) -> tuple[tuple[str, ...], float]:
    """The paths that are strongest at the last time, and the first time from which on one of them always is."""
    theory = page.view.means("strengths")
    names, values = list(theory), np.stack(list(theory.values()))
    best = strongest(theory)
    behind = np.flatnonzero([names[index] not in best for index in values.argmax(axis=0)])
    return best, float(page.view.times[behind[-1] + 1 if best and len(behind) else 0])


def sentence(page: GraphPage) -> str:
    """The answer to the question of the view, by the theory."""
    names, time = winners(page)
    first, last = page.view.times[[0, -1]]
    at, count = f"At t = {last:.4g}", len(page.view.means("strengths"))
    if not names:
        return f"{at} no path has any strength."
    since = "from the first time on" if time == first else f"from t = {time:.4g} on"
    if len(names) == 1:
        return f"{at} the path {names[0]} is the strongest; it leads {since}."
    if len(names) == count:
        return f"{at} all {count} paths are equally strong."
    return f"{at} {len(names)} of {count} paths are equally strong and lead {since}: {', '.join(names)}."


def rows(page: GraphPage, learned: dict[str, Learned]) -> list[dict[str, Any]]:
    """A row for each of the strongest paths: its final strength, the time at half of that, its networks."""
    values, theory = learned_values(page, learned).get("strengths", {}), page.view.means("strengths")
    table = []
    for name in largest(theory, MOST_ROWS):
        along = theory[name]
        below = np.flatnonzero(along < along[-1] / 2)
        half = float(page.view.times[0 if not len(below) else below[-1] + 1])
        reached = name in values and values[name].shape[1] == len(along)
        mean = float(values[name][:, -1].mean()) if reached else None
        error = float(values[name][:, -1].std(ddof=1) / np.sqrt(len(values[name]))) if reached else None
        row = {"path": name, "strength at the end": float(along[-1]), "at least half of it from t =": half}
        table.append(row | {"networks": mean, "standard error": error})
    return table


def csv(page: GraphPage, learned: dict[str, Learned]) -> str:
    """The figure's numbers as comma-separated values, one number a row; a standard error for numbers of networks."""
    lines = []
    for what in page.view.quantities:
        for name, along in page.view.means(what).items():
            lines += [_row(what, name, LAW, time, value) for time, value in zip(page.view.times, along, strict=True)]
    for what, values in learned_values(page, learned).items():
        for name, array in values.items():
            errors = array.std(axis=0, ddof=1) / np.sqrt(len(array))
            together = zip(page.view.times, array.mean(axis=0), errors, strict=False)
            lines += [_row(what, name, NETWORKS, time, mean, float(error)) for time, mean, error in together]
    return csv_text(lines)


def _row(what: str, name: str, of: str, time: float, value: float, error: float | str = "") -> dict[str, Any]:
    whole = {"quantity": what, "name": name, "of": of, "t": float(time)}
    return whole | {"value": float(value), "standard error": error}


def equations(page: GraphPage) -> str:
    """The flow of each weight, with the correlations E of the error in it."""
    flow = page.flow.flow
    return "\n".join([*export.plain_errors(flow), *(export.plain(flow, name) for name in flow.weights)])


def python() -> tuple[str, ...]:
    """Lines that print the strengths of the theory, and train and measure the networks beside them."""
    return (
        "from derivations.answers import compare",
        "",
        'found = compare.answer(problem, "cpu")',
        "print(found.text())",
    )
