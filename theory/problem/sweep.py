"""Declaration of a sweep: a base problem, the fields that take several values, and the observables of each cell."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from theory.problem.deep.network import DeepNetwork
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.fields import check_field, replaced
from theory.problem.gated_graph import GatedGraph
from theory.problem.maps import mode_names
from theory.problem.numbers import exact_or_infinite, one_of, shown
from theory.problem.observables import OBSERVABLES, WORDS
from theory.problem.problem import Problem
from theory.problem.routes import routes
from theory.problem.shared import Shared
from theory.problem.toml import number_text, problem_of

COMBINATIONS = ("product", "zip")
INVALID = ("refuse", "leave-out")
MOST_CELLS = 1_000_000
_GATED = ("input-output-moment", "input-moment")
_OF_ONE_LAYER = {"unit", "bias"}  # axes of observables that a graph does not have
_OF_A_GRAPH = tuple(name for name, kind in OBSERVABLES.items() if not _OF_ONE_LAYER & set(kind.axes))


@dataclass(frozen=True)
class Axis:
    """A field of the problem by its dotted key ("data.gain", "network.gates.0.site") and the values that it takes.

    "data" alone takes whole tables [data], one for each law. An entry of a list is named by its number from 0, a node
    of a graph also by its name: "network.nodes.h.dimension". Values are as in a problem file: numbers (int, Decimal,
    Fraction, or text such as "3/5"), words, lists, tables.
    Raises InputError for a field that no problem has, and for no values or more than a million.

    >>> Axis("data.gain", (1, "1/2")).values
    (1, '1/2')
    >>> Axis("data.gian", (1,))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: axes: 'data.gian' names no field of [data]. ...
    """

    field: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        where = f"axes: {shown(self.field)}"
        if self.field == "data" and self.values and any(isinstance(value, Mapping) for value in self.values):
            self._check_tables(where)
        else:
            check_field(self.field, where)
        if not self.values:
            raise InputError(f"{where} has no values.", "Give at least one, or leave the axis out.")
        if len(self.values) > MOST_CELLS:
            raise InputError(f"{where} has {len(self.values)} values; the limit is {MOST_CELLS}.", "Use fewer.")

    def _check_tables(self, where: str) -> None:
        for index, value in enumerate(self.values):
            if not isinstance(value, Mapping):
                raise InputError(
                    f"{where}[{index}] = {shown(value)} is no table [data].",
                    'Name problem files, such as "data" = ["one.toml", "other.toml"], or write tables.',
                )


@dataclass(frozen=True)
class Cell:
    """One problem of a sweep: its place along the sweep's dimensions, the value of each axis there, and the problem.

    Where these values do not give a valid problem, `problem` is None and `error` is the reason.

    >>> Cell((1, 0), {"data.gain": Fraction(1, 2), "network.units": 4}, None).label
    'data.gain = 0.5, network.units = 4'
    """

    index: tuple[int, ...]
    values: Mapping[str, Any]
    problem: Problem | None
    error: InputError | None = None

    @property
    def label(self) -> str:
        """The values in words, such as "data.gain = 0.5, data.n = 40"."""
        return ", ".join(f"{field} = {value_text(value)}" for field, value in self.values.items()) or "the base"


@dataclass(frozen=True)
class Sweep:
    """Every combination of the axes' values ("product"), or the first of each, the second of each, ... ("zip").

    `base` has the tables of a problem file, in which each cell replaces its values; it need not be valid by itself.
    `observables` are names of theory.problem.OBSERVABLES, or words for them: what is measured and kept. `invalid` says
    what happens to combinations that are no valid problem: "refuse" the sweep, or "leave-out" these cells and say so.
    `store` is the folder of the results.

    Raises InputError for axes that overlap, repeat a value or, zipped, differ in length; for more than a million cells,
    for observables that are not known, and for two cells that ask the same.

    >>> axes = Axis("data.gain", (1, 2, 4)), Axis("simulation.seed", (0, 1))
    >>> Sweep({}, axes, ("loss",), "results").shape
    (3, 2)
    >>> Sweep({}, (axes[0], Axis("data.n", (10, 20, 40))), ("loss",), "results", combine="zip").shape
    (3,)
    """

    base: Mapping[str, Any]
    axes: tuple[Axis, ...]
    observables: tuple[str, ...]
    store: str
    combine: str = "product"
    invalid: str = "refuse"

    def __post_init__(self) -> None:
        one_of(self.combine, "combine", COMBINATIONS)
        one_of(self.invalid, "invalid", INVALID)
        if not self.observables:
            raise InputError("observables is empty: nothing would be kept.", f"Choose from: {', '.join(OBSERVABLES)}.")
        known = (WORDS.get(name, name) if isinstance(name, str) else name for name in self.observables)
        object.__setattr__(self, "observables", tuple(known))
        for index, name in enumerate(self.observables):
            one_of(name, f"observables[{index}]", OBSERVABLES)
            if name in self.observables[:index]:
                raise InputError(f'observables names "{name}" twice.', "Name each once.")
        self._check_axes()

    def _check_axes(self) -> None:
        names = [axis.field for axis in self.axes]
        for index, name in enumerate(names):
            for other in names[:index]:
                longer, shorter = sorted((name, other), key=len, reverse=True)
                if longer == shorter or longer.startswith(f"{shorter}."):
                    raise InputError(f"axes: {longer} and {shorter} set the same field.", "Keep one of them.")
        lengths = {axis.field: len(axis.values) for axis in self.axes}
        if self.combine == "zip" and len(set(lengths.values())) > 1:
            listed = ", ".join(f"{field} has {length}" for field, length in lengths.items())
            raise InputError(f"Zipped axes need equally many values; {listed}.", 'Or write combine = "product".')
        if self.size > MOST_CELLS:
            listed = " x ".join(str(length) for length in self.shape)
            raise InputError(
                f"The sweep has {listed} = {self.size} cells; the limit is {MOST_CELLS}.",
                "Divide it into several sweeps; they may share a store.",
            )
        if self.combine == "zip":
            return  # there a value may come again beside another of the other axes
        for axis in self.axes:
            seen: dict[Any, Any] = {}
            for value in axis.values:
                if (key := _comparable(value)) in seen:
                    raise InputError(f"axes: {axis.field} has the value {value_text(value)} twice.", "Give it once.")
                seen[key] = value

    def in_dtype(self, dtype: str) -> "Sweep":
        """Return the sweep with simulation.dtype in its base. Raises InputError where an axis sets it."""
        field = "simulation.dtype"
        if any(axis.field == field for axis in self.axes):
            raise InputError(f"axes: {field} sets the types; so does {shown(dtype)}.", "Keep one of them.")
        return replace(self, base=replaced(self.base, field, dtype))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells along each dimension: the axes, or the one of zipped axes."""
        lengths = tuple(len(axis.values) for axis in self.axes)
        return lengths[:1] if self.combine == "zip" else lengths

    @property
    def size(self) -> int:
        """The number of cells."""
        return prod(self.shape)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, the last axis fastest. Raises InputError where two ask the same question."""
        cells = tuple(self.each())
        seen: dict[Problem, Cell] = {}
        for cell in cells:
            if cell.problem is None:
                continue
            if (other := seen.setdefault(cell.problem, cell)) is not cell:
                raise self.same(other.index, cell.index)
        return cells

    def same(self, first: tuple[int, ...], second: tuple[int, ...]) -> InputError:
        """Return the error for the cells at two places, which ask the same question."""
        one, other = (Cell(index, self.values_at(index), None).label for index in (first, second))
        return InputError(f"The cells at {one} and at {other} are the same problem.", "Give each value once.")

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Return the place of every cell along the dimensions, the last fastest."""
        return product(*(range(length) for length in self.shape))

    def index(self, position: int) -> tuple[int, ...]:
        """Return the place of the cell at a position in the order of `indices`.

        >>> Sweep({}, (Axis("data.gain", (1, 2)), Axis("data.n", (8, 9))), ("loss",), "results").index(2)
        (1, 0)
        """
        index: list[int] = []
        for length in reversed(self.shape):
            position, place = divmod(position, length)
            index.insert(0, place)
        return tuple(index)

    def _tables(self, values: Mapping[str, Any], shared: Shared) -> dict[str, Any]:
        """Return the tables of a cell; those that do not differ between cells are one object."""
        tables = dict(self.base)
        for name in dict.fromkeys(field.partition(".")[0] for field in values):
            chosen = {field: value for field, value in values.items() if field.partition(".")[0] == name}
            tables[name] = shared.once(
                f"table {name}", tuple(chosen.values()), lambda chosen=chosen, name=name: self._set(chosen)[name]
            )
        return tables

    def _set(self, values: Mapping[str, Any]) -> Any:
        tables: Any = self.base
        for field, value in values.items():
            tables = replaced(tables, field, value)
        return tables

    def _check(self, problem: Problem) -> None:
        _check_trainable(problem)
        _check_measurable(problem, self.observables)

    def values_at(self, index: tuple[int, ...]) -> dict[str, Any]:
        """Return the value of each axis at a place.

        >>> Sweep({}, (Axis("data.gain", (1, 2)), Axis("data.n", (8, 9))), ("loss",), "results").values_at((1, 0))
        {'data.gain': 2, 'data.n': 8}
        """
        places = index * len(self.axes) if self.combine == "zip" else index
        return {axis.field: axis.values[place] for axis, place in zip(self.axes, places, strict=True)}

    def each(self) -> Iterator[Cell]:
        """Declare one cell after the other, which share the parts that they have in common; none are compared."""
        shared = Shared()
        return (self.cell(index, shared) for index in self.indices())

    def cell(self, index: tuple[int, ...], shared: Shared | None = None) -> Cell:
        """Return the cell at a place, which no other cell is compared with."""
        values, shared = self.values_at(index), Shared() if shared is None else shared
        try:
            problem = problem_of(self._tables(values, shared), shared)
            parts = (problem.data, problem.network, problem.training)
            shared.once("check", parts, lambda: self._check(problem))
        except InputError as error:
            return Cell(index, values, None, error)
        return Cell(index, values, problem)


