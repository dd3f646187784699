"""Pictures of a problem over time: fields against the sites, loss and participation ratio, of theory and of networks.

Lines are exact, markers are measured, bars and bands are 99 % intervals (normal, from standard errors). The colour is
the time in the fields and the unit elsewhere. Colour-blind readers and prints in black and white can distinguish the
colours (Okabe-Ito), dashes and markers. No global state of matplotlib is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.problem import Law, OutOfReachError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
GREY = "#777777"
BAND = 2.576  # the central 99 % of a normal distribution, in standard errors
STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
_DASHES, _MARKS = ("-", "--", "-."), ("o", "s", "^")
_UNITS, _TIMES = 3, 3  # shown side by side, and in one panel
_POINTS = 80  # of a smooth curve
_TICKS = 5  # of a logarithmic axis
_MOST_BARS = 60  # sites beyond which bars would touch: a band is drawn
_WIDTH, _HEIGHT = 3.7, 2.9  # inches of a panel


@dataclass(frozen=True)
class Series:
    """Numbers of one kind against time: of a theory (a line), or the means of networks with standard errors (markers).

    times (T); weights (T, K, n), in 1/(units of x); losses (T), in units of y^2; ratio (T, K), without unit, and the
    distance of E w to the theory (T) with the ends of its band. None is not drawn, and errors of None give no bars.
    `curve` holds losses and ratio at more times, for a smooth line; `end` is w(infinity), `least` the smallest loss.
    """

    name: str
    times: Float[np.ndarray, " T"]
    weights: Float[np.ndarray, "T K n"]
    losses: Float[np.ndarray, " T"]
    ratio: Float[np.ndarray, "T K"] | None = None
    weights_error: Float[np.ndarray, "T K n"] | None = None
    losses_error: Float[np.ndarray, " T"] | None = None
    ratio_error: Float[np.ndarray, "T K"] | None = None
    measured: bool = False
    end: Float[np.ndarray, "K n"] | None = None
    least: float | None = None
    curve: "Series | None" = None
    loss_name: str = "⟨(y − ŷ)²⟩"
    note: str = ""  # appended to the titles of loss and ratio
    distance: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None  # times, distance, low, high
    aligned: bool = False  # whether each field was moved to its centre, site n//2, before the mean


def fine_times(times: Float[np.ndarray, " T"]) -> list[float]:
    """Times of a smooth curve from the first to the last of at least two `times`, spaced by their logarithm.

    >>> len(fine_times(np.array([0.0, 1.0, 8.0])))
    80
    """
    first = times[times > 0][0]
    fine = np.geomspace(first, times[-1], _POINTS - (times[0] == 0))
    return [0.0, *fine.tolist()] if times[0] == 0 else fine.tolist()


def require_one_output(law: Law) -> None:
    """Raise OutOfReachError for labels of several numbers.

    >>> from theory.problem import FiniteData
    >>> require_one_output(FiniteData([[1], [2]], [[1, 0], [0, 1]]))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: A picture shows networks with one output; the labels have 2 numbers ...
    """
    if law.outputs > 1:
        raise OutOfReachError(
            f"A picture shows networks with one output; the labels have {law.outputs} numbers each.",
            "Give one number as label, or take the numbers from --json.",
        )


def picture(law: Law, series: Sequence[Series]) -> Figure:
    """Draw the fields of up to three units above; loss, participation ratio and distance against time below.

    The series share their times, units and sites. Fields are shown at up to three of the times, on a grid of sites as
    images at the last one. Raises OutOfReachError for labels of several numbers.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))
    >>> series = Series("flow", np.array([1.0, 2.0]), np.ones((2, 1, 4)), np.array([0.5, 0.25]))
    >>> [axis.get_xlabel() for axis in picture(law, [series]).axes]
    ['site', 'time t (in the unit of tau)']
    """
    require_one_output(law)
    shape = getattr(law, "shape", None)
    units = range(min(series[0].weights.shape[1], _UNITS))
    fields = [(None, unit) for unit in units] if shape is None else [(one, unit) for unit in units for one in series]
    fields = fields[:_UNITS]
    below = [_losses, *([_ratios] if any(one.ratio is not None for one in series) else [])]
    below += [_distances] if any(one.distance is not None for one in series) else []
    columns = max(len(fields), len(below))
    with rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH * columns, 2 * _HEIGHT), layout="constrained")
        grid = figure.subplots(2, columns, squeeze=False)
        for axis, (one, unit) in zip(grid[0], fields, strict=False):
            if one is None:
                _field(axis, series, unit)
            else:
                _image(axis, one, unit, shape)
        for axis, draw in zip(grid[1], below, strict=False):
            draw(axis, series)
        for axis in (*grid[0, len(fields) :], *grid[1, len(below) :]):
            axis.remove()
    return figure


def _field(axis: Axes, series: Sequence[Series], unit: int) -> None:
    """Fields at up to three times; the colour is the time."""
    count = len(series[0].times)
    shown = np.unique(np.linspace(0, count - 1, min(count, _TIMES)).astype(int))
    for number, index in enumerate(shown):
        colour, mark = COLOURS[number], _MARKS[number]
        when = f"t = {series[0].times[index]:.4g}"
        for one in series:
            w, site = one.weights[index, unit], np.arange(one.weights.shape[2])
            error = None if one.weights_error is None else BAND * one.weights_error[index, unit]
            if not one.measured:
                axis.plot(site, w, _DASHES[number], color=colour, lw=1.3, label=when)
            elif error is None or len(site) <= _MOST_BARS:
                look = {"fmt": mark, "ms": 2.8, "mfc": "white", "mew": 0.8, "lw": 0.8, "color": colour}
                axis.errorbar(site, w, error, **look, label=when if len(series) == 1 else None)
            else:
                axis.fill_between(site, w - error, w + error, color=colour, alpha=0.35, lw=0)
                axis.plot(site, w, ".", ms=2, color=colour, label=when if len(series) == 1 else None)
    for one in series:
        if one.end is not None:
            axis.plot(np.arange(one.end.shape[1]), one.end[unit], ":", color=GREY, lw=1.2, label="t → ∞")
    axis.axhline(0, color="black", lw=0.4)
    what = "; ".join(f"{'markers' if one.measured else 'lines'}: {one.name}" for one in series)
    axis.set_title(f"field of unit {unit}\n{what}", fontsize=8)
    moved = any(one.aligned for one in series)
    axis.set(xlabel="site, fields moved to their centre" if moved else "site", ylabel="weight, 1/(units of x)")
    axis.legend(fontsize=7)


def _image(axis: Axes, one: Series, unit: int, shape: tuple[int, int]) -> None:
    field = one.weights[-1, unit].reshape(shape)
    image_of(axis, field)
    moved = ", moved to its centre" * one.aligned
    axis.set_title(f"field of unit {unit} at t = {one.times[-1]:.4g}{moved}\n{one.name}", fontsize=8)


def image_of(axis: Axes, field: Float[np.ndarray, "rows columns"]) -> None:
    """Draw a field on a grid with its scale, from -max to max; sites that are NaN stay empty."""
    limit = float(np.abs(np.nan_to_num(field)).max()) or 1.0
    image = axis.imshow(field, cmap="cividis", vmin=-limit, vmax=limit, interpolation="nearest")
    axis.figure.colorbar(image, ax=axis, shrink=0.8, label="weight, 1/(units of x)")
    axis.set(xlabel="column", ylabel="row")


def _losses(axis: Axes, series: Sequence[Series]) -> None:
    for one in series:
        drawn = one if one.curve is None else one.curve
        against_time(axis, one.measured, drawn.times, drawn.losses, one.losses_error, 0, one.name)
        if one.least is not None:
            axis.axhline(one.least, ls=":", color=GREY, lw=1.2, label="t → ∞")
    axis.set(ylabel="units of y²")
    finish(axis, series[0].times, f"loss {series[0].loss_name}{series[0].note}")


def _ratios(axis: Axes, series: Sequence[Series]) -> None:
    for one in series:
        drawn = one if one.curve is None or one.curve.ratio is None else one.curve
        for unit in range(0 if one.ratio is None else min(one.ratio.shape[1], _UNITS)):
            error = None if one.ratio_error is None else one.ratio_error[:, unit]
            name = f"unit {unit}, {one.name}"
            against_time(axis, one.measured, drawn.times, drawn.ratio[:, unit], error, unit, name)
    axis.set(ylabel="no unit (1: one site, 1/n: flat)")
    finish(axis, series[0].times, f"inverse participation ratio{series[0].note}")


def _distances(axis: Axes, series: Sequence[Series]) -> None:
    distances(axis, series[0].times, [(one.name, one.distance) for one in series if one.distance is not None])


def distances(
    axis: Axes,
    times: Float[np.ndarray, " T"],
    found: Sequence[tuple[str, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]],
) -> None:
    """Draw distances of trained weights from a theory, by name: times, distance, and a band that covers all times.

    >>> axis, one = Figure().subplots(), np.array([0.5])
    >>> distances(axis, one, [("networks", (one, one, 0.5 * one, 2 * one))])
    >>> axis.get_title()
    'distance to theory, 99 % band'
    """
    for name, (at, distance, low, high) in found:
        top = 2 * float(np.where(np.isfinite(high), high, 0).max())
        axis.fill_between(at, low, np.where(np.isfinite(high), high, top), color=COLOURS[1], alpha=0.3, lw=0)
        axis.plot(at, distance, "o", ms=3.5, mfc="white", color=COLOURS[1], label=name, clip_on=False)
    axis.set(ylabel="|E w − theory| / |theory|, no unit", ylim=(0, None))
    finish(axis, times, "distance to theory, 99 % band")


def against_time(
    axis: Axes,
    measured: bool,
    times: Float[np.ndarray, " T"],
    values: Float[np.ndarray, " T"],
    error: Float[np.ndarray, " T"] | None,
    index: int,
    name: str | None,
) -> None:
    """Draw the curve number `index`: a line, or marks with 99 % bars of its standard errors where it is measured.

    >>> axis, times = Figure().subplots(), np.array([1.0, 2.0])
    >>> against_time(axis, False, times, times**2, None, 1, "square")
    >>> axis.lines[0].get_ydata().tolist()
    [1.0, 4.0]
    """
    look: dict[str, Any] = {"color": COLOURS[index % len(COLOURS)], "label": name}
    if measured:
        bars = None if error is None else BAND * error
        axis.errorbar(times, values, bars, fmt=_MARKS[index % len(_MARKS)], ms=3.5, mfc="white", lw=0.9, **look)
    else:
        axis.plot(times, values, _DASHES[index % len(_DASHES)], lw=1.3, **look)


def finish(axis: Axes, times: Float[np.ndarray, " T"], title: str) -> None:
    """Write title and legend of a panel against time; its axis is logarithmic where positive times span a decade.

    Ticks of a logarithmic axis are up to five of the times, far enough apart for their labels.

    >>> axis = Figure().subplots()
    >>> finish(axis, np.array([1.0, 2.0, 32.0, 100.0]), "loss")
    >>> axis.get_xscale(), [label.get_text() for label in axis.get_xticklabels()]
    ('log', ['1', '2', '32', '100'])
    """
    positive = times[times > 0]
    if len(positive) > 1 and len(positive) == len(times) and positive[-1] >= 10 * positive[0]:
        axis.set_xscale("log")
        near = np.abs(np.log(positive)[:, None] - np.linspace(*np.log(positive[[0, -1]]), _TICKS)).argmin(axis=0)
        shown = positive[np.unique(near)]
        axis.set_xticks(shown, [f"{time:.4g}" for time in shown])
        axis.minorticks_off()
    axis.set_title(title, fontsize=8)
    axis.set_xlabel("time t (in the unit of tau)")
    if axis.get_legend_handles_labels()[1]:
        axis.legend(fontsize=7)
