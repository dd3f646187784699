"""Statistics of spins x in {-1, 1}^n of one class, from the means of products of spins."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from theory.moments.inputs import InputStatistics, Sites, Values


@runtime_checkable
class Products(Protocol):
    """Means of products of spins, in float64."""

    def second(self, sites: tuple[int, ...]) -> Float[np.ndarray, "n n"]:
        """E[prod_{i in sites} x_i x_j x_k] for all j, k."""

    def product_mean(self, *sites: Sites) -> Float[np.ndarray, "..."]:
        """E prod x_site, elementwise over arrays of sites."""


@dataclass(frozen=True, eq=False)
class SpinInputs(InputStatistics):
    """Statistics of n spins: with m_j = E x_j the variance is 1 - m_j^2, and central moments are sums over subsets.

    Absolute errors are roundings of 1. `alike` is True where every site has the same distribution.

    Independent spins with the mean m = tanh h have the third moment -2 m (1 - m^2) at a site:

    >>> from theory.moments.inputs import input_statistics
    >>> from theory.problem.distributions.ising import Ising
    >>> found, m = input_statistics(Ising(3, "ring", (1, 0), beta=(0, 0), h=(1, 0)), 0), np.tanh(1)
    >>> np.abs(found.third(1, 1, 1) + 2 * m * (1 - m**2)).round(14).item(), found.variance.round(4).tolist()
    (0.0, [0.42, 0.42, 0.42])
    """

    products: Products
    n: int
    alike: bool

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        """E x_j."""
        return self.products.product_mean(np.arange(self.n))

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """E x_i x_j - m_i m_j."""
        together = self.products.second(())
        np.fill_diagonal(together, 1.0)
        return together - np.multiply.outer(self.mean, self.mean)

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """Sum over the subsets of three sites."""
        return self._central(i, j, k)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """Sum over the subsets of four sites."""
        return self._central(i, j, k, l)

    def _central(self, *sites: Sites) -> Float[np.ndarray, "..."]:
        """E prod (x_s - m_s), the sum over the subsets A of E prod_A x_s prod_others (-m_s)."""
        if not self.mean.any():
            return self._of_distinct(*sites)
        places, total = range(len(sites)), 0.0
        for size in range(len(sites) + 1):
            for chosen in combinations(places, size):
                others = prod(-self.mean[sites[p]] for p in places if p not in chosen)
                total = total + self._of_distinct(*(sites[p] for p in chosen)) * others
        return np.asarray(total)

    def _of_distinct(self, *sites: Sites) -> Float[np.ndarray, "..."]:
        """E prod x_s where a site that occurs twice drops out, exactly."""
        if not sites:
            return np.ones(())
        rows = np.sort(np.stack(np.broadcast_arrays(*sites)), axis=0)
        left = np.ones(rows.shape, dtype=bool)
        for k in range(1, len(rows)):
            twice = left[k - 1] & (rows[k] == rows[k - 1])
            left[k - 1 : k + 1] &= ~twice
        found, remaining = np.ones(rows.shape[1:]), left.sum(axis=0)
        for count in range(1, len(rows) + 1):
            here = remaining == count
            if here.any():
                own = np.moveaxis(rows, 0, -1)[here][np.moveaxis(left, 0, -1)[here]].reshape(-1, count)
                found[here] = self.products.product_mean(*own.T)
        return found

    def marginal(self, site: int) -> Values:
        """-1 with the probability (1 - m)/2, else 1."""
        m = self.mean[site].item()
        return Values((-1, 1), ((1 - m) / 2, (1 + m) / 2))
