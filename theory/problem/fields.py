"""The fields of problem files by table."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from theory.problem.deep.network import DeepNetwork
from theory.problem.distributions import LAWS
from theory.problem.errors import InputError
from theory.problem.numbers import shown
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
            homes = [home for home, known in FIELDS.items() if key in known]
            if homes and name not in homes and (name in FIELDS or key == name):
                where = "the file" if key == name else f"[{name}]"
                raise InputError(f"{where} has the unknown key {shown(key)}.", f"It belongs to [{homes[0]}].")
