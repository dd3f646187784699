"""Adaptive sweeps: from the numbers of finished cells to the cells of the next generation, or to the end.

The rule is a function of these numbers alone, decided in fractions: who computed them, and in which order, does not
matter.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise, product
from math import ceil, fsum, isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.problem import InputError, Sweep
from theory.problem.refine import MEAN, Refine
from theory.problem.sweep import Axis, number_of, value_text

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
    """The generations of an adaptive sweep that are decided, and the numbers of finished cells by which they are."""

    declared: Sweep
    values: Mapping[Spot, Values]

    @cached_property
    def found(self) -> Generations:
        """What follows from the numbers; without any, the first generation."""
        refine, start = self.declared.refine, []
        for axis in self.declared.axes:
            grid = [number_of(value) for value in _grid(axis, refine)]
            start.append([grid.index(number_of(value)) for value in axis.values])
        return generations(start, self.values, refine)

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The places of the cells, in the order of `sweep.cells`."""
        return tuple(spot for generation in self.found.spots for spot in generation)

    @property
    def generation(self) -> tuple[int, ...]:
        """The number of each cell's generation, from 0."""
        return tuple(number for number, spots in enumerate(self.found.spots) for _ in spots)

    @property
    def sweep(self) -> Sweep:
        """The cells as a plain sweep: its axes are zipped, and say where each cell is."""
        columns = zip(self.declared.axes, zip(*self.spots, strict=True), strict=True)
        grids = {axis.field: _grid(axis, self.declared.refine) for axis in self.declared.axes}
        axes = tuple(Axis(axis.field, tuple(grids[axis.field][place] for place in column)) for axis, column in columns)
        return replace(self.declared, axes=axes, combine="zip", refine=None)


def _grid(axis: Axis, refine: Refine) -> tuple[Any, ...]:
    """The values of the finest grid along an axis, those of the axis as the axis has them."""
    written = {number_of(value): value for value in axis.values}
    return tuple(written.get(number_of(value), value) for value in refine.finest[axis.field])


def check(sweep: Sweep) -> Sweep:
    """Return the sweep. Raises InputError where its cells do not fit the rule, or those that may follow are invalid."""
    problems = [cell.problem for cell in sweep.cells if cell.problem is not None]
    for problem in problems:
        sweep.refine.check_problem(problem)
    for axis in sweep.axes if sweep.invalid == "refuse" and len(problems) == sweep.size else ():
        grid = _grid(axis, sweep.refine)
        along = tuple(Axis(one.field, grid if one is axis else one.values[:1]) for one in sweep.axes)
        for cell in replace(sweep, axes=along, refine=None).each():
            if cell.error is not None:
                where = f"refine.finest: {axis.field} = {value_text(cell.values[axis.field])}"
                raise InputError(f"{where}: {cell.error.message}", cell.error.hint)
    return sweep


@cache
def quantile(freedom: int, confidence: Fraction) -> Fraction:
    """Return q with P(|t| <= q) = confidence for Student's t, rounded up to six decimals."""
    from scipy.special import stdtrit  # a plain sweep needs none

    return Fraction(ceil(-float(stdtrit(freedom, float((1 - confidence) / 2))) * 10**6), 10**6)


def changes(first: Values, second: Values, step: Fraction, confidence: Fraction) -> bool:
    """Whether the networks show that the means at two points differ by more than `step`.

    Networks of one number see the same random numbers at both points, so that differences are taken network by network:
    with d their mean, s their standard deviation and n their number the answer is |d| - q s/sqrt(n) > step, wrong with
    probability 1 - confidence at most for normal differences of at most `step`. False for fewer than two networks.

    >>> changes((0.0, 0.1, 0.0), (1.0, 1.1, 0.9), Fraction(1, 10), Fraction(99, 100))
    True
    """
    pairs = [pair for pair in zip(first, second, strict=False) if all(map(isfinite, pair))]
    differences, count = [Fraction(one) - Fraction(other) for one, other in pairs], len(pairs)
    if count < 2:
        return False
    mean = sum(differences) / count
    variance = sum((each - mean) ** 2 for each in differences) / (count - 1)
    excess = abs(mean) - step
    return excess > 0 and excess**2 * count > quantile(count - 1, confidence) ** 2 * variance


