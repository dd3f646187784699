"""Numbers of the map view: a quantity of a problem over two of its parameters, and trained networks of a sweep there.

On a gated-linear network the quantity is of the exact solution, at a time or where it ends. On one with another model
there is no exact solution: for it the map shows the closure of `theory.moments.amplifier` for one ReLU neuron.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.explore.limits import refuse_large, refuse_long_map, refuse_many_weights
from derivations.sweeps.table import csv_text
from theory.problem import GatedGraph, InputError, Network, OutOfReachError, Problem, WorkbenchError, dumps
from theory.problem.sweep import Axis, Cell, Sweep
from theory.problem.toml import tables_of

MOST_VALUES = 64  # along an axis
DIGITS = 6  # of a parameter's value, which stands in a problem file
END = "infinity"
EXCESS = "excess"
SITES = "data.n"  # the number of sites, on which the cost of a field depends
_KEPT = 1 << 15  # values of maps that stay in memory
_LEAST_GAIN = 0.05  # at which inputs are almost Gaussian, below the transitions of flat fields
_CLOSE = 0.01  # relative distance at which the end of a range is known
_WIDE, _NARROW = 10, 4  # the factor between the present value and the ends of a range
_NAMES = {
    "xi": "ξ",
    "n": "sites n",
    "gain": "gain g",
    "dof": "degrees of freedom ν",
    "lo": "lower end",
    "hi": "upper end",
}
_LISTED_NOT = ("labels", "priors", "means")
_PREFERRED = ("data.gain", "data.xi.0", "data.xi.1")
_OBSERVABLES = {"ratio": "participation-ratio", "low": "low-frequency-power"}


@dataclass(frozen=True)
class Quantity:
    """A quantity of a field: its name in words and in a formula, what its least and its largest value on a map mean.

    `signed` says whether it may be negative, `ends` between which values it lies.
    """

    title: str
    symbol: str
    means: tuple[str, str]
    signed: bool = False
    ends: tuple[float, float] | None = None


QUANTITIES = {
    "ratio": Quantity(
        "participation ratio",
        "participation ratio",
        ("the field is spread over all sites", "the field is one site"),
        ends=(0.0, 1.0),
    ),
    "low": Quantity(
        "low-frequency share",
        "share of power at low frequencies",
        (
            "the field oscillates from site to site, all its power above the frequency n/4",
            "it is smooth, with none there",
        ),
        ends=(0.0, 1.0),
    ),
    "loss": Quantity("loss", "⟨(y − ŷ)²⟩", ("the least loss of this map", "the largest loss of this map")),
    EXCESS: Quantity(
        "instability of a flat ReLU field (closure)",
        "elasticity − critical value",
        ("the flat field is stable", "the flat field is unstable: some wave on it grows"),
        signed=True,
    ),
}


@dataclass(frozen=True)
class Parameter:
    """A number of a problem file by its dotted key, its present value, and whether it counts something."""

    field: str
    label: str
    value: float
    counts: bool


@dataclass(frozen=True)
class Range:
    """The values of a parameter along an axis, from `low` to `high`, spaced by their logarithm where `log`.

    Those of a parameter that counts something are rounded to the next `whole` number.

    >>> Range("data.gain", 1, 100, 3, True).values
    ('1', '10', '100')
    >>> Range("data.n", 2, 5, 3, False, whole=True).values
    ('2', '4', '5')
    """

    field: str
    low: float
    high: float
    count: int
    log: bool
    whole: bool = False

    def __post_init__(self) -> None:
        if not 2 <= self.count <= MOST_VALUES:
            raise InputError(
                f"{self.count} values of {self.field}: a map takes 2 to {MOST_VALUES}.", "Take 24.", "size"
            )
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise InputError(
                f"{self.field} from {self.low:g} to {self.high:g} is no range.",
                "The first end is the smaller one.",
                "high",
            )
        if self.log and self.low <= 0:
            raise InputError(
                f"{self.field} from {self.low:g} has no logarithm.",
                "Begin above 0, or space the values evenly.",
                "low",
            )

    @property
    def values(self) -> tuple[str, ...]:
        """The values as they stand in a problem file, each once."""
        space = np.geomspace if self.log else np.linspace
        values = space(self.low, self.high, self.count)
        return tuple(dict.fromkeys(f"{round(value)}" if self.whole else f"{value:.{DIGITS}g}" for value in values))

    @property
    def counted(self) -> "Range":
        """The same range for a parameter that counts: whole values, evenly spaced up to rounding."""
        low, high = round(self.low), round(self.high)
        return Range(self.field, low, high, max(2, min(self.count, high - low + 1)), False, whole=True)


def parameters(problem: Problem) -> tuple[Parameter, ...]:
    """The numbers of a problem that a map may vary: of the law, of site gates, and the scale of w0."""
    tables = tables_of(dumps(problem), "the problem")
    labels = [f"y = {float(label):g}" for label in problem.data.labels if not isinstance(label, tuple)]
    known = list(_numbers("data", tables["data"], labels))
    for unit, gate in enumerate(tables["network"].get("gates", ())):
        known += _numbers(f"network.gates.{unit}", gate, ())
    start = tables["training"]["w0"]
    if isinstance(start, Mapping) and "scale" in start:
        known.append(Parameter("training.w0.scale", "scale of w(0)", float(start["scale"]), False))
    first = [parameter for name in _PREFERRED for parameter in known if parameter.field == name]
    return (*first, *(parameter for parameter in known if parameter not in first))


def _numbers(place: str, table: Mapping[str, Any], labels: Any) -> Iterator[Parameter]:
    for key, value in table.items():
        name = _NAMES.get(key, key)
        of = f" of gate {place.rpartition('.')[2]}" if place.startswith("network") else ""
        if isinstance(value, Mapping):
            yield from _numbers(f"{place}.{key}", value, labels)
        elif isinstance(value, list) and key not in _LISTED_NOT and len(value) == len(labels):
            for c, entry in enumerate(value):
                for part, number in enumerate(entry) if isinstance(entry, list) else ((None, entry),):
                    if _is_number(number):
                        at, of = ("", "") if part is None else (f".{part}", f" {part + 1}")
                        label = f"{name}{of} ({labels[c]})"
                        yield Parameter(f"{place}.{key}.{c}{at}", label, float(number), isinstance(number, int))
        elif _is_number(value):
            yield Parameter(f"{place}.{key}", f"{name}{of}", float(value), isinstance(value, int))


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool | str | list | Mapping) and np.isfinite(float(value))


def range_of(parameter: Parameter, problem: Problem, count: int) -> Range:
    """Return the range at which a map starts: some factor around the present value, or all sites.

    That of a gain begins where inputs are almost Gaussian, so that the map shows where their shape begins to matter.

    >>> range_of(Parameter("training.w0.scale", "scale of w(0)", 1.0, False), None, 3).values
    ('0.1', '1', '10')
    """
    field, value = parameter.field, parameter.value
    if field.endswith(".site"):
        return Range(field, 0, problem.data.n - 1, count, False).counted
    if parameter.counts:
        return Range(field, max(1, value // 2), max(2, 2 * value), count, False).counted
    if value > 0 and not field.endswith((".lo", ".hi")):
        factor = _WIDE if field.endswith(("gain", "scale")) else _NARROW
        low = min(value / factor, _LEAST_GAIN) if field.endswith("gain") else value / factor
        high = value * factor
        return Range(field, low, _valid_end(field, value, high, problem) if ".xi" in field else high, count, True)
    return Range(field, value - 2, value + 2, count, False)


def _valid_end(field: str, value: float, high: float, problem: Problem) -> float:
    """The largest value up to `high` at which the problem is valid, to about a hundredth: long lengths fit no ring."""
    if _is_valid(field, high, problem):
        return high
    low = value
    while high > (1 + _CLOSE) * low:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if _is_valid(field, middle, problem) else (low, middle)
    # Rounded down, so that the end itself is valid; the present value is where no larger one is.
    return max(value, float(np.floor(100 * low) / 100))


def _is_valid(field: str, value: float, problem: Problem) -> bool:
    try:
        problem_at(problem, {field: f"{value:.{DIGITS}g}"})
    except WorkbenchError:
        return False
    return True


def quantities(problem: Problem) -> tuple[str, ...]:
    """The quantities that a map of this problem may show, the most telling first. OutOfReachError for a graph."""
    if isinstance(problem.network, GatedGraph):
        raise OutOfReachError(
            "A map shows fields, and the network of the problem is a gated graph.", "Take one hidden layer of units."
        )
    return ("ratio", "low", "loss", EXCESS) if problem.network.model == Network.gated else (EXCESS,)


@dataclass(frozen=True)
class PhaseMap:
    """The quantity at each value of y and x: NaN where it has no value (`refused` says why) or is not computed yet.

    The first `rows` rows are computed.
    """

    x: Range
    y: Range
    quantity: str
    values: Float[np.ndarray, "Y X"]
    refused: tuple[WorkbenchError, ...]
    rows: int


def phase_map(
    problem: Problem,
    x: Range,
    y: Range,
    quantity: str,
    unit: int = 0,
    time: str = END,
    report: Callable[[float, PhaseMap | None], None] | None = None,
) -> PhaseMap:
    """Return the map; `report(share, None)` precedes each place and `report(share, map)` follows each row.

    Raises InputError where both axes are one, and for a quantity, unit or time that the problem does not have.
    """
    if x.field == y.field:
        raise InputError(f"Both axes are {x.field}.", "Choose two parameters.", "x")
    if quantity not in quantities(problem):
        raise InputError(f"There is no map of {quantity!r} here.", f"Choose from: {', '.join(quantities(problem))}.")
    if not 0 <= unit < problem.network.units:
        raise InputError(f"There is no unit {unit}.", f"The network has {problem.network.units}, from 0.", "unit")
    values = np.full((len(y.values), len(x.values)), np.nan)
    refused: list[WorkbenchError] = []
    for row, cells in enumerate(_rows(problem, x, y)):
        for column, cell in enumerate(cells):
            if report is not None:
                report((row + column / len(cells)) / len(values), None)
            try:
                values[row, column] = value_at(cell, quantity, unit, time)
            except WorkbenchError as error:
                refused.append(error)
        if report is not None:
            report((row + 1) / len(values), PhaseMap(x, y, quantity, values.copy(), tuple(refused), row + 1))
    return PhaseMap(x, y, quantity, values, tuple(refused), len(values))


def refuse_long(problem: Problem, x: Range, y: Range, quantity: str) -> None:
    """Raise OutOfReachError for a map of exact fields that takes too long; a flat field takes no time."""
    if quantity == EXCESS:
        return
    sites = [[int(value) for value in axis.values] for axis in (x, y) if axis.field == SITES]
    places = len(x.values) * len(y.values)
    each = sites[0] if sites else [problem.data.n]
    weights = [problem.network.units * n for n in each for _ in range(places // len(each))]
    refuse_long_map(weights, max(len(x.values), len(y.values)))


def value_at(cell: Cell, quantity: str, unit: int, time: str) -> float:
    """The quantity of a cell's problem. Raises its error where it is no valid problem."""
    if cell.problem is None:
        raise cell.error
    return _value(cell.problem, quantity, unit, time)


