"""Elliptical laws through gates: x = r z/Z with z Gaussian, r > 0 independent of z, and gates of half-spaces at 0.

A half-space through 0 depends on the direction of x = r z/Z, which is that of z. For functions e of such half-spaces

    E[e x] = (E r/Z) E[e z],   E[e x x^T] = (E r^2/Z^2) E[e z z^T],   E[e] as for z:

the Gaussian moments of `gaussian_clone`, times E r/sqrt(E r^2) where one factor x stands alone. A threshold other than
0 is one of z at h Z/r, which depends on r: where r has finitely many values, the moments are sums over Gaussian laws,
one for each value.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.basis import gate_basis
from theory.moments.elliptical_inputs import EllipticalInputs
from theory.moments.feature_moments import FeatureMoments, law_moments, second_moments
from theory.moments.gaussian_clone import CloneStatistics
from theory.moments.inputs import input_statistics_of
from theory.moments.mixed import mixed
from theory.moments.process import process_moments, process_second_moments
from theory.moments.scales import ScaleMoments, moments_of
from theory.moments.statistics import ClassStatistics, Lags, statistics_of
from theory.problem import Network, OutOfReachError
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.scales import DiscreteScale


@dataclass(frozen=True)
class EllipticalStatistics(CloneStatistics):
    """Moments of class `c` of an Elliptical law by lag, through signs of directions.

    E|x_i| = sqrt(2/pi) E r at unit variance, and E r = sqrt(pi)/2 for the Laplace law:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = Elliptical(4, (2, 1), "laplace", "open", "unit-variance", (1, 0))
    >>> round(float(EllipticalStatistics(law, 0, FLOAT64).half_space(0)) ** 2, 12)
    0.5
    """

    law: Elliptical

    @cached_property
    def moments(self) -> ScaleMoments:
        """The moments of r."""
        return moments_of(self.law.scale[self.c], self.law.n)

    def require_variance(self) -> None:
        """Raise OutOfReachError where E r^2 is infinite."""
        if isinstance(self.moments.second, float):
            raise OutOfReachError(
                f"x has an infinite variance in class {self.c}, so that it has no second moments.",
                "Use a Student t of at least 3 degrees of freedom; gdln simulate samples any.",
            )

    def require_one_scale(self) -> None:
        """Raise OutOfReachError where r varies, so that a threshold on z depends on it."""
        scale = self.law.scale[self.c]
        if not isinstance(scale, DiscreteScale) or len(scale.values) > 1:
            raise OutOfReachError(
                f"A gate with a threshold other than 0, or a soft one, has no exact moments in class {self.c}: its "
                "threshold on z is proportional to 1/r, and the scale r varies. A class mean moves a threshold at 0.",
                "Use hard gates at 0 without class means, or discrete scales in all classes; or run gdln simulate.",
            )

    @cached_property
    def _latent(self) -> tuple[Numbers, Numbers]:
        """rho and 1 - rho^2 of z by lag: those of the law's process."""
        return ClassStatistics(self.law.process, self.c, self.arithmetic)._latent

    @cached_property
    def _correlation(self) -> tuple[Numbers, Numbers]:
        """rho and 1 - rho by lag, the latter from 1 - rho^2 where rho is near 1."""
        rho, gap = self._latent
        less = [1 - r if r < 0 else g / (1 + r) for r, g in zip(rho, gap, strict=True)]
        return rho, np.array(less, dtype=self.arithmetic.dtype)

    @cached_property
    def covariances(self) -> Numbers:
        """E[x_k x_l] = (E r^2/Z^2) rho_kl by lag."""
        self.require_variance()
        second = self.moments.second
        if isinstance(self.law, OneScale):
            second = self.law.variance
        elif self.law.normaliser == "unit-variance":
            second = Fraction(1)
        return self.arithmetic.rational(second) * self._latent[0]

    @cached_property
    def _share(self) -> Any:
        """E r/sqrt(E r^2)."""
        return self.moments.first_over_root(self.arithmetic)

    def half_space(self, lag: Lags) -> Numbers:
        """E[s_i x_k] = (E r/sqrt(E r^2)) C_ik sqrt(2/(pi C_ii))."""
        return self._share * super().half_space(lag)

    def through_sign(self, r: Numbers, gap: Numbers) -> Numbers:
        """E[s x_k] = (E r/sqrt(E r^2)) r sqrt(2 C_kk/pi) for the sign s of a direction, r its correlation with z_k."""
        return self._share * super().through_sign(r, gap)

    @property
    def spread(self) -> Any:
        """The variance of the inputs, by which thresholds are measured. Raises OutOfReachError where r varies."""
        self.require_one_scale()
        return self.variance


@dataclass(frozen=True)
class OneScale(Elliptical):
    """One class of an elliptical law where r has one value: a Gaussian with this variance at every site.

    >>> law = OneScale(4, (2,), "gaussian", "open", "none", (1,), variance=Fraction(9, 4))
    >>> from theory.moments.arithmetic import FLOAT64
    >>> float(process_second_moments(law, FLOAT64)[0, 0, 0])
    2.25
    """

    variance: Fraction = Fraction(1)


@statistics_of.register(OneScale)
@statistics_of.register(Elliptical)
def elliptical_statistics(law: Elliptical, c: int, arithmetic: Arithmetic) -> EllipticalStatistics:
    """Return the statistics of a class through signs of directions."""
    return EllipticalStatistics(law, c, arithmetic)


@law_moments.register
def _(law: OneScale, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return process_moments(law, network, arithmetic)


@law_moments.register
def _(law: Elliptical, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return through_gates(law, network, arithmetic, not law.means)


def through_gates(law: Elliptical, network: Network, arithmetic: Arithmetic, centred: bool) -> FeatureMoments:
    """Return the moments through gates at 0; through all gates where all scales are discrete, by their values.

    `centred` is False where the law, or another part of a mixture that it is a part of, has class means. Raises
    OutOfReachError for thresholds on a scale that varies continuously, and for an infinite variance.
    """
    statistics = [EllipticalStatistics(law, c, arithmetic) for c in range(law.classes)]
    for own in statistics:
        own.require_variance()
    if not gate_basis(network, law.latent, centred).odd:
        if all(isinstance(scale, DiscreteScale) for scale in law.scale):
            parts = _by_scales(law)
            return mixed([(p, process_moments(own, network, arithmetic, centred)) for p, own in parts], arithmetic)
        for own in statistics:
            own.require_one_scale()
    return process_moments(law, network, arithmetic, centred)


def _by_scales(law: Elliptical) -> list[tuple[Fraction, OneScale]]:
    """Return each value of r in each class as a law of one class, with its probability over all classes."""
    found = []
    for c, (share, scale) in enumerate(zip(law.probabilities, law.scale, strict=True)):
        second = moments_of(scale, law.n).second if law.normaliser == "unit-variance" else 1
        for p, value in zip(scale.probabilities, scale.values, strict=True):
            means = law.means[c : c + 1]
            own = (law.n, (law.xi[c],), "gaussian", law.boundary, "none", (law.labels[c],))
            found.append((share * p, OneScale(*own, means=means, variance=value**2 / second)))
    return found


@second_moments.register
def _(law: Elliptical, arithmetic: Arithmetic) -> Numbers:
    return process_second_moments(law, arithmetic)


@input_statistics_of.register
def _(law: Elliptical, c: int) -> EllipticalInputs:
    return EllipticalInputs(law, c)
