"""Numbers of a view as comma-separated values."""

from collections.abc import Mapping, Sequence
from csv import DictWriter
from io import StringIO
from typing import Any

import numpy as np


def table_csv(columns: dict[str, np.ndarray]) -> str:
    """Named columns of equal length as comma-separated values; numbers in full."""
    lines = [",".join(f'"{name}"' for name in columns)]
    lines += [
        ",".join(repr(value) for value in row) for row in zip(*(c.tolist() for c in columns.values()), strict=True)
    ]
    return "\n".join(lines) + "\n"


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of one table as comma-separated values under their keys.

    >>> rows_csv([{"x": 1, "y": "a, b"}])
    'x,y\\r\\n1,"a, b"\\r\\n'
    """
    file = StringIO()
    writer = DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()
