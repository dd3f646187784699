"""Figures that are drawn on again: to build axes and their ticks takes longer than to draw them.

A sheet whose pixels are on a page is given back, and comes out blank where the next one of its kind is asked for.
"""

import threading
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

TICK_SIZE = 7  # points: of the numbers beside an axis
_KEPT = 2  # of a kind
_LOCAL = threading.local()  # sessions draw in threads of their own


class Sheet(Figure):
    """A figure of `size` inches with fixed margins and axes in rows and columns: `grid`, of shape `shape`."""

    def __init__(self, size: tuple[float, float], dpi: int, margins: Mapping[str, float], shape: tuple[int, int]):
        super().__init__(figsize=size, dpi=dpi)
        self.subplots_adjust(**margins)
        self.kind = _kind(size, dpi, margins, shape)
        self.grid: Any = self.subplots(*shape, squeeze=False)
        for axis in self.grid.flat:
            axis.tick_params(labelsize=TICK_SIZE, length=3)


def sheet(size: tuple[float, float], dpi: int, margins: Mapping[str, float], shape: tuple[int, int]) -> Sheet:
    """A blank sheet: one that was given back, or a new one."""
    free = _stock().get(_kind(size, dpi, margins, shape))
    if not free:
        return Sheet(size, dpi, margins, shape)
    found = free.pop()
    for axis in found.grid.flat:
        _blank(axis)
    return found


def give_back(used: Sheet) -> None:
    """Say that nobody will look at the sheet again."""
    free = _stock().setdefault(used.kind, [])
    if used not in free and len(free) < _KEPT:
        free.append(used)


def inset(axis: Axes, bounds: tuple[float, float, float, float]) -> Axes:
    """The blank axes inside of `axis`, at `bounds` in its widths and heights; there is one at most."""
    if not axis.child_axes:
        axis.inset_axes(bounds).tick_params(labelsize=TICK_SIZE, length=2)
    (inside,) = axis.child_axes
    inside.set_visible(True)
    return inside


def _kind(size: tuple[float, float], dpi: int, margins: Mapping[str, float], shape: tuple[int, int]) -> Any:
    return size, dpi, tuple(sorted(margins.items())), shape


def _stock() -> dict[Any, list[Sheet]]:
    return _LOCAL.__dict__.setdefault("stock", {})


def _blank(axis: Axes) -> None:
    """The axes as they were made, but for what `drawing.label` sets each time: names of axes, ticks, two spines."""
    if axis.get_legend() is not None:
        axis.get_legend().remove()
    for artist in (*axis.lines, *axis.images, *axis.collections, *axis.patches, *axis.texts):
        artist.remove()
    for inside in axis.child_axes:
        inside.set_visible(False)
        _blank(inside)
    axis.containers.clear()
    axis.set_title("")
    axis.set_axis_on()
    axis.set_aspect("auto")
    axis.set_prop_cycle(None)
    axis.set(xlim=(0, 1), ylim=(0, 1))
    axis.dataLim.set(Bbox.null())
    axis.set_autoscale_on(True)
