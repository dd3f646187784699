"""A correlation given by its spectrum."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from theory.problem.correlations.base import Correlation, Row, Squares, lags_of
from theory.problem.errors import InputError
from theory.problem.numbers import exact, shown


@dataclass(frozen=True)
class SpectrumCorrelation(Correlation):
    """R(d) = sum_q v_q cos(2 pi q d/N)/sum_q v_q over the modes q = 0, ..., N - 1 of a ring, with v_(N-q) = v_q >= 0.

    On a ring of n sites N = n, and `values` has the n // 2 + 1 numbers v_0, v_1, ...: the eigenvalues of the matrix of
    R up to a factor. On the open line `values` has the spectral density at m equally spaced frequencies from 0 to 1/2
    cycle a site, m >= n; then N = 2 m - 2, so that R is the integral of density times cos(2 pi f d) by the trapezoidal
    rule, with no distance beyond N/2. It is positive semidefinite by construction, of rank min(n, number of positive
    v_q).

    >>> SpectrumCorrelation([1, 1, 0]).row(np.array([0, 1, 4, 1]), "ring", 0.0).round(4).tolist()
    [1.0, 0.3333, -0.3333, 0.3333]
    """

    values: tuple[Fraction, ...]

    kind: ClassVar[str] = "spectrum"
    needs_length: ClassVar[bool] = False
    radial: ClassVar[bool] = False

    def __post_init__(self) -> None:
        where = "data.correlation.values"
        if not isinstance(self.values, list | tuple) or len(self.values) < 2:
            raise InputError(f"{where} = {shown(self.values)} must be a list of at least two numbers.", "One a mode.")
        values = tuple(exact(value, f"{where}[{mode}]") for mode, value in enumerate(self.values))
        negative = next((mode for mode, value in enumerate(values) if value < 0), None)
        if negative is not None:
            raise InputError(f"{where}[{negative}] = {values[negative]} is negative: no variance.", "Correct it.")
        if not any(values):
            raise InputError(f"{where} are all 0: the latent would have no variance.", "Give a positive one.")
        object.__setattr__(self, "values", values)

    def modes(self, sites: int, boundary: str) -> tuple[Fraction, ...]:
        """v_0, ..., v_(N-1) on an axis of so many sites."""
        self.check(sites, boundary)
        N = sites if boundary != "open" else 2 * len(self.values) - 2
        return tuple(self.values[min(q, N - q)] for q in range(N))

    def check(self, sites: int, boundary: str) -> None:
        """Raise InputError for the wrong number of values."""
        half, given = sites // 2 + 1, len(self.values)
        if boundary != "open" and given != half:
            raise InputError(
                f"data.correlation.values has {given} values; a ring of {sites} sites has the modes 0 to {half - 1}.",
                f"Give {half} values: mode q and mode {sites} - q share one.",
            )
        if boundary == "open" and given < sites:
            raise InputError(
                f"data.correlation.values has {given} values; the density needs at least n = {sites} frequencies from "
                "0 to 1/2 cycle a site, or the trapezoidal rule repeats itself within the line.",
                "Sample the density more finely.",
            )

    def row(self, squared: Squares, boundary: str, xi: float) -> Row:
        """The cosine sum at each distance."""
        del xi
        modes = np.array([float(value) for value in self.modes(len(squared), boundary)])
        by_lag = np.fft.fft(modes).real / modes.sum()
        return by_lag[lags_of(squared)]

    def positive(self, boundary: str, isotropic: bool) -> bool:
        """True: no mode is negative."""
        del boundary, isotropic
        return True
