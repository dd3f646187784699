"""The figure of the experiment of routing networks, from its stored numbers."""

from pathlib import Path

import numpy as np

from derivations.experiments.model import Data, Figure, Run
from derivations.experiments.routing.tables import LEARNED


def data(run: Run) -> Data:
    """Three panels: strengths over time with their curves, errors of both tables over time, errors by scale."""
    learned = [np.array(one["trained"]) < LEARNED for one in run["by_scale"]]
    points = {
        f"{one['scale']:g}": np.array(one["untrained"])[kept].tolist()
        for one, kept in zip(run["by_scale"], learned, strict=True)
    }
    return {"aligned": run["aligned"], "reduction": run["reduction"], "errors": run["over_time"], "scales": points}


def _draw(panels: Data, path: Path, mark: str) -> None:
    from derivations.plots import BLUE, GREEN, ORANGE, PURPLE, STYLE, plt, save

    with plt.rc_context(STYLE):
        figure, (strengths, errors, scales) = plt.subplots(1, 3, figsize=(12.6, 3.7))
        trained, theory = (np.array(panels[name]["strengths"]) for name in ("aligned", "reduction"))
        looks = ((BLUE, "o", "-"), (GREEN, "^", "--"), (ORANGE, "s", "-"), (PURPLE, "v", "--"))
        for index, (colour, shape, dash) in enumerate(looks):
            mode, which = divmod(index, 2)
            strengths.plot(panels["reduction"]["times"], theory[:, mode, which], dash, color=colour, lw=1.2)
            style = {"color": colour, "ms": 4, "mfc": "white", "label": f"$b_{which + 1}$, mode {mode + 1}"}
            strengths.plot(panels["aligned"]["times"], trained[:, mode, which], shape, **style)
        strengths.set(xlabel="time $t$", ylabel="strength", title="aligned start: trained, and the reduction")
        strengths.legend(fontsize=7, frameon=False)
        lines = (("ring", BLUE), ("blocks", ORANGE))
        for table, colour in lines:
            for name, dash in (("trained", ":"), ("untrained", "-")):
                style = {"color": colour, "ls": dash, "lw": 1.4, "label": f"{table}, {name} pairs"}
                errors.plot(panels["errors"]["times"], panels["errors"][table][name], **style)
        errors.set(
            yscale="log",
            xlabel="time $t$",
            ylabel="relative error, mean",
            title="random start, two hidden units",
        )
        errors.legend(fontsize=7, frameon=False)
        for scale, values in panels["scales"].items():
            scales.plot([float(scale)] * len(values), values, "o", color=BLUE, ms=4, mfc="none")
        scales.set(xscale="log", yscale="log", xlabel="standard deviation of $W(0)$, $E(0)$, $D(0)$")
        scales.set(ylabel="error of untrained pairs", title="ring, eight hidden units")
    save(figure, path, mark)


_CAPTION = (
    "Left: strengths of a trained routing network from an aligned start (markers) and those of the reduction (lines). "
    "Middle: errors of trained and of untrained pairs over time, means over networks that have learned, for a "
    "connected graph (ring) and one of two components (blocks), and two hidden units. Right: the error of untrained "
    "pairs of each network that has learned, against the size of the initial weights, for the ring and eight hidden "
    "units."
)
FIGURES = {"routing": Figure(_CAPTION, "routing", data, _draw)}
