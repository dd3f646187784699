"""Statistics of one class of a data law through signs of sites: E[x x], E[s x], E[s s], E[s s x x].

Key identity: erf(g z) = E sign(sqrt2 g z + eps) with eps ~ N(0, 1) independent for each factor. So every factor
erf(g z_k) acts as the sign of a unit Gaussian whose correlation with z_i is kappa rho_ik and with the Gaussian of
another factor kappa^2 rho_kl (also for k = l), kappa^2 = 2 g^2/(1 + 2 g^2), and every moment is an orthant
expectation. Sources: localization notes, eq. (6), (7); small-bump note, eq. (7), (8), corrected.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.problem import GaussianClone, NonlinearGP, NonlinearGP2D

Lags = Int[np.ndarray, "*any"]


@dataclass(frozen=True)
class ClassStatistics:
    """Moments of class `c` of a NonlinearGP; functions of lags |i - j|, since the law is stationary.

    Every function that takes lags returns numbers of their shape, in the given arithmetic.
    """

    law: NonlinearGP
    c: int
    arithmetic: Arithmetic

    @cached_property
    def _latent(self) -> tuple[Numbers, Numbers]:
        """rho and 1 - rho^2 by lag; the latter without cancellation, as 1 - exp(-2 d^2/xi^2)."""
        xi = self.law.xi[self.c]
        squares = self.law.squared_distance()[0].tolist()
        exponents = [d2 / xi**2 for d2 in squares]
        return self.arithmetic.exp_minus(exponents), self.arithmetic.one_minus_exp_minus([2 * u for u in exponents])

    @cached_property
    def lags(self) -> Int[np.ndarray, "n n"]:
        """The lag of each pair of sites."""
        return all_lags(self.law)

    @cached_property
    def kappa_squared(self) -> Any:
        """kappa^2 = 2 g^2/(1 + 2 g^2): the correlation of two factors erf(g z_k) erf(g z_k) of one site."""
        twice = 2 * self.law.gain**2
        return self.arithmetic.rational(twice / (1 + twice))

    @cached_property
    def _lost(self) -> Any:
        """1 - kappa^2 = 1/(1 + 2 g^2)."""
        return self.arithmetic.rational(1 / (1 + 2 * self.law.gain**2))

    @cached_property
    def normaliser_squared(self) -> Any:
        """Z^2 = E erf(g z)^2 = (2/pi) asin(kappa^2), or 1 for the normaliser "none"."""
        if self.law.normaliser == "none":
            return self.arithmetic.rational(Fraction(1))
        return self.arithmetic.sign_pair(self.kappa_squared, self._lost * (1 + self.kappa_squared))

    @cached_property
    def variance(self) -> Any:
        """E[x_k^2]."""
        return self.covariance(np.array([0]))[0]

    def covariance(self, lag: Lags) -> Numbers:
        """E[x_k x_l] = (2/(pi Z^2)) asin(kappa^2 rho_kl).

        1 - kappa^4 rho^2 enters as (1 - kappa^4) + kappa^4 (1 - rho^2), which keeps the digits near rho = 1.
        """
        rho, gap = self._latent
        k2 = self.kappa_squared
        by_lag = self.arithmetic.sign_pair(k2 * rho, self._lost * (1 + k2) + k2 * k2 * gap)
        return (by_lag / self.normaliser_squared)[lag]

    def half_space(self, lag: Lags) -> Numbers:
        """E[s_i x_k] = (2/(pi Z)) asin(kappa rho_ik), with s_i = sign(z_i) = sign(x_i)."""
        return self.through_sign(*self._latent)[lag]

    @property
    def correlations(self) -> Numbers:
        """By lag, the correlations of the Gaussian whose directions gates may look at: of the latent, rho."""
        return self._latent[0]

    def through_sign(self, r: Numbers, gap: Numbers) -> Numbers:
        """E[s x_k] = (2/(pi Z)) asin(kappa r) for a sign s of a Gaussian with correlation r with z_k; gap = 1 - r^2."""
        k2 = self.kappa_squared
        value = self.arithmetic.sign_pair(self.arithmetic.sqrt(k2) * r, self._lost + k2 * gap)
        return value / self.arithmetic.sqrt(self.normaliser_squared)

    def two_signs(self, lag: int) -> Any:
        """E[s_i s_j] = (2/pi) asin(rho_ij), rho the correlation of the latents, whose signs the inputs share."""
        rho, gap = self._latent
        return self.arithmetic.sign_pair(rho[lag], gap[lag])

    def two_half_spaces(self, ij: int, ik: Lags, il: Lags, jk: Lags, jl: Lags, kl: Lags) -> Numbers:
        """E[s_i s_j x_k x_l] for lags |i - j| (one, not 0), |i - k|, ...: a four-sign expectation over Z^2."""
        rho = self._latent[0]
        return self._through_two(rho[ij], rho[ik], rho[il], rho[jk], rho[jl], kl)

    def _through_two(self, r: Any, ik: Numbers, il: Numbers, jk: Numbers, jl: Numbers, kl: Lags) -> Numbers:
        rho = self._latent[0]
        k2 = self.kappa_squared
        k = self.arithmetic.sqrt(k2)
        signs = self.arithmetic.sign_quad(r, k * ik, k * il, k * jk, k * jl, k2 * rho[kl])
        return signs / self.normaliser_squared

    def through_two_signs(self, pair: "SignPair", k: Lags, l: Lags) -> Numbers:
        """E[s_v s_w x_k x_l] for the signs of two directions and sites k, l."""
        return self._through_two(pair.r, pair.first[k], pair.first[l], pair.second[k], pair.second[l], self.lags[k, l])


@dataclass(frozen=True)
class CloneStatistics(ClassStatistics):
    """Moments of class `c` of the GaussianClone: x ~ N(0, C_c) with the covariance of the NonlinearGP."""

    @cached_property
    def _correlation(self) -> tuple[Numbers, Numbers]:
        """r = C_kl/C_kk by lag and 1 - r.

        With a = kappa^2, b = kappa^2 rho, the angle asin a - asin b has the sine
        (a^2 - b^2)/(a sqrt(1-b^2) + b sqrt(1-a^2)) and the cosine sqrt((1-a^2)(1-b^2)) + a b: nothing is lost where
        r is near 1.
        """
        rho, gap = self._latent
        a, sqrt, pair = self.kappa_squared, self.arithmetic.sqrt, self.arithmetic.sign_pair
        b, lost_a = a * rho, self._lost * (1 + a)
        lost_b = lost_a + a * a * gap
        sine = a * a * gap / (a * sqrt(lost_b) + b * sqrt(lost_a))
        cosine = sqrt(lost_a * lost_b) + a * b
        whole = pair(a, lost_a)
        return pair(b, lost_b) / whole, pair(sine, cosine * cosine) / whole

    def half_space(self, lag: Lags) -> Numbers:
        """E[s_i x_k] = C_ik sqrt(2/(pi C_ii))."""
        return self.covariance(lag) * self.arithmetic.sqrt(2 / (self.arithmetic.pi() * self.variance))

    @property
    def correlations(self) -> Numbers:
        """By lag, the correlations of the Gaussian whose directions gates may look at: of the inputs, r."""
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

    def through_two_signs(self, pair: "SignPair", k: Lags, l: Lags) -> Numbers:
        """E[s_v s_w x_k x_l] = (2 C_kk/pi) [r_kl asin r + s^2 (r_vk u_l + u_k r_vl) + r s (r_vk r_vl - u_k u_l)].

        r = corr(v, w), s = sqrt(1 - r^2), u_k = (r_wk - r r_vk)/s the correlation of x_k with what w adds to v: the
        bracket of `two_half_spaces` without its differences.
        """
        a, u = pair.first, pair.added
        root = self.arithmetic.sqrt(pair.gap)
        mixed = root * (root * (a[k] * u[l] + u[k] * a[l]) + pair.r * (a[k] * a[l] - u[k] * u[l]))
        signs = self.arithmetic.sign_pair(pair.r, pair.gap)
        return self.variance * (self._correlation[0][self.lags[k, l]] * signs + 2 * mixed / self.arithmetic.pi())


@dataclass(frozen=True)
class SignPair:
    """Two signs of directions v, w of one Gaussian u: r = corr(v.u, w.u) and gap = 1 - r^2; of v.u and w.u with u_k.

    added[k] is the correlation with u_k of the part of w.u that is independent of v.u.
    """

    r: Any
    gap: Any
    first: Shaped[np.ndarray, " n"]
    second: Shaped[np.ndarray, " n"]
    added: Shaped[np.ndarray, " n"]


def class_statistics(law: NonlinearGP, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    """The statistics of class `c` of a law."""
    kinds: dict[type, type[ClassStatistics]] = {
        NonlinearGP: ClassStatistics,
        NonlinearGP2D: ClassStatistics,
        GaussianClone: CloneStatistics,
    }
    return kinds[type(law)](law, c, arithmetic)


def all_lags(law: NonlinearGP) -> Int[np.ndarray, "n n"]:
    """The lag of each pair of sites: of site 0 and the site `lag` with the same distances along all axes.

    |k - l| on the line, the smaller of that and n - |k - l| on the ring; on a grid those of rows and columns, combined
    as the number of a site.
    """
    total = np.zeros((1, 1), dtype=int)
    for sites in law.axes:
        site = np.arange(sites)
        lag = np.abs(site[:, None] - site[None, :])
        lag = lag if law.boundary == "open" else np.minimum(lag, sites - lag)
        total = (total[:, None, :, None] * sites + lag[None, :, None, :]).reshape(len(total) * sites, -1)
    return total


def two_site_block(statistics: ClassStatistics, i: int, j: int) -> Shaped[np.ndarray, "n n"]:
    """E[s_i s_j x_k x_l] for all k, l and sites i != j, each distinct value computed once.

    A value depends on the six distances alone and is unchanged by k <-> l and i <-> j; on the line, where distances
    repeat, that leaves about half of the entries or fewer.
    """
    law = statistics.law
    site = np.arange(law.n)
    lag = statistics.lags
    k, l = (index.ravel() for index in np.meshgrid(site, site, indexing="ij"))
    keys = np.stack([lag[i, k], lag[i, l], lag[j, k], lag[j, l], lag[k, l]], axis=1)
    swaps = [keys[:, order] for order in ([0, 1, 2, 3, 4], [1, 0, 3, 2, 4], [2, 3, 0, 1, 4], [3, 2, 1, 0, 4])]
    codes = [np.ravel_multi_index(swap.T, (law.n,) * 5) for swap in swaps]
    distinct, inverse = np.unique(np.min(codes, axis=0), return_inverse=True)
    lags = np.unravel_index(distinct, (law.n,) * 5)
    return statistics.two_half_spaces(int(lag[i, j]), *lags)[inverse].reshape(law.n, law.n)
