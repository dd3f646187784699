"""Paths in problem and sweep files, which are relative to the folder of their file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PATHS = ("file", "path", "folder")  # keys of [data] that name files


def placed(tables: Mapping[str, Any], folder: str | Path) -> Mapping[str, Any]:
    """Return the tables of a problem file in `folder`, with the paths in [data] made absolute from there.

    >>> placed({"data": {"law": "table", "file": "data.npz"}}, "/somewhere")
    {'data': {'law': 'table', 'file': '/somewhere/data.npz'}}
    """
    data = tables.get("data")
    if not isinstance(data, Mapping):
        return tables
    paths = {key: data[key] for key in PATHS if isinstance(data.get(key), str)}
    return {**tables, "data": {**data, **{key: os.path.abspath(Path(folder) / path) for key, path in paths.items()}}}
