"""Binary inputs x = sign(z): the erf at infinite gain, kappa = 1, where signs of one site coincide."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.inputs import Sites, Values
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.nonlinearities.refusals import refusing
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics, Lags
from theory.problem import NonlinearGP, Sign


@dataclass(frozen=True)
class SignStatistics(ClassStatistics):
    """Moments of class `c` for f = sign: E[x_k x_l] = (2/pi) asin(rho_kl), and Z = 1.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0), nonlinearity="sign")
    >>> statistics = SignStatistics(law, 0, FLOAT64)
    >>> lags = (np.array([lag]) for lag in (0, 2, 1, 1, 1))
    >>> bool(statistics.two_half_spaces(1, *lags)[0] == statistics.covariances[1])  # E[s_i s_j s_i s_l], k = i
    True
    """

    @cached_property
    def kappa_squared(self) -> Any:
        """1, the limit of 2 g^2/(1 + 2 g^2) for g -> oo."""
        return self._number(Fraction(1))

    @cached_property
    def _lost(self) -> Any:
        return self._number(Fraction(0))

    @property
    def _square(self) -> Any:
        return self._number(Fraction(1))

    @property
    def input_correlation(self) -> tuple[Numbers, Numbers]:
        """(2/pi) asin rho by lag, and 1 - that = (2/pi) acos rho."""
        rho, gap = self._latent
        return self.arithmetic.sign_pair(rho, gap), self.arithmetic.sign_pair(self.arithmetic.sqrt(gap), rho * rho)

    def products(self, ij: Any, ik: Lags, il: Lags, jk: Lags, jl: Lags, kl: Lags) -> Numbers:
        """E[s_i s_j s_k s_l] by lags; two signs of one site, at lag 0, multiply to 1.

        Only quadruples of four different sites need a four-sign integral.
        """
        lags = np.broadcast_arrays(ij, ik, il, jk, jl, kl)
        total = np.empty(lags[0].shape, dtype=self.arithmetic.dtype)
        free = np.ones(total.shape, bool)
        # The pairs of one site, with the lag of the other two.
        for same, rest in zip(range(6), range(5, -1, -1), strict=True):
            here = free & (lags[same] == 0)
            total[here] = self.covariances[lags[rest][here]]
            free &= ~here
        if free.any():
            rho = self._latent[0]
            total[free] = self.arithmetic.four_signs(*(rho[lag[free]] for lag in lags))
        return total

    def two_half_spaces(self, ij: int, ik: Lags, il: Lags, jk: Lags, jl: Lags, kl: Lags) -> Numbers:
        """E[s_i s_j x_k x_l]."""
        return self.products(ij, ik, il, jk, jl, kl)

    through_two_signs = refusing("products of two signs along directions")
    first_beyond = second_beyond = first_beyond_two = second_beyond_two = refusing("moments through thresholds")
    latent_of = refusing("thresholds of the input")


@dataclass(frozen=True, eq=False)
class SignInputs(ProcessInputs):
    """Binary inputs."""

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """E[s_i s_j s_k s_l]."""
        lag = self._class.lags
        return self._class.products(*(lag[a, b] for a, b in ((i, j), (i, k), (i, l), (j, k), (j, l), (k, l))))

    def marginal(self, site: int) -> Values:
        """-1 and 1, equally likely."""
        del site
        return Values((-1, 1), (Fraction(1, 2), Fraction(1, 2)))


@statistics_through.register
def _(nonlinearity: Sign, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> SignStatistics:
    del nonlinearity
    return SignStatistics(law, c, arithmetic)


@inputs_through.register
def _(nonlinearity: Sign, law: NonlinearGP, c: int) -> SignInputs:
    del nonlinearity
    return SignInputs(law, c)
