"""The Gaussian clone through gates: its inputs are Gaussian, and every moment is one of the signs of the inputs."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import input_statistics_of
from theory.moments.nonlinearities.dispatch import statistics_through
from theory.moments.process import process_moments
from theory.moments.process_inputs import CloneInputs
from theory.moments.statistics import ClassStatistics, Lags, statistics_of
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import Erf, GaussianClone, Network


@dataclass(frozen=True)
class CloneStatistics(ClassStatistics):
    """Moments of class `c` of the GaussianClone: x ~ N(0, C_c) with the covariance of the NonlinearGP.

    At unit variance E[s_i x_i] = E|x_i| = sqrt(2/pi):

    >>> from math import pi, sqrt
    >>> from theory.moments.arithmetic import FLOAT64
    >>> clone = CloneStatistics(GaussianClone(4, (2, 1), 1, "open", "unit-variance", (1, 0)), 0, FLOAT64)
    >>> round(abs(float(clone.half_space(0)) - sqrt(2 / pi)), 12)
    0.0
    """

    @cached_property
    def correlations(self) -> Numbers:
        """Return, by lag, the correlations r of the inputs, the Gaussian whose directions gates can have."""
        return self.covariances / self.variance

    @property
    def spread(self) -> Any:
        """The variance of the inputs."""
        return self.variance

    def first_beyond(self, tail: Tail) -> Shaped[np.ndarray, " n"]:
        """E[T x_k] = sqrt(C_kk) r_k phi(a) for the tail T = 1[U >= a], r_k = corr(U, x_k)."""
        return self.arithmetic.sqrt(self.variance) * tail.density * tail.r

    def second_beyond(self, tail: Tail, k: Lags, l: Lags) -> Numbers:
        """E[T x_k x_l] = P(U >= a) C_kl + a phi(a) C_kk r_k r_l."""
        around = tail.a * tail.density * self.variance
        return tail.open * self.covariances[self.lags[k, l]] + around * tail.r[k] * tail.r[l]

    def first_beyond_two(self, pair: TailPair) -> Shaped[np.ndarray, " n"]:
        """E[T T' x_k] = sqrt(C_kk) (r_k phi(a) P(V >= b | U = a) + r'_k phi(b) P(U >= a | V = b))."""
        one, other = pair.one, pair.other
        along = one.density * pair.given_one * one.r + other.density * pair.given_other * other.r
        return self.arithmetic.sqrt(self.variance) * along

    def second_beyond_two(self, pair: TailPair, k: Lags, l: Lags) -> Numbers:
        """E[T T' x_k x_l] by Price's theorem, with the derivatives of E[T T'] by r_k, r'_k and their products.

        P(U >= a, V >= b) C_kl + C_kk [a phi(a) P(V >= b | a) r_k r_l + b phi(b) P(U >= a | b) r'_k r'_l
        + phi2(a, b) (r_k r'_l + r'_k r_l - r (r_k r_l + r'_k r'_l))]; the last bracket is s^2 (r (r_k r_l - u_k u_l)
        + s (r_k u_l + u_k r_l)) with s = sqrt(1 - r^2) and r' = r r_k + s u, and phi2 = peak/s.
        """
        one, other, u, root = pair.one, pair.other, pair.added, self.arithmetic.sqrt(pair.gap)
        a, b = one.r, other.r
        crossed = pair.r * (a[k] * a[l] - u[k] * u[l]) + root * (a[k] * u[l] + u[k] * a[l])
        along = one.a * one.density * pair.given_one * a[k] * a[l]
        across = other.a * other.density * pair.given_other * b[k] * b[l]
        around = along + across + root * pair.peak * crossed
        return pair.both * self.covariances[self.lags[k, l]] + self.variance * around


@dataclass(frozen=True)
class CloneOfAnother(CloneStatistics):
    """Moments of class `c` of the GaussianClone of a nonlinearity that is not erf: its covariances, Gaussian inputs.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = GaussianClone(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="uniform")
    >>> round(float(CloneOfAnother(law, 0, FLOAT64).variance) * 3, 13)
    1.0
    """

    @cached_property
    def _source(self) -> ClassStatistics:
        return statistics_through(self.law.nonlinearity, self.law, self.c, self.arithmetic)

    @property
    def normaliser_squared(self) -> Any:
        """Z^2 of the nonlinear law."""
        return self._source.normaliser_squared

    @property
    def covariances(self) -> Numbers:
        """E[x_k x_l] of the nonlinear law by lag."""
        return self._source.covariances

    def in_balls(self) -> "CloneOfAnother":
        """The same class in balls; of correlations that are known in float64 alone, those numbers, for single sites."""
        other = super().in_balls()
        if self._source.only_float64 and self.arithmetic is FLOAT64:
            one, (_, less) = other.arithmetic.rational(Fraction(1)), self._source.input_correlation
            r = np.array([one - number for number in less.tolist()], dtype=object)
            vars(other).update(correlations=r, rounded=True)
        return other


@statistics_of.register
def _(law: GaussianClone, c: int, arithmetic: Arithmetic) -> CloneStatistics:
    kind = CloneStatistics if isinstance(law.nonlinearity, Erf) else CloneOfAnother
    return kind(law, c, arithmetic)


@law_moments.register
def _(law: GaussianClone, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return process_moments(law, network, arithmetic)


@input_statistics_of.register
def _(law: GaussianClone, c: int) -> CloneInputs:
    return CloneInputs(law, c)