def _check_trainable(problem: Problem) -> None:
    if isinstance(problem.network, DeepNetwork):
        raise InputError(
            "A sweep trains networks with one hidden layer and graphs, and this network is deep.",
            "Write another model; gdln simulate trains a deep network, gdln paths reads it.",
        )


def _check_measurable(problem: Problem, observables: tuple[str, ...]) -> None:
    problem.simulated()
    graph = isinstance(problem.network, GatedGraph)
    for name in observables:
        if graph and _OF_ONE_LAYER & set(OBSERVABLES[name].axes):
            raise InputError(
                f'observables has "{name}", which belongs to the units of one hidden layer; this network is a graph.',
                f"Choose from: {', '.join(_OF_A_GRAPH)}.",
            )
    if "biases" in observables and not problem.network.has_biases:
        raise InputError(
            'observables has "biases", but this network has none.',
            'Use network.biases = "trained", or leave it out.',
        )
    if "readout" in observables and not problem.network.trains_readout:
        raise InputError(
            'observables has "readout", but this network trains no readout weights.',
            'Use network.readout = "trained-mean" or "trained-sum", or leave it out.',
        )
    for name in _GATED:
        if name in observables and not problem.network.gates:
            raise InputError(
                f'observables has "{name}", but a "{problem.network.model}" network has no gates given beforehand.',
                'Use model = "gated-linear", or leave it out.',
            )
    for name in observables:
        if not {"path", "map_mode"} & set(OBSERVABLES[name].axes):
            continue
        if not graph:
            raise InputError(
                f'observables has "{name}", but a "{problem.network.model}" network is not a graph with paths.',
                'Use model = "gated-graph", or leave it out.',
            )
        try:
            if "path" in OBSERVABLES[name].axes:
                routes(problem.graph)
            else:
                mode_names(problem.graph, problem.data.contexts)
        except OutOfReachError as error:
            raise InputError(f'observables has "{name}": {error.message}', error.hint) from None


