"""The figure of the sweep of the gain, from its stored numbers and the published ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.experiments.localization_sweep.tables import LONG, PUBLISHED, SHORT, cells_of
from derivations.experiments.model import Data, Figure, Run
from derivations.statistics.intervals import intervals
from theory.moments import null_levels

if TYPE_CHECKING:
    from matplotlib.figure import Figure as PlotFigure

SITES = 40
LEVEL = 0.01  # of the intervals, for all times of one gain together
NULL_LEVELS = {
    "flat, 1/n": float(null_levels.flat_ratio(SITES)),
    "sinusoid, 3/(2n)": float(null_levels.sinusoid_ratio(SITES, 1)),
    "Gaussian draw, 3/(n + 2)": float(null_levels.gaussian_ratio(SITES)),
}


def data(run: Run) -> Data:
    """Two panels of curves over the gain, one for each time, with the published means and the null levels."""
    panels: dict[str, Any] = {}
    for xi in (SHORT, LONG):
        cells = cells_of(run, xi)
        bands = [intervals(np.array(cell["participation_ratio"])[:, 1:], LEVEL) for cell in cells]
        curves = {}
        for index, time in enumerate(run["times"][1:]):
            curves[rf"$t = {time:g}$"] = {
                name: [round(float(getattr(one, name)[index]), 6) for one in bands] for name in ("mean", "low", "high")
            }
        panels[rf"$\xi = {xi[0]:g}$ ($y = 0$), ${xi[1]:g}$ ($y = 1$)"] = {
            "gain": [cell["gain"] for cell in cells],
            "curves": curves,
            "published": _published_points(cells) if xi == SHORT else {"gain": [], "mean": []},
            "levels": NULL_LEVELS,
        }
    return panels


def _published_points(cells: list[Run]) -> dict[str, list[float]]:
    gains = [cell["gain"] for cell in cells if f"{cell['gain']:.3g}" in PUBLISHED]
    return {"gain": gains, "mean": [PUBLISHED[f"{gain:.3g}"][0] for gain in gains]}


def drawn(panels: Data) -> "PlotFigure":
    """Participation ratios against the gain, one panel a title.

    A panel has `gain` (G); `curves`, a name to `mean`, `low`, `high` (G); `published`, `gain` and `mean` of the points
    that are crosses; and `levels`, a name to the height of a line across.
    """
    from derivations.plots import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.8), sharey=True, squeeze=False)
        for axis, (title, panel) in zip(axes[0], panels.items(), strict=True):
            for index, (name, height) in enumerate(panel["levels"].items()):
                axis.axhline(height, color=GREY, lw=0.9, ls=("-", "--", ":")[index % 3], label=name)
            for index, (name, curve) in enumerate(panel["curves"].items()):
                mean, low, high = (np.asarray(curve[key]) for key in ("mean", "low", "high"))
                gain = np.asarray(panel["gain"]) * 1.06 ** (index - 1)  # beside each other, so that no bar hides one
                style = {"color": (GREEN, BLUE, ORANGE, PURPLE)[index % 4], "fmt": f"{'s^vD'[index % 4]}-", "ms": 4}
                axis.errorbar(gain, mean, [mean - low, high - mean], mfc="white", lw=1.0, label=name, **style)
            if panel["published"]["gain"]:
                points = panel["published"]
                style = {"color": "black", "ms": 7, "mew": 1.5, "label": "published", "zorder": 5}
                axis.plot(points["gain"], points["mean"], "x", **style)
            axis.set(title=title, xscale="log", yscale="log", xlabel="gain $g$")
        axes[0][0].set_ylabel("inverse participation ratio")
        axes[0][0].legend(fontsize=7, frameon=False, loc="upper left")
    return figure


def _draw(panels: Data, path: Path, mark: str) -> None:
    from derivations.plots import save

    save(drawn(panels), path, mark)


FIGURES = {
    "localization-sweep": Figure(
        "Inverse participation ratio of the weights of one ReLU neuron against the gain of its data, at three times: "
        "means over networks with 99 % intervals, for all times of a gain together. Crosses: the published means. "
        "Lines across: the ratio of fields that are not localized.",
        "localization-sweep",
        data,
        _draw,
    )
}
