"""An adaptive sweep at a stage: the cells of its generations as a plain sweep, and the numbers by which it goes on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, nan
from typing import Any

import numpy as np

from derivations.sweeps.checking import check
from derivations.sweeps.decisions import Values, interval, kept
from derivations.sweeps.generations import End, Generations, Spot, generations
from derivations.sweeps.table import Answers, axes_of, names_along
from theory.problem import OBSERVABLES, InputError, Problem, Sweep
from theory.problem.refine import CHANGE, MEAN, Refine
from theory.problem.sweep import Axis, number_of, value_text


@dataclass(frozen=True)
class Stage:
    """The generations of an adaptive sweep that are decided, and the numbers of finished cells by which they are.

    `declared` is the sweep as it was written; a finished cell without numbers has none, ().
    """

    declared: Sweep
    found: Generations
    values: Mapping[Spot, Values]

    @property
    def end(self) -> End | None:
        """The reason why no generation follows, or None where cells lack numbers."""
        return self.found.end

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The places of the cells, in the order of `sweep.cells`."""
        return tuple(spot for generation in self.found.spots for spot in generation)

    @property
    def generation(self) -> tuple[int, ...]:
        """The number of each cell's generation, from 0."""
        return tuple(number for number, spots in enumerate(self.found.spots) for _ in spots)

    @cached_property
    def sweep(self) -> Sweep:
        """The cells as a plain sweep: its axes are zipped, and say where each cell is."""
        columns = {axis.field: axis.values for axis in self.declared.axes}
        rows = [self._values(spot, columns) for spot in self.spots]
        axes = tuple(Axis(field, tuple(row[field] for row in rows)) for field in rows[0])
        return Sweep(
            self.declared.base,
            axes,
            self.declared.observables,
            self.declared.store,
            combine="zip",
            invalid=self.declared.invalid,
        )

    def _values(self, spot: Spot, columns: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
        refine = self.declared.refine
        if refine.where == CHANGE:
            return {field: self._grid[field][place] for field, place in zip(columns, spot, strict=True)}
        cell, further = spot
        seeds = {field: seed + further for field, seed in refine.seeds(self.declared.base).items()}
        return dict(self.declared.cells[cell].values) | seeds

    @cached_property
    def _grid(self) -> dict[str, tuple[Any, ...]]:
        """The values of the finest grid, those of the axes as the axes have them."""
        grid = {}
        for axis in self.declared.axes:
            own = {number_of(value): value for value in axis.values}
            grid[axis.field] = tuple(
                own.get(number_of(value), value) for value in self.declared.refine.finest[axis.field]
            )
        return grid

    def following(self, values: Mapping[Spot, Values]) -> "Stage":
        """Return the stage that follows from the numbers of finished cells."""
        return _stage(self.declared, values)

    def points(self) -> list[dict[str, Any]]:
        """Return for each point of an "interval" its finished cells, their networks, the mean and the half width.

        Mean and half width are None where the first cell is not finished or has no numbers.
        """
        refine, listed = self.declared.refine, []
        finished: dict[int, list[Values]] = {}
        for spot in self.spots:
            if spot in self.values:
                finished.setdefault(spot[0], []).append(self.values[spot])
        for place, cell in enumerate(self.declared.cells):
            own = finished.get(place, [])
            pooled = [value for values in own for value in values]
            found = interval(self.values.get((place, 0), ()), pooled, refine.confidence)
            mean, half_width = (None, None) if found is None else found
            networks = len(kept(pooled))
            listed.append(
                {"index": cell.index, "cells": len(own), "networks": networks, "mean": mean, "half_width": half_width}
            )
        return listed


def first(sweep: Sweep) -> Stage:
    """Return the stage at which an adaptive sweep begins.

    Raises InputError where a cell's problem does not fit the rule: its times, its units, or a whole-numbered field.
    """
    _check(sweep)
    return _stage(sweep, {})


def stored(sweep: Sweep, read: Callable[[Sweep], Answers]) -> Stage:
    """Return the last stage of an adaptive sweep whose cells exist; `read` gives the cells of a plain sweep."""
    stage = first(sweep)
    while True:
        values = {spot: () for spot, cell in zip(stage.spots, check(stage.sweep), strict=True) if cell.problem is None}
        for cell, _, arrays in read(stage.sweep):
            values[stage.spots[cell.index[0]]] = values_of(sweep.refine, arrays, cell.problem)
        following = stage.following(values)
        if len(following.spots) == len(stage.spots):
            return following
        stage = following


def _stage(sweep: Sweep, values: Mapping[Spot, Values]) -> Stage:
    return Stage(sweep, generations(_start(sweep), values, sweep.refine), values)


def _start(sweep: Sweep) -> list[list[int]] | int:
    """The first generation as `generations` takes it."""
    if sweep.refine.where != CHANGE:
        return len(sweep.cells)
    places = []
    for axis in sweep.axes:
        finest = [number_of(value) for value in sweep.refine.finest[axis.field]]
        places.append([finest.index(number_of(value)) for value in axis.values])
    return places


def values_of(refine: Refine, arrays: Mapping[str, np.ndarray], problem: Problem) -> Values:
    """Return the numbers of a cell's networks that the rule reads; none where they do not have the observable.

    Raises InputError where the cell has no such time or unit.
    """
    time, unit = _place(refine, problem)
    if refine.observable not in arrays:
        return ()
    array = arrays[refine.observable]
    axes_of(refine.observable, array.ndim - 1)
    taken = array[:, time]
    if taken.ndim > 1:  # fsum rounds once: the mean is the same on every machine
        numbers = [fsum(row) / len(row) for row in taken.tolist()] if unit is None else taken[:, unit].tolist()
    else:
        numbers = taken.tolist()
    return tuple(nan if gone else number for gone, number in zip(arrays["diverged"], numbers, strict=True))


def _place(refine: Refine, problem: Problem) -> tuple[int, int | None]:
    """The indices of time and unit in the observable's array, None for the mean over units and where there are none."""
    if refine.time not in problem.training.times:
        listed = ", ".join(value_text(time) for time in problem.training.times)
        raise InputError(
            f"refine.time = {value_text(refine.time)} is not in training.times.", f"Choose from: {listed}."
        )
    time, axes = problem.training.times.index(refine.time), OBSERVABLES[refine.observable].axes
    if len(axes) == 1 or refine.unit == MEAN:
        return time, None
    names = names_along(axes[1], problem)
    number = problem.network.units + (axes[1] == "bias") if names is None else len(names)
    if refine.unit >= number:
        raise InputError(
            f'refine.unit = {refine.unit}: "{refine.observable}" has {number} numbers at a time, counted from 0.',
            f'Write a number up to {number - 1}, or "{MEAN}".',
        )
    return time, refine.unit


def _check(sweep: Sweep) -> None:
    """Raise InputError where a cell of the first generation, or a point that may follow, does not fit the rule."""
    for cell in sweep.cells:
        if cell.problem is None:
            continue
        _place(sweep.refine, cell.problem)
        if cell.problem.simulated().shared_stream:
            raise InputError(
                "[refine] compares means with their scatter, and with simulation.shared_stream all networks see the "
                "same examples: they are one cluster, whose scatter says nothing of the mean.",
                "Leave out simulation.shared_stream.",
            )
    if sweep.refine.where == CHANGE and sweep.invalid == "refuse":
        for axis in sweep.axes:
            _check_whole(sweep, axis)


def _check_whole(sweep: Sweep, axis: Axis) -> None:
    """Raise the error of a field that counts something where the finest grid has a fraction: before anything runs."""
    if any(number_of(value).denominator > 1 for value in axis.values):
        return
    value = next((one for one in sweep.refine.finest[axis.field] if number_of(one).denominator > 1), None)
    if value is not None and sweep.cells[0].problem is not None:
        (cell,) = replace(
            sweep,
            axes=tuple(Axis(one.field, (value,) if one is axis else one.values[:1]) for one in sweep.axes),
            refine=None,
        ).cells
        if cell.error is not None:
            raise InputError(
                f"refine.finest: {axis.field} = {value_text(value)}: {cell.error.message}", cell.error.hint
            )
