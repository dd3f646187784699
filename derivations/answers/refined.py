"""The part of the answer of `gdln sweep` on adaptive sweeps alone: generations, why they ended, pooled intervals."""

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from derivations.output import counted
from derivations.sweeps.stages import Stage
from derivations.sweeps.table import number_or_text
from theory.problem.refine import CHANGE, MEAN
from theory.problem.sweep import number_of, value_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def content(stage: Stage) -> dict[str, Any]:
    """Return the object `refine` of `gdln sweep --json`.

    `generations` are the numbers of their cells, `ended` is null while cells of the last one are missing, `full_grid`
    is the number of cells of the finest grid ("change"), and `points` has the interval of each point ("interval").
    """
    refine = stage.declared.refine
    changes = refine.where == CHANGE
    return {
        "where": refine.where,
        "observable": refine.observable,
        "unit": refine.unit,
        "time": float(refine.time),
        "confidence": float(refine.confidence),
        "generations": [len(spots) for spots in stage.found.spots],
        "ended": None if stage.end is None else {"kind": stage.end.kind, "why": stage.end.why},
        "full_grid": prod(len(values) for values in refine.finest.values()) if changes else None,
        "points": None if changes else stage.points(),
    }


def order(stage: Stage) -> list[int]:
    """Return the order in which a reader looks for cells: along the axes, not by generation."""
    return sorted(range(len(stage.spots)), key=stage.spots.__getitem__)


def lines(stage: Stage) -> Iterator[str]:
    """Yield the lines of the text: the interval of each point ("interval"), the generations, and why they ended."""
    refine = stage.declared.refine
    if refine.where != CHANGE:
        yield f"{read(stage)}: mean of all networks of a point, and the half width of its {_percent(stage)} % interval"
        for point, cell in zip(stage.points(), stage.declared.cells, strict=True):
            number = "-" if point["mean"] is None else f"{point['mean']:.4g} +- {point['half_width']:.2g}"
            yield f"{cell.label}: {number}, {point['networks']} networks"
        yield ""
    numbers = [len(spots) for spots in stage.found.spots]
    grid = content(stage)["full_grid"]
    of = "" if grid is None else f" of the {grid} of the finest grid"
    yield f"Generations of {', '.join(map(str, numbers))} cells: {counted(sum(numbers), 'cell')}{of}."
    if stage.end is None:
        yield f"Generation {len(numbers) - 1} is not finished; what follows it is decided then."
    else:
        yield f"The refinement ended. {stage.end.why}"


def read(stage: Stage) -> str:
    """Return in words what the rule reads.

    >>> from theory.problem import loads_sweep, Refine
    >>> from types import SimpleNamespace
    >>> rule = Refine("interval", "loss", 10, "0.95", 40, half_width=1)
    >>> read(SimpleNamespace(declared=SimpleNamespace(refine=rule)))
    'loss at t = 10'
    """
    refine = stage.declared.refine
    of = {None: "", MEAN: " (mean over units)"}.get(refine.unit, f" of unit {refine.unit}")
    return f"{refine.observable.replace('-', ' ')}{of} at t = {value_text(refine.time)}"


def _percent(stage: Stage) -> str:
    return f"{float(100 * stage.declared.refine.confidence):g}"


def figure(stage: Stage) -> "Figure":
    """Draw the observable that the rule reads: points and boxes where they are, or the interval of each point."""
    from derivations.answers.refined_figure import intervals_picture, line_picture, map_picture

    refine = stage.declared.refine
    name = refine.observable.replace("-", " ")
    fields = [axis.field for axis in stage.declared.axes]
    note = "not finished" if stage.end is None else f"ended: {stage.end.kind}"
    if refine.where != CHANGE:
        points = [
            {field: number_or_text(value) for field, value in cell.values.items()} | point
            for cell, point in zip(stage.declared.cells, stage.points(), strict=True)
        ]
        return intervals_picture(fields, points, f"{read(stage)}\n{note}; {_percent(stage)} % intervals", name)
    grids = [[float(number_of(value)) for value in refine.finest[field]] for field in fields]
    generation = dict(zip(stage.spots, stage.generation, strict=True))
    numbers = {spot: values for spot, values in stage.values.items() if values}
    title = f"{read(stage)}\n{counted(len(generation), 'cell')}, {note}"
    if len(fields) == 1:
        return line_picture(fields[0], grids[0], numbers, generation, title, name)
    return map_picture(fields, grids, numbers, generation, stage.found.boxes, title, name)
