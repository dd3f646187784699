"""Statistics of one class of a data law through tails T, T' of its Gaussian: E[x x], E[T x], E[T x x], E[T T' x x].

Key identity: erf(g z) = E sign(sqrt2 g z + eps) with eps ~ N(0, 1) independent for each factor. Every factor erf(g z_k)
therefore acts as the sign of a unit Gaussian. Its correlation with z_i is kappa rho_ik, and with the Gaussian of
another factor kappa^2 rho_kl (also for k = l), where kappa^2 = 2 g^2/(1 + 2 g^2). Every moment is an orthant
expectation. Sources: localization notes, eq. (6), (7); small-bump note, eq. (7), (8), corrected.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, singledispatch
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.special import erf

from theory.moments.arithmetic import Arithmetic, Numbers, certified
from theory.moments.clipped_ring import clipped_correlations
from theory.moments.feature_moments import exactly
from theory.moments.latent_correlations import correlations_by_lag
from theory.moments.nonlinearities.edges import edge, exact_square
from theory.moments.symmetric import Circulant, Dense, Symmetric
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import Law, NonlinearGP, OutOfReachError
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix

Stationary = NonlinearGP | Elliptical  # each class is a function of one stationary Gaussian vector
Process = Stationary | Gaussian | NonlinearGPMatrix  # one Gaussian vector with any covariance
Lags = Int[np.ndarray, "*any"]


@dataclass(frozen=True)
class ClassStatistics:
    """Moments of class `c` of a NonlinearGP; functions of lags |i - j|, since the law is stationary.

    Every function that takes lags returns numbers of their shape, in the given arithmetic.

    E[x_0 x_1] = asin(kappa^2 rho)/asin(kappa^2) at unit variance, with kappa^2 = 2/3 at gain 1 and rho = exp(-1/4):

    >>> from math import asin, exp
    >>> from theory.moments.arithmetic import FLOAT64
    >>> statistics = ClassStatistics(NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0)), 0, FLOAT64)
    >>> round(abs(float(statistics.covariance(1)) - asin(2 / 3 * exp(-1 / 4)) / asin(2 / 3)), 12)
    0.0
    """

    law: Process
    c: int
    arithmetic: Arithmetic

    by_distance: ClassVar[bool] = True  # False where a lag is the number of a pair of sites
    only_float64: ClassVar[bool] = False  # True where the covariances are known in float64 alone
    rounded: ClassVar[bool] = False  # True for balls of correlations that are float64 numbers

    @cached_property
    def _latent(self) -> tuple[Numbers, Numbers]:
        """rho and 1 - rho^2 by lag, both to relative accuracy."""
        if self.law.clipped:
            return self._clipped[0]
        return correlations_by_lag(self.law, self.c, self.arithmetic)

    def at(self, correlations: Shaped[np.ndarray, "*any"]) -> "ClassStatistics":
        """Return the statistics for a latent with other correlations, a matrix or a list; a lag is the place in it."""
        other = replace(self)
        rho = correlations.ravel()
        known = {"_latent": (rho, (1 - rho) * (1 + rho)), "lags": np.arange(rho.size).reshape(correlations.shape)}
        vars(other).update(known)  # in place of the law's own, which are cached there
        return other

    def in_balls(self) -> "ClassStatistics":
        """Return the same class in balls at the precision of now."""
        return replace(self, arithmetic=certified())

    @property
    def latent(self) -> tuple[Numbers, Numbers]:
        """rho and 1 - rho^2 of the latent by lag."""
        return self._latent

    @cached_property
    def _clipped(self) -> tuple[tuple[Numbers, Numbers], Any]:
        """The correlations of a clipped ring and the variance of its latent."""
        return clipped_correlations(self.law, self.c, self.arithmetic)

    @cached_property
    def _twice(self) -> Any:
        """2 g^2 v, v the variance of the latent; an exact fraction where that is 1."""
        twice = 2 * self.law.gains[self.c] ** 2
        return self.arithmetic.rational(twice) * self._clipped[1] if self.law.clipped else twice

    @cached_property
    def lags(self) -> Int[np.ndarray, "n n"]:
        """The lag of each pair of sites."""
        return all_lags(self.law)

    def lags_of(self, site: int) -> Int[np.ndarray, " n"]:
        """The lags of all sites from one."""
        if site not in self._rows:
            self._rows[site] = lags_from(self.law, site)
        return self._rows[site]

    @cached_property
    def _rows(self) -> dict[int, Int[np.ndarray, " n"]]:
        return {}

    @cached_property
    def kappa_squared(self) -> Any:
        """kappa^2 = 2 g^2/(1 + 2 g^2): the correlation of two factors erf(g z_k) erf(g z_k) of one site.

        g^2 v stands for g^2 where the latent has the variance v.
        """
        return self._number(self._twice / (1 + self._twice))

    @cached_property
    def _lost(self) -> Any:
        """1 - kappa^2 = 1/(1 + 2 g^2)."""
        return self._number(1 / (1 + self._twice))

    def _number(self, x: Any) -> Any:
        return self.arithmetic.rational(x) if isinstance(x, Fraction) else x

    @cached_property
    def normaliser_squared(self) -> Any:
        """Z^2 = E erf(g z)^2 = (2/pi) asin(kappa^2), or 1 for the normaliser "none"; its mean over classes."""
        law = self.law
        if law.normaliser == "none":
            return self.arithmetic.rational(Fraction(1))
        if not law.clipped and len(set(law.gains)) == 1:
            return self._square
        shares = (self.arithmetic.rational(p) for p in law.probabilities)
        classes = (replace(self, c=c) for c in range(law.classes))
        return sum(share * own._square for share, own in zip(shares, classes, strict=True))

    @property
    def _square(self) -> Any:
        """E erf(g z)^2."""
        return self.arithmetic.sign_pair(self.kappa_squared, self._lost * (1 + self.kappa_squared))

    @cached_property
    def variance(self) -> Any:
        """E[x_k^2]."""
        return self.covariances[0]

    @cached_property
    def covariances(self) -> Numbers:
        """E[x_k x_l] = (2/(pi Z^2)) asin(kappa^2 rho_kl) by lag.

        1 - kappa^4 rho^2 enters as (1 - kappa^4) + kappa^4 (1 - rho^2), which keeps the digits near rho = 1.
        """
        rho, gap = self._latent
        k2 = self.kappa_squared
        by_lag = self.arithmetic.sign_pair(k2 * rho, self._lost * (1 + k2) + k2 * k2 * gap)
        return by_lag / self.normaliser_squared

    def covariance(self, lag: Lags) -> Numbers:
        """E[x_k x_l] at lags."""
        return self.covariances[lag]

    def half_space(self, lag: Lags) -> Numbers:
        """E[s_i x_k], with s_i = sign(z_i) = sign(x_i)."""
        return self.through_sign(self.correlations, self._latent[1])[lag]

    @property
    def correlations(self) -> Numbers:
        """Return, by lag, the correlations rho of the latent, the Gaussian whose directions gates can have."""
        return self._latent[0]

    @property
    def spread(self) -> Any:
        """The variance of the Gaussian whose directions gates may look at: of the latent, 1 where it is not clipped."""
        return self._clipped[1] if self.law.clipped else self.arithmetic.rational(Fraction(1))

    def through_sign(self, r: Numbers, gap: Numbers | None) -> Numbers:
        """E[s x_k] = 2 E[T x_k] for a sign s = 2 T - 1 of a Gaussian of correlation r with z_k; gap = 1 - r^2."""
        number, zero = self.arithmetic.rational, self.arithmetic.rational(Fraction(0))
        density = 1 / self.arithmetic.sqrt(2 * self.arithmetic.pi())
        return 2 * self.first_beyond(Tail(r, gap, zero, number(Fraction(1, 2)), density))

    def latent_of(self, x: Fraction, strict: bool) -> Any | None:
        """The z beyond which f(gain z)/Z >= x, or > x where `strict`, in balls; None if it is infinite."""
        t = self.arithmetic.rational(x) * self.normaliser_squared.sqrt()
        exact = exact_square(self.law.nonlinearity)
        square = t * t if exact is None and x else x**2 * (1 if self.law.normaliser == "none" or not x else exact)
        v = edge(self.law.nonlinearity, t, square, strict)
        return None if v is None else v / self.arithmetic.rational(self.law.gains[self.c])

    def input_of(self, u: Float[np.ndarray, " q"]) -> tuple[Float[np.ndarray, " q"], Float[np.ndarray, " q"]]:
        """x = erf(g sqrt(v) u)/Z and dx/du in float64, for the latent z = sqrt(v) u of variance v."""
        g, root = float(self._twice / 2) ** 0.5, float(self.normaliser_squared) ** 0.5
        return erf(g * u) / root, 2 * g * np.exp(-((g * u) ** 2)) / (np.pi**0.5 * root)

    @property
    def has_far_thresholds(self) -> bool:
        """Whether thresholds beyond the range of float64 are replaced by its end: this class is a part of many."""
        return False

    @property
    def seconds_through_one(self) -> float:
        """About how long one entry of `second_beyond` takes in float64: nothing beside the others, in closed form."""
        return 0.0

    @property
    def seconds_through_two(self) -> float:
        """About how long one entry of `second_beyond_two` takes in float64."""
        return 2.5e-4

    def require_time(self, alone: int, pairs: int) -> None:
        """Raise OutOfReachError where so many E[T x_k x_l] and E[T T' x_k x_l] take too long: not in closed form."""

    @property
    def kinks(self) -> tuple[float, ...]:
        """The u at which f is not smooth."""
        return ()

    def first_beyond(self, tail: Tail) -> Shaped[np.ndarray, " n"]:
        """E[T x_k] = (2/Z) T(a, kappa r_k/sqrt(1 - kappa^2 r_k^2)), with Owen's T on the right, for T = 1[U >= a]."""
        k2, sqrt = self.kappa_squared, self.arithmetic.sqrt
        slope = sqrt(k2) * tail.r / sqrt(self._lost + k2 * tail.gap)
        return 2 * self.arithmetic.owens_t(tail.a, slope) / sqrt(self.normaliser_squared)

    def second_beyond(self, tail: Tail, k: Lags, l: Lags) -> Numbers:
        """E[T x_k x_l]: a tail and two signs."""
        p = self.arithmetic.sqrt(self.kappa_squared) * tail.r
        w = self.kappa_squared * self._latent[0][self.lags[k, l]]
        return self.arithmetic.tail_and_two_signs(tail.a, tail.open, p[k], p[l], w) / self.normaliser_squared

    def first_beyond_two(self, pair: TailPair) -> Shaped[np.ndarray, " n"]:
        """E[T T' x_k], with T = (1 + sign(U - a))/2."""
        one, other = pair.one, pair.other
        kappa, sqrt = self.arithmetic.sqrt(self.kappa_squared), self.arithmetic.sqrt
        thresholds = (-one.a, -other.a, self.arithmetic.rational(Fraction(0)))
        both = self.arithmetic.signs_at(thresholds, pair.r, kappa * one.r, kappa * other.r)
        return (self.first_beyond(one) + self.first_beyond(other)) / 2 + both / (4 * sqrt(self.normaliser_squared))

    def second_beyond_two(self, pair: TailPair, k: Lags, l: Lags) -> Numbers:
        """E[T T' x_k x_l], with T = (1 + sign(U - a))/2."""
        one, other = pair.one, pair.other
        p, q = (self.arithmetic.sqrt(self.kappa_squared) * tail.r for tail in (one, other))
        zero, lag = self.arithmetic.rational(Fraction(0)), self.lags[k, l]
        w = self.kappa_squared * self._latent[0][lag]
        both = self.arithmetic.signs_at((-one.a, -other.a, zero, zero), pair.r, p[k], p[l], q[k], q[l], w)
        halves = self._alone(one, k, l) + self._alone(other, k, l)
        return halves / 2 + (both / self.normaliser_squared - self.covariances[lag]) / 4

    def _alone(self, tail: Tail, k: Lags, l: Lags) -> Numbers:
        """`second_beyond`, kept for the other pairs of this tail at the same sites; half of E[x_k x_l] at 0."""
        if tail.a == 0:
            return self.covariances[self.lags[k, l]] / 2
        known = self._known_alone.get(id(tail))
        if known is None or known[1] is not k or known[2] is not l:
            known = self._known_alone[id(tail)] = tail, k, l, self.second_beyond(tail, k, l)
        return known[3]

    @cached_property
    def _known_alone(self) -> dict[int, tuple[Tail, Lags, Lags, Numbers]]:
        return {}


@singledispatch
def statistics_of(law: Any, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    """Return the statistics of a class; each law's file registers its function, this default raises OutOfReachError.

    >>> statistics_of("a law that nobody wrote", 0, None)
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The law str has no closed moments through signs of sites; these have ...
    """
    del c, arithmetic
    known = ", ".join(sorted(kind.__name__ for kind in statistics_of.registry if kind is not object))
    raise OutOfReachError(
        f"The law {type(law).__name__} has no closed moments through signs of sites; these have them: {known}.",
        f"Sample it, or register them in theory/moments/{type(law).__module__.rpartition('.')[2]}.py.",
    )


def class_statistics(law: Law, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    """Return the statistics of class `c` of a law before the class means are added to x.

    Raises OutOfReachError for a law that is not a stationary process with signs.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> bool(abs(class_statistics(law, 0, FLOAT64).variance - 1) <= 2 * np.finfo(float).eps)
    True
    """
    return exactly(statistics_of, law)(law, c, arithmetic)


def require_centred(law: Law, what: str) -> None:
    """Raise OutOfReachError where a law's classes have means; `what` names the missing statistic.

    >>> require_centred(NonlinearGP(2, (2, 1), 1, "open", "none", (1, 0), means=([1, 0], [0, 0])), "The spectrum")
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The spectrum of the law nlgp is that of classes without means, ...
    """
    if law.means:
        raise OutOfReachError(
            f"{what} of the law {law.law} is that of classes without means, but data.means are given.",
            "Leave the means out, or shift the inputs yourself: x - means[c] has the law without them.",
        )


def lags_from(law: Stationary, site: int) -> Int[np.ndarray, " n"]:
    """The lag of each site from `site`: the site that is as far from site 0 along all axes.

    |k - i| on the line, the smaller of that and n - |k - i| on the ring; on a grid those of rows and columns, combined
    as the number of a site.

    >>> lags_from(NonlinearGP(5, (1, 1), 1, "ring", "none", (1, 0)), 1).tolist()
    [1, 0, 1, 2, 2]
    """
    total = np.zeros(1, dtype=int)
    for sites, start in zip(law.axes, np.unravel_index(site, law.axes), strict=True):
        lag = np.abs(np.arange(sites) - start)
        lag = lag if law.boundary == "open" else np.minimum(lag, sites - lag)
        total = (total[:, None] * sites + lag).ravel()
    return total


def all_lags(law: Stationary) -> Int[np.ndarray, "n n"]:
    """The lag of each pair of sites: n^2 numbers.

    >>> all_lags(NonlinearGP(3, (1, 1), 1, "ring", "none", (1, 0))).tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    return np.stack([lags_from(law, site) for site in range(law.n)])


def stationary(law: Process, by_lag: Shaped[np.ndarray, " n"]) -> Symmetric:
    """The matrix of which entry (k, l) is by_lag[lag of k and l]: circulant on rings.

    Laws with matrices have pairs of sites for lags.

    >>> stationary(NonlinearGP(3, (1, 1), 1, "open", "none", (1, 0)), np.array([1.0, 0.5, 0.0])).dense().tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    if isinstance(law, Gaussian | NonlinearGPMatrix):
        return Dense(by_lag.reshape(law.n, law.n))
    if law.boundary != "open":
        return Circulant(by_lag[lags_from(law, 0)], law.axes)
    return Dense(by_lag[all_lags(law)])
