"""Gaussian inputs with a covariance matrix for each class, through gates of half-spaces.

The formulas are those of the Gaussian clone at variance 1, with the covariances in place of the correlations: then
r_k = (C v)_k/sqrt(v'Cv) is the standard deviation of x_k times its correlation with the direction v, so that for a sign
s of v.x, E[s x_k] = sqrt(2/pi) r_k, and so on. The "lag" of two sites is here the number i n + k of their pair.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.gaussian_clone import CloneStatistics
from theory.moments.inputs import InputStatistics, Marginal, Sites, Values, input_statistics_of
from theory.moments.marginal import gaussian_marginal
from theory.moments.pairs import ByPairs, numbers, of_any_rank
from theory.moments.process import process_moments
from theory.moments.statistics import Lags, statistics_of
from theory.problem import Network, OutOfReachError
from theory.problem.distributions.gaussian import Gaussian


@dataclass(frozen=True)
class MatrixStatistics(ByPairs, CloneStatistics):
    """Moments of class `c` of the law "gaussian" by pairs of sites.

    E|x_i| = sqrt(2 C_ii/pi):

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = Gaussian([1], [[[4, 1], [1, 1]]])
    >>> round(float(MatrixStatistics(law, 0, FLOAT64).half_space(np.array([0]))[0]) ** 2 * np.pi / 8, 12)
    1.0
    """

    law: Gaussian

    @cached_property
    def covariances(self) -> Numbers:
        """C_ik by the number of the pair."""
        return numbers(self.law.matrices[self.c], self.arithmetic).ravel()

    @property
    def correlations(self) -> Numbers:
        """C_ik in place of correlations."""
        return self.covariances

    @property
    def variance(self) -> Any:
        """1, that of the unit Gaussians in whose formulas covariances stand."""
        return self.arithmetic.rational(Fraction(1))

    @property
    def spread(self) -> Any:
        """1: directions are measured by v'Cv itself."""
        return self.arithmetic.rational(Fraction(1))

    @property
    def matrix(self) -> Numbers:
        """C."""
        return self.covariances.reshape(self.law.n, self.law.n)

    def half_space(self, lag: Lags) -> Numbers:
        """E[s_i x_k] = C_ik sqrt(2/(pi C_ii)). Raises OutOfReachError for a site that does not vary."""
        site = lag // self.law.n
        own = self.covariances[site * (self.law.n + 1)]
        if not np.all(own > 0):
            raise OutOfReachError(
                f"A gate looks at site {int(np.min(site))}, which does not vary in class {self.c}: its sign has no "
                "probability.",
                "Gate another site.",
            )
        return self.covariances[lag] * self.arithmetic.sqrt(2 / (self.arithmetic.pi() * own))


@statistics_of.register
def _(law: Gaussian, c: int, arithmetic: Arithmetic) -> MatrixStatistics:
    return MatrixStatistics(law, c, arithmetic)


@law_moments.register
def _(law: Gaussian, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return of_any_rank(process_moments(law, network, arithmetic), law.regular)


@dataclass(frozen=True, eq=False)
class GaussianInputs(InputStatistics):
    """The inputs of class `c`, x ~ N(0, C).

    >>> found = GaussianInputs(Gaussian([1], [[[4, 1], [1, 1]]]), 0)
    >>> found.fourth(0, 0, 1, 1).item(), found.kurtosis.tolist()  # C_00 C_11 + 2 C_01^2
    (6.0, [0.0, 0.0])
    """

    law: Gaussian
    c: int

    @property
    def mean(self) -> Float[np.ndarray, " n"]:
        """0."""
        return np.zeros(self.law.n)

    @property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """C."""
        return self.law.matrices[self.c]

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """0: odd central moments of a Gaussian vanish."""
        return np.zeros(np.broadcast_shapes(*map(np.shape, (i, j, k))))

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """C_ij C_kl + C_ik C_jl + C_il C_jk."""
        C = self.covariance
        return np.asarray(C[i, j] * C[k, l] + C[i, k] * C[j, l] + C[i, l] * C[j, k])

    def marginal(self, site: int) -> Marginal:
        """N(0, C_jj), or 0 alone for a site that does not vary."""
        variance = float(self.covariance[site, site])
        return gaussian_marginal(variance) if variance else Values((0,), (1,))


@input_statistics_of.register
def _(law: Gaussian, c: int) -> GaussianInputs:
    return GaussianInputs(law, c)
