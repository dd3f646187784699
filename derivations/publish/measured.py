"""What has been measured and judges no claim: stored runs of `gdln bench` and of experiments, shown on pages as tables.

A stored run is one JSON file of numbers with what they were measured on; its tables are made from these numbers alone.
Nothing here loads torch.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations.atomic import write_text
from derivations.publish import localization_tables, replayed_tables
from derivations.publish.blocks import table
from theory.problem import InputError

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
EXPERIMENTS = Path(__file__).parents[1] / "experiments" / "results"
Content = Mapping[str, Any]


@dataclass(frozen=True)
class Stored:
    """A stored run: its folder, and its tables as Markdown by name; "" is that of a run with one table."""

    folder: Path
    tables: Mapping[str, Callable[[Content], str]]


def measured(argument: str, here: str) -> str:
    """The table of the directive `NAME` or `NAME TABLE`. Raises InputError for a run or a table that is not stored."""
    name, _, table = argument.partition(" ")
    if name not in STORED:
        raise InputError(f"{here}: no measured table is called {name!r}.", f"Known: {', '.join(STORED)}.")
    tables = STORED[name].tables
    if table not in tables:
        raise InputError(
            f"{here}: the measurements {name} have no table {table!r}.",
            f"Tables: {', '.join(tables)}." if "" not in tables else "They are one table: name none.",
        )
    return tables[table](read(name))


def read(name: str) -> Content:
    """The content of a stored run."""
    return json.loads(_path(name).read_text(encoding="utf-8"))


def write(name: str, content: Content) -> None:
    """Store a run; the file is the old one or the new one, never a part."""
    write_text(_path(name), json.dumps(content, indent=1, allow_nan=False) + "\n")


def _path(name: str) -> Path:
    return STORED[name].folder / f"{name}.json"


def _relu_gates(run: Content) -> str:
    forms = ("latent-direction", "clt", "large-gain")
    rows = []
    for row in run["rows"]:
        errors = [row["errors"].get(form) for form in (*forms, "exact")]
        shown = ("" if error is None else f"{error:.4f}" for error in errors)
        name = row["weights"].replace("_", "\\_")
        rows.append([name, row["gain"], f"{row['largest']:.3f}", *shown, f"{row['standard_error']:.5f}"])
    columns = ["weights", "$g$", "largest moment", *forms, "exact", "standard error"]
    preface = f"{run['replicates']} replicates of {run['samples']:,} examples, seed {run['seed']}."
    return f"{preface}\n\n{table(columns, rows)}"


STORED = {
    "relu-gates": Stored(RESULTS, {"": _relu_gates}),
    "replayed-gates": Stored(EXPERIMENTS, replayed_tables.TABLES),
    "localization-sweep": Stored(EXPERIMENTS, localization_tables.TABLES),
    "localization-batch": Stored(EXPERIMENTS, localization_tables.BATCH_TABLES),
}
