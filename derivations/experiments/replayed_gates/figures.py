"""The figure of the experiment of replayed gates, from its stored numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from derivations.experiments.model import Data, Figure, Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure as PlotFigure


def data(run: Run) -> Data:
    """The curves of the figure: for each replay times, distance and band; `departs` is empty where it does not."""
    curves = {
        f"gates {name}": {
            "time": run["times"],
            **{key: band[key] for key in ("distance", "low", "high")},
            "departs": [] if band["departs"] is None else [band["departs"]],
        }
        for name, band in run["weight_distance"].items()
    }
    return {"margin": {"distance": [run["margin"]]}, **curves}


def drawn(curves: Mapping[str, Mapping[str, np.ndarray]], margin: float) -> "PlotFigure":
    """Relative distances against time with their simultaneous bands, the margin as a dotted line.

    `curves` maps a name to `time`, `distance`, `low`, `high`, (T) each, and `departs`: the time of a filled marker, at
    which the distance departs from the margin, or nothing.
    """
    from derivations.plots import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, YELLOW, plt

    with plt.rc_context(STYLE):
        figure, axis = plt.subplots(figsize=(5.8, 3.8))
        for index, (name, curve) in enumerate(curves.items()):
            colour = (BLUE, ORANGE, GREEN, GREY, PURPLE, YELLOW)[index % 6]
            mark, dash = "os^Dvp"[index % 6], ("-", "--", "-.", ":")[index % 4]
            axis.fill_between(curve["time"], curve["low"], curve["high"], color=colour, alpha=0.2, lw=0)
            style = {"color": colour, "marker": mark, "ls": dash, "ms": 4, "mfc": "white", "lw": 1.2}
            axis.plot(curve["time"], curve["distance"], label=name, **style)
            departed = np.isin(curve["time"], curve["departs"])
            axis.plot(curve["time"][departed], curve["distance"][departed], mark, ms=6, color=colour)
        axis.axhline(margin, color="black", lw=0.8, ls=":")
        axis.set(xlabel="time $t$", ylabel="relative distance")
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=7, frameon=False)
    return figure


def _draw(numbers: Data, path: Path, mark: str) -> None:
    from derivations.plots import save

    curves = {title: {name: np.asarray(values) for name, values in one.items()} for title, one in numbers.items()}
    margin = curves.pop("margin")["distance"].item()
    save(drawn(curves, margin), path, mark)


FIGURES = {
    "replayed-gates": Figure(
        "Relative distance of the weights of gated linear networks with replayed gates to those of the ReLU network "
        "that recorded them, with simultaneous bands. Dotted: the margin; filled markers: the first time at which "
        "the band lies above it.",
        "replayed-gates",
        data,
        _draw,
    )
}
