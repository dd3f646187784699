"""The Gaussian correlation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.correlations.base import Correlation


@dataclass(frozen=True)
class GaussianCorrelation(Correlation):
    """R(d) = exp(-d^2/xi^2).

    It is positive definite on the open line and grid for every xi, and on a ring of n sites only for short ones. Its
    matrix is never singular: the determinant is a polynomial in exp(-1/xi^2) with constant term 1, and this number is
    transcendental for rational xi.

    >>> GaussianCorrelation().at(np.array([0, 4]), 2.0).round(4).tolist()
    [1.0, 0.3679]
    """

    kind: ClassVar[str] = "gaussian"

    def at(self, squared: Int[np.ndarray, "*any"], xi: float) -> Float[np.ndarray, "*any"]:
        """exp(-d^2/xi^2)."""
        return np.exp(-squared / xi**2)

    def never_singular(self, isotropic: bool) -> bool:
        """True: the determinant is a sum of exponentials of different algebraic numbers, with coefficient 1 at 0."""
        del isotropic
        return True

    def positive(self, boundary: str, isotropic: bool) -> bool:
        """True on the open line and grid: its Fourier transform is positive."""
        del isotropic
        return boundary == "open"


GAUSSIAN = GaussianCorrelation()
