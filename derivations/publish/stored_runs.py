"""Tables of stored runs: numbers of `gdln bench` and of experiments that judge no claim, as Markdown for pages.

A stored run is one JSON file of numbers with what they were measured on; its tables are made from these numbers alone.
An experiment declares its tables in its own folder. Nothing here loads torch.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from derivations.experiments import folders
from derivations.experiments.model import Run
from derivations.markdown import table
from theory.problem import InputError

BENCHMARKS = Path(__file__).parents[1] / "benchmarks" / "results"


def stored_table(argument: str, here: str) -> str:
    """The table of the directive `NAME` or `NAME TABLE`. Raises InputError for a run or a table that is not stored."""
    name, _, which = argument.partition(" ")
    of_experiments = folders.tables()
    if name not in of_experiments and name not in OF_BENCHMARKS:
        known = ", ".join([*OF_BENCHMARKS, *of_experiments])
        raise InputError(f"{here}: no measured table is called {name!r}.", f"Known: {known}.")
    tables = of_experiments.get(name, OF_BENCHMARKS.get(name))
    if which not in tables:
        raise InputError(
            f"{here}: the measurements {name} have no table {which!r}.",
            f"Tables: {', '.join(tables)}." if "" not in tables else "They are one table: name none.",
        )
    return tables[which](folders.read(name) if name in of_experiments else benchmark(name))


def benchmark(name: str) -> Run:
    """The stored run of `gdln bench NAME`."""
    return json.loads((BENCHMARKS / f"{name}.json").read_text(encoding="utf-8"))


def _relu_gates(run: Run) -> str:
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


OF_BENCHMARKS: Mapping[str, Mapping[str, Callable[[Run], str]]] = {"relu-gates": {"": _relu_gates}}
