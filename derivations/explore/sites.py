"""The sites and units that views show: the row of a grid, the units side by side."""

import numpy as np

from theory.problem import Law


def grid(law: Law) -> tuple[int, int] | None:
    """Rows and columns of a law whose sites form a grid; None where they lie on a line or ring."""
    return getattr(law, "shape", None)


def sites_of(law: Law) -> dict[str, np.ndarray]:
    """The columns that name the sites in a table: the number, and on a grid row and column."""
    site = np.arange(law.n)
    shape = grid(law)
    return {"site": site} if shape is None else {"site": site, "row": site // shape[1], "column": site % shape[1]}


def through(site: int, shape: tuple[int, int]) -> slice:
    """The sites of the grid's row that holds `site`.

    >>> through(5, (3, 4))
    slice(4, 8, None)
    """
    first = site - site % shape[1]
    return slice(first, first + shape[1])


def panels(units: int, chosen: int, most: int = 3) -> range:
    """Up to `most` units side by side, the chosen one among them.

    >>> panels(5, 4)
    range(2, 5)
    """
    first = max(0, min(chosen - most // 2, units - most))
    return range(first, min(first + most, units))
