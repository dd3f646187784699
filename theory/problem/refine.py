"""Declaration of the refinement of a sweep: which observable decides, by which rule, and where the refinement ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import Any

from theory.problem.errors import InputError
from theory.problem.keys import check_keys
from theory.problem.numbers import exact, one_of, positive, shown, whole
from theory.problem.observables import OBSERVABLES

CHANGE, INTERVAL = "change", "interval"
MEAN = "mean"
MOST_AXES = 2  # along which changes are followed
_COMMON = ("where", "observable", "time", "confidence", "most_cells")
_OF_RULE = {CHANGE: ("step", "finest"), INTERVAL: ("half_width",)}
_SEED = "simulation.seed"
_TWO_PLACES = {"site", "other_site", "other_time", "other_unit"}  # axes that leave more than one number at a time


@dataclass(frozen=True)
class Refine:
    """A rule that adds cells to a sweep: "change" between neighbours that differ, "interval" where scatter is large.

    It reads `observable` at `time`, one of training.times: a number for each network; of units, weights, paths, modes
    or biases that of number `unit`, or the "mean" over them. `confidence` is that of each decision.

    "change": the axes, one or two, are numbers in rising order, and `finest` has the grid that may be reached along
    each of them; new cells lie between neighbours whose means differ by more than `step`, as far as the scatter of the
    networks shows it. "interval": each cell gets further networks, with other seeds, until the half width of the
    interval of their mean is at most `half_width`. `step` and `half_width` are in units of the observable.
    No generation begins by which there would be more than `most_cells` cells.
    Raises InputError for a rule that is incomplete, and for numbers that make none.

    >>> rule = Refine("interval", "loss", 1, "0.95", 40, half_width="0.01")
    >>> rule.confidence, rule.half_width
    (Fraction(19, 20), Fraction(1, 100))
    """

    where: str
    observable: str
    time: Fraction
    confidence: Fraction
    most_cells: int
    unit: int | str | None = None
    step: Fraction | None = None
    half_width: Fraction | None = None
    finest: Mapping[str, tuple[Any, ...]] | None = None

    def __post_init__(self) -> None:
        rule = one_of(self.where, "refine.where", _OF_RULE)
        axes = OBSERVABLES[one_of(self.observable, "refine.observable", OBSERVABLES)].axes
        if axes[0] != "time" or _TWO_PLACES & set(axes):
            raise InputError(
                f'refine.observable = "{self.observable}" has a number for each {", ".join(axes)}, not one at a time.',
                f"Choose from: {', '.join(refinable())}.",
            )
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        unit = ("unit",) if len(axes) > 1 else ()
        needed = (*_COMMON, *unit, *_OF_RULE[rule])
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
        if rule == CHANGE:
            self._set("step", positive(self.step, "refine.step", "differences are compared with it"))
        else:
            self._set("half_width", positive(self.half_width, "refine.half_width", "no interval is narrower"))

    def _set(self, name: str, value: Fraction) -> None:
        object.__setattr__(self, name, value)

    def check_sweep(
        self, base: Mapping[str, Any], axes: Mapping[str, Sequence[Any]], observables: Sequence[str], combine: str
    ) -> None:
        """Raise InputError where a sweep with these tables, axes and observables cannot be refined by this rule."""
        if self.observable not in observables:
            raise InputError(
                f'refine.observable = "{self.observable}" is not among the observables of the sweep.',
                f"Add it to observables, or choose from: {', '.join(observables)}.",
            )
        if self.where == CHANGE:
            self._check_grid(axes, combine)
        else:
            self._check_seeds(base, axes)

    def _check_grid(self, axes: Mapping[str, Sequence[Any]], combine: str) -> None:
        if combine != "product" or not 1 <= len(axes) <= MOST_AXES:
            raise InputError(
                f'refine.where = "change" follows changes along one or two axes; this sweep has {len(axes)} '
                f"({combine}).",
                'Write one or two axes and combine = "product", or where = "interval".',
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

    def _check_seeds(self, base: Mapping[str, Any], axes: Mapping[str, Sequence[Any]]) -> None:
        for field in axes:
            for seed in (*self.seeds(base), "simulation.initialisation"):
                if seed == field or seed.startswith(f"{field}.") or field.startswith(f"{seed}."):
                    raise InputError(
                        f'axes: {field} sets {seed}, by which refine.where = "interval" tells networks apart.',
                        "Leave this axis out.",
                    )

    @staticmethod
    def seeds(base: Mapping[str, Any]) -> dict[str, int]:
        """Return the seeds that further networks raise, by their dotted keys: all but that of a start that is shared.

        Raises InputError where the base has no seed of the simulation.

        >>> start = {"w0": {"law": "normal", "scale": 1, "seed": 7}}
        >>> Refine.seeds({"training": start, "simulation": {"seed": 3, "initialisation": "per-replicate"}})
        {'simulation.seed': 3, 'training.w0.seed': 7}
        """
        simulation = base.get("simulation")
        seed = simulation.get("seed") if isinstance(simulation, Mapping) else None
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise InputError(
                f"base.simulation.seed = {shown(seed)} is no whole number, and further networks raise it.",
                "Write a seed in the base.",
            )
        own = simulation.get("initialisation") == "per-replicate"
        return {_SEED: seed} | (dict(_seeds_in(base.get("training"), "training")) if own else {})


def _seeds_in(table: Any, path: str):
    """Yield the seeds in a table and in the tables and lists in it, by their dotted keys."""
    entries = table.items() if isinstance(table, Mapping) else enumerate(table) if isinstance(table, list) else ()
    for key, entry in entries:
        if key == "seed" and isinstance(entry, int):
            yield f"{path}.{key}", entry
        else:
            yield from _seeds_in(entry, f"{path}.{key}")


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
