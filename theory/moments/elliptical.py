"""Elliptical laws through gates: x = r z/Z with z Gaussian, r > 0 independent of z, and gates of half-spaces at 0.

A half-space through 0 depends on the direction of x = r z/Z, which is that of z. For functions e of such half-spaces

    E[e x] = (E r/Z) E[e z],   E[e x x^T] = (E r^2/Z^2) E[e z z^T],   E[e] as for z:

the Gaussian moments of `gaussian_clone`, times E r/sqrt(E r^2) where one factor x stands alone. A threshold other than
0 is one of z at h Z/r, which depends on r: where r has finitely many values, the moments are sums over Gaussian laws,
one for each value. Where r is continuous they are integrals over r, in float64 by the sums of `scale_rule`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.basis import gate_basis
from theory.moments.elliptical_inputs import EllipticalInputs
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.gaussian_clone import CloneStatistics
from theory.moments.inputs import input_statistics_of
from theory.moments.mixed import mixed
from theory.moments.process import process_moments
from theory.moments.scale_rule import values_of
from theory.moments.scales import ScaleMoments, moments_of
from theory.moments.statistics import ClassStatistics, statistics_of
from theory.moments.unit_gaussians import Tail
from theory.problem import Network, OutOfReachError
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.scales import DiscreteScale, Scale


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

    @cached_property
    def _latent(self) -> tuple[Numbers, Numbers]:
        """rho and 1 - rho^2 of z by lag: those of the law's process."""
        return ClassStatistics(self.law.process, self.c, self.arithmetic)._latent

    @property
    def correlations(self) -> Numbers:
        """rho of z by lag."""
        return self._latent[0]

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

    def first_beyond(self, tail: Tail) -> Numbers:
        """E[T x_k] for a half-space T at 0: E r/sqrt(E r^2) times that of the Gaussian of the same variance."""
        return self._share * super().first_beyond(tail)

    @property
    def has_far_thresholds(self) -> bool:
        """Whether r is one of the values of a rule, some of which are next to 0."""
        return isinstance(self.law, OneScale) and self.law.of_rule


@dataclass(frozen=True)
class OneScale(Elliptical):
    """One class of an elliptical law where r has one value: a Gaussian with this variance at every site.

    `of_rule` is True where the value is one of a rule for a continuous r.

    >>> law = OneScale(4, (2,), "gaussian", "open", "none", (1,), variance=Fraction(9, 4))
    >>> float(EllipticalStatistics(law, 0, FLOAT64).variance)
    2.25
    """

    variance: Fraction = Fraction(1)
    of_rule: bool = False


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
    """Return the moments through gates at 0; through other gates as sums over the values of the scales.

    `centred` is False where the law, or another part of a mixture that it is a part of, has class means. Raises
    OutOfReachError for thresholds on a sphere, in balls for those on a continuous scale, and for an infinite variance.
    """
    statistics = [EllipticalStatistics(law, c, arithmetic) for c in range(law.classes)]
    for own in statistics:
        own.require_variance()
    if not gate_basis(network, law.latent, centred).odd:
        if arithmetic is not FLOAT64 and not all(isinstance(scale, DiscreteScale) for scale in law.scale):
            raise OutOfReachError(
                "Gates at thresholds, soft gates and class means have integrals over a continuous scale r, which are "
                "sums of float64 accuracy here, without a certified error.",
                "Leave `digits` out for float64, or use discrete scales in all classes.",
            )
        parts = _by_scales(law)
        return mixed([(p, process_moments(own, network, arithmetic, centred)) for p, own in parts], arithmetic)
    return process_moments(law, network, arithmetic, centred)


def _by_scales(law: Elliptical) -> list[tuple[Fraction, OneScale]]:
    """Return each value of r in each class as a law of one class, with its probability over all classes."""
    found = []
    for c, (share, scale) in enumerate(zip(law.probabilities, law.scale, strict=True)):
        second = moments_of(scale, law.n).second if law.normaliser == "unit-variance" else 1
        of_rule = not isinstance(scale, DiscreteScale)
        for p, value in _values(scale):
            means = law.means[c : c + 1]
            own = (law.n, (law.xi[c],), "gaussian", law.boundary, "none", (law.labels[c],))
            part = OneScale(*own, means=means, variance=value**2 / second, of_rule=of_rule)
            found.append((share * p, part))
    return found


def _values(scale: Scale) -> list[tuple[Fraction, Fraction]]:
    """Return probabilities and values of r, of a continuous scale those of a rule."""
    if isinstance(scale, DiscreteScale):
        return list(zip(scale.probabilities, scale.values, strict=True))
    values, probabilities = values_of(scale)
    return [(Fraction(p), Fraction(r)) for p, r in zip(probabilities.tolist(), values.tolist(), strict=True)]


@input_statistics_of.register
def _(law: Elliptical, c: int) -> EllipticalInputs:
    return EllipticalInputs(law, c)