def generations(start: Sequence[Sequence[int]], values: Mapping[Spot, Values], refine: Refine) -> Generations:
    """Divide boxes whose edges show a change, until none does or only those of the finest grid do.

    `start` has the places of the first generation in the finest grid along each axis.
    """

    @cache  # two boxes share an edge, and a box that stays is looked at again
    def differ(first: Spot, second: Spot) -> bool:
        return changes(values[first], values[second], refine.step, refine.confidence)

    boxes: list[Box] = [*product(*(pairwise(places) for places in start))]
    decided = [tuple(product(*start))]
    known, step, end = set(decided[0]), f"{float(refine.step):.6g}", None
    while end is None and values.keys() >= set(decided[-1]):
        changing = {box for box in boxes if any(differ(*pair) for pair in _neighbours(box, known))}
        divided = {box for box in changing if any(high - low > 1 for low, high in box)}
        parts = [part for box in boxes for part in (_parts(box) if box in divided else [box])]
        new = {corner for box in parts for corner in product(*box)} - known
        if not changing:
            end = SETTLED, f"No two neighbours are shown to differ by more than {step}."
        elif not divided:
            end = FINEST, f"All changes of more than {step} lie between points of the finest grid."
        elif len(known) + len(new) > refine.most_cells:
            more = f"The next generation would have {len(new)} more cells, {len(known) + len(new)} in all"
            end = MOST_CELLS, f"{more}, and most_cells is {refine.most_cells}. Raise it; finished cells are kept."
        else:
            boxes, known = parts, known | new
            decided += [tuple(sorted(new))] if new else []  # without, neighbours have all points of the halves
    return Generations(tuple(decided), tuple(boxes), end)


def _neighbours(box: Box, known: set[Spot]) -> Iterator[tuple[Spot, Spot]]:
    """Yield the pairs of known points that follow each other along an edge of the box: corners and points between."""
    for along, (low, high) in enumerate(box):
        for ends in product(*(box[:along] + box[along + 1 :])):
            edge = [(*ends[:along], place, *ends[along:]) for place in range(low, high + 1)]
            yield from pairwise(spot for spot in edge if spot in known)


def _parts(box: Box) -> Iterator[Box]:
    """The halves of a box along every axis along which there is a place between its ends."""
    middles = [(low, (low + high) // 2, high) if high - low > 1 else (low, high) for low, high in box]
    return product(*(pairwise(places) for places in middles))


def by_generations(
    sweep: Sweep, work: "Callable[[Sweep, tuple[int, ...]], Swept]", read: Callable[[str], Mapping[str, np.ndarray]]
) -> "Swept":
    """Look at (or compute) the cells of one generation after the other, until one is not finished or none follows.

    `work` takes the cells so far as a plain sweep, and their generations; `read` gives the arrays of a cell.
    """
    stage, count = Stage(sweep, {}), 0
    while len(stage.spots) > count:
        count, swept, values = len(stage.spots), work(stage.sweep, stage.generation), dict(stage.values)
        for spot, outcome in zip(stage.spots, swept.outcomes, strict=True):
            if outcome.meta is not None and spot not in values:
                values[spot] = values_of(sweep.refine, read(outcome.name))
            elif outcome.is_without_numbers:
                values[spot] = ()
        stage = Stage(sweep, values)
    return replace(swept, stage=stage)


def values_of(refine: Refine, arrays: Mapping[str, np.ndarray]) -> Values:
    """Return the numbers of a cell's networks that the rule reads; none where they do not have the observable."""
    if refine.observable not in arrays:
        return ()
    values = arrays[refine.observable][:, [*arrays["times"]].index(float(refine.time))].tolist()
    if isinstance(values[0], list):  # fsum rounds once: the mean is the same on every machine
        values = [fsum(row) / len(row) if refine.unit == MEAN else row[refine.unit] for row in values]
    return tuple(nan if gone else number for gone, number in zip(arrays["diverged"], values, strict=True))
