"""Figures that are reused: building axes and their ticks takes longer than drawing them.

A sheet whose pixels are on a page is given back, and is cleared for the next figure of its kind.
"""

import threading
from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

TICK_SIZE = 7  # points: of the numbers beside an axis
_INSIDE = 9  # points from the top of the axes down to the power of ten of its numbers
_BEHIND = {"fc": "white", "ec": "none", "pad": 0.6}  # curves pass under it
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
            for one in (axis.xaxis, axis.yaxis):
                one.get_offset_text().set(fontsize=TICK_SIZE, bbox=_BEHIND)
            axis.yaxis.OFFSETTEXTPAD = -_INSIDE  # a power of ten stands below the title, not in it


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
    """Give the sheet back, because it will not be shown again."""
    free = _stock().setdefault(used.kind, [])
    if used not in free and len(free) < _KEPT:
        free.append(used)


def inset(axis: Axes, gap: float, width: float) -> Axes:
    """Blank axes beside `axis` and as high, both numbers relative to the available width; at most one."""

    def beside(_axes: Axes, _renderer: Any) -> Bbox:
        box, unit = axis.get_position(), axis.get_position(original=True).width
        return Bbox.from_bounds(box.x1 + gap * unit, box.y0, width * unit, box.height)

    if not axis.child_axes:
        made = axis.inset_axes((0, 0, 1, 1))
        made.set_axes_locator(beside)
        made.tick_params(labelsize=TICK_SIZE, length=2)
    (inside,) = axis.child_axes
    inside.set_visible(True)
    return inside


def _kind(size: tuple[float, float], dpi: int, margins: Mapping[str, float], shape: tuple[int, int]) -> Any:
    return size, dpi, tuple(sorted(margins.items())), shape


def _stock() -> dict[Any, list[Sheet]]:
    return _LOCAL.__dict__.setdefault("stock", {})


def _blank(axis: Axes) -> None:
    """Reset the axes, except for the names of axes, ticks and two spines, which `axes.label` sets each time."""
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
    if axis.get_subplotspec() is not None:
        axis.set_position(axis.get_subplotspec().get_position(axis.figure))
    axis.set_aspect("auto")
    axis.set_prop_cycle(None)
    axis.set(xlim=(0, 1), ylim=(0, 1))
    axis.dataLim.set(Bbox.null())
    axis.set_autoscale_on(True)
