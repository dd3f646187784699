"""Printed figures of the report and the book, drawn from arrays and saved as PNG or SVG; their style and colours.

Colours are the Okabe-Ito palette, which colour-blind readers can tell apart; theory is drawn as lines, simulation as
markers or bands, so that the figures also read in black and white.
"""

from io import BytesIO
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
PURPLE, YELLOW = "#CC79A7", "#E69F00"
_BAND = 2.576  # the central 99 % of a normal distribution, in standard errors
STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.constrained_layout.use": True}


# Colours of an SVG file where its reader prefers a dark page: ink, paper (that of the book's site) and a lighter blue.
_DARK = {"#000000": "#e6e8eb", "#ffffff": "#14171b", BLUE.lower(): "#4da6e0"}
_SVG = {"svg.hashsalt": "gdln", "svg.fonttype": "path"}  # no random ids, no font of this machine


def save(figure: Figure, path: Path, mark: str = "") -> None:
    """Write the figure and release its memory; `mark` is kept in the file's description.

    A figure in SVG follows the light or dark page of its reader.
    """
    described = {"Description": mark} if mark else {}
    if path.suffix == ".svg":
        drawn = BytesIO()
        with plt.rc_context(_SVG):
            figure.savefig(drawn, format="svg", metadata=described | {"Date": None})
        path.write_bytes(_with_dark_colours(drawn.getvalue().decode()).encode())
    else:
        figure.savefig(path, dpi=150, metadata=described or None)
    plt.close(figure)


def _with_dark_colours(svg: str) -> str:
    """An SVG file of matplotlib with a style for dark pages; black, where it fills, is not written into the file."""
    rules = [f"svg {{ fill: {_DARK['#000000']} }}"]
    for light, dark in _DARK.items():
        rules += [f'[style*="{name}: {light}"] {{ {name}: {dark} !important }}' for name in ("fill", "stroke")]
    style = f"<style>@media (prefers-color-scheme: dark) {{ {' '.join(rules)} }}</style>"
    begin = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:begin]}\n {style}{svg[begin:]}"


def receptive_fields(panels: dict[str, dict[str, np.ndarray]], window: slice) -> Figure:
    """Fields of unit 1 and unit 2 against the sites of `window`: predicted lines, trained means with 99 % bars.

    `panels` maps a title to `theory` (K, n), `mean` (K, n), `error` (K, n) and optionally `relu` (K, n) and the
    numbers `site` (n) of the sites, 0, 1, ... without.
    """
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 3.4), squeeze=False)
        for axis, (title, data) in zip(axes[0], panels.items(), strict=True):
            shown = {name: values[..., window] for name, values in data.items()}
            site = shown.pop("site", np.arange(data["theory"].shape[1])[window])
            for unit, colour, dash, mark in ((0, BLUE, "-", "o"), (1, ORANGE, "--", "s")):
                axis.plot(site, shown["theory"][unit], dash, color=colour, lw=1.4, label=f"unit {unit + 1}, theory")
                bars = _BAND * shown["error"][unit]
                style = {"fmt": mark, "ms": 3.5, "mfc": "white", "color": colour, "lw": 0.8}
                label = f"unit {unit + 1}, trained gated linear"
                axis.errorbar(site, shown["mean"][unit], bars, label=label, **style)
                if "relu" in data:
                    label = "trained ReLU" if unit == 0 else None
                    axis.plot(site, shown["relu"][unit], ":", color=GREY, lw=1.6, label=label)
            axis.axhline(0, color="black", lw=0.5)
            axis.set(title=title, xlabel="site j", ylabel="weight $w_{kj}$")
        axes[0][0].legend(fontsize=7, frameon=False)
    return figure


def moment_matrices(panels: dict[str, np.ndarray]) -> Figure:
    """Matrices (n, n) side by side on one colour scale, except titles that begin with 'difference'."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(3.3 * len(panels), 3.0), squeeze=False)
        shared = max(float(np.abs(m).max()) for title, m in panels.items() if not title.startswith("difference"))
        for axis, (title, matrix) in zip(axes[0], panels.items(), strict=True):
            limit = float(np.abs(matrix).max()) if title.startswith("difference") else shared
            image = axis.imshow(matrix, cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="nearest")
            axis.set(title=title, xlabel="site l", ylabel="site k")
            figure.colorbar(image, ax=axis, shrink=0.75)
    return figure


def profiles(panels: dict[str, dict[str, np.ndarray]], ylabel: str) -> Figure:
    """Curves against the site, one panel a title; a curve named 'trained' or 'simulated' has markers."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.2), squeeze=False)
        for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
            for index, (name, values) in enumerate(curves.items()):
                colour = (BLUE, ORANGE, GREEN, GREY)[index % 4]
                style = {"ls": ("-", "--", ":")[index % 3], "lw": 1.3}
                if name.startswith(("trained", "simulated")):
                    style |= {"marker": "os^D"[index % 4], "ms": 3.5, "mfc": "white", "lw": 0.7}
                axis.plot(np.arange(len(values)), values, color=colour, label=name, **style)
            axis.axhline(0, color="black", lw=0.5)
            axis.set(title=title, xlabel="site", ylabel=ylabel)
            axis.legend(fontsize=7, frameon=False)
    return figure