def _rows(problem: Problem, x: Range, y: Range) -> Iterator[tuple[Cell, ...]]:
    base = tables_of(dumps(problem), "the problem")
    across = Axis(x.field, _typed(problem, x.field, x.values))
    for value in _typed(problem, y.field, y.values):
        yield _sweep(base, Axis(y.field, (value,)), across).cells


def _typed(problem: Problem, field: str, values: Sequence[str]) -> tuple[int | str, ...]:
    """The values of a parameter as a problem file has them: whole numbers where it counts."""
    counts = {parameter.field: parameter.counts for parameter in parameters(problem)}
    if field not in counts:
        raise InputError(f"The problem has no number {field}.", f"Choose from: {', '.join(counts)}.", "x")
    return tuple(int(value) if counts[field] else value for value in values)


def _sweep(base: Mapping[str, Any], *axes: Axis) -> Sweep:
    """The combinations of the axes; nothing is measured or stored."""
    return Sweep(base, axes, ("loss",), "none", invalid="leave-out")


@lru_cache(maxsize=_KEPT)
def _value(problem: Problem, quantity: str, unit: int, time: str) -> float:
    if quantity == EXCESS:
        from theory.moments.amplifier import flat_state_of

        refuse_large(problem.data)
        state = flat_state_of(problem.data)
        return state.elasticity - state.critical
    if quantity == "loss":
        return float(solved(problem, time)[1])
    from sim.measure.receptive_fields import low_frequency_power, participation_ratio

    measure = participation_ratio if quantity == "ratio" else low_frequency_power
    return float(measure(solved(problem, time)[0][unit]))


