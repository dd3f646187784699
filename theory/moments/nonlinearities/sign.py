"""Binary inputs x = sign(z): the erf at infinite gain, kappa = 1, where signs of one site coincide."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.inputs import Sites, Values
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics, Lags
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import NonlinearGP, Sign


@dataclass(frozen=True)
class SignStatistics(ClassStatistics):
    """Moments of class `c` for f = sign: E[x_k x_l] = (2/pi) asin(rho_kl), and Z = 1.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0), nonlinearity="sign")
    >>> statistics = SignStatistics(law, 0, FLOAT64)
    >>> lags = (np.array([lag]) for lag in (1, 0, 2, 1, 1, 1))
    >>> bool(statistics.products(*lags)[0] == statistics.covariances[1])  # E[s_i s_j s_i s_l], k = i
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

    def first_beyond(self, tail: Tail) -> Shaped[np.ndarray, " n"]:
        """E[T s_k] = 2 T(a, r_k/sqrt(1 - r_k^2)); +-E[T] at the site of the tail, where T s = +-T as a >= 0."""
        at = _own_sites(tail)
        total = tail.open * tail.r
        total[~at] = super().first_beyond(_chosen(tail, ~at))
        return total

    def second_beyond(self, tail: Tail, k: Lags, l: Lags) -> Numbers:
        """E[T s_k s_l], by the product of those signs that are not known from T."""
        first = self.first_beyond(tail)
        total, free = self._known(tail.open, first, [tail], k, l)
        total[free] = super().second_beyond(tail, k[free], l[free])
        return total

    def first_beyond_two(self, pair: TailPair) -> Shaped[np.ndarray, " n"]:
        """E[T T' s_k]."""
        one, other = pair.one, pair.other
        free = ~(_own_sites(one) | _own_sites(other))
        total = pair.both * np.where(_own_sites(one), one.r, other.r)
        chosen = replace(pair, one=_chosen(one, free), other=_chosen(other, free))
        total[free] = super().first_beyond_two(chosen)
        return total

    def second_beyond_two(self, pair: TailPair, k: Lags, l: Lags) -> Numbers:
        """E[T T' s_k s_l]."""
        total, free = self._known(pair.both, self.first_beyond_two(pair), [pair.one, pair.other], k, l)
        if free.any():
            total[free] = super().second_beyond_two(pair, k[free], l[free])
        return total

    def _known(
        self, zeroth: Any, first: Shaped[np.ndarray, " n"], tails: list[Tail], k: Lags, l: Lags
    ) -> tuple[Numbers, Bool[np.ndarray, " q"]]:
        """The moments in which two signs of one site, or a sign and a tail of its site, multiply; where none do.

        Sites whose latents are equal, or each other's negative, are one site.
        """
        rho, gap = (numbers[self.lags[k, l]] for numbers in self._latent)
        one = (k == l) | np.array([own == 0 for own in gap], dtype=bool)
        total = np.full(len(k), zeroth, dtype=self.arithmetic.dtype)
        total[one] = zeroth * rho[one]
        free = ~one
        for tail in tails:
            at = _own_sites(tail)
            for own, rest in ((k, l), (l, k)):
                here = free & at[own]
                total[here] = tail.r[own[here]] * first[rest[here]]
                free &= ~here
        return total, free


def _own_sites(tail: Tail) -> Bool[np.ndarray, " n"]:
    """The sites whose latent is +-U."""
    return np.array([gap == 0 for gap in tail.gap], dtype=bool)


def _chosen(tail: Tail, at: Bool[np.ndarray, " n"]) -> Tail:
    """The tail beside some of the sites."""
    return replace(tail, r=tail.r[at], gap=tail.gap[at])


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
