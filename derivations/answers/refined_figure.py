"""The pictures of an adaptive sweep: its points where they are, and the boxes of two axes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from derivations.sweeps.refining import Box, Spot
from theory.flow.picture import BAND, COLOURS, GREY, STYLE

_MARKS = "os^Dv<>*"
_DECADE = 10


def line_picture(
    field: str,
    grid: Sequence[float],
    numbers: Mapping[Spot, Sequence[float]],
    generation: Mapping[Spot, int],
    title: str,
    name: str,
) -> Figure:
    """Draw the mean of each point with bars of 99 % against the axis, and below it the generation of each point.

    `grid` has the values of the finest grid, `numbers` those of the networks at each finished point, nan where one
    diverged.
    """
    spots = sorted(numbers)
    x = [grid[place] for (place,) in spots]
    mean, error = zip(*(_mean_and_error(numbers[spot]) for spot in spots), strict=True) if spots else ((), ())
    with rc_context(STYLE):
        figure = Figure(figsize=(5.4, 4.2), layout="constrained")
        values, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        values.errorbar(
            x, mean, BAND * np.array(error), fmt="o-", ms=4, mfc="white", lw=1.0, capsize=2, color=COLOURS[0]
        )
        values.set(ylabel=name)
        values.set_title(f"{title}; 99 % bars", fontsize=9)
        below.plot([grid[place] for (place,) in generation], list(generation.values()), "|", ms=9, color=COLOURS[1])
        _generations_on(below, generation)
        below.set(xlabel=field, ylabel="generation")
        if _is_wide(grid):
            below.set_xscale("log")
    return figure


def map_picture(
    fields: Sequence[str],
    grids: Sequence[Sequence[float]],
    numbers: Mapping[Spot, Sequence[float]],
    generation: Mapping[Spot, int],
    boxes: Sequence[Box],
    title: str,
    name: str,
) -> Figure:
    """Draw the undivided boxes of two axes, each in the colour of the mean over its corners, and the points over them.

    A point has the colour of its own mean; the second picture shows the generation of each point. Arguments as of
    `line_picture`, of two axes.
    """
    means = {spot: _mean_and_error(found)[0] for spot, found in numbers.items()}
    with rc_context(STYLE):
        figure = Figure(figsize=(10.4, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        shades = [_box_mean(box, means) for box in boxes]
        drawn = PatchCollection([_patch(box, grids) for box in boxes], edgecolor="white", linewidth=0.4)
        drawn.set_array(np.ma.masked_invalid(shades))
        left.add_collection(drawn)
        points = left.scatter(
            *_places(means, grids),
            c=list(means.values()),
            s=12,
            edgecolors="black",
            linewidths=0.4,
            zorder=2,
            clip_on=False,
        )
        low, high = min(means.values(), default=0.0), max(means.values(), default=1.0)
        for one in (drawn, points):
            one.set_clim(low, high)
        figure.colorbar(drawn, ax=left, label=name)
        left.set_title(f"{title}; boxes: mean of their corners", fontsize=9)
        outlines = [_patch(box, grids) for box in boxes]
        right.add_collection(PatchCollection(outlines, facecolor="none", edgecolor=GREY, linewidth=0.4))
        for number in sorted(set(generation.values())):
            own = [spot for spot, found in generation.items() if found == number]
            look = {"color": COLOURS[number % len(COLOURS)], "marker": _MARKS[number % len(_MARKS)]}
            right.scatter(*_places(own, grids), s=14, label=f"{number}: {len(own)}", zorder=2, clip_on=False, **look)
        right.legend(
            title="generation: cells", fontsize=7, title_fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5)
        )
        right.set_title("points by generation", fontsize=9)
        for axis in (left, right):
            axis.set(xlabel=fields[0])
        left.set(ylabel=fields[1])
        for grid, scale, limit in (
            (grids[0], left.set_xscale, left.set_xlim),
            (grids[1], left.set_yscale, left.set_ylim),
        ):
            if _is_wide(grid):
                scale("log")
            limit(grid[0], grid[-1])
    return figure


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    kept = np.array(values)[np.isfinite(values)]
    return float(kept.mean()), float(kept.std(ddof=1) / np.sqrt(len(kept)))


def _box_mean(box: Box, means: Mapping[Spot, float]) -> float:
    (left, right), (low, high) = box
    corners = [means[spot] for spot in ((left, low), (left, high), (right, low), (right, high)) if spot in means]
    return float(np.mean(corners)) if corners else float("nan")


def _patch(box: Box, grids: Sequence[Sequence[float]]) -> Rectangle:
    (left, right), (low, high) = ((grid[first], grid[last]) for grid, (first, last) in zip(grids, box, strict=True))
    return Rectangle((left, low), right - left, high - low)


def _places(spots: Any, grids: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    return [grids[0][x] for x, _ in spots], [grids[1][y] for _, y in spots]


def _generations_on(axis: Any, generation: Mapping[Spot, int]) -> None:
    last = max(generation.values())
    axis.set_yticks(range(last + 1))
    axis.set_ylim(last + 0.5, -0.5)


def _is_wide(grid: Sequence[float]) -> bool:
    """Whether an axis is drawn by its logarithm."""
    return len(grid) > 2 and grid[0] > 0 and grid[-1] >= _DECADE * grid[0]
