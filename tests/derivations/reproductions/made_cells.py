"""Cells of experiments made by hand, and their measures beside the values that the rules give for them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Cell, Setting

Expected = Mapping[str, Sequence[float]]  # of each statement, one value for each run


def runs(setting: Setting, numbers: Mapping[str, Sequence[Any]]) -> list[Cell]:
    """Return the cells of a setting, one run each, the last seed first; every number has an entry for each run.

    >>> [cell.numbers["loss"].tolist() for cell in runs({}, {"loss": (1, 2)})]
    [[2.0], [1.0]]
    """
    (count,) = {len(values) for values in numbers.values()}
    return [
        Cell(setting, index, {name: np.array([values[index]], dtype=float) for name, values in numbers.items()})
        for index in reversed(range(count))
    ]


def wrong(name: str, cells: Sequence[Cell], expected: Expected, tolerance: float) -> dict[str, Any]:
    """Return the statements whose measured values differ from those expected by more than the tolerance.

    An order is put so that it states a positive mean. Where an expected value of an order is not positive, the cells
    are not made as they should be, and the statement is returned too.
    """
    one = reproductions()[name]
    orders = {target.key for target in one.targets if target.value is None}
    measured, found = one.measure(cells), {}
    for key, values in expected.items():
        if key in orders and min(values) <= 0:
            found[key] = "the statement does not hold of these cells"
        elif np.shape(measured[key]) != np.shape(values) or not (np.abs(measured[key] - values) <= tolerance).all():
            found[key] = (np.asarray(measured[key]).tolist(), list(values))
    return found
