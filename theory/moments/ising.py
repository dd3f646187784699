"""The Ising chain through gates at sites, by its 2 x 2 transfer matrix: all means of products of spins.

T(x, x') = exp(beta x x' + h (x + x')/2) has the eigenvalues e^beta (cosh h +- q), q = sqrt(sinh^2 h + e^(-4 beta)).
Over the larger one, and with the ratio r of the two,

    T^g = ((1 + r^g) + (1 - r^g) S)/2,   r = (1 - e^(-4 beta))/(cosh h + q)^2,
    S = [[C, D], [D, -C]],   C = sinh h/q,   D = e^(-2 beta)/q.

With s = diag(1, -1), u = (e^(h/2), e^(-h/2)) and sites i <= j <= ... <= m

    ring   E x_i x_j ... x_m = tr(s T^(j-i) s ... s T^(n-m+i))/tr T^n,
    open   E x_i x_j ... x_m = u T^i s T^(j-i) s ... s T^(n-1-m) u/(u T^(n-1) u).

Products of the positive entries of T^g do not cancel beyond the sign of the spins: absolute errors are roundings of 1.
A site that occurs twice drops out. Without a field r = tanh beta, means of odd products vanish, and with
A = (j - i) + (l - k) + ... for sites i <= j <= k <= l <= ...

    ring   E x_i x_j x_k x_l ... = (r^A + r^(n-A))/(1 + r^n),
    open   E x_i x_j x_k x_l ... = r^A,

which is evaluated to relative accuracy, for r < 0 and odd n as r^m (1 - |r|^(n-2m))/(1 - |r|^n), m = min(A, n - A).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped

from theory.expressions.balls.precision import precision
from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers, certified
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import input_statistics_of
from theory.moments.spin_inputs import SpinInputs
from theory.moments.spins import Sites, spin_features
from theory.problem import Network
from theory.problem.distributions.ising import Ising

# Entries of T^g for float64 are balls of so many bits first: at the largest couplings 1 - r and D are e^-40 to e^-60.
FLOAT64_BITS = 256
AT_ONCE = 2**20  # means that are computed at a time, with some ten numbers each


@dataclass(frozen=True)
class Transfer:
    """r^d and 1 - |r|^d for d = 0, ..., n; the entries of T^d for two spins 1, different ones and two spins -1.

    `end` is u_2/u_1 of an open end.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> found = ChainMoments(Ising(2, "open", (1, 0), beta=("1/2", 0)), 0, FLOAT64).transfer
    >>> (found.mixed[1] / found.up[1] * np.e).round(12).item()  # e^(-2 beta)
    1.0
    """

    powers: Numbers
    less: Numbers
    up: Numbers
    mixed: Numbers
    down: Numbers
    end: Any


@dataclass(frozen=True, eq=False)
class ChainMoments:
    """Means of products of spins in class `c` of a chain, in float64 or in balls, without the class mean.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> chain = ChainMoments(Ising(6, "ring", (1, 0), xi=(2, 1)), 0, FLOAT64)
    >>> t = np.exp(-1 / 2)
    >>> (chain.product_mean(1, 3) * (1 + t**6) / (t**2 + t**4)).round(12).item()
    1.0
    """

    law: Ising
    c: int
    arithmetic: Arithmetic

    @cached_property
    def transfer(self) -> Transfer:
        """The powers of the transfer matrix."""
        if self.arithmetic.dtype is not float:
            return self._in_balls()
        with precision(bits=FLOAT64_BITS):
            found = self._in_balls()
            arrays = (found.powers, found.less, found.up, found.mixed, found.down)
            return Transfer(*(array.astype(float) for array in arrays), float(found.end))

    def _in_balls(self) -> Transfer:
        balls = certified()
        h = balls.rational(self.law.h[self.c])
        shrunk, cosh, sinh = (-h).exp(), h.cosh(), h.sinh()
        unequal, gap = self._couplings()
        q = balls.sqrt(sinh * sinh + unequal * unequal)
        C, D = sinh / q, unequal / q
        r = gap * (1 + unequal) / (cosh + q) ** 2
        powers = np.array([r**d for d in range(self.law.n + 1)], dtype=object)
        equal, other = (1 + powers) / 2, (1 - powers) / 2
        less = np.array([1 - abs(power) for power in powers], dtype=object)
        return Transfer(powers, less, equal + other * C, other * D, equal - other * C, shrunk)

    def _couplings(self) -> tuple[Any, Any]:
        """e^(-2 beta) and 1 - e^(-2 beta) as balls: for a length xi (1 - t)/(1 + t) and 2 t/(1 + t), t = e^(-1/xi)."""
        rate = certified().rational(-2 * self.law.beta[self.c] if self.law.beta else -1 / self.law.xi[self.c])
        t, gap = rate.exp(), -rate.expm1()
        return (t, gap) if self.law.beta else (gap / (1 + t), 2 * t / (1 + t))

    def product_mean(self, *sites: Int[np.ndarray, "..."] | int) -> Numbers:
        """E prod x_site, elementwise over arrays of sites; a site may occur more than once.

        >>> from theory.moments.arithmetic import FLOAT64
        >>> chain = ChainMoments(Ising(6, "open", (1, 0), beta=(1, 0), h=("1/2", 0)), 0, FLOAT64)
        >>> bool(abs(chain.product_mean(1, 4, 4) - chain.product_mean(1)) < np.finfo(float).eps)
        True
        """
        one = self.arithmetic.rational(Fraction(1))
        if not sites:
            return np.array(one)
        arrays = np.stack(np.broadcast_arrays(*sites))
        shape, ordered = arrays.shape[1:], np.sort(arrays.reshape(len(sites), -1), axis=0)
        if not self.law.h[self.c]:
            return self._without_field(ordered).reshape(shape)
        n, T = self.law.n, self.transfer
        first, last, gaps = ordered[0], ordered[-1], np.diff(ordered, axis=0)
        if self.law.boundary == "ring":
            around = n - last + first
            up, _ = self._along((T.up[around], T.mixed[around]), gaps)
            _, down = self._along((T.mixed[around], T.down[around]), gaps)
            return ((up + down) / (T.up[n] + T.down[n])).reshape(shape)
        ends = self._applied(first, (one, T.end))
        up, down = self._applied(n - 1 - last, self._along(ends, gaps))
        whole = self._applied(n - 1, (one, T.end))
        return ((up + T.end * down) / (whole[0] + T.end * whole[1])).reshape(shape)

    def _without_field(self, ordered: Int[np.ndarray, "m N"]) -> Numbers:
        """The same for ordered sites without a field, in closed form."""
        n, T = self.law.n, self.transfer
        if len(ordered) % 2:
            return np.full(ordered.shape[1:], self.arithmetic.rational(Fraction(0)))
        paired = (ordered[1::2] - ordered[::2]).sum(axis=0)
        if self.law.boundary == "open":
            return T.powers[paired]
        if n % 2 and T.powers[1] < 0:
            shorter = np.minimum(paired, n - paired)
            return T.powers[shorter] * T.less[n - 2 * shorter] / T.less[n]
        return (T.powers[paired] + T.powers[n - paired]) / (T.powers[0] + T.powers[n])

    def _along(self, start: tuple[Any, Any], gaps: Int[np.ndarray, "m ..."]) -> tuple[Any, Any]:
        """s T^gap ... T^gap s applied to a vector, gap by gap."""
        up, down = start[0], -start[1]
        for gap in gaps:
            up, down = self._applied(gap, (up, down))
            down = -down
        return up, down

    def _applied(self, gap: Int[np.ndarray, "..."] | int, v: tuple[Any, Any]) -> tuple[Any, Any]:
        """T^gap applied to a vector."""
        T = self.transfer
        return T.up[gap] * v[0] + T.mixed[gap] * v[1], T.mixed[gap] * v[0] + T.down[gap] * v[1]

    def zeroth(self, sites: Sites) -> Any:
        """E prod_{i in sites} x_i."""
        return self.product_mean(*sites)[()]

    def first(self, sites: Sites) -> Shaped[np.ndarray, " n"]:
        """E[prod_{i in sites} x_i x_j] for every j."""
        return self.product_mean(*sites, np.arange(self.law.n))

    def second(self, sites: Sites) -> Shaped[np.ndarray, "n n"]:
        """E[prod_{i in sites} x_i x_j x_k] for all j, k."""
        site, rows = np.arange(self.law.n), max(1, AT_ONCE // self.law.n)
        parts = (site[start : start + rows] for start in range(0, self.law.n, rows))
        return np.concatenate([self.product_mean(*sites, part[:, None], site) for part in parts])


@law_moments.register
def _(law: Ising, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return spin_features(law, network, arithmetic, lambda c: ChainMoments(law, c, arithmetic))


@input_statistics_of.register
def _(law: Ising, c: int) -> SpinInputs:
    return SpinInputs(ChainMoments(law, c, FLOAT64), law.n, law.boundary == "ring")
