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


def drawn(*names: str, shape: int | None = None, low: float = 1.0, seed: int = 0) -> dict[str, np.ndarray]:
    """Return random values between `low` and 99 for two runs of each name, alone or as series of a length."""
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(low, 99, (2,) if shape is None else (2, shape)) for name in names}


def wrong(name: str, cells: Sequence[Cell], expected: Expected, tolerance: float) -> dict[str, Any]:
    """Return the statements whose measured values differ from those expected by more than the tolerance."""
    one = reproductions()[name]
    measured = one.measure(cells)
    assert set(expected) <= set(measured) <= {target.key for target in one.targets}
    return {
        key: (np.asarray(measured[key]).tolist(), list(values))
        for key, values in expected.items()
        if np.shape(measured[key]) != np.shape(values) or not (np.abs(measured[key] - values) <= tolerance).all()
    }
