"""Tails of directions in one class, and the moments of the products that have one: E[e], E[e xi], E[e xi xi^T].

A tail {v.u >= h}, or {v.u < h} for h < 0, is U >= a for the unit Gaussian U = +-v.u/sqrt(v'Rv) and
a = +-h/sqrt(v'Rv). A class mean m of x moves the threshold on x to h - v.m; one of x_i = erf(g z_i)/Z is
z_i = erfinv(Z h)/g. A soft tail Phi(beta (v.u - h)) is that of v.u + e/beta, e ~ N(0, 1): its correlations with u are
smaller by lambda = sqrt(v'Rv/(v'Rv + beta^-2)), and those with another soft tail by the lambda of both.

All numbers of a tail or a pair of tails are computed in balls, to the relative accuracy of the arithmetic, so that rare
events keep their digits. Products with signs s = 2 T - 1 are those of tails T at 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.special import ndtr

from theory.gaussian.float64.two_signs import two_signs
from theory.moments.arithmetic import FLOAT64, Pair
from theory.moments.basis import Key
from theory.moments.directions import Direction, pair_in_balls, projection, variance_along
from theory.moments.half_spaces import HalfSpace
from theory.moments.soft_inputs import Factor, thresholds
from theory.moments.statistics import ClassStatistics, Lags, Stationary, class_statistics, require_centred
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import Identity, InputError, OutOfReachError

# P(U >= 37) = 6e-300: entries of A beyond are no numbers of float64.
FARTHEST = 37
MOST_SECONDS = 300  # of the moments of one product of soft gates on inputs
NEGLIGIBLE = 1e-16  # a weight of a threshold, beside moments of size 1

Mixture = tuple[float, list[tuple[float, Tail]]]


@dataclass(frozen=True, eq=False)
class ClassTails:
    """The moments of one class, without its mean m, of products of half-spaces that contain a tail.

    `mean` are the m_k in fractions, () where the class has none.

    E[1[u_0 >= 1] x_0^2] = P(u >= 1) + phi(1) for x_0 = u_0:

    >>> from math import erfc, exp, pi, sqrt
    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.moments.directions import Direction
    >>> from theory.moments.statistics import class_statistics
    >>> from theory.problem import GaussianClone
    >>> clone = GaussianClone(2, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> tail = HalfSpace.at_threshold(Direction(((0, Fraction(1)),)), Fraction(1))
    >>> moments = ClassTails(class_statistics(clone, 0, FLOAT64), (tail,), ())
    >>> value = erfc(1 / sqrt(2)) / 2 + exp(-1 / 2) / sqrt(2 * pi)
    >>> round(abs(float(moments.second((0,))[0, 0]) - value), 12)
    0.0
    """

    statistics: ClassStatistics
    half_spaces: tuple[HalfSpace, ...]
    mean: tuple[Fraction, ...]

    def zeroth(self, key: Key) -> Any:
        """E[e]."""
        one = self.statistics.arithmetic.rational(Fraction(1))
        return self._combined(key, lambda: one, lambda tail: tail.open, lambda pair: pair.both)

    def first(self, key: Key) -> Shaped[np.ndarray, " n"]:
        """E[e xi]."""
        statistics = self.statistics
        none = np.full(statistics.law.n, statistics.arithmetic.rational(Fraction(0)))
        return self._combined(key, lambda: none, statistics.first_beyond, statistics.first_beyond_two)

    def second(self, key: Key) -> Shaped[np.ndarray, "n n"]:
        """E[e xi xi^T]. Raises OutOfReachError for a mixture of thresholds that takes minutes."""
        self._afford_thresholds(key)
        statistics, n = self.statistics, self.statistics.law.n
        k, l, place = self._entries(key)
        values = self._combined(
            key,
            lambda: statistics.covariances[statistics.lags[k, l]],
            lambda tail: statistics.second_beyond(tail, k, l),
            lambda pair: statistics.second_beyond_two(pair, k, l),
        )
        if place is not None:
            return values[place].reshape(n, n)
        block = np.empty((n, n), dtype=statistics.arithmetic.dtype)
        block[k, l] = block[l, k] = values
        return block

    @cached_property
    def _pairs_of_sites(self) -> tuple[Lags, Lags]:
        """The sites of each entry on and above the diagonal; the same arrays for every product of tails."""
        return np.triu_indices(self.statistics.law.n)

    def _entries(self, key: Key) -> tuple[Int[np.ndarray, " q"], Int[np.ndarray, " q"], Int[np.ndarray, "n n"] | None]:
        """The sites k, l of the entries that are computed, and the place of each entry of the block among them.

        Of two signs at sites an entry depends on distances alone, and is the same for i, j and for k, l exchanged.
        """
        sites, lag = [self.half_spaces[i].direction.site for i in key], self.statistics.lags
        if len(sites) < 2 or None in sites or not self.statistics.by_distance or self._has_tail(key):
            return *self._pairs_of_sites, None
        (ik, il), (jk, jl) = ((lag[site][:, None], lag[site][None]) for site in sites)
        orders, shape = ((ik, il, jk, jl), (il, ik, jl, jk), (jk, jl, ik, il), (jl, jk, il, ik)), (len(lag),) * 5
        codes = np.minimum.reduce([np.ravel_multi_index(np.broadcast_arrays(*own, lag), shape) for own in orders])
        _, first, place = np.unique(codes, return_index=True, return_inverse=True)
        return *np.unravel_index(first, lag.shape), place

    def _has_tail(self, key: Key) -> bool:
        return any(self.half_spaces[i].tail for i in key)

    def _combined(
        self, key: Key, of_none: Callable[[], Any], of_one: Callable[[Tail], Any], of_two: Callable[[TailPair], Any]
    ) -> Any:
        """The moment of a tail, of two, or with signs s = 2 T - 1: of two signs E[T x x] is half of E[x x]."""
        if any(self._is_mixture(i) for i in key):
            return self._over_mixtures(key, of_none, of_one, of_two)
        if len(key) == 1:
            return of_one(self._tail(key[0]))
        value = of_two(self._pair(key))
        signs = [i for i in key if not self.half_spaces[i].tail]
        if not signs:
            return value
        if len(signs) == 2:
            return 4 * value - of_none()
        (tail,) = (i for i in key if i not in signs)
        return 2 * value - of_one(self._tail(tail))

    def _is_mixture(self, i: int) -> bool:
        """Whether e_i is a soft gate on an input that is not Gaussian: a mixture of thresholds of its latent."""
        own = self.half_spaces[i]
        return own.soft and own.on_input and not isinstance(self.statistics.law.nonlinearity, Identity)

    def _over_mixtures(
        self, key: Key, of_none: Callable[[], Any], of_one: Callable[[Tail], Any], of_two: Callable[[TailPair], Any]
    ) -> Any:
        """The moment as a mean over thresholds; each factor is a constant and weighted tails."""
        if self.statistics.arithmetic is not FLOAT64:
            raise OutOfReachError(
                "A soft gate on the input x = f(gain z)/Z is a mixture of thresholds, whose integral has no certified "
                "error here.",
                'Leave `digits` out for float64, gate the latent (on = "latent"), or take a hard gate.',
            )
        first, *others = sorted(key, key=lambda i: not self._is_mixture(i))
        if all(self.half_spaces[i].direction == self.half_spaces[first].direction for i in others):
            constant, tails = self._mixture(key)
            return constant * of_none() + sum(weight * of_one(tail) for weight, tail in tails)
        (start, tails), (other, more) = self._mixture((first,)), self._weighted(others[0])
        total = start * other * of_none()
        total = total + sum(other * weight * of_one(tail) for weight, tail in tails)
        total = total + sum(start * weight * of_one(tail) for weight, tail in more)
        self._afford(len(tails) * len(more))
        plane = self._plane_of(first, others[0])
        pairs = ((w * v, tail, far) for w, tail in tails for v, far in more if abs(w * v) > NEGLIGIBLE)
        return total + sum(weight * of_two(_pair_at(tail, far, *plane)) for weight, tail, far in pairs)

    def _afford_thresholds(self, key: Key) -> None:
        """Raise OutOfReachError where the second moments through a soft gate are too many integrals."""
        mixed = any(self._is_mixture(i) for i in key) and self.statistics.arithmetic is FLOAT64
        if not mixed or len({self.half_spaces[i].direction for i in key}) > 1:
            return
        n, count = self.statistics.law.n, len(self._mixture(key)[1])
        seconds = count * n * (n + 1) / 2 * self.statistics.seconds_through_one
        if seconds > MOST_SECONDS:
            raise OutOfReachError(
                f"A soft gate on the input is a mixture of {count} thresholds, whose second moments take "
                f"{seconds:.0f} s; more than {MOST_SECONDS} s is refused.",
                'Use fewer sites, gate the latent (on = "latent"), or simulate it (gdln simulate).',
            )

    def _afford(self, pairs: int) -> None:
        """Raise OutOfReachError for a product of mixtures that takes minutes."""
        n = self.statistics.law.n
        seconds = pairs * n * (n + 1) / 2 * self.statistics.seconds_through_two
        if seconds > MOST_SECONDS:
            raise OutOfReachError(
                f"The product of two soft gates on inputs is a mixture of {pairs} pairs of thresholds, whose moments "
                f"take {seconds:.0f} s; more than {MOST_SECONDS} s is refused.",
                "Use fewer sites, gate the latent, or let only one site have soft gates on the input.",
            )

    def _weighted(self, i: int) -> Mixture:
        """e_i as a constant and tails with weights; a sign is 2 T - 1."""
        if self._is_mixture(i):
            return self._mixture((i,))
        if self.half_spaces[i].tail:
            return 0.0, [(1.0, self._tail(i))]
        return -1.0, [(2.0, self._tail(i))]

    @cached_property
    def _mixtures(self) -> dict[Key, Mixture]:
        return {}

    def _mixture(self, key: Key) -> Mixture:
        """A product of functions of one site as a constant and tails U >= a of its latent with weights."""
        if key not in self._mixtures:
            direction, statistics = self.half_spaces[key[0]].direction, self.statistics
            start, found = thresholds([self._factor(i) for i in key], statistics.kinks)
            lags = statistics.lags_of(direction.site)
            r, gap = (by_lag[lags] for by_lag in statistics.latent)
            tails = [(weight, _tail_at(a, r, gap)) for weight, a in found if abs(weight) > NEGLIGIBLE]
            self._mixtures[key] = start, tails
        return self._mixtures[key]

    def _factor(self, i: int) -> Factor:
        own = self.half_spaces[i]
        mean = float(self.mean[own.direction.site]) if self.mean else 0.0
        if own.soft:
            return Factor(self.statistics, own, mean)
        return Factor(None, own, mean, at=(-1 if own.below else 1) * float(self._tail(i).a))

    def _plane_of(self, i: int, j: int) -> tuple[float, float, Shaped[np.ndarray, " n"]]:
        """corr(U, V), 1 - r^2 and `added` of the latent U of a mixture and a tail V."""
        one, other = replace(self.half_spaces[i], sharpness=inf), self.half_spaces[j]
        other = replace(other, sharpness=inf) if self._is_mixture(j) else other
        n, side = self.statistics.law.n, -1 if other.below and not self._is_mixture(j) else 1
        (gap,), rest = FLOAT64.settled(lambda: self._between(self._in_balls(), one, other))
        return side * rest[-1], gap, side * rest[2 * n : 3 * n]

    @cached_property
    def _tails(self) -> dict[int, Tail]:
        return {}

    @cached_property
    def _pairs(self) -> dict[Key, TailPair]:
        return {}

    def _tail(self, i: int) -> Tail:
        if i not in self._tails:
            self._tails[i] = self._tail_of(self.half_spaces[i])
        return self._tails[i]

    def _tail_of(self, half_space: HalfSpace) -> Tail:
        def compute() -> tuple[np.ndarray, np.ndarray]:
            balls, side = self._in_balls(), -1 if half_space.below else 1
            r, gap = self._projection(balls, half_space.direction)
            if half_space.soft:
                r = self._share(balls, half_space) * r
                gap = 1 - r * r
            a = self._threshold(balls, half_space)
            return np.array([*_beyond(a)], dtype=object), np.array([*(side * r), *gap, a], dtype=object)

        n = self.statistics.law.n
        (opened, density), rest = self.statistics.arithmetic.settled(compute)
        return Tail(rest[:n], rest[n : 2 * n], rest[-1], opened, density)

    def _pair(self, key: Key) -> TailPair:
        if key not in self._pairs:
            self._pairs[key] = self._pair_of(*key)
        return self._pairs[key]

    def _pair_of(self, i: int, j: int) -> TailPair:
        one, other = (self.half_spaces[k] for k in (i, j))
        side = -1 if one.below != other.below else 1

        def compute() -> tuple[np.ndarray, np.ndarray]:
            balls = self._in_balls()
            (gap,), rest = self._between(balls, one, other)
            r = side * rest[-1]
            a, b = (self._threshold(balls, half_space) for half_space in (one, other))
            (open_a, density), (open_b, _) = _beyond(a), _beyond(b)
            k, l = (b - r * a) / gap.sqrt(), (a - r * b) / gap.sqrt()
            (given_one, peak), (given_other, _) = _beyond(k), _beyond(l)
            share = _both(a, b, r, gap) / (open_a * open_b).sqrt()
            relative = [gap, given_one, given_other, density * peak, open_a * open_b]
            return np.array(relative, dtype=object), np.array([*rest[2 * n : 3 * n], r, share], dtype=object)

        n = self.statistics.law.n
        (gap, given_one, given_other, peak, product), rest = self.statistics.arithmetic.settled(compute)
        both = rest[-1] * self.statistics.arithmetic.sqrt(product)
        added = (-1 if other.below else 1) * rest[:n]
        return TailPair(self._tail(i), self._tail(j), rest[n], gap, added, both, given_one, given_other, peak)

    @cached_property
    def _balls(self) -> dict[int, ClassStatistics]:
        return {}

    def _in_balls(self) -> ClassStatistics:
        """The class in balls at the precision of now, kept with what it has computed."""
        bits = _working_bits()
        if bits not in self._balls:
            self._balls[bits] = self.statistics.in_balls()
        return self._balls[bits]

    @cached_property
    def _angles(self) -> dict[tuple[int, Direction, Direction], Pair]:
        return {}

    def _between(self, balls: ClassStatistics, one: HalfSpace, other: HalfSpace) -> Pair:
        """`pair_in_balls` of two tails; of hard ones once for all thresholds along the two directions."""
        v, w = one.direction, other.direction
        place = _working_bits(), v, w
        if v != w and place not in self._angles:
            self._angles[place] = pair_in_balls(balls, v, w)
        if not (one.soft or other.soft):
            return self._angles[place]
        share, far = self._share(balls, one), self._share(balls, other)
        r = share * far * (1 if v == w else self._angles[place][1][-1])
        first, second = share * self._projection(balls, v)[0], far * self._projection(balls, w)[0]
        gap = 1 - r * r
        added = (second - r * first) / gap.sqrt()
        return np.array([gap], dtype=object), np.array([*first, *second, *added, r], dtype=object)

    @cached_property
    def _projections(self) -> dict[tuple[int, Direction], Shaped[np.ndarray, "2 n"]]:
        return {}

    def _projection(self, balls: ClassStatistics, v: Direction) -> Shaped[np.ndarray, "2 n"]:
        """`projection`, once for all thresholds along a direction."""
        place = _working_bits(), v
        if place not in self._projections:
            self._projections[place] = projection(balls, v)
        return self._projections[place]

    def _share(self, balls: ClassStatistics, half_space: HalfSpace) -> Any:
        """lambda: the standard deviation of v.u over that of v.u + e/beta; 1 for a hard tail."""
        if not half_space.soft:
            return balls.arithmetic.rational(Fraction(1))
        variance = balls.spread * variance_along(balls, half_space.direction.entries)
        noise = balls.arithmetic.rational(half_space.sharpness**-2)
        if half_space.on_input:  # of Gaussian inputs; others are mixtures
            noise = balls.noise(half_space.sharpness)
        return (variance / (variance + noise)).sqrt()

    def _threshold(self, balls: ClassStatistics, half_space: HalfSpace) -> Any:
        """a, of a class in balls. Raises OutOfReachError for one that is out of the range of float64."""
        entries, number = half_space.direction.entries, balls.arithmetic.rational
        at = half_space.at
        if self.mean and (half_space.on_input or not balls.law.latent):
            at = at - sum((weight * self.mean[site] for site, weight in entries), Fraction(0))
        if at == 0 and not half_space.on_input:
            return number(at)
        at = -at if half_space.below else at
        h = _on_latent(balls, at, half_space) if half_space.on_input else number(at)
        a = h / (balls.spread * variance_along(balls, entries)).sqrt() * self._share(balls, half_space)
        if abs(a) > FARTHEST and balls.has_far_thresholds:
            return number(Fraction(FARTHEST if a > 0 else -FARTHEST))  # an error of 6e-300
        if abs(a) > FARTHEST:
            raise OutOfReachError(
                f"A gate has a threshold at {float(half_space.at):g}, which in class {balls.c} is "
                f"{float(abs(a)):.3g} standard deviations from the mean: the probability beyond it is too small for "
                "float64.",
                f"Choose a bound within {FARTHEST} standard deviations. A bound that every input satisfies can be left "
                "out, and so can the unit of a gate that never opens.",
            )
        return a


def _on_latent(balls: ClassStatistics, h: Fraction, half_space: HalfSpace) -> Any:
    """The z beyond which x >= h; of a tail {x < -h}, which is {-x > h}, that beyond which -x > h."""
    z = balls.latent_of(h, strict=half_space.below)
    if z is None:
        raise OutOfReachError(
            f"A gate has the threshold {float(half_space.at):g} at site {half_space.direction.site}, which x does not "
            f"reach in class {balls.c}: there the gate is the same for every input.",
            "A bound that every input satisfies can be left out, and so can the unit of a gate that never opens.",
        )
    return z


def _tail_at(a: float, r: Shaped[np.ndarray, " n"], gap: Shaped[np.ndarray, " n"]) -> Tail:
    """A tail in float64."""
    return Tail(r, gap, a, ndtr(-a), _density(a))


def _pair_at(one: Tail, other: Tail, r: float, gap: float, added: Shaped[np.ndarray, " n"]) -> TailPair:
    """Two tails in float64."""
    root = np.sqrt(gap)
    k, l = (other.a - r * one.a) / root, (one.a - r * other.a) / root
    signs = two_signs(r, gap, thresholds=(-one.a, -other.a))
    both = (one.open + other.open - 0.5 + signs / 2) / 2
    return TailPair(one, other, r, gap, added, both, ndtr(-k), ndtr(-l), one.density * _density(k))


def _density(a: float) -> float:
    return np.exp(-a * a / 2) / np.sqrt(2 * np.pi)


def _beyond(a: Any) -> tuple[Any, Any]:
    """P(U >= a) and phi(a), as balls."""
    return (a / _ball(2).sqrt()).erfc() / 2, (-a * a / 2).exp() / (2 * _ball(1).pi()).sqrt()


def _both(a: Any, b: Any, r: Any, gap: Any) -> Any:
    """P(U >= a, V >= b), as a ball."""
    from theory.gaussian.certified.signs import two_signs

    alone = sum((x / _ball(2).sqrt()).erfc() - 1 for x in (a, b))
    return (1 + alone + two_signs(r, gap, thresholds=(-a, -b))) / 4


def _working_bits() -> int:
    from flint import ctx

    return ctx.prec


def _ball(x: int) -> Any:
    from flint import arb

    return arb(x)


def four_point_block(law: Stationary, c: int, i: int, j: int) -> Float[np.ndarray, "n n"]:
    """E[1(v_i >= 0) 1(v_j >= 0) x_k x_l] of class `c` for all k, l: notes, eq. (7), corrected.

    It is (E[x_k x_l] + E[s_i s_j x_k x_l])/4 with s = sign(v), since terms with one sign vanish by parity, and
    E[x_k x_l]/2 for i = j. Absolute error below 1e-12/Z^2. Raises InputError for a site outside, OutOfReachError where
    the classes have means.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> np.abs(four_point_block(law, 0, 1, 2) - four_point_block(law, 0, 2, 1)).max().round(14).item()
    0.0
    """
    require_centred(law, "The four-point moment")
    for site in (i, j):
        if not 0 <= site < law.n:
            raise InputError(f"site {site} lies outside the line of n = {law.n} sites.", "Sites count from 0.")
    statistics = class_statistics(law, c, FLOAT64)
    covariance = statistics.covariance(statistics.lags)
    if i == j:
        return covariance / 2
    signs = tuple(HalfSpace(Direction(((site, Fraction(1)),))) for site in (i, j))
    return (covariance + ClassTails(statistics, signs, ()).second((0, 1))) / 4
