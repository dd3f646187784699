"""A correlation given by its values."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from theory.problem.correlations.base import Correlation, Row, Squares, lags_of
from theory.problem.errors import InputError
from theory.problem.numbers import exact, shown


@dataclass(frozen=True)
class TableCorrelation(Correlation):
    """R(d) = values[d] for whole distances d, and 0 beyond the last value: exact numbers from values[0] = 1 on.

    >>> law = TableCorrelation([1, "1/2", "1/4"])
    >>> law.row(np.array([0, 1, 4, 9]), "open", 0.0).tolist()
    [1.0, 0.5, 0.25, 0.0]
    """

    values: tuple[Fraction, ...]

    kind: ClassVar[str] = "table"
    needs_length: ClassVar[bool] = False
    radial: ClassVar[bool] = False

    def __post_init__(self) -> None:
        where = "data.correlation.values"
        if not isinstance(self.values, list | tuple) or not self.values:
            raise InputError(f"{where} = {shown(self.values)} must be a list of numbers.", 'Such as [1, "1/2", "1/4"].')
        values = tuple(exact(value, f"{where}[{lag}]") for lag, value in enumerate(self.values))
        if values[0] != 1:
            raise InputError(f"{where}[0] = {values[0]} must be 1: a correlation at distance 0.", "Divide by it.")
        large = next((lag for lag, value in enumerate(values) if abs(value) > 1), None)
        if large is not None:
            raise InputError(f"{where}[{large}] = {values[large]} is no correlation: it exceeds 1.", "Correct it.")
        object.__setattr__(self, "values", values)

    def check(self, sites: int, boundary: str) -> None:
        """Raise InputError for values at distances that no two sites have."""
        farthest = sites - 1 if boundary == "open" else sites // 2
        if len(self.values) > farthest + 1:
            raise InputError(
                f"data.correlation.values has {len(self.values)} values; {sites} sites with boundary = {boundary!r} "
                f"have the distances 0 to {farthest}.",
                "Leave out the values beyond.",
            )

    def row(self, squared: Squares, boundary: str, xi: float) -> Row:
        """The value at each distance."""
        del boundary, xi
        lags = lags_of(squared)
        values = np.array([float(value) for value in self.values])
        return np.where(lags < len(values), values[np.minimum(lags, len(values) - 1)], 0.0)
