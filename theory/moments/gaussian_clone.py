"""The Gaussian clone through gates: its inputs are Gaussian, and every moment is one of the signs of the inputs."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import input_statistics_of
from theory.moments.nonlinearities.dispatch import statistics_through
from theory.moments.process import process_moments
from theory.moments.process_inputs import CloneInputs
from theory.moments.statistics import ClassStatistics, Lags, statistics_of
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import Erf, GaussianClone, Network


def arcsine_correlation(statistics: ClassStatistics) -> tuple[Numbers, Numbers]:
    """r = asin(kappa^2 rho)/asin(kappa^2) by lag, the correlation of erf(g z_k) and erf(g z_l), and 1 - r.

    With a = kappa^2, b = kappa^2 rho, the angle asin a - asin b has the sine
    (a^2 - b^2)/(a sqrt(1-b^2) + b sqrt(1-a^2)) and the cosine sqrt((1-a^2)(1-b^2)) + a b: nothing is lost where
    r is near 1. A negative r loses nothing in 1 - r itself.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = GaussianClone(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> r, less = arcsine_correlation(CloneStatistics(law, 0, FLOAT64))
    >>> np.abs(r + less - 1).max().round(12).item()
    0.0
    """
    rho, gap = statistics._latent
    a, sqrt, pair = statistics.kappa_squared, statistics.arithmetic.sqrt, statistics.arithmetic.sign_pair
    negative = np.asarray(rho < 0, dtype=bool)
    b, lost_a = a * rho, statistics._lost * (1 + a)
    lost_b = lost_a + a * a * gap
    forward = np.where(negative, 0 * b, b)
    sine = a * a * gap / (a * sqrt(lost_b) + forward * sqrt(lost_a))
    cosine = sqrt(lost_a * lost_b) + a * forward
    whole = pair(a, lost_a)
    r = pair(b, lost_b) / whole
    return r, np.where(negative, 1 - r, pair(np.where(negative, 0 * b, sine), cosine * cosine) / whole)


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
    def _correlation(self) -> tuple[Numbers, Numbers]:
        """r = C_kl/C_kk by lag and 1 - r."""
        return arcsine_correlation(self)

    def half_space(self, lag: Lags) -> Numbers:
        """E[s_i x_k] = C_ik sqrt(2/(pi C_ii))."""
        return self.covariance(lag) * self.arithmetic.sqrt(2 / (self.arithmetic.pi() * self.variance))

    @property
    def correlations(self) -> Numbers:
        """Return, by lag, the correlations r of the inputs, the Gaussian whose directions gates can have."""
        return self._correlation[0]

    def through_sign(self, r: Numbers, gap: Numbers) -> Numbers:
        """E[s x_k] = r sqrt(2 C_kk/pi) for a sign s of a Gaussian with correlation r with x_k."""
        del gap
        return r * self.arithmetic.sqrt(2 * self.variance / self.arithmetic.pi())

    def two_signs(self, lag: int) -> Any:
        """E[s_i s_j] = (2/pi) asin(r_ij), r the correlation of the inputs themselves."""
        r, less = self._correlation
        return self.arithmetic.sign_pair(r[lag], less[lag] * (2 - less[lag]))

    def two_half_spaces(self, ij: int, ik: Lags, il: Lags, jk: Lags, jl: Lags, kl: Lags) -> Numbers:
        """E[s_i s_j x_k x_l] = (2 C_kk/pi) [r_kl asin r_ij + (r_ik (r_jl - r_ij r_il) + r_jk (r_il - r_ij r_jl))/s].

        s = sqrt(1 - r_ij^2). With r_ij = 1 - e the bracket's numerator is e (r_ik r_il + r_jk r_jl)
        - (r_ik - r_jk)(r_il - r_jl), and the differences are taken of 1 - r: no cancellation as r_ij -> 1.
        """
        r, less = self._correlation
        e = less[ij]
        gap = e * (2 - e)
        spread = (less[jk] - less[ik]) * (less[jl] - less[il])
        numerator = e * (r[ik] * r[il] + r[jk] * r[jl]) - spread
        linear = 2 * numerator / (self.arithmetic.pi() * self.arithmetic.sqrt(gap))
        return self.variance * (r[kl] * self.two_signs(ij) + linear)

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

    @property
    def _correlation(self) -> tuple[Numbers, Numbers]:
        return self._source.input_correlation


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
