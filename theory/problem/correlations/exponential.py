"""The exponential correlation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.correlations.base import Correlation


@dataclass(frozen=True)
class ExponentialCorrelation(Correlation):
    """R(d) = exp(-d/xi), that of a Markov chain on the line: the Matern correlation of smoothness 1/2.

    It is positive definite on the line, and on the ring for every xi and n; by Euclidean distance on the open grid.

    >>> ExponentialCorrelation().at(np.array([0, 4]), 2.0).round(4).tolist()
    [1.0, 0.3679]
    """

    kind: ClassVar[str] = "exponential"

    def at(self, squared: Int[np.ndarray, "*any"], xi: float) -> Float[np.ndarray, "*any"]:
        """exp(-d/xi)."""
        return np.exp(-np.sqrt(squared) / xi)

    def never_singular(self, isotropic: bool) -> bool:
        """True: the determinant is a sum of exponentials of different algebraic numbers, with coefficient 1 at 0."""
        del isotropic
        return True

    def positive(self, boundary: str, isotropic: bool) -> bool:
        """True on the line, and on the ring by the claim `correlation.ring.determinant`.

        By Euclidean distance it is a mixture of Gaussian correlations on the open grid; wrapping breaks that.
        """
        return boundary == "open" or not isotropic