def solved(problem: Problem, time: str) -> tuple[Float[np.ndarray, "K n"], float]:
    """The exact fields and the loss at a time of the problem, or where the flow ends.

    Raises OutOfReachError for more weights than are solved for while the page waits.
    """
    from theory.flow import solve

    refuse_many_weights(problem)
    if time == END:
        solution = solve(problem)
        return solution.fixed_point, solution.mse
    solution = solve(problem, times=(time,))
    return solution.weights[0], solution.losses[0]


def problem_at(problem: Problem, values: Mapping[str, str]) -> Problem:
    """Return the problem with these values of its parameters. Raises InputError where they are no valid problem."""
    base = tables_of(dumps(problem), "the problem")
    (cell,) = _sweep(base, *(Axis(field, _typed(problem, field, (value,))) for field, value in values.items())).cells
    if cell.problem is None:
        raise cell.error
    return cell.problem


@dataclass(frozen=True)
class Dot:
    """Trained networks of a sweep's store: their place on the map, mean, standard error, number, and other axes."""

    x: float
    y: float
    value: float
    error: float
    networks: int
    name: str


def dots(folder: str, x: str, y: str, quantity: str, unit: int) -> tuple[Dot, ...]:
    """Return the networks that the sweeps of a store trained along both parameters, at their last time.

    Raises InputError for a folder that is no store, and where no sweep of it has both axes and the quantity.
    """
    from derivations.sweeps.plans import sweep_id
    from derivations.sweeps.store import Store
    from derivations.sweeps.table import mean_and_error

    observable = _OBSERVABLES.get(quantity)
    if observable is None:
        raise InputError(
            f"A sweep stores no {QUANTITIES[quantity].title} of a field.", "Map another quantity.", "store"
        )
    store = Store.open(folder)
    recorded, points = store.plans()[0], []
    for name in dict.fromkeys(sweep_id(one.sweep) for one in recorded):
        plan = store.best(name)
        fields = {axis.field for axis in plan.sweep.axes}
        if {x, y} <= fields and observable in plan.sweep.observables:
            for cell, meta, arrays in store.each(plan):
                if observable not in arrays:
                    continue
                mean, error = mean_and_error(arrays[observable], arrays["diverged"])
                rest = replace(cell, values={k: v for k, v in cell.values.items() if k not in (x, y)})
                place = (float(cell.values[key]) for key in (x, y))
                count = meta["replicates"] - meta["diverged"]
                points.append(Dot(*place, float(mean[-1, unit]), float(error[-1, unit]), count, rest.label))
    if not points:
        raise InputError(
            f"No sweep in {folder} has the axes {x} and {y} and the observable {observable}.",
            "Choose the axes of a sweep of this store.",
            "store",
        )
    return tuple(points)


