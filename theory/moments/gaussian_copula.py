"""Statistics of sites with finitely many values and a Gaussian copula.

x_i is a step function of z_i with the jumps D_a at the thresholds t_a. By Plackett's identity, the derivative of
P(z_i >= a, z_j >= b) by the correlation r is the density of the two latents at (a, b); hence, with r = sin u,

    Cov(x_i, x_j) = sum_ab D_a D_b int_0^(asin r) exp(-(a^2 - 2 a b sin u + b^2)/(2 cos^2 u)) du/(2 pi).
"""

from dataclasses import dataclass
from functools import cached_property
from math import asin, pi

import numpy as np
from jaxtyping import Float

from theory.moments.inputs import InputStatistics, Sites, Values, input_statistics_of
from theory.problem import OutOfReachError
from theory.problem.distributions.gaussian_copula import GaussianCopula

NODES, HALVINGS = 16, 48  # of a panel; panels halve towards |u| = pi/2, where the integrand turns steeply
AT_ONCE = 2**18  # numbers of an integrand
_UNIT, _WEIGHT = np.polynomial.legendre.leggauss(NODES)


@dataclass(frozen=True)
class Steps:
    """A site as a step function of its latent: the jumps at finite thresholds.

    >>> fair = Steps(np.array([0.0]), np.array([2.0]))
    >>> round(fair.covariance(fair, 0.5) * 3, 12)  # (2/pi) asin(1/2)
    1.0
    """

    thresholds: Float[np.ndarray, " a"]
    jumps: Float[np.ndarray, " a"]

    @classmethod
    def of(cls, law: GaussianCopula, c: int, site: int) -> "Steps":
        """Return the steps of a site in class `c`."""
        thresholds, jumps = law.thresholds[c, site], np.diff(law.levels[c, site])
        kept = np.isfinite(thresholds) & (jumps > 0)
        return cls(thresholds[kept], jumps[kept])

    def covariance(self, other: "Steps", rho: float) -> float:
        """Return the covariance of two sites whose latents have the correlation rho."""
        end = asin(abs(rho))
        ends = pi / 2 * (1 - 0.5 ** np.arange(HALVINGS))
        edges = np.append(ends[ends < end], end)
        half = np.diff(edges)[:, None] / 2
        u = (edges[:-1, None] + half * (1 + _UNIT)).ravel()
        weight = (half * _WEIGHT).ravel() * np.sign(rho) / (2 * pi)
        a, b = self.thresholds[:, None], other.thresholds[None, :]
        total, step = 0.0, max(1, AT_ONCE // (a.size * b.size + 1))
        for first in range(0, len(u), step):
            at, own = u[first : first + step, None, None], weight[first : first + step]
            # (a - s b)^2 + (1 - s^2) b^2 = a^2 - 2 a b s + b^2, without cancellation as s -> 1
            square = (a - np.sign(rho) * np.sin(at) * b) ** 2 / np.cos(at) ** 2 + b * b
            total += float(own @ (np.exp(-square / 2) @ other.jumps @ self.jumps))
        return total


@dataclass(frozen=True, eq=False)
class CopulaInputs(InputStatistics):
    """The inputs of class `c`.

    >>> law = GaussianCopula([1], [[[0, 1], [0, 1]]], [[["1/2", "1/2"], ["1/4", "3/4"]]])
    >>> found = CopulaInputs(law, 0)
    >>> found.mean.tolist(), found.covariance.tolist()
    ([0.5, 0.75], [[0.25, 0.0], [0.0, 0.1875]])
    """

    law: GaussianCopula
    c: int

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        """The sums of values times probabilities."""
        return (self.law.levels[self.c] * self.law.weights[self.c]).sum(axis=1)

    @cached_property
    def _off(self) -> Float[np.ndarray, "n V"]:
        return self.law.levels[self.c] - self.mean[:, None]

    def _central(self, order: int) -> Float[np.ndarray, " n"]:
        return (self.law.weights[self.c] * self._off**order).sum(axis=1)

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """The integral above for each pair of sites."""
        found = np.diag(self._central(2))
        if self.law.matrices is None:
            return found
        steps = [Steps.of(self.law, self.c, site) for site in range(self.law.n)]
        for i in range(self.law.n):
            for j in range(i):
                found[i, j] = found[j, i] = steps[i].covariance(steps[j], float(self.law.matrices[self.c, i, j]))
        return found

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """That of one site; of different ones 0 where they are independent, otherwise OutOfReachError."""
        i, j, k = np.broadcast_arrays(i, j, k)
        same = (i == j) & (j == k)
        self._require(bool(same.all()), "third")
        return np.where(same, self._central(3)[i], 0.0)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """That of one site; of two independent pairs the product of variances, otherwise OutOfReachError."""
        i, j, k, l = np.broadcast_arrays(i, j, k, l)
        same = (i == j) & (j == k) & (k == l)
        self._require(bool(same.all()), "fourth")
        paired = ((i == j) & (k == l)) | ((i == k) & (j == l)) | ((i == l) & (j == k))
        second = self._central(2)
        # In a pair of pairs, the site that differs from i is the largest or the smallest of all.
        highest, lowest = (extreme.reduce([i, j, k, l]) for extreme in (np.maximum, np.minimum))
        return np.where(same, self._central(4)[i], np.where(paired, second[highest] * second[lowest], 0.0))

    def _require(self, same: bool, order: str) -> None:
        if not same and self.law.matrices is not None:
            raise OutOfReachError(
                f"The {order} moments of different sites of a Gaussian copula are integrals over all of them.",
                "Ask for those of one site, or leave the correlation out.",
            )

    def marginal(self, site: int) -> Values:
        """The values of the site that have a probability."""
        pairs = zip(self.law.levels[self.c, site].tolist(), self.law.weights[self.c, site].tolist(), strict=True)
        kept = [(x, p) for x, p in pairs if p > 0]
        return Values(tuple(x for x, _ in kept), tuple(p for _, p in kept))


@input_statistics_of.register
def _(law: GaussianCopula, c: int) -> CopulaInputs:
    return CopulaInputs(law, c)
