"""Tables of the stored runs of experiments, as Markdown for pages.

A stored run is one JSON file of numbers with what they were measured on; its tables are made from these numbers alone.
An experiment declares its tables in its own folder. Nothing here loads torch.
"""

from derivations.experiments import folders
from theory.problem import InputError


def stored_table(argument: str, here: str) -> str:
    """The table of the directive `NAME` or `NAME TABLE`. Raises InputError for a run or a table that is not stored."""
    name, _, which = argument.partition(" ")
    known = folders.tables()
    if name not in known:
        raise InputError(f"{here}: no measured table is called {name!r}.", f"Known: {', '.join(known)}.")
    tables = known[name]
    if which not in tables:
        raise InputError(
            f"{here}: the measurements {name} have no table {which!r}.",
            f"Tables: {', '.join(tables)}." if "" not in tables else "They are one table: name none.",
        )
    return tables[which](folders.read(name))