def csv(computed: PhaseMap) -> str:
    """The map as comma-separated values, a cell each; `state` says why a cell is empty."""
    rows, name = [], computed.quantity
    for place, (y, row) in enumerate(zip(computed.y.values, computed.values, strict=True)):
        for x, value in zip(computed.x.values, row, strict=True):
            missing = "no value" if place < computed.rows else "not computed"
            known = {name: "", "state": missing} if np.isnan(value) else {name: value, "state": ""}
            rows.append({computed.x.field: x, computed.y.field: y, **known})
    return csv_text(rows)


def python(x: Range, y: Range, quantity: str, unit: int, time: str) -> tuple[str, ...]:
    """Lines that print the values of the map."""
    return (
        "from derivations.explore.phase_map import Range, phase_map",
        "",
        f"x = {x!r}",
        f"y = {y!r}",
        f"found = phase_map(problem, x, y, {quantity!r}, {unit}, {time!r})",
        "print(x.values, y.values)",
        "print(found.values)  # a row for each value of y",
    )


def latex(quantity: str, unit: int, time: str) -> str:
    """The definition of the quantity of the map."""
    definition = {
        "ratio": r"\frac{\sum_i w_{ki}^4}{\bigl(\sum_i w_{ki}^2\bigr)^2}",
        "low": r"\frac{\sum_{\lvert q \rvert \le n/4} \lvert \hat w_{kq} \rvert^2}{\sum_q \lvert \hat w_{kq} \rvert^2}",
        "loss": r"\langle (y - \hat y)^2 \rangle",
        EXCESS: r"\frac{d \ln \varphi}{d \ln a}\Big|_{a_0} - \min_{q \neq 0} \frac{1 + r_q}{1 + r_0}",
    }[quantity]
    where = "" if quantity in ("loss", EXCESS) else f", k = {unit}"
    when = "" if quantity == EXCESS else r", \quad t = \infty" if time == END else rf", \quad t = {time}"
    return rf"\[ {definition}{where}{when} \]"
