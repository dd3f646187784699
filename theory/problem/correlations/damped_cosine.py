"""The damped cosine."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.correlations.base import Correlation
from theory.problem.numbers import positive


@dataclass(frozen=True)
class DampedCosineCorrelation(Correlation):
    """R(d) = exp(-d/xi) cos(2 pi d/wavelength), the wavelength in sites.

    On the open line it is a product of two positive definite functions. By Euclidean distance on a grid, and on a ring,
    it is positive for some lengths only.

    >>> DampedCosineCorrelation(8).at(np.array([0, 4, 16]), 2.0).round(4).tolist()
    [1.0, 0.0, -0.1353]
    """

    wavelength: Fraction

    kind: ClassVar[str] = "damped-cosine"

    def __post_init__(self) -> None:
        value = positive(self.wavelength, "data.correlation.wavelength", "it is a wavelength in sites")
        object.__setattr__(self, "wavelength", value)

    def at(self, squared: Int[np.ndarray, "*any"], xi: float) -> Float[np.ndarray, "*any"]:
        """exp(-d/xi) cos(2 pi d/wavelength)."""
        d = np.sqrt(squared)
        return np.exp(-d / xi) * np.cos(2 * np.pi * np.mod(d / float(self.wavelength), 1.0))

    def never_singular(self, isotropic: bool) -> bool:
        """True along axes; on a grid there are cosines that are not algebraic, on which the theorem says nothing."""
        return not isotropic

    def positive(self, boundary: str, isotropic: bool) -> bool:
        """True on the open line."""
        return boundary == "open" and not isotropic
