"""Inputs x = f(gain z)/Z with f(v) = v + c v^3, through Hermite polynomials.

With z = sqrt(v) u, u ~ N(0, 1), and s^2 = gain^2 v:

    f = s (b_1 He_1(u) + b_3 He_3(u)),   b_1 = 1 + 3 c s^2,   b_3 = c s^2,

so that all moments are finite sums over pairings of E[e He_a(u_k) He_b(u_l)] for a product e of half-spaces.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import factorial, inf, pi, sqrt
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped
from scipy.special import ndtr

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.inputs import Density, Sites
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.nonlinearities.plane import Plane, hermite
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics, Lags
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import Cubic, NonlinearGP

_ORDERS = (1, 3)


@dataclass(frozen=True)
class CubicStatistics(ClassStatistics):
    """Moments of class `c` for f(v) = v + c v^3: E[x_k x_l] = (s^2/Z^2) (b_1^2 rho + 6 b_3^2 rho^3).

    With c = 1 and gain 1, b_1 = 4 and b_3 = 1, so that E f^2 = 16 + 6:

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity={"kind": "cubic", "c": 1})
    >>> float(CubicStatistics(law, 0, FLOAT64).variance)
    22.0
    """

    @cached_property
    def _scale_squared(self) -> Any:
        """s^2."""
        return self._number(self._twice) / 2

    @cached_property
    def coefficients(self) -> dict[int, Any]:
        """b_1 and b_3 by order."""
        cubic = self._number(self.law.nonlinearity.c) * self._scale_squared
        return {1: 1 + 3 * cubic, 3: cubic}

    @cached_property
    def _over_z(self) -> Any:
        """s/Z."""
        return self.arithmetic.sqrt(self._scale_squared / self.normaliser_squared)

    @property
    def _square(self) -> Any:
        b = self.coefficients
        return self._scale_squared * (b[1] * b[1] + 6 * b[3] * b[3])

    @cached_property
    def covariances(self) -> Numbers:
        """(s^2/Z^2) (b_1^2 rho + 6 b_3^2 rho^3) by lag."""
        rho, b = self._latent[0], self.coefficients
        return self._over_z**2 * rho * (b[1] ** 2 + 6 * b[3] ** 2 * rho * rho)

    def _second(self, plane: Plane, k: tuple[Any, Any], l: tuple[Any, Any], rho: Any) -> Numbers:
        b = self.coefficients
        terms = (b[m] * b[n] * plane.two(m, n, k, l, rho) for m, n in product(_ORDERS, _ORDERS))
        return self._over_z**2 * sum(terms)

    @property
    def seconds_through_two(self) -> float:
        """That of some products of arrays."""
        return 1e-5

    def input_of(self, u: Float[np.ndarray, " q"]) -> tuple[Float[np.ndarray, " q"], Float[np.ndarray, " q"]]:
        """x = (s u + c s^3 u^3)/Z and dx/du."""
        cubic = self.coefficients[3]
        return self._over_z * (u + cubic * u**3), self._over_z * (1 + 3 * cubic * u * u)

    def first_beyond(self, tail: Tail) -> Shaped[np.ndarray, " n"]:
        """E[T x_k] = (s/Z) phi(a) (b_1 r_k + b_3 (a^2 - 1) r_k^3)."""
        b = self.coefficients
        along = tail.r * (b[1] + b[3] * (tail.a * tail.a - 1) * tail.r * tail.r)
        return self._over_z * tail.density * along

    def second_beyond(self, tail: Tail, k: Lags, l: Lags) -> Numbers:
        """E[T x_k x_l], from E[T He_m(U)] = phi(a) He_(m-1)(a)."""
        moments = {(m, 0): tail.density * hermite(m - 1, tail.a) for m in range(1, 7)} | {(0, 0): tail.open}
        line = Plane(moments)
        return self._second(line, (tail.r[k], None), (tail.r[l], None), self._latent[0][self.lags[k, l]])

    def first_beyond_two(self, pair: TailPair) -> Shaped[np.ndarray, " n"]:
        """E[T T' x_k]."""
        plane, along = Plane.of_two_tails(pair), (pair.one.r, pair.added)
        return self._over_z * sum(self.coefficients[m] * plane.two(m, 0, along, along, 0) for m in _ORDERS)

    def second_beyond_two(self, pair: TailPair, k: Lags, l: Lags) -> Numbers:
        """E[T T' x_k x_l]."""
        first, second = ((pair.one.r[site], pair.added[site]) for site in (k, l))
        return self._second(Plane.of_two_tails(pair), first, second, self._latent[0][self.lags[k, l]])


@dataclass(frozen=True, eq=False)
class CubicInputs(ProcessInputs):
    """Inputs with the law of a cubic of a Gaussian variable."""

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """(s/Z)^4 times the sum over orders of b_m b_n b_p b_q E[He_m He_n He_p He_q], each a sum over pairings."""
        rho, lag = self._class.correlations, self._class.lags
        pairs = [rho[lag[a, b]] for a, b in ((i, j), (i, k), (i, l), (j, k), (j, l), (k, l))]
        b = self._class.coefficients
        total = 0.0
        for orders in product(_ORDERS, repeat=4):
            total = total + np.prod([b[m] for m in orders]) * _pairings(orders, pairs)
        return total * self._class._over_z**4

    def marginal(self, site: int) -> Density:
        """The law of (s u + c s^3 u^3)/Z for u ~ N(0, 1), the same at every site."""
        del site
        statistics = self._class
        return cubic_marginal(statistics.coefficients[3], statistics._over_z)


def _pairings(orders: tuple[int, ...], rho: list[Any]) -> Any:
    """E[He_a(u_1) ... He_d(u_4)] = a! b! c! d! sum of prod rho_ij^n_ij/n_ij! over n with row sums a, b, c, d."""
    a, b, c, d = orders
    total: Any = 0.0
    for n12, n13 in product(range(a + 1), repeat=2):
        n14 = a - n12 - n13
        for n23 in range(b - n12 + 1):
            n24, n34 = b - n12 - n23, c - n13 - n23
            counts = (n12, n13, n14, n23, n24, n34)
            if min(counts) < 0 or n14 + n24 + n34 != d:
                continue
            weight = np.prod([factorial(m) for m in orders]) / np.prod([factorial(n) for n in counts])
            total = total + weight * np.prod(
                [r**n for r, n in zip(np.broadcast_arrays(*rho), counts, strict=True)], axis=0
            )
    return total


def cubic_marginal(cubic: float, scale: float) -> Density:
    """Return the law of scale (u + cubic u^3) for u ~ N(0, 1).

    u^3 + p u = q with p = 1/cubic has the one real root u = 2 sqrt(p/3) sinh(asinh(3 q sqrt(3/p)/(2 p))/3).

    >>> found = cubic_marginal(1.0, 2.0).cumulative(np.array([4.0]))[0]  # at u = 1: 2 (1 + 1) = 4
    >>> round(float(found - ndtr(1.0)), 12)
    0.0
    """
    p = 1 / cubic

    def latent(x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        return 2 * sqrt(p / 3) * np.sinh(np.arcsinh(1.5 * (x * p / scale) * sqrt(3 / p) / p) / 3)

    def density(x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        u = latent(x)
        return np.exp(-u * u / 2) / sqrt(2 * pi) / (scale * (1 + 3 * cubic * u * u))

    return Density(density, lambda x: ndtr(latent(x)), -inf, inf)


@statistics_through.register
def _(nonlinearity: Cubic, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> CubicStatistics:
    del nonlinearity
    return CubicStatistics(law, c, arithmetic)


@inputs_through.register
def _(nonlinearity: Cubic, law: NonlinearGP, c: int) -> CubicInputs:
    del nonlinearity
    return CubicInputs(law, c)
