"""The fields of problem files by table, and by dotted key ("data.gain", "network.gates.0.site")."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from theory.problem.deep.network import DeepNetwork
from theory.problem.distributions import LAWS
from theory.problem.errors import InputError
from theory.problem.numbers import nearest, shown
from theory.problem.simulation import Simulation

_LAYER, _GRAPH = ("readout", "units", "gates", "biases", "slope"), ("inputs", "outputs", "nodes", "edges")
_DEEP = ("depth", "width", *(field.name for field in fields(DeepNetwork)))
FIELDS: dict[str, tuple[str, ...]] = {
    "data": ("law", *dict.fromkeys(field.name for law in LAWS.values() for field in fields(law) if field.init)),
    "network": ("model", *_LAYER, *_GRAPH, *_DEEP),
    "training": ("loss", "tau", "w0", "times", "hidden_bias0", "output_bias0", "readout0"),
    "simulation": tuple(field.name for field in fields(Simulation)),
}


def refuse_misplaced(tables: Mapping[str, Any]) -> None:
    """Raise InputError for a key of a problem file that stands outside of the table to which it belongs.

    >>> refuse_misplaced({"training": {"learning_rate": 1}})
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: [training] has the unknown key 'learning_rate'. It belongs to [simulation].
    """
    for name, table in tables.items():
        for key in table if isinstance(table, Mapping) else (name,):
            home = _home(key)
            if home and key not in FIELDS.get(name, ()) and (name in FIELDS or key == name):
                where = "the file" if key == name else f"[{name}]"
                raise InputError(f"{where} has the unknown key {shown(key)}.", home)


def _home(key: str) -> str:
    """Return a hint with the table to which a key belongs; "" for a key of no table."""
    return next((f"It belongs to [{name}]." for name, known in FIELDS.items() if key in known), "")


def check_field(field: str, where: str) -> None:
    """Raise InputError, which begins with `where`, for a dotted key that no problem has.

    >>> check_field("data.gian", "--set data.gian")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: --set data.gian names no field of [data]. Did you mean `gain`? ...
    """
    table, *rest = field.split(".")
    if table not in FIELDS:
        hint = _home(table) or f"{nearest(table, FIELDS)}It begins with one of: {', '.join(FIELDS)}."
        raise InputError(f"{where} names no field of a problem.", hint)
    if not rest or rest[0] not in FIELDS[table]:
        key = rest[0] if rest else ""
        hint = _home(key) or f"{nearest(key, FIELDS[table])}[{table}] has: {', '.join(FIELDS[table])}."
        raise InputError(f"{where} names no field of [{table}].", hint)


def replaced(tables: Any, field: str, value: Any, where: str = "axes: ") -> Any:
    """Return the tables with a field set; tables off its path are shared, not copied. `where` begins errors.

    >>> replaced({"data": {"xi": [2, 1]}}, "data.xi.0", 3)
    {'data': {'xi': [3, 1]}}
    """
    return _replaced(tables, field.split("."), value, f"{where}{field}")


def _replaced(tables: Any, path: list[str], value: Any, where: str) -> Any:
    key, *rest = path
    if isinstance(tables, list):
        place = _entry(tables, key, where)
        entry = _replaced(tables[place], rest, value, where) if rest else value
        return [*tables[:place], entry, *tables[place + 1 :]]
    if not isinstance(tables, Mapping):
        raise InputError(
            f"{where}: {shown(key)} would be set in {shown(tables)}, which is no table.",
            "Write a table there in the problem file, or set the whole field.",
        )
    return {**tables, key: _replaced(tables.get(key, {}), rest, value, where) if rest else value}


def _entry(entries: list[Any], key: str, where: str) -> int:
    """The place in a list that `key` names: the entry whose `name` it is, as nodes of a graph have one, or a number."""
    names = [entry.get("name") for entry in entries if isinstance(entry, Mapping)]
    if key in names:
        return names.index(key)
    if not key.isdecimal() or len(key) > 9 or int(key) >= len(entries):
        named = ", ".join(name for name in names if isinstance(name, str))
        raise InputError(
            f"{where}: there is no entry {shown(key)}; the list has {len(entries)}, counted from 0.",
            f"Name one of: {named}." if named else f"Write a number from 0 to {len(entries) - 1}.",
        )
    return int(key)
