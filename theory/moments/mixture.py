"""Mixtures of laws inside each class: statistics by the law of total moments, and moments through gates as sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import Arithmetic
from theory.moments.elliptical import through_gates
from theory.moments.feature_moments import FeatureMoments, exactly, feature_moments, law_moments
from theory.moments.inputs import (
    Density,
    InputStatistics,
    Marginal,
    Sites,
    Values,
    input_statistics,
    input_statistics_of,
    tallied,
)
from theory.moments.mixed import mixed
from theory.moments.nonlinear_gp_matrix import require_no_scale
from theory.moments.nonlinearities.gates import basis_of, check_gates, independent
from theory.moments.pairs import of_any_rank
from theory.moments.process import process_moments
from theory.moments.statistics import statistics_of
from theory.problem import Law, Network, OutOfReachError
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.mixture import Mixture
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix


@dataclass(frozen=True, eq=False)
class MixtureInputs(InputStatistics):
    """The inputs of a class whose components have the statistics `parts`, with their `weights`.

    About the mean of the class, component k has its own central moments and the deviation d = m_k - m of its mean:
    E xi_i xi_j = C_ij + d_i d_j, and so on for three and four sites.

    Two points at +-1 with weights 1/4 and 3/4 have the mean 1/2 and the variance 3/4:

    >>> from theory.problem import FiniteData
    >>> points = [input_statistics(FiniteData([[x]], [1]), 0) for x in (-1, 1)]
    >>> both = MixtureInputs((Fraction(1, 4), Fraction(3, 4)), points)
    >>> both.mean.tolist(), both.covariance.tolist(), both.third(0, 0, 0).item()
    ([0.5], [[0.75]], -0.75)
    """

    weights: Sequence[Fraction]
    parts: Sequence[InputStatistics]

    @cached_property
    def _shares(self) -> list[float]:
        return [float(weight) for weight in self.weights]

    @cached_property
    def alike(self) -> bool:
        """Whether all sites have the same distribution: so they have in every component."""
        return all(part.alike for part in self.parts)

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        """The mean over the components."""
        return sum(w * part.mean for w, part in zip(self._shares, self.parts, strict=True))

    @cached_property
    def _off(self) -> list[Float[np.ndarray, " n"]]:
        return [part.mean - self.mean for part in self.parts]

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """The mean of C_k + d_k d_k^T."""
        terms = zip(self._shares, self.parts, self._off, strict=True)
        return sum(w * (part.covariance + np.outer(d, d)) for w, part, d in terms)

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """The mean of T_ijk + d_i C_jk + d_j C_ik + d_k C_ij + d_i d_j d_k."""
        total = 0.0
        for w, part, d in zip(self._shares, self.parts, self._off, strict=True):
            C = part.covariance
            crossed = d[i] * C[j, k] + d[j] * C[i, k] + d[k] * C[i, j]
            total = total + w * (part.third(i, j, k) + crossed + d[i] * d[j] * d[k])
        return np.asarray(total)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """The mean of F_ijkl + sum_4 d_i T_jkl + sum_6 d_i d_j C_kl + d_i d_j d_k d_l."""
        total, sites = 0.0, (i, j, k, l)
        for w, part, d in zip(self._shares, self.parts, self._off, strict=True):
            own = part.fourth(*sites) + d[i] * d[j] * d[k] * d[l]
            for place, site in enumerate(sites):
                own = own + d[site] * part.third(*(other for at, other in enumerate(sites) if at != place))
            for a, b in combinations(range(4), 2):
                rest = [sites[at] for at in range(4) if at not in (a, b)]
                own = own + d[sites[a]] * d[sites[b]] * part.covariance[rest[0], rest[1]]
            total = total + w * own
        return np.asarray(total)

    def marginal(self, site: int) -> Marginal:
        """The mixture of the marginals. Raises OutOfReachError for a density beside values with probabilities."""
        found = [part.marginal(site) for part in self.parts]
        if all(isinstance(own, Values) for own in found):
            pairs = zip(self.weights, found, strict=True)
            return tallied((x, w * p) for w, own in pairs for x, p in zip(own.values, own.probabilities, strict=True))
        if not all(isinstance(own, Density) for own in found):
            raise OutOfReachError(
                "Some components have a density and others finitely many values: the mixture's marginal has neither.",
                "Ask for the marginals of the components.",
            )
        return Density(
            lambda x: sum(w * own.density(x) for w, own in zip(self._shares, found, strict=True)),
            lambda x: sum(w * own.cumulative(x) for w, own in zip(self._shares, found, strict=True)),
            min(own.low for own in found),
            max(own.high for own in found),
        )


@input_statistics_of.register
def _(law: Mixture, c: int) -> MixtureInputs:
    parts = law.of_class(c)
    return MixtureInputs([part.weight for part in parts], [input_statistics(part.law, 0) for part in parts])


@law_moments.register
def _(law: Mixture, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    centred = not any(part.means for _, part in law.parts)
    found = []
    for k, (share, part) in enumerate(law.parts):
        try:
            found.append((share, _features(part, network, arithmetic, centred)))
        except OutOfReachError as error:
            place = f"data.components[{k}], whose one class counts as class 0"
            raise OutOfReachError(f"{place}: {error.message}", error.hint, error.kind) from None
    return of_any_rank(mixed(found, arithmetic), any(_certain(part, network, centred) for _, part in law.parts))


def _certain(law: Law, network: Network, centred: bool) -> bool:
    """Whether the features of a component certainly depend on each other as its gates do, and in no other way.

    One such component is enough: the range of a sum of positive semidefinite matrices has that of each. Components of
    other laws are refused where they are not such.
    """
    if isinstance(law, NonlinearGPMatrix):
        return law.regular and independent(law, basis_of(law, network, centred))
    return law.regular if isinstance(law, Gaussian) else True


def _features(law: Law, network: Network, arithmetic: Arithmetic, centred: bool) -> FeatureMoments:
    """Return the moments of a component; of processes over the half-spaces that all components have."""
    if isinstance(law, Elliptical):
        return through_gates(law, network, arithmetic, centred)
    if exactly(statistics_of, law) is statistics_of.registry[object]:
        return feature_moments(law, network, arithmetic)
    if isinstance(law, NonlinearGPMatrix):
        require_no_scale(law, network)
        check_gates(law, network, basis_of(law, network, centred))
    return process_moments(law, network, arithmetic, centred)
