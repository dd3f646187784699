"""Declaration of the refinement of a sweep: which observable decides, by which rule, and where the refinement ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import Any

from theory.problem.errors import InputError
from theory.problem.keys import check_keys
from theory.problem.maps import names_along
from theory.problem.numbers import exact, one_of, positive, shown, whole
from theory.problem.observables import OBSERVABLES

CHANGE = "change"
MEAN = "mean"
MOST_AXES = 2  # along which changes are followed
_KEYS = ("where", "observable", "time", "confidence", "most_cells", "step", "finest")
_SEED = "simulation.seed"
_TWO_PLACES = {"site", "other_site", "other_time", "other_unit"}  # axes that leave more than one number at a time


@dataclass(frozen=True)
class Refine:
    """A rule that adds cells to a sweep: "change" between neighbours that differ.

    It reads `observable` at `time`, one of training.times: a number for each network; of units, weights, paths, modes
    or biases that of number `unit`, or the "mean" over them. `confidence` is that of each decision. The axes, one or
    two, are numbers in rising order, and `finest` has the grid that may be reached along each of them; new cells lie
    between neighbours whose means differ by more than `step`, in units of the observable, as far as the scatter of the
    networks shows it. No generation begins by which there would be more than `most_cells` cells.
    Raises InputError for a rule that is incomplete, and for numbers that make none.

    >>> rule = Refine("change", "loss", 1, "0.95", 40, step="0.01", finest={"data.gain": (1, 2)})
    >>> rule.confidence, rule.step
    (Fraction(19, 20), Fraction(1, 100))
    """

    where: str
    observable: str
    time: Fraction
    confidence: Fraction
    most_cells: int
    unit: int | str | None = None
    step: Fraction | None = None
    finest: Mapping[str, tuple[Any, ...]] | None = None

    def __post_init__(self) -> None:
        one_of(self.where, "refine.where", (CHANGE,))
        axes = OBSERVABLES[one_of(self.observable, "refine.observable", OBSERVABLES)].axes
        if axes[0] != "time" or _TWO_PLACES & set(axes):
            raise InputError(
                f'refine.observable = "{self.observable}" has a number for each {", ".join(axes)}, not one at a time.',
                f"Choose from: {', '.join(refinable())}.",
            )
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        unit = ("unit",) if len(axes) > 1 else ()
        needed = (*_KEYS, *unit)
        check_keys({key: value for key, value in given.items() if value is not None}, "[refine]", required=needed)
        self._set("time", exact(self.time, "refine.time"))
        confidence = exact(self.confidence, "refine.confidence")
        if not 0 < confidence < 1:
            raise InputError(
                f"refine.confidence = {confidence} must lie between 0 and 1: it is a probability.", "Try 0.99."
            )
        self._set("confidence", confidence)
        whole(self.most_cells, "refine.most_cells", least=1)
        if unit and self.unit != MEAN:
            if isinstance(self.unit, str):
                raise InputError(f'refine.unit = {shown(self.unit)} is neither a number nor "{MEAN}".', "Write one.")
            whole(self.unit, "refine.unit", least=0)
        self._set("step", positive(self.step, "refine.step", "differences are compared with it"))

    def check_problem(self, problem: Any) -> None:
        """Raise InputError where the problem of a cell has no such time or unit, or networks that are one cluster."""
        if self.time not in problem.training.times:
            listed = ", ".join(str(float(time)) for time in problem.training.times)
            message = f"refine.time = {float(self.time):g} is not in training.times."
            raise InputError(message, f"Choose from: {listed}.")
        if isinstance(self.unit, int):
            _check_unit(self.unit, self.observable, problem)
        if problem.simulated().shared_stream:
            raise InputError(
                "[refine] compares means with their scatter, and with simulation.shared_stream all networks see the "
                "same examples: they are one cluster, whose scatter says nothing of the mean.",
                "Leave out simulation.shared_stream.",
            )

    def _set(self, name: str, value: Fraction) -> None:
        object.__setattr__(self, name, value)

    def check_sweep(self, axes: Mapping[str, Sequence[Any]], observables: Sequence[str], combine: str) -> None:
        """Raise InputError where a sweep with these axes and observables cannot be refined by this rule."""
        if self.observable not in observables:
            raise InputError(
                f'refine.observable = "{self.observable}" is not among the observables of the sweep.',
                f"Add it to observables, or choose from: {', '.join(observables)}.",
            )
        if combine != "product" or not 1 <= len(axes) <= MOST_AXES:
            raise InputError(
                f"[refine] follows changes along one or two axes; this sweep has {len(axes)} ({combine}).",
                'Write one or two axes and combine = "product".',
            )
        check_keys(self.finest, "[refine.finest]", required=tuple(axes))
        for field, values in axes.items():
            if field == _SEED:
                raise InputError(f"axes: {_SEED} is no quantity: nothing lies between two seeds.", "Leave it out.")
            if len(values) < 2:
                raise InputError(f"axes: {field} has one value, and neighbours need two.", "Give at least two.")
            rising = _rising(values, f"axes: {field}")
            finest = _rising(self.finest[field], f"refine.finest: {field}")
            off = [number for number in rising if number not in set(finest)]
            if off or (finest[0], finest[-1]) != (rising[0], rising[-1]):
                why = f"{off[0]} is not in" if off else "they do not begin and end with"
                raise InputError(
                    f"axes: {field}: the values must be among those of refine.finest; {why} the finest grid.",
                    "Give both the same ends, and the finest grid a multiple of the steps: 5 values (4 steps) are in a "
                    "grid of 65 (64 steps).",
                )


def _check_unit(unit: int, observable: str, problem: Any) -> None:
    axis = OBSERVABLES[observable].axes[1]
    names = names_along(axis, problem)
    number = problem.network.units + (axis == "bias") if names is None else len(names)
    if unit >= number:
        message = f'refine.unit = {unit}: "{observable}" has {number} numbers at a time, counted from 0.'
        raise InputError(message, f'Write a number up to {number - 1}, or "{MEAN}".')


def refinable() -> tuple[str, ...]:
    """Return the observables with one number at each time, or one for each unit, weight, path, mode or bias.

    >>> "loss" in refinable(), "weights" in refinable()
    (True, False)
    """
    return tuple(
        name for name, kind in OBSERVABLES.items() if kind.axes[0] == "time" and not _TWO_PLACES & set(kind.axes)
    )


def _rising(values: Sequence[Any], where: str) -> tuple[Fraction, ...]:
    """The values as exact numbers. Raises InputError where one is none, or is not larger than the one before it."""
    numbers = tuple(exact(value, f"{where}[{index}]") for index, value in enumerate(values))
    for before, after in pairwise(numbers):
        if not before < after:
            raise InputError(f"{where}: {after} follows {before}.", "List the values from the smallest to the largest.")
    return numbers
