"""The figure of the gates view."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from derivations.explore.figures.axes import canvas, image, label, legend, marks, on_grid, style
from derivations.explore.figures.sheets import Sheet
from derivations.explore.gates import HOW, GateView, looked_at
from derivations.explore.sites import grid, panels, through


def gates_figure(view: GateView, p: int, q: int) -> Sheet:
    """Sigma^xx(p, q) as images and a profile, Sigma^yx; on a grid both as images over it, and along a row."""
    figure = canvas(11.2, 5.6, 2, 3)
    top, bottom = figure.grid
    shape = grid(view.problem.data)
    if shape is not None:
        _grid_figure(top, bottom, view, p, q, shape)
        return figure
    matrices = view.second_moments(p, q)
    limit = _limit(matrices)
    for axis, how in zip(top, HOW, strict=False):
        if how in matrices:
            label(axis, f"Σxx({p}, {q}), {how} (units of x²)", "site l", "site k")
            image(axis, matrices[how], limit)
        else:
            axis.set_axis_off()
    site = view.problem.data.n // 2
    _profile(
        top[2], f"Σxx({p}, {q}), row of site {site}", "site l", {how: matrix[site] for how, matrix in matrices.items()}
    )
    units = panels(view.problem.network.units, p)
    for axis, unit in zip(bottom, units, strict=False):
        _through(axis, view, unit)
    for axis in bottom[len(units) :]:
        axis.set_axis_off()
    return figure


def _limit(known: Mapping[str, np.ndarray]) -> float:
    return max(float(np.abs(matrix).max()) for matrix in known.values()) or 1.0


def _grid_figure(top: np.ndarray, bottom: np.ndarray, view: GateView, p: int, q: int, shape: tuple[int, int]) -> None:
    site = looked_at(view.problem, p)
    row, kept = site // shape[1], through(site, shape)
    xx = {how: matrix[site] for how, matrix in view.second_moments(p, q).items()}
    yx = {how: rows[p] for how, rows in zip(HOW, (view.exact, view.measured), strict=True) if rows is not None}
    title = f"Σxx({p}, {q}) with site {site}"
    for axes, name, fields, units in ((top, title, xx, "x²"), (bottom, f"Σyx({p})", yx, "x y")):
        limit = _limit(fields)
        for axis, how in zip(axes, HOW, strict=False):
            if how in fields:
                on_grid(axis, f"{name}, {how} (units of {units})", fields[how], shape, limit)
            else:
                axis.set_axis_off()
    _profile(top[2], f"{title}, along row {row}", "column", {how: field[kept] for how, field in xx.items()})
    _through(bottom[2], view, p, kept, f" along row {row}")


def _profile(axis: Axes, title: str, along: str, known: Mapping[str, np.ndarray]) -> None:
    for how, field in known.items():
        look = style(0) if how == "exact" else marks(0, len(field))
        axis.plot(np.arange(len(field)), field, **look, label=how)
    label(axis, title, along, "Σxx, units of x²")
    legend(axis)


def _through(axis: Axes, view: GateView, unit: int, kept: slice = slice(None), along: str = "") -> None:
    """Sigma^yx of a unit at the sites that are kept."""
    sites = np.arange(view.problem.data.n)[kept]
    sites = sites - sites[0]
    if view.measured is not None:
        error = 2 * view.errors[unit, kept]
        axis.errorbar(sites, view.measured[unit, kept], error, elinewidth=0.7, **_marks(unit, len(sites)))
    if view.exact is not None:
        axis.plot(sites, view.exact[unit, kept], **style(unit))
    axis.axhline(0, color="black", lw=0.4)
    label(axis, f"Σyx({unit}){along}: line exact, marks ± 2 s.e.", "column" if along else "site", "Σyx, units of x y")


def _marks(unit: int, points: int) -> dict[str, Any]:
    """Marks that an error bar takes: it has no `markevery`."""
    return {key: value for key, value in marks(unit, points).items() if key != "markevery"}
