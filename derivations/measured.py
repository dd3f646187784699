"""What experiments that judge no claim have measured: one JSON file each, shown on pages as tables and figures.

A file holds the problem as TOML, the seed, the numbers (`data`), and `tables` of text made from them in the same run.
Pages only read: nothing here loads torch.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from derivations.atomic import write_text
from theory.problem import InputError

FOLDER = Path(__file__).parent / "measured"
FIGURES = Path(__file__).parent / "book" / "figures"


def read(name: str, folder: Path = FOLDER) -> Mapping[str, Any]:
    """The stored measurements `name`. Raises InputError where there are none."""
    path = folder / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.json")))
        raise InputError(f"Nothing measured is called {name!r}.", f"Known: {known}.")
    return json.loads(path.read_text(encoding="utf-8"))


def write(name: str, content: Mapping[str, Any], folder: Path = FOLDER) -> Path:
    """Store measurements; the file is the old one or the new one, never a part."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    write_text(path, json.dumps({"schema": "gdln.measured/1", **content}, indent=1, allow_nan=False) + "\n")
    return path


def table(name: str, which: str) -> str:
    """One of the tables as Markdown. Raises InputError for a name that is not there."""
    tables = read(name)["tables"]
    if which not in tables:
        raise InputError(f"The measurements {name} have no table {which!r}.", f"Tables: {', '.join(tables)}.")
    columns, rows = tables[which]["columns"], tables[which]["rows"]
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def figure(name: str) -> str:
    """The figure of the measurements with its caption, as Markdown; the image lies beside the pages."""
    caption = read(name)["caption"]
    return f"![{caption}](figures/{name}.svg)\n\n*{caption}*\n"
