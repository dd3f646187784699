"""The base of every correlation of a stationary Gaussian latent."""

from math import isqrt
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

Row = Float[np.ndarray, " n"]
Squares = Int[np.ndarray, " n"]


class Correlation:
    """A correlation R(d) of two latents at the distance d, in sites, with R(0) = 1: a definition, evaluated in float64.

    A kind is a frozen dataclass in a file of this folder; `kind` is its word in problem files. `needs_length` is True
    if R depends on the length xi. `radial` is True if R(d) is defined for every real d >= 0, and so also for the
    Euclidean distance of two sites on a grid; then the kind has `at`, and otherwise a `row` of its own.

    >>> from theory.problem.correlations import correlation_of
    >>> correlation_of("exponential", "data.correlation").at(np.array([0, 1, 4]), 2.0).round(4).tolist()
    [1.0, 0.6065, 0.3679]
    """

    kind: ClassVar[str]
    needs_length: ClassVar[bool] = True
    radial: ClassVar[bool] = True

    def at(self, squared: Int[np.ndarray, "*any"], xi: float) -> Float[np.ndarray, "*any"]:
        """R at distances whose squares are given."""
        raise NotImplementedError(f"{type(self).__name__} declares neither `at` nor `row`.")

    def row(self, squared: Squares, boundary: str, xi: float) -> Row:
        """R of site 0 with every site of one axis, on which the squared distances of the sites are given."""
        del boundary
        return self.at(squared, xi)

    def positive(self, boundary: str, isotropic: bool) -> bool:
        """Whether every matrix of R is positive semidefinite by a theorem: on an axis, or by distance on a grid."""
        del boundary, isotropic
        return False

    def never_singular(self, isotropic: bool) -> bool:
        """Whether the matrix of R is regular by a theorem, at every rational parameter, on an axis or on a grid."""
        del isotropic
        return False

    def check(self, sites: int, boundary: str) -> None:
        """Raise InputError where R is not defined on an axis of so many sites."""


def lags_of(squared: Squares) -> Squares:
    """Return the whole distances whose squares are given.

    >>> lags_of(np.array([0, 1, 4, 1])).tolist()
    [0, 1, 2, 1]
    """
    return np.array([isqrt(int(square)) for square in squared])
