"""Texts of a view: its numbers as comma-separated values, and Python that prints them."""

from collections.abc import Mapping, Sequence
from csv import DictWriter
from io import StringIO
from typing import Any

import numpy as np

from theory.problem import InputError, Problem, dumps
from theory.problem.toml import tables_of


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


def python_code(problem: Problem, lines: Sequence[str]) -> str:
    """Python that stands alone: the problem as TOML, then `lines`, which may use `problem`.

    Code of the user that the problem names is allowed in a line of its own, as no file names it there.
    """
    problem_text = dumps(problem)
    if '"""' in problem_text or "\\" in problem_text:
        raise InputError(
            "The problem has a quotation that Python text cannot hold as it is.", "Load it from a file instead."
        )
    data = tables_of(problem_text, "the problem")["data"]
    code = {key: data[key] for key in ("path", "sampler") if key in data}
    allowed = ["from theory.problem.user_code import allow", "", f"allow({code!r})"] if code else [""]
    head = ["from theory.problem import loads", *allowed, f'problem = loads("""\n{problem_text}""")']
    return "\n".join([*head, *lines]) + "\n"
