"""The figure of the experiment on deep linear networks, from its stored numbers."""

from pathlib import Path
from typing import TYPE_CHECKING

from derivations.experiments.model import Data, Figure, Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure as PlotFigure


def data(run: Run) -> Data:
    """The curves: panel, then network and mode, each with the formula on a grid and the trained strengths."""
    panels: dict[str, dict] = {}
    for panel, networks in run["panels"].items():
        for name, network in networks.items():
            for mode, target in enumerate(network["targets"]):
                label = f"s = {target:g}" if len(network["targets"]) > 1 else name
                panels.setdefault(panel, {})[label] = {
                    "grid": network["grid"],
                    "exact": network["exact"][mode],
                    "time": network["times"],
                    "trained": network["trained"][mode],
                }
    return panels


def drawn(panels: Data) -> "PlotFigure":
    """Strengths of modes against time, a panel each: lines are formulas, marks are trained networks."""
    from derivations.plots import BLUE, GREEN, ORANGE, PURPLE, STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(3.6 * len(panels), 3.3), squeeze=False)
        for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
            for index, (name, curve) in enumerate(curves.items()):
                colour = (BLUE, ORANGE, GREEN, PURPLE)[index % 4]
                label = f"${name.replace('lambda', chr(92) + 'lambda')}$" if "=" in name else name
                axis.plot(curve["grid"], curve["exact"], ("-", "--", "-.", ":")[index % 4], color=colour, label=label)
                axis.plot(curve["time"], curve["trained"], "os^D"[index % 4], color=colour, ms=4, mfc="white")
            axis.set(title=title, xlabel=r"time $t/\tau$")
            axis.legend(fontsize=7, frameon=False, loc="lower right")
        axes[0][0].set_ylabel("strength of the mode $a$")
    return figure


def _draw(panels: Data, path: Path, mark: str) -> None:
    from derivations.plots import save

    save(drawn(panels), path, mark)


FIGURES = {
    "deep-linear": Figure(
        "Strength of modes of deep linear networks against time. Lines: the formulas of this page; marks: trained "
        "networks. Left: three modes of a network with two equal layers. Middle: equal layers of four depths. Right: "
        r"two layers whose squared weights differ by $\lambda$. All modes start at the strength 0.01.",
        "deep-linear",
        data,
        _draw,
    )
}
