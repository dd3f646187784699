"""The figure of the graph view: loss, strengths of paths and sizes of weights against time."""

import numpy as np
from matplotlib.axes import Axes

from derivations.explore.figures.axes import canvas, label, legend, marks, style
from derivations.explore.figures.sheets import Sheet
from derivations.explore.graphs import GraphPage, learned_values
from derivations.explore.training import Learned
from theory.flow.graph.strengths import largest

MOST = 6  # curves of a panel


def graph_figure(page: GraphPage, learned: dict[str, Learned]) -> Sheet:
    """Lines are gradient descent on the exact moments, marks the means of trained networks."""
    figure = canvas(11.2, 3.5, 1, 3, top=0.9, bottom=0.14)
    trained = learned_values(page, learned)
    panels = (
        ("loss", "loss ⟨|y − ŷ|²⟩", "units of y²"),
        ("strengths", "strengths of paths", "|s W| along the path, units of y/x"),
        ("sizes", "sizes of weights", "|W|"),
    )
    for axis, (what, title, unit) in zip(figure.grid[0], panels, strict=True):
        _panel(axis, page, what, trained.get(what, {}), title, unit)
    return figure


def _panel(axis: Axes, page: GraphPage, what: str, trained: dict[str, np.ndarray], title: str, unit: str) -> None:
    x, theory = np.log10(page.view.times), page.view.means(what)
    names = largest(theory, MOST)
    for index, name in enumerate(names):
        axis.plot(x, theory[name], **style(index), label=name if what != "loss" else "gradient descent, exact moments")
        if name in trained:
            mean = trained[name].mean(axis=0)
            axis.plot(x[: len(mean)], mean, **marks(index, len(mean)), label="networks" if what == "loss" else None)
    axis.set_ylim(bottom=0)
    more = f", the {MOST} largest of {len(theory)}" if len(theory) > MOST else ""
    label(axis, f"{title}{more}", "log₁₀ t", unit)
    legend(axis)
