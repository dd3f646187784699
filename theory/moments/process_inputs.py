"""Statistics of the inputs of the nonlinear Gaussian process and of its clone."""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import FLOAT64
from theory.moments.inputs import Density, InputStatistics, Sites
from theory.moments.marginal import erf_marginal, gaussian_marginal
from theory.moments.statistics import ClassStatistics, class_statistics, stationary
from theory.problem import NonlinearGP, latent_variance


@dataclass(frozen=True, eq=False)
class ProcessInputs(InputStatistics):
    """The inputs x = erf(gain z)/Z of class `c`, whose moments are expectations of signs.

    The absolute error of a fourth moment is below 1e-13/Z^4.
    """

    law: NonlinearGP
    c: int

    alike = True

    @cached_property
    def _class(self) -> ClassStatistics:
        return class_statistics(self.law, self.c, FLOAT64)

    @property
    def mean(self) -> Float[np.ndarray, " n"]:
        """0, because the law is odd."""
        return np.zeros(self.law.n)

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """(2/(pi Z^2)) asin(kappa^2 rho_ij)."""
        return stationary(self.law, self._class.covariances).dense()

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """0, because the law is odd."""
        return np.zeros(np.broadcast_shapes(*map(np.shape, (i, j, k))))

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """E x_i x_j x_k x_l: four signs with the correlations kappa^2 rho, over Z^4."""
        statistics, lag = self._class, self._class.lags
        pairs = ((i, j), (i, k), (i, l), (j, k), (j, l), (k, l))
        correlated = np.broadcast_arrays(*(statistics.correlations[lag[a, b]] for a, b in pairs))
        signs = FLOAT64.four_signs(*(statistics.kappa_squared * rho for rho in correlated))
        return signs / statistics.normaliser_squared**2

    def marginal(self, site: int) -> Density:
        """The law of erf(g z)/Z, the same at every site."""
        del site
        gain = float(self.law.gain) * sqrt(latent_variance(self.law, self.c))
        return erf_marginal(gain, sqrt(self._class.normaliser_squared))


@dataclass(frozen=True, eq=False)
class CloneInputs(ProcessInputs):
    """The inputs of the Gaussian clone, x ~ N(0, C)."""

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """C_ij C_kl + C_ik C_jl + C_il C_jk."""
        C = self.covariance
        return C[i, j] * C[k, l] + C[i, k] * C[j, l] + C[i, l] * C[j, k]

    def marginal(self, site: int) -> Density:
        """N(0, C_jj), the same at every site."""
        return gaussian_marginal(float(self.covariance[site, site]))
