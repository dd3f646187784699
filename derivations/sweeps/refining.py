"""Adaptive sweeps: the next cells, or the end, as a function of the numbers of the finished cells alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, fsum, isfinite, nan
from typing import TYPE_CHECKING

import numpy as np

from theory.problem import InputError, Sweep
from theory.problem.refine import MEAN, Refine
from theory.problem.sweep import Axis, number_of

if TYPE_CHECKING:
    from derivations.sweeps.running import Swept

SETTLED, FINEST, MOST_CELLS = "settled", "finest", "most-cells"
Spot = tuple[int, ...]  # a cell: its places in the finest grids
Box = tuple[tuple[int, int], ...]  # its first and its last place along each axis
Values = Sequence[float]  # one for each network, nan where it diverged; () for a cell without numbers


@dataclass(frozen=True)
class Generations:
    """The cells of each generation that is decided, the undivided boxes, and why it ended: a kind, and in words."""

    spots: tuple[tuple[Spot, ...], ...]
    boxes: tuple[Box, ...]
    end: tuple[str, str] | None = None  # None while cells lack numbers


@dataclass(frozen=True)
class Stage:
    """The numbers of an adaptive sweep's finished cells, and the generations that follow from them."""

    declared: Sweep
    values: Mapping[Spot, Values]
    refinement: Generations

    spots = property(lambda self: tuple(spot for spots in self.refinement.spots for spot in spots))
    generation = property(lambda self: tuple(n for n, spots in enumerate(self.refinement.spots) for _ in spots))


def check(sweep: Sweep) -> Sweep:
    """Return the sweep. Raises InputError where cells do not fit the rule, or are invalid, along one of the axes."""
    for field, grid in sweep.refine.finest.items():
        axes = tuple(Axis(one.field, grid if one.field == field else one.values[:1]) for one in sweep.axes)
        for cell in replace(sweep, axes=axes, refine=None).each():
            if cell.problem is not None:
                sweep.refine.check_problem(cell.problem)
            elif sweep.invalid == "refuse":
                raise InputError(f"refine.finest: {cell.label}: {cell.error.message}", cell.error.hint)
    return sweep


def quantile(freedom: int, confidence: Fraction) -> Fraction:
    """Return q with P(|t| <= q) = confidence for Student's t, rounded up to six decimals."""
    from scipy.special import stdtrit  # a plain sweep needs none

    return Fraction(ceil(-float(stdtrit(freedom, float((1 - confidence) / 2))) * 10**6), 10**6)


def changes(first: Values, second: Values, step: Fraction, confidence: Fraction) -> bool:
    """Whether the networks show that the means at two points differ by more than `step`.

    Networks of one number see the same random numbers at both points: with d the mean, s the standard deviation and n
    the number of their differences the answer is |d| - q s/sqrt(n) > step, wrong with probability 1 - confidence at
    most for normal differences of at most `step`. False for fewer than two networks.

    >>> changes((0.0, 0.1, 0.0), (1.0, 1.1, 0.9), Fraction(1, 10), Fraction(99, 100))
    True
    """
    pairs = [pair for pair in zip(first, second, strict=False) if all(map(isfinite, pair))]
    differences = [Fraction(one) - Fraction(other) for one, other in pairs]  # exact: the same on every machine
    if (count := len(pairs)) < 2:
        return False
    mean = sum(differences) / count
    variance = sum((each - mean) ** 2 for each in differences) / (count - 1)
    excess = abs(mean) - step
    return excess > 0 and excess**2 * count > quantile(count - 1, confidence) ** 2 * variance


def generations(start: Sequence[Sequence[int]], values: Mapping[Spot, Values], refine: Refine) -> Generations:
    """Divide boxes whose edges show a change, until none does or only those of the finest grid do.

    `start` has the places of the first generation in the finest grid along each axis.
    """
    boxes: list[Box] = [*product(*(pairwise(places) for places in start))]
    decided, known = [tuple(product(*start))], dict[Spot, Values]()
    end, step = None, f"{float(refine.step):.6g}"
    while end is None and values.keys() >= set(decided[-1]):
        known |= {spot: values[spot] for spot in decided[-1]}
        changing = [box for box in boxes if _changes_along(box, known, refine)]
        halves = {box: product(*(pairwise(sorted({a, (a + b) // 2, b})) for a, b in box)) for box in changing}
        parts = [part for box in boxes for part in halves.get(box, [box])]
        new = {corner for box in parts for corner in product(*box)} - known.keys()
        if not changing:
            end = SETTLED, f"No two neighbours are shown to differ by more than {step}."
        elif len(parts) == len(boxes):
            end = FINEST, f"All changes of more than {step} lie between points of the finest grid."
        elif len(known) + len(new) > refine.most_cells:
            end = MOST_CELLS, f"The next generation of {len(new)} cells would exceed most_cells = {refine.most_cells}."
        else:
            boxes = parts
            decided += [tuple(sorted(new))] if new else []  # without, neighbours have all points of the halves
    return Generations(tuple(decided), tuple(boxes), end)


def _changes_along(box: Box, known: Mapping[Spot, Values], refine: Refine) -> bool:
    """Whether two known points, corners or others, that follow each other along an edge of the box differ."""
    for along, (low, high) in enumerate(box):
        for ends in product(*(box[:along] + box[along + 1 :])):
            edge = ((*ends[:along], place, *ends[along:]) for place in range(low, high + 1))
            values = [known[spot] for spot in edge if spot in known]
            if any(changes(*pair, refine.step, refine.confidence) for pair in pairwise(values)):
                return True
    return False


def by_generations(sweep: Sweep, work: "Callable[..., Swept]", read: Callable[[str], Mapping]) -> "Swept":
    """Look at (or compute) the cells of one generation after the other, until one is not finished or none follows.

    `work` takes the cells so far as a sweep with zipped axes, and their generations; `read` gives the arrays of a cell.
    """
    grids = [sweep.refine.finest[axis.field] for axis in sweep.axes]
    places = [{number_of(value): place for place, value in enumerate(grid)} for grid in grids]
    start = [[of[number_of(value)] for value in axis.values] for of, axis in zip(places, sweep.axes, strict=True)]
    values, swept = dict[Spot, Values](), None
    while True:
        stage = Stage(sweep, values, generations(start, values, sweep.refine))
        if swept is not None and len(stage.spots) == len(swept.outcomes):
            return replace(swept, stage=stage)
        columns = zip(sweep.axes, grids, zip(*stage.spots, strict=True), strict=True)
        axes = tuple(Axis(axis.field, tuple(grid[place] for place in column)) for axis, grid, column in columns)
        swept = work(replace(sweep, axes=axes, combine="zip", refine=None), stage.generation)
        for spot, outcome in zip(stage.spots, swept.outcomes, strict=True):
            if outcome.meta is not None or outcome.is_without_numbers:
                values[spot] = () if outcome.meta is None else values_of(sweep.refine, read(outcome.name))


def values_of(refine: Refine, arrays: Mapping[str, np.ndarray]) -> Values:
    """Return the numbers of a cell's networks that the rule reads; none where they do not have the observable."""
    if refine.observable not in arrays:
        return ()
    values = arrays[refine.observable][:, [*arrays["times"]].index(float(refine.time))].tolist()
    if isinstance(values[0], list):  # fsum rounds once: the mean is the same on every machine
        values = [fsum(row) / len(row) if refine.unit == MEAN else row[refine.unit] for row in values]
    return tuple(nan if gone else number for gone, number in zip(arrays["diverged"], values, strict=True))
