"""The part of the answer of `gdln sweep` on adaptive sweeps alone: generations, and why they ended."""

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from derivations.output import counted
from derivations.sweeps.refining import Stage
from theory.problem.refine import MEAN
from theory.problem.sweep import number_of, value_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def content(stage: Stage) -> dict[str, Any]:
    """Return the object `refine` of `gdln sweep --json`.

    `generations` are the numbers of their cells, `ended` is null while cells of the last one are missing, and
    `full_grid` is the number of cells of the finest grid.
    """
    refine, end = stage.declared.refine, stage.refinement.end
    return {
        "where": refine.where,
        "observable": refine.observable,
        "unit": refine.unit,
        "time": float(refine.time),
        "confidence": float(refine.confidence),
        "generations": [len(spots) for spots in stage.refinement.spots],
        "ended": None if end is None else {"kind": end[0], "why": end[1]},
        "full_grid": prod(len(values) for values in refine.finest.values()),
    }


def order(stage: Stage) -> list[int]:
    """Return the order in which a reader looks for cells: along the axes, not by generation."""
    return sorted(range(len(stage.spots)), key=stage.spots.__getitem__)


def lines(stage: Stage) -> Iterator[str]:
    """Yield the lines of the text: the generations, and why they ended."""
    numbers, end = [len(spots) for spots in stage.refinement.spots], stage.refinement.end
    of = f" of the {content(stage)['full_grid']} of the finest grid"
    yield f"Generations of {', '.join(map(str, numbers))} cells: {counted(sum(numbers), 'cell')}{of}."
    if end is None:
        yield f"Generation {len(numbers) - 1} is not finished; what follows it is decided then."
    else:
        yield f"The refinement ended. {end[1]}"


def read(stage: Stage) -> str:
    """Return in words what the rule reads.

    >>> from theory.problem import loads_sweep, Refine
    >>> from types import SimpleNamespace
    >>> rule = Refine("change", "loss", 10, "0.95", 40, step=1, finest={"data.gain": (0, 1)})
    >>> read(SimpleNamespace(declared=SimpleNamespace(refine=rule)))
    'loss at t = 10'
    """
    refine = stage.declared.refine
    of = {None: "", MEAN: " (mean over units)"}.get(refine.unit, f" of unit {refine.unit}")
    return f"{refine.observable.replace('-', ' ')}{of} at t = {value_text(refine.time)}"


def figure(stage: Stage) -> "Figure":
    """Draw the observable that the rule reads: points and boxes where they are."""
    from derivations.answers.refined_figure import line_picture, map_picture

    refine = stage.declared.refine
    name = refine.observable.replace("-", " ")
    fields = [axis.field for axis in stage.declared.axes]
    note = "not finished" if stage.refinement.end is None else f"ended: {stage.refinement.end[0]}"
    grids = [[float(number_of(value)) for value in refine.finest[field]] for field in fields]
    generation = dict(zip(stage.spots, stage.generation, strict=True))
    numbers = {spot: values for spot, values in stage.values.items() if values}
    title = f"{read(stage)}\n{counted(len(generation), 'cell')}, {note}"
    if len(fields) == 1:
        return line_picture(fields[0], grids[0], numbers, generation, title, name)
    return map_picture(fields, grids, numbers, generation, stage.refinement.boxes, title, name)
