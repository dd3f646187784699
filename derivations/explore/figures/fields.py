"""The figure of the fields view."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from derivations.answers.compare import FieldView, distance
from derivations.explore.fields import null_levels
from derivations.explore.figures.axes import COLOURS, GREY, canvas, label, legend, on_grid, style
from derivations.explore.figures.sheets import Sheet
from derivations.explore.gates import looked_at
from derivations.explore.sites import grid, panels, through
from derivations.explore.training import Learned

LOOKS = {"gated-linear": ("o", 1, "///"), "relu": ("s", 2, "...")}  # marker, colour in the palette, hatch of a band
_LEVELS = ("-", "-.", "--", ":")
_ABOVE = 0.7  # of the height of the curves: room for five names above them
_RISE = 2.0  # the end of the axis relative to the largest plain distance, because a band may have no upper end


def fields_figure(view: FieldView, snapshot: int, learned: dict[str, Learned], unit: int = 0) -> Sheet:
    """The fields at one time above; loss, participation ratio with its null levels, and distance against time below.

    Units beside the chosen one are shown where sites lie on a line; on a grid its field is an image over it.
    """
    figure = canvas(11.2, 5.6, 2, 3)
    top, bottom = figure.grid
    shape = grid(view.problem.data)
    if shape is None:
        units = panels(view.problem.network.units, unit)
        for axis, one in zip(top, units, strict=False):
            _field(axis, view, snapshot, one, learned)
        for axis in top[len(units) :]:
            axis.set_axis_off()
        if len(units) < len(top):  # in a free panel the legend hides no curve
            top[len(units)].legend(*top[0].get_legend_handles_labels(), loc="center left", frameon=False, fontsize=8)
        else:
            legend(top[0])
    else:
        _images(top, view, snapshot, unit, learned, shape)
        low, high = top[2].get_ylim()
        top[2].set_ylim(low, high + _ABOVE * (high - low))
        legend(top[2], "upper right")
    _losses(bottom[0], view, learned)
    _ratios(bottom[1], view, learned, unit)
    _distances(bottom[2], view, learned)
    for axis in bottom:
        axis.axvline(np.log10(view.times[snapshot]), color=GREY, lw=0.8)
    return figure


def _images(
    top: np.ndarray, view: FieldView, snapshot: int, unit: int, learned: dict[str, Learned], shape: tuple[int, int]
) -> None:
    """w(t) of gradient descent over the grid, beside it what was learned or else w(infinity), and one row of all."""
    site = looked_at(view.problem, unit)
    trained = _means(learned, snapshot, unit).get("gated-linear")
    other = view.solution.fixed_point[unit] if trained is None else trained
    name = "w(∞)" if trained is None else "gated-linear, trained"
    theory = view.descent[snapshot, unit]
    limit = max(float(np.abs(theory).max()), float(np.abs(other).max())) or 1.0
    on_grid(top[0], f"w(t) of unit {unit} at t = {view.times[snapshot]:.4g}, 1/(units of x)", theory, shape, limit)
    on_grid(top[1], f"{name}, unit {unit}, 1/(units of x)", other, shape, limit)
    _field(top[2], view, snapshot, unit, learned, through(site, shape), f", row {site // shape[1]}")


def _means(learned: dict[str, Learned], snapshot: int, unit: int) -> dict[str, np.ndarray]:
    """The mean trained field of a unit at the snapshot, of the networks that have reached it."""
    reached = {name: trained.weights for name, trained in learned.items() if trained.weights.shape[1] > snapshot}
    return {name: weights[:, snapshot, unit].mean(axis=0) for name, weights in reached.items()}


def _field(
    axis: Axes,
    view: FieldView,
    snapshot: int,
    unit: int,
    learned: dict[str, Learned],
    kept: slice = slice(None),
    where: str = "",
) -> None:
    """The field of a unit at the sites that are kept."""
    theory = view.descent[snapshot, unit, kept]
    sites = np.arange(len(theory))
    axis.plot(sites, view.solution.fixed_point[unit, kept], color=GREY, lw=1.0, ls=":", label="w(∞)")
    axis.plot(sites, view.solution.weights[snapshot, unit, kept], color=GREY, lw=1.0, ls="-.", label="gradient flow")
    axis.plot(sites, theory, **style(0), label="gradient descent: E w, exact")
    for name, mean in _means(learned, snapshot, unit).items():
        axis.plot(sites, mean[kept], **_marked(name), label=f"{name}, mean of networks")
    title = f"field of unit {unit}{where} at t = {view.times[snapshot]:.4g}"
    label(axis, title, "column" if where else "site", "weight, 1/(units of x)")


def _marked(name: str) -> dict[str, Any]:
    mark, colour, _ = LOOKS[name]
    return {"ls": "", "marker": mark, "ms": 3.5, "mfc": "white", "mew": 0.9, "color": COLOURS[colour]}


def _losses(axis: Axes, view: FieldView, learned: dict[str, Learned]) -> None:
    x = np.log10(view.times)
    axis.axhline(float(view.solution.mse), color=GREY, lw=1.0, ls=":")
    axis.plot(x, view.losses, **style(0))
    for name, trained in learned.items():
        axis.plot(x[: trained.losses.shape[1]], trained.losses.mean(axis=0), **_marked(name))
    label(axis, "loss ⟨(y − ŷ)²⟩ of E w (line); least loss (dotted)", "log₁₀ t", "units of y²")


def _ratios(axis: Axes, view: FieldView, learned: dict[str, Learned], unit: int) -> None:
    from sim.measure.receptive_fields import participation_ratio

    x = np.log10(view.times)
    for (name, level), dash in zip(null_levels(view.problem.data.n).items(), _LEVELS, strict=False):
        axis.axhline(np.log10(level), color=GREY, lw=0.9, ls=dash)
        where = {"ha": "left", "va": "center", "transform": axis.get_yaxis_transform()}
        behind = {"fc": "white", "ec": "none", "pad": 0.6}  # lines and curves pass under the name
        axis.text(0.01, np.log10(level), name, fontsize=7, zorder=4, bbox=behind, **where)
    axis.plot(x, np.log10(view.ratio[:, unit]), **style(0))
    for name, trained in learned.items():
        ratio = participation_ratio(trained.weights[:, :, unit]).mean(axis=0)
        axis.plot(x[: len(ratio)], np.log10(ratio), **_marked(name), zorder=5)  # over the names of the levels
    axis.set_ylim(top=0.2)  # room for the name of the highest level, log10 1
    label(axis, f"IPR of unit {unit}; line: of E w; null levels", "log₁₀ t", "log₁₀ IPR (no unit)")


def _distances(axis: Axes, view: FieldView, learned: dict[str, Learned]) -> None:
    """The band, hatched; a mark where the unbiased square is positive, and none where noise hides the distance."""
    distances = {name: distance(view, trained.weights) for name, trained in learned.items()}
    found = {name: measured for name, measured in distances.items() if measured is not None}
    top = max((_RISE * float(measured.plain.max()) for measured in found.values()), default=1.0)
    cut = False
    for name, measured in found.items():
        _, colour, hatch = LOOKS[name]
        x = np.log10(measured.times)
        look = {"fc": "none", "ec": COLOURS[colour], "hatch": hatch, "lw": 0.6, "alpha": 0.55}
        axis.fill_between(x, measured.low, np.minimum(measured.high, 2 * top), **look)
        estimated = np.where(measured.distance > 0, measured.distance, np.nan)
        axis.plot(x, estimated, **_marked(name), label=name)
        cut = cut or bool((measured.high > top).any())
    axis.plot(np.log10(view.times[[0, -1]]), [0, 0], color=GREY, lw=0.8)
    axis.set_ylim(0, top)
    if not found:
        axis.text(0.5, 0.5, "click Train to measure it", ha="center", transform=axis.transAxes, fontsize=8)
    ends = "; continues above" if cut else ""
    label(axis, f"distance to theory, 99 % band (hatched{ends})", "log₁₀ t", "|E w − theory|/|theory|")
    if any((measured.distance == 0).any() for measured in found.values()):
        axis.plot([], [], ls="", label="no mark: below\nthe noise")
    if found:
        legend(axis)