def number_of(value: Any) -> Fraction | float | None:
    """Return the value of an axis as a fraction; None for words, lists and tables.

    >>> number_of("1/2"), number_of("relu")
    (Fraction(1, 2), None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal | Fraction):
        return None
    try:
        return exact_or_infinite(value, "value")
    except InputError:
        return None


def value_text(value: Any) -> str:
    """Return a value of an axis as short text: "0.05", "1/3", "[2.0, 1.0]", "relu".

    >>> value_text(Fraction(1, 20)), value_text(Fraction(1, 3)), value_text([Decimal("2.0"), Decimal("1.0")])
    ('0.05', '1/3', '[2.0, 1.0]')
    """
    if isinstance(value, Fraction):
        return number_text(value).strip('"') if value.denominator > 1 else str(value.numerator)
    if isinstance(value, list | tuple):
        return f"[{', '.join(value_text(entry) for entry in value[:6])}{', ...' if len(value) > 6 else ''}]"
    if isinstance(value, Mapping):
        if "law" in value and "labels" in value:
            return _law_text(value)
        return f"{{{', '.join(f'{key} = {value_text(entry)}' for key, entry in value.items())}}}"
    return str(value)


def _law_text(table: Mapping[str, Any]) -> str:
    """The word of a law and the fields by which laws of one sweep usually differ, tables by their kind alone."""
    said = [f"{key} {_kind_text(table[key])}" for key in ("nonlinearity", "correlation", "labels") if key in table]
    return ", ".join([str(table["law"]), *said])


def _kind_text(value: Any) -> str:
    """The kind of a table, one for each class where they differ; another value as text."""
    if isinstance(value, list | tuple) and any(isinstance(entry, Mapping) for entry in value):
        return " and ".join(dict.fromkeys(map(_kind_text, value)))
    return str(value["kind"]) if isinstance(value, Mapping) and "kind" in value else value_text(value)


def _comparable(value: Any) -> Any:
    """Return a key that is equal for values of the same meaning: 1, 1.0 and "1"."""
    if type(value) in (int, Fraction):
        return value  # as `number_of` would say, which takes long for a million of them
    if isinstance(value, list | tuple):
        return tuple(_comparable(entry) for entry in value)
    if isinstance(value, Mapping):
        return tuple(sorted((key, _comparable(entry)) for key, entry in value.items()))
    number = number_of(value)
    return (type(value).__name__, repr(value)) if number is None else number
