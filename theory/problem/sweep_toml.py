"""Reading of sweep files (TOML); reading and writing of the record of a sweep beside its results (JSON)."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theory.problem.errors import InputError
from theory.problem.fields import FIELDS
from theory.problem.keys import check_keys
from theory.problem.numbers import RANGES, shown, spaced
from theory.problem.paths import PATHS, placed
from theory.problem.sweep import MOST_CELLS, Axis, Sweep
from theory.problem.toml import tables_of, text_of, values_of
from theory.problem.user_code import CODE, allow
from theory.problem.user_files import parse_json


def load_sweep(path: str | Path) -> Sweep:
    r"""Return the sweep in a TOML file; the base problem and the store are named relative to the file's folder.

    Raises InputError with the place and the remedy; OSError where the file cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "seeds.toml"
    ...     _ = path.write_text("observables = ['loss']\nstore = 'results'\nbase = {}\naxes = {'data.n' = [10, 20]}")
    ...     sweep = load_sweep(path)
    >>> sweep.shape, Path(sweep.store).name
    ((2,), 'results')
    """
    return with_code(loads_sweep(text_of(path), Path(path).parent, name=str(path)))


def with_code(sweep: Sweep) -> Sweep:
    """Return the sweep of a file that the user named, or of a store that the user trusts: its code may run."""
    for table in _data_tables(sweep):
        allow(table)
    return sweep


def code_named(sweep: Sweep) -> list[str]:
    """Return the functions and entry points that the laws of a sweep name; nothing is run."""
    return [table[key] for table in _data_tables(sweep) for key in CODE if isinstance(table.get(key), str)]


def _data_tables(sweep: Sweep) -> list[Mapping[str, Any]]:
    """Return the tables [data] of a sweep: of its base, and of axes the parts that they set."""
    tables = [sweep.base.get("data")]
    for axis in sweep.axes:
        if axis.field.partition(".")[0] == "data":
            key = axis.field.removeprefix("data").removeprefix(".")
            tables += [{key: value} if key else value for value in axis.values]
    return [table for table in tables if isinstance(table, Mapping)]


def loads_sweep(text: str, folder: Path = Path(), name: str = "sweep") -> Sweep:
    r"""Return the sweep in TOML `text`; relative paths begin in `folder`, and `name` stands for the file in errors.

    Raises InputError with the place and the remedy.

    >>> text = "observables = ['loss']\nstore = 'results'\nbase = {}\naxes = {'data.gain' = {geomspace = [1, 100, 3]}}"
    >>> loads_sweep(text).axes
    (Axis(field='data.gain', values=(1, 10, 100)),)
    """
    tables = tables_of(text, name)
    try:
        return _sweep(tables, folder)
    except InputError as error:
        raise InputError(f"{name}: {error.message}", error.hint, error.kind) from None


def sweep_of_words(path: str | Path, axes: Sequence[str], observables: Sequence[str], store: str) -> Sweep:
    """Return the sweep of a problem file along axes in words: "data.gain=0.5,1,2" takes each value in turn.

    The values are those of a list in TOML; words without quotes are taken for text. Raises InputError.
    """
    table = dict(values_of(words, "data.gain=0.5,1,2") for words in axes)
    base = _base(str(Path(path).absolute()), Path())
    made = Sweep(base, tuple(_axes(table, "", Path())), tuple(observables), store)
    return with_code(made)


def _sweep(tables: Mapping[str, Any], folder: Path) -> Sweep:
    required = ("base", "axes", "observables", "store")
    check_keys(tables, "the sweep", required=required, optional=("combine", "invalid"))
    if not isinstance(tables["axes"], Mapping):
        raise InputError("axes must be a table.", 'Write [axes] and below it for example "data.gain" = [0.1, 1.0].')
    if not isinstance(tables["observables"], list):
        raise InputError(f"observables = {shown(tables['observables'])} must be a list.", 'Write for example ["loss"].')
    if not isinstance(tables["store"], str) or not tables["store"]:
        raise InputError(f"store = {shown(tables['store'])} must name a folder.", 'Write for example "my-sweep".')
    if "\0" in tables["store"]:
        raise InputError(
            f"store = {shown(tables['store'])}: no folder has such a name.", 'Write for example "my-sweep".', "file"
        )
    settings = {key: tables[key] for key in ("combine", "invalid") if key in tables}
    return Sweep(
        base=_base(tables["base"], folder),
        axes=tuple(_axes(tables["axes"], "", folder)),
        observables=tuple(tables["observables"]),
        store=str(folder / tables["store"]),
        **settings,
    )


def _base(base: Any, folder: Path) -> Mapping[str, Any]:
    """Return the tables of the base problem: written in the sweep file, or in the file that it names."""
    if isinstance(base, str):
        path = folder / base
        try:
            base, where = placed(tables_of(text_of(path), str(path)), path.parent), f"the base {path}"
        except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
            if isinstance(error, InputError):
                raise
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"The base problem {path} cannot be read: {reason}.", "Check `base`.", "file") from None
        if "axes" in base or "base" in base:
            raise InputError(
                f"{where} is a sweep itself.", "A base is a problem file: [data], [network], [training], [simulation]."
            )
    elif isinstance(base, Mapping):
        base, where = placed(base, folder), "base"
    else:
        raise InputError(f"base = {shown(base)} is neither a path nor a table.", 'Write base = "problem.toml".')
    check_keys(base, where, optional=tuple(FIELDS))
    return base


def _table(entry: Any, folder: Path) -> Any:
    """Return the table [data] of the problem file that an entry names, or the entry itself with its file placed."""
    tables = _base(entry, folder) if isinstance(entry, str) else {"data": entry}
    if "data" not in tables:
        raise InputError(f"axes: data: {entry} has no table [data].", "Name a problem file.")
    return placed(tables, folder)["data"] if isinstance(entry, Mapping) else tables["data"]


def _placed(file: Any, folder: Path) -> Any:
    """Return the absolute path of a path relative to the folder of the sweep file."""
    return os.path.abspath(folder / file) if isinstance(file, str) else file


def _axes(table: Mapping[str, Any], prefix: str, folder: Path):
    """Return the axes; a dotted key may be quoted ("data.gain") or unquoted, which TOML reads as nested tables."""
    for key, value in table.items():
        field = f"{prefix}{key}"
        if isinstance(value, list):
            files = field in [f"data.{key}" for key in PATHS]
            values = [_table(entry, folder) for entry in value] if field == "data" else value
            yield Axis(field, tuple(_placed(entry, folder) if files else entry for entry in values))
        elif isinstance(value, Mapping) and set(value) & set(RANGES):
            yield Axis(field, _range(value, field))
        elif isinstance(value, Mapping) and not (prefix and not value):
            yield from _axes(value, f"{field}.", folder)
        else:
            raise InputError(
                f"axes: {field} = {shown(value)} is not a list of values.",
                "Write [0.1, 1.0], { linspace = [0.1, 1.0, 10] } or { geomspace = [0.1, 1.0, 10] }.",
            )


def _range(table: Mapping[str, Any], field: str) -> tuple[Any, ...]:
    check_keys(table, f"axes: {field}", optional=RANGES)
    if len(table) != 1:
        raise InputError(f"axes: {field} has both linspace and geomspace.", "Keep one of them.")
    ((kind, words),) = table.items()
    values = spaced(kind, words, f"axes: {field}.{kind}", MOST_CELLS, "a sweep has no more cells")
    return tuple(int(value) if value.denominator == 1 else value for value in values)


def dumps_sweep(sweep: Sweep) -> str:
    """Return the sweep as JSON text: loads_record(dumps_sweep(s)) has the same cells and observables as s.

    >>> from decimal import Decimal
    >>> sweep = Sweep({}, (Axis("data.gain", (Decimal("0.1"), 1)),), ("loss",), "results")
    >>> loads_record(dumps_sweep(sweep), "results").axes  # 0.1 as text: no binary fraction rounds it
    (Axis(field='data.gain', values=('0.1', 1)),)
    """
    record = {
        "base": _written(sweep.base),
        "axes": [[axis.field, _written(axis.values)] for axis in sweep.axes],
        "observables": list(sweep.observables),
        "combine": sweep.combine,
        "invalid": sweep.invalid,
    }
    return json.dumps(record)


def loads_record(text: str, store: str) -> Sweep:
    """Return the sweep that `dumps_sweep` wrote; `store` is its folder. Raises InputError for other text.

    >>> loads_record("{}", "results")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: This is not the record of a sweep. Run the sweep again; it writes the record.
    """
    try:
        record = parse_json(text)
        if not isinstance(record["base"], Mapping):
            raise TypeError
        axes = tuple(Axis(field, tuple(values)) for field, values in record["axes"])
        settings = (record["base"], axes, tuple(record["observables"]), store, record["combine"], record["invalid"])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError("This is not the record of a sweep.", "Run the sweep again; it writes the record.") from None
    return Sweep(*settings)


def _written(value: Any) -> Any:
    """Return `value` for JSON: numbers that are not whole become text, which is read back exactly."""
    if isinstance(value, Mapping):
        return {key: _written(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_written(entry) for entry in value]
    return value if isinstance(value, bool | int) else str(value)
