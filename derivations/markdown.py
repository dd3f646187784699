"""Markdown that every room writes."""

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A table whose cells are Markdown already.

    >>> table(["n", "loss"], [["40", "0.28"]])
    '| n | loss |\n| --- | --- |\n| 40 | 0.28 |\n'
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"
