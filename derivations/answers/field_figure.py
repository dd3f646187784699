"""The figure of `gdln fields`: images of fields, the map of centres and orientations, frequency against orientation."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from derivations.plots import BLUE, GREY, ORANGE, STYLE
from derivations.statistics.field_fits import HIGHEST

if TYPE_CHECKING:
    from derivations.answers.fields import FieldsAnswer

_DRAWN, _COLUMNS = 15, 5
_BAR = 1.5  # sites, half the length of an orientation's bar
_COLOURS = "RdBu_r"


def field_figure(answer: "FieldsAnswer") -> Figure:
    """Draw up to fifteen fields, each in its own scale from -max to max, and maps of all centres and waves."""
    drawn = answer.fields[:_DRAWN]
    count = min(_COLUMNS, max(2, round(len(drawn) ** 0.5)))
    rows, maps = -(-len(drawn) // count), 2 if answer.waves else 1
    with plt.rc_context(STYLE):
        figure = plt.figure(figsize=(1.5 * count + 4.2, 0.6 + max(1.75 * rows, 2.6 * maps)))
        left, right = figure.subfigures(1, 2, width_ratios=(1.5 * count, 4.2))
        left.suptitle(f"fields at t = {answer.time:g}\nred positive, each in its own scale", fontsize=9)
        axes = left.subplots(rows, count, squeeze=False).ravel()
        for axis, one in zip(axes, drawn, strict=False):
            limit = float(np.abs(one.field).max()) or 1.0
            axis.imshow(one.field, cmap=_COLOURS, vmin=-limit, vmax=limit, origin="upper")
            name = f"{one.network}.{one.unit}" if answer.source == "networks" else f"unit {one.unit}"
            said = "zero" if one.fit is None else f"{one.fit.model.split()[0]} {one.fit.explained:.2f}"
            axis.set_title(f"{name}: {said}", fontsize=7)
            axis.set(xticks=[], yticks=[])
        for axis in axes[len(drawn) :]:
            axis.set_axis_off()
        panels = right.subplots(maps, 1, squeeze=False).ravel()
        for axis, draw in zip(panels, (_centres, _waves), strict=False):
            draw(axis, answer)
    return figure


def _centres(axis: plt.Axes, answer: "FieldsAnswer") -> None:
    rows, columns = answer.problem.data.shape
    waves = {(one.network, one.unit) for one in answer.waves}
    for one in answer.placed:
        y, x = one.fit.value["y"], one.fit.value["x"]
        if (one.network, one.unit) in waves:
            # A bar along the stripes, across the direction of the wave.
            angle = np.radians(one.fit.value["orientation"] + 90)
            dx, dy = _BAR * np.cos(angle), _BAR * np.sin(angle)
            axis.plot([x - dx, x + dx], [y - dy, y + dy], color=ORANGE, lw=1.5)
        else:
            axis.plot(x, y, "o", ms=4, mfc="none", color=BLUE)
    axis.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal", xlabel="column", ylabel="row")
    lost = len(answer.explained) - len(answer.placed)
    left_out = f"; {lost} undetermined" if lost else ""
    axis.set_title(f"centres{left_out}\nbars along the stripes of waves, rings for bumps", fontsize=8)
    if not answer.explained:
        axis.text((columns - 1) / 2, (rows - 1) / 2, "no fit explains half of a field", ha="center", color=GREY)


def _waves(axis: plt.Axes, answer: "FieldsAnswer") -> None:
    axis.set(xlim=(0, 180), ylim=(0, HIGHEST), xlabel="orientation (degrees)", ylabel="frequency (cycles a site)")
    axis.set_xticks(range(0, 181, 45))
    axis.set_title("waves, with one standard error", fontsize=8)
    for one in answer.waves:
        value, error = one.fit.value, one.fit.error
        bars = [error[name] if np.isfinite(error[name]) else 0.0 for name in ("orientation", "frequency")]
        axis.errorbar(
            value["orientation"],
            value["frequency"],
            bars[1],
            bars[0],
            fmt="o",
            ms=3.5,
            mfc="white",
            color=ORANGE,
            lw=0.8,
        )
