"""Tables and texts of a view: its numbers for the page, as comma-separated values, and Python that prints them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from derivations.sweeps.table import csv_text
from theory.problem import InputError, Problem, dumps
from theory.problem.toml import tables_of


def table_csv(columns: Mapping[str, np.ndarray]) -> str:
    """Named columns of equal length as comma-separated values; numbers in full.

    >>> table_csv({"site": np.arange(2), "w, exact": np.array([0.5, 1.0])})
    'site,"w, exact"\\n0,0.5\\n1,1.0\\n'
    """
    return csv_text(
        dict(zip(columns, row, strict=True)) for row in zip(*(c.tolist() for c in columns.values()), strict=True)
    )


def page_table(rows: Sequence[Mapping[str, Any]], described: Mapping[str, Mapping[str, Any]] = {}) -> dict[str, Any]:
    """Rows as a table of the page, a column for each key; `described` are its unit and its digits, where it has any.

    >>> page_table([{"site": 1, "w": 0.5}], {"w": {"digits": 3}})
    {'columns': [{'name': 'site'}, {'name': 'w', 'digits': 3}], 'rows': [[1, 0.5]]}
    """
    columns = [{"name": key, **described.get(key, {})} for key in (rows[0] if rows else ())]
    return {"columns": columns, "rows": [list(row.values()) for row in rows]}


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
