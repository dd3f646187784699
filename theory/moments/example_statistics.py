"""Statistics of inputs that are finitely many examples with probabilities: sums over them, in float64."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from theory.moments.inputs import InputStatistics, Sites, Values, tallied


@dataclass(frozen=True, eq=False)
class ExampleStatistics(InputStatistics):
    """The statistics of examples x[e] with probabilities p[e] that sum to 1.

    >>> found = ExampleStatistics(np.array([[0.0], [3.0]]), np.array([2 / 3, 1 / 3]))
    >>> found.mean.round(12).tolist(), found.variance.round(12).tolist(), found.skewness.round(6).tolist()
    ([1.0], [2.0], [0.707107])
    """

    x: Float[np.ndarray, "N n"]
    p: Float[np.ndarray, " N"]

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        """sum_e p_e x_e."""
        return self.x[0] + self.p @ (self.x - self.x[0])

    @cached_property
    def _off(self) -> Float[np.ndarray, "N n"]:
        apart = self.x - self.x[0]  # so that a site at which all examples agree has the variance 0
        return apart - self.p @ apart

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """sum_e p_e (x_e - m)(x_e - m)^T."""
        return (self.p[:, None] * self._off).T @ self._off

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """sum_e p_e of the product of three deviations."""
        off = self._off
        return np.tensordot(self.p, off[:, i] * off[:, j] * off[:, k], 1)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """sum_e p_e of the product of four deviations."""
        off = self._off
        return np.tensordot(self.p, off[:, i] * off[:, j] * off[:, k] * off[:, l], 1)

    def marginal(self, site: int) -> Values:
        """The values of the examples at the site."""
        return tallied(zip(self.x[:, site].tolist(), self.p.tolist(), strict=True))


def of_class(x: np.ndarray, category: np.ndarray, probabilities: np.ndarray, c: int) -> ExampleStatistics:
    """Return the statistics of the examples of class `c`, whose probabilities are divided by their sum.

    >>> of_class(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 1]), np.full(3, 1 / 3), 1).mean.tolist()
    [3.0]
    """
    mine = category == c
    return ExampleStatistics(x[mine], probabilities[mine] / probabilities[mine].sum())
