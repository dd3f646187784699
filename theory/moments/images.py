"""Statistics of patches of photographs: sums over all positions, and those of the Gaussian with their covariance."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr

from theory.moments.inputs import Density, InputStatistics, Marginal, Sites, Values, input_statistics_of
from theory.problem import OutOfReachError
from theory.problem.datasets.patches import all_patches
from theory.problem.distributions.images import Images


@dataclass(frozen=True, eq=False)
class _Inputs(InputStatistics):
    """Mean and covariance of class c, which patches and their Gaussian share."""

    law: Images
    c: int

    @cached_property
    def mean(self) -> Float[np.ndarray, " n"]:
        return self.law.placed(self.law.pixel_moments(self.c).mean[None])[0]

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        found, whitener = self.law.pixel_moments(self.c).covariance, self.law.whitener
        return found if whitener is None else whitener @ found @ whitener


class PatchStatistics(_Inputs):
    """The statistics of the patches at all positions."""

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """Return the mean over all positions of the product of three deviations."""
        return self._mean_of(lambda off: off[:, i] * off[:, j] * off[:, k])

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """Return the mean over all positions of the product of four deviations."""
        return self._mean_of(lambda off: off[:, i] * off[:, j] * off[:, k] * off[:, l])

    def marginal(self, site: int) -> Values:
        """Return the values of the patches at the site. Raises OutOfReachError after whitening."""
        if self.law.whitener is not None:
            raise OutOfReachError(
                "A site of whitened patches has as many values as there are positions, equal only up to rounding.",
                'Ask for the marginal of patches that are not whitened, or of a class of the kind "gaussian".',
            )
        found = np.concatenate([x[:, site] for x in self._all()])
        values, counts = np.unique(found, return_counts=True)
        return Values(tuple(values.tolist()), tuple((counts / len(found)).tolist()))

    def _all(self) -> Iterator[Float[np.ndarray, "B n"]]:
        """The inputs of all positions, those of some rows of a photograph at a time."""
        for patches in all_patches(self.law.source(self.c), self.law.patch):
            yield self.law.placed(self.law.centred(patches))

    def _mean_of(
        self, product: Callable[[Float[np.ndarray, "B n"]], Float[np.ndarray, "B ..."]]
    ) -> Float[np.ndarray, "..."]:
        total, count = 0.0, 0
        for x in self._all():
            total, count = total + product(x - self.mean).sum(axis=0), count + len(x)
        return np.asarray(total / count)


class GaussianStatistics(_Inputs):
    """The statistics of the Gaussian with the mean and the covariance of the patches."""

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """Return 0: odd central moments of a Gaussian vanish."""
        return np.zeros(np.broadcast(i, j, k).shape)

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """Return C_ij C_kl + C_ik C_jl + C_il C_jk."""
        C = self.covariance
        return C[i, j] * C[k, l] + C[i, k] * C[j, l] + C[i, l] * C[j, k]

    def marginal(self, site: int) -> Marginal:
        """Return the normal law of the site."""
        mean, deviation = self.mean[site], np.sqrt(self.variance[site])
        return Density(
            lambda x: np.exp(-(((x - mean) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi)),
            lambda x: ndtr((x - mean) / deviation),
            -np.inf,
            np.inf,
        )


@input_statistics_of.register
def _(law: Images, c: int) -> InputStatistics:
    return PatchStatistics(law, c) if law.kinds[c] == "patch" else GaussianStatistics(law, c)
