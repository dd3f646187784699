"""Statistics of the inputs of one class of a law: mean, covariance, third and fourth moments, spectrum, marginals.

    input_statistics(law, c)   the statistics of class c, class means included
    InputStatistics            the base of what each law gives, in the file of this folder that has its name
    Density, Values            the marginal law of one site, with a density or with finitely many values

Numbers are float64, in the units of x and their powers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from theory.moments.feature_moments import exactly
from theory.problem import Law, OutOfReachError

Sites = Int[np.ndarray, "..."] | int
Function = Callable[[Float[np.ndarray, "*any"]], Float[np.ndarray, "*any"]]


@dataclass(frozen=True)
class Density:
    """A marginal with the density p(x), in units of 1/x, and P(x_j <= x); its support is [low, high].

    Both functions take arrays of any x: beyond the support the density is 0 and the distribution 0 or 1.

    >>> uniform = Density(lambda x: (np.abs(x) < 1) / 2, lambda x: (np.clip(x, -1, 1) + 1) / 2, -1.0, 1.0)
    >>> uniform.cumulative(np.array([-2.0, 0.5])).tolist(), uniform.moved(3.0).high
    ([0.0, 0.75], 4.0)
    """

    density: Function
    cumulative: Function
    low: float
    high: float

    def moved(self, by: float) -> "Density":
        """Return the marginal of x + by."""
        return Density(lambda x: self.density(x - by), lambda x: self.cumulative(x - by), self.low + by, self.high + by)


@dataclass(frozen=True)
class Values:
    """A marginal of finitely many values, ascending, with their probabilities, which are fractions where exact.

    >>> Values((0, 1), (Fraction(3, 4), Fraction(1, 4))).moved(-1).values
    (-1, 0)
    """

    values: tuple[Any, ...]
    probabilities: tuple[Any, ...]

    def moved(self, by: Any) -> "Values":
        """Return the marginal of x + by."""
        return Values(tuple(x + by for x in self.values), self.probabilities)


Marginal = Density | Values


def tallied(pairs: Any) -> Values:
    """Return the marginal of values given with their probabilities; equal values are added up.

    >>> tallied([(1, Fraction(1, 2)), (0, Fraction(1, 4)), (1, Fraction(1, 4))])
    Values(values=(0, 1), probabilities=(Fraction(1, 4), Fraction(3, 4)))
    """
    total: dict[Any, Any] = {}
    for x, p in pairs:
        total[x] = total.get(x, 0) + p
    return Values(tuple(sorted(total)), tuple(total[x] for x in sorted(total)))


class InputStatistics(ABC):
    """Exact statistics of the inputs x in R^n of one class.

    A law that lacks one of them raises OutOfReachError where it is asked for. `alike` is True where all sites have the
    same distribution.

    >>> from theory.problem import FiniteData
    >>> found = input_statistics(FiniteData([[1, 0], [0, 1]], [1, 1]), 0)
    >>> found.mean.tolist(), found.covariance.tolist(), found.kurtosis.tolist()
    ([0.5, 0.5], [[0.25, -0.25], [-0.25, 0.25]], [-2.0, -2.0])
    """

    alike: bool = False

    @property
    @abstractmethod
    def mean(self) -> Float[np.ndarray, " n"]:
        """m_j = E x_j."""

    @property
    @abstractmethod
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """E (x_i - m_i)(x_j - m_j)."""

    @abstractmethod
    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """E (x_i - m_i)(x_j - m_j)(x_k - m_k), elementwise over arrays of sites."""

    @abstractmethod
    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """E (x_i - m_i)(x_j - m_j)(x_k - m_k)(x_l - m_l), elementwise over arrays of sites."""

    @abstractmethod
    def marginal(self, site: int) -> Marginal:
        """The law of x_site."""

    @property
    def variance(self) -> Float[np.ndarray, " n"]:
        """Var x_j."""
        return np.diagonal(self.covariance).copy()

    @property
    def spectrum(self) -> Float[np.ndarray, " n"]:
        """The eigenvalues of the covariance, descending."""
        return np.linalg.eigvalsh(self.covariance)[::-1]

    @property
    def skewness(self) -> Float[np.ndarray, " n"]:
        """E(x_j - m_j)^3/Var^(3/2). Raises OutOfReachError where a site has a single value."""
        site, variance = np.arange(len(self.mean)), self._spread("skewness")
        return self.third(site, site, site) / variance**1.5

    @property
    def kurtosis(self) -> Float[np.ndarray, " n"]:
        """E(x_j - m_j)^4/Var^2 - 3. Raises OutOfReachError where a site has a single value."""
        site, variance = np.arange(len(self.mean)), self._spread("kurtosis")
        if self.alike:
            one = self.fourth(site[:1], site[:1], site[:1], site[:1]) / variance[:1] ** 2 - 3
            return np.repeat(one, len(site))
        return self.fourth(site, site, site, site) / variance**2 - 3

    def _spread(self, name: str) -> Float[np.ndarray, " n"]:
        variance = self.variance
        if not (variance > 0).all():
            site = int(np.argmin(variance))
            raise OutOfReachError(
                f"Site {site} has the value {self.mean[site]:.6g} always, so that its {name} is undefined.",
                "Leave the site out, or let it vary.",
            )
        return variance


@dataclass(frozen=True)
class _Moved(InputStatistics):
    """The statistics of x + by, where `of` are those of x."""

    of: InputStatistics
    by: tuple[Fraction, ...]

    @cached_property
    def alike(self) -> bool:
        return self.of.alike and len(set(self.by)) == 1

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        return self.of.mean + np.array(self.by, float)

    @property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        return self.of.covariance

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        return self.of.third(i, j, k)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        return self.of.fourth(i, j, k, l)

    def marginal(self, site: int) -> Marginal:
        found = self.of.marginal(site)
        return found.moved(float(self.by[site]) if isinstance(found, Density) else self.by[site])


@singledispatch
def input_statistics_of(law: Any, c: int) -> InputStatistics:
    """Return the statistics of class `c` of a law without class means; each law's file registers its function.

    >>> input_statistics_of("a law that nobody wrote", 0)
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The law str has no exact statistics of its inputs; these have them: ...
    """
    del c
    known = ", ".join(sorted(kind.__name__ for kind in input_statistics_of.registry if kind is not object))
    raise OutOfReachError(
        f"The law {type(law).__name__} has no exact statistics of its inputs; these have them: {known}.",
        f"Sample it, or register them in theory/moments/{type(law).__module__.rpartition('.')[2]}.py.",
    )


def input_statistics(law: Law, c: int) -> InputStatistics:
    """Return the exact statistics of class `c` of a law. Raises OutOfReachError for a law without them.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0), means=(1, 0))
    >>> found = input_statistics(law, 0)
    >>> found.mean[0].item(), found.marginal(0)
    (1.0875, Values(values=(Fraction(1, 1), Fraction(2, 1)), probabilities=(Fraction(73, 80), Fraction(7, 80))))
    """
    found = exactly(input_statistics_of, law)(replace(law, means=()) if law.means else law, c)
    return _Moved(found, law.means[c]) if law.means else found


def second_moments(law: Law) -> Float[np.ndarray, "C n n"]:
    """Return E[x x^T | class c] for every class, in float64.

    >>> from theory.problem import FiniteData
    >>> second_moments(FiniteData([[1, 0], [1, 1]], [1, 0])).tolist()
    [[[1.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]]
    """
    found = [input_statistics(law, c) for c in range(law.classes)]
    return np.stack([own.covariance + np.multiply.outer(own.mean, own.mean) for own in found])
