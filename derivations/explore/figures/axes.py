"""The figures of the explorer: matplotlib without its global state, so that sessions may draw side by side.

Class 0 is blue with full lines and circles, class 1 vermilion with dashes and squares (Okabe-Ito): colour-blind readers
and black-and-white prints tell them apart. Exact numbers are lines, measured ones markers.
"""

import base64
from html import escape
from io import BytesIO
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from matplotlib.transforms import ScaledTranslation, Transform

from derivations.explore.figures.pixels import png
from derivations.explore.figures.sheets import TICK_SIZE, Sheet, give_back, inset, sheet

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", "--", ":", "-.")
MARKS = ("o", "s", "^", "D")
GREY = "#777777"
SCALE = "cividis"  # brighter is larger, with and without colours: in grey the ends of a diverging map are one
FORMATS = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}
DPI = 100
_MARGINS = {"left": 0.06, "right": 0.985, "top": 0.94, "bottom": 0.075, "wspace": 0.3, "hspace": 0.42}
_TICKS = 4
_PAD = 8.0  # the free space in points on both sides of the numbers beside an axis
_CHARACTER = 0.64  # the width of a digit, in sizes of the font
_NEAREST = 0.15  # the name of an axis is no nearer to it, in widths of the axes
_POINTS_PER_INCH = 72
_MOST_MARKS = 100
_BELOW = 0.13  # the name of the other axis, in heights of the axes
_WIDEST = 0.8  # the width of an image with a scale beside it, relative to the available width


def canvas(width: float, height: float, rows: int, columns: int, **margins: float) -> Sheet:
    """A blank sheet of `width` x `height` inches whose axes keep fixed margins."""
    return sheet((width, height), DPI, {**_MARGINS, **margins}, (rows, columns))


def saved(figure: Figure, kind: str) -> bytes:
    """The figure as a file of one of FORMATS; the same bytes each time."""
    file = BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with rc_context({"svg.hashsalt": "gdln"}):  # otherwise the names in an SVG are random
        figure.savefig(file, format=kind, dpi=150 if kind == "png" else DPI, metadata=dates)
    return file.getvalue()


def shown(figure: Sheet, says: str) -> str:
    """The figure as an HTML image with its pixels inside; `says` is its text for readers who cannot see it.

    The sheet is given back: the next figure of its kind may be drawn on it.
    """
    pixels = base64.b64encode(png(figure)).decode()
    width, height = figure.get_size_inches() * DPI
    give_back(figure)
    return f'<img alt="{escape(says)}" width="{width:.0f}" height="{height:.0f}" src="data:image/png;base64,{pixels}">'


def style(index: int) -> dict[str, Any]:
    """Colour and dash of the curve number `index`."""
    return {"color": COLOURS[index % len(COLOURS)], "ls": DASHES[index % len(DASHES)], "lw": 1.4}


def marks(index: int, points: int) -> dict[str, Any]:
    """Colour and open markers of measured points that belong to the curve number `index`."""
    every = max(1, points // _MOST_MARKS)
    plain = {"ls": "", "ms": 3, "mfc": "white", "mew": 0.9, "markevery": every}
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKS[index % len(MARKS)], **plain}


def label(axis: Axes, title: str, x: str, y: str) -> None:
    """Title and names of both axes, with their units.

    They have fixed places: finding free ones takes matplotlib half of its time, since it lays out all ticks twice.
    """
    axis.set_title(title, fontsize=9, y=1.0)
    axis.set_xlabel(x, fontsize=8)
    axis.set_ylabel(y, fontsize=8)
    height = axis.get_position(original=True).height * axis.figure.get_figheight()
    axis.xaxis.set_label_coords(0.5, 0.0, _moved(axis, 0.0, -_BELOW * height))
    axis.xaxis.set_major_locator(MaxNLocator(_TICKS, integer=x.startswith(("site", "column", "rank"))))
    axis.yaxis.set_major_locator(MaxNLocator(_TICKS))
    axis.yaxis.set_label_coords(0.0, 0.5, _moved(axis, -_left_of_ticks(axis), 0.0))
    axis.spines[["top", "right"]].set_visible(False)


def _moved(axis: Axes, right: float, up: float) -> Transform:
    """Return the coordinates of the axes, shifted in inches, since an image changes the size of the axes."""
    return axis.transAxes + ScaledTranslation(right, up, axis.figure.dpi_scale_trans)


def _left_of_ticks(axis: Axes) -> float:
    """Return the distance in inches of the name of y from its axis, as small as the longest number allows."""
    numbers = axis.yaxis.get_major_locator().tick_values(*axis.get_ylim())
    longest = max(map(len, axis.yaxis.get_major_formatter().format_ticks(numbers)), default=0)
    width = axis.get_position(original=True).width * axis.figure.get_figwidth()
    return max(_NEAREST * width, (_CHARACTER * TICK_SIZE * longest + _PAD) / _POINTS_PER_INCH)


def image(axis: Axes, matrix: Float[np.ndarray, "a b"], limit: float, scale: bool = True) -> None:
    """A matrix in colours that brighten from -limit to limit, with their `scale` beside it."""
    axis.imshow(matrix, cmap=SCALE, vmin=-limit, vmax=limit, interpolation="nearest", aspect="equal")
    axis.spines[["top", "right"]].set_visible(True)
    for one in (axis.xaxis, axis.yaxis):
        one.set_major_locator(MaxNLocator(_TICKS, integer=True))
    if scale:
        box, (width, height) = axis.get_position(original=True), axis.figure.get_size_inches()
        if matrix.shape[1] * box.height * height > _WIDEST * matrix.shape[0] * box.width * width:
            axis.set_position((box.x0, box.y0, _WIDEST * box.width, box.height))  # room for the scale
        _scale(inset(axis, 0.03, 0.04), limit)


def _scale(bar: Axes, limit: float) -> None:
    """The colours from -limit to limit with three numbers, because `colorbar` takes as long as a whole panel."""
    shades = np.linspace(-limit, limit, 256)[:, None]
    bar.imshow(shades, cmap=SCALE, extent=(0, 1, -limit, limit), origin="lower", aspect="auto")
    bar.set_xticks([])
    bar.yaxis.tick_right()
    bar.set_yticks((-limit, 0, limit))
    bar.yaxis.set_major_formatter(StrMethodFormatter("{x:.2g}"))
    bar.set_title("", y=1.0)  # at a fixed place, as in `label`
    bar.yaxis.set_label_coords(2.0, 0.5)


def on_grid(
    axis: Axes, title: str, field: Float[np.ndarray, " n"], shape: tuple[int, int], limit: float, scale: bool = True
) -> None:
    """A number of each site as an image over the grid of the sites."""
    label(axis, title, "column", "row")
    image(axis, field.reshape(shape), limit, scale)


def legend(axis: Axes, where: str = "best") -> None:
    """The names of the curves, inside the axes."""
    axis.legend(fontsize=7, frameon=False, handlelength=2.2, loc=where)
