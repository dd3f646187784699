r"""One mode of a layered network whose weights are equal in each layer, from any strengths: b_l(t) by one quadrature.

N layers; layer l has M_l weights, all of the strength b_l. Let s and d be the sums of the targets and of the moments of
the inputs over all paths. With c = 2 for the loss "mse" and 1 for "half-mse",

    tau db_l/dt = (c/M_l) (prod_{j != l} b_j) (s - d b_1 ... b_N).

M_l b_l^2 - M_m b_m^2 is conserved. So M_l b_l^2 = x^2 + k_l, with x^2 the smallest of them and k_l >= 0, and with
Pi^2 = M_1 ... M_N and G(x) the product of the roots of x^2 + k_l over the other layers,

    tau dx/dt = (c/Pi) G(x) (s - (d/Pi) x G(x)).

x G(x) increases with x: the mode has one limit, x G(x) = Pi s/d, or x = 0 where G(0) = 0 and the start has the other
sign. Deep linear networks (M_l = 1), shared pathways and routing networks are cases of it.
"""

from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt

import numpy as np
from jaxtyping import Float
from numpy.polynomial.legendre import leggauss

from theory.problem.errors import InputError, OutOfReachError

# v is the log of the factor by which the distance to the limit has shrunk. dt/dv has its nearest singularities where
# x^2 + k_l = 0, and where x G(x) takes the value of the limit once more: there the imaginary part of v was pi/(2 N) or
# more in each of 20,000 random modes. On panels of at most 1/N, and of half the distance to x^2 + k_l = 0, 16 points
# err by less than 1e-20.
_NODES, _WEIGHTS = leggauss(16)
_SATURATED = 40.0  # e^{-40} < 2^-53: then x is its limit to the last digit
_TIE = 64 * float(np.finfo(float).eps)  # rounding of two strengths that are equal, relative to their squares
_NEWTON_STEPS = 12  # from within one panel, on which dt/dv changes little
_MOST_STEPS = 10_000  # of Newton's method for the limit, which divides the distance by N/(N - 1) or more


@dataclass(frozen=True)
class SymmetricMode:
    """One mode: the number of weights of each layer, s, d >= 0 and c/tau.

    Strengths that are equal up to rounding are taken for equal, which decides whether a product can change its sign.
    Raises InputError for a layer without weights, d < 0, and s != 0 with d = 0, which no data have.

    Two equal layers follow the logistic curve (`balanced.two_layers`); a start at rest in one layer grows as well:

    >>> mode = SymmetricMode((1, 1), 2.0, 1.0)
    >>> mode.strengths(np.array([1.0, 1.0]), np.array([0.0, 50.0])).prod(axis=1).round(12).tolist()
    [1.0, 2.0]
    >>> mode.limit(np.array([0.0, 1.0])).prod().round(12)
    np.float64(2.0)
    """

    counts: tuple[int, ...]
    s: float
    d: float
    speed: float = 1.0

    def __post_init__(self) -> None:
        if not self.counts or min(self.counts) < 1 or not self.d >= 0 or (self.s != 0 and self.d == 0):
            raise InputError(
                f"counts = {self.counts}, s = {self.s:g} and d = {self.d:g} are those of no mode.",
                "Each layer has a weight, d >= 0, and s = 0 where d = 0.",
            )

    def conserved(self, strengths: Float[np.ndarray, " N"]) -> Float[np.ndarray, " pairs"]:
        """Return M_{l+1} b_{l+1}^2 - M_l b_l^2 for each layer but the last.

        >>> SymmetricMode((2, 1, 2), 1.0, 1.0).conserved(np.array([1.0, 2.0, 1.0])).tolist()
        [2.0, -2.0]
        """
        return np.diff(np.array(self.counts) * np.square(strengths))

    def limit(self, start: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
        """Return b_1, ..., b_N at infinity.

        >>> balanced = np.array([0.1, 0.2, 0.1])  # b_2^2 = 4 b_1^2: the limit has b_2^3 = 4 s/d
        >>> SymmetricMode((4, 1, 4), 16.0, 8.0).limit(balanced).round(12).tolist()
        [1.0, 2.0, 1.0]
        """
        course = self._course(start)
        return np.array(start, dtype=float) if course is None else course.strengths(np.array([course.end]))[0]

    def strengths(self, start: Float[np.ndarray, " N"], times: Float[np.ndarray, " T"]) -> Float[np.ndarray, "T N"]:
        """Return b_1, ..., b_N at times t >= 0.

        Raises InputError for a time below 0, OutOfReachError where float64 has no number for a time.
        """
        if np.any(times < 0):
            raise InputError(f"t = {times.min():g} is before the start.", "Give times t >= 0.")
        course, begin = self._course(start), np.array(start, dtype=float)
        if course is None:
            return np.tile(begin, (len(times), 1))
        return np.where(times[:, None] == 0, begin, course.strengths(course.at(times)))

    def _course(self, start: Float[np.ndarray, " N"]) -> "_Course | None":
        """Return the motion of the smallest strength, or None for a mode at rest."""
        rooted = np.sqrt(self.counts) * np.asarray(start, dtype=float)
        sizes, sign = abs(rooted), np.where(rooted < 0, -1.0, 1.0)
        least = int(sizes.argmin())
        gaps = (sizes - sizes[least]) * (sizes + sizes[least])
        gaps = np.where(gaps <= _TIE * sizes**2, 0.0, gaps)
        first, root = float(sizes[least] * sign.prod()), sqrt(prod(self.counts))
        course = _Course(self.counts, sign, least, gaps, first, self.s, self.d / root, self.speed / root)
        return None if self.d == 0 or course.end == first else course


@dataclass(frozen=True, eq=False)
class _Course:
    """x from `first` to its limit: dx/dt = speed G(x) (s - d x G(x)), with d and speed divided by Pi.

    `gaps` are the k_l, 0 in the layer `least`, whose strength is x; `sign` has the signs of the start.
    """

    counts: tuple[int, ...]
    sign: np.ndarray
    least: int
    gaps: np.ndarray
    first: float
    s: float
    d: float
    speed: float

    @cached_property
    def others(self) -> np.ndarray:
        """The k_l of the other layers."""
        return np.delete(self.gaps, self.least)

    @cached_property
    def end(self) -> float:
        """The limit of x. For w = x^2 the convex w prod (w + k_l) is (s/d)^2: Newton's method falls from above."""
        if self.s == 0 or self.d == 0 or ((self.others == 0).any() and self.first * self.s <= 0):
            return 0.0
        goal = abs(self.s) / self.d
        w = goal ** (2 / len(self.gaps))
        for _ in range(_MOST_STEPS):
            factors = w + self.gaps
            # The function over its derivative, both divided by the product of the factors.
            step = (1 - (goal / np.sqrt(factors).prod()) ** 2) / (1 / factors).sum()
            w -= step
            if step <= float(np.finfo(float).eps) * w:
                break
        return float(np.copysign(sqrt(w), self.s))

    def G(self, x: np.ndarray) -> np.ndarray:
        """The product of the other strengths, each times the root of M_l."""
        return np.sqrt(np.square(x)[..., None] + self.others).prod(axis=-1)

    def place(self, v: np.ndarray) -> np.ndarray:
        """x at v, with x - end = (first - end) e^{-v}."""
        return self.first - (self.end - self.first) * np.expm1(-v)

    def slowness(self, v: np.ndarray) -> np.ndarray:
        """dt/dv. The factor end - x of dx/dt cancels against that of dv, without a difference of close numbers."""
        x = self.place(v)
        G = self.G(x)
        if self.end == 0:
            left = self.d * G + (np.abs(self.s / x) if self.s else 0.0)
        else:
            last = self.end * self.G(np.array([self.end])).item()
            opposite = x * self.end < 0
            with np.errstate(divide="ignore", invalid="ignore"):
                apart = (last - x * G) / (self.end - x)
            close = (abs(self.end) + abs(x)) * self._divided(np.square(x)) / (abs(last) + abs(x) * G)
            left = self.d * np.where(opposite, apart, close)
        with np.errstate(divide="ignore", over="ignore"):
            return 1 / (self.speed * G * left)

    def _divided(self, w: np.ndarray) -> np.ndarray:
        """The divided difference of w prod (w + k_l) between end^2 and w: a sum of products of positive numbers."""
        here, there = w[..., None] + self.gaps, self.end**2 + self.gaps
        return sum(there[:j].prod() * here[..., j + 1 :].prod(axis=-1) for j in range(len(self.gaps)))

    def at(self, times: np.ndarray) -> np.ndarray:
        """x at times >= 0, by Newton's method within the panel that a time falls into."""
        edges, sums = self._panels(float(times.max(initial=0.0)))
        panel = np.clip(np.searchsorted(sums, times, side="right") - 1, 0, len(sums) - 1)
        begin, rest = edges[panel], times - sums[panel]
        v = begin.copy()
        for _ in range(_NEWTON_STEPS):
            v = np.clip(v + (rest - self._between(begin, v)) / self.slowness(v), begin, edges[-1])
        return self.place(v)

    def strengths(self, x: np.ndarray) -> np.ndarray:
        """b_1, ..., b_N where the smallest strength, times the root of M_l, is |x|."""
        sizes = np.sqrt(np.square(x)[:, None] + self.gaps) * self.sign
        others = np.delete(self.sign, self.least).prod()
        sizes[:, self.least] = x * others
        return sizes / np.sqrt(self.counts) + 0.0  # which makes -0.0 the same 0.0

    def _between(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The times from v = low to v = high, within one panel each."""
        half = (high - low) / 2
        return half * (self.slowness(low[:, None] + half[:, None] * (1 + _NODES)) @ _WEIGHTS)

    def _panels(self, until: float) -> tuple[np.ndarray, np.ndarray]:
        """Edges of panels from v = 0 on, and the time at each, up to the time `until` or where x is its limit."""
        last = np.log(abs(self.first) / np.finfo(float).tiny) if self.end == 0 else _SATURATED
        nearest = sqrt(self.others.min(initial=np.inf))
        edges, sums = [0.0], [0.0]
        while edges[-1] < last and sums[-1] <= until:
            x = self.place(np.array(edges[-1:])).item()
            away = abs(self.end - x)
            width = min(1 / len(self.gaps), np.hypot(x, nearest) / (2 * away) if away else 1.0)
            edges.append(edges[-1] + width)
            sums.append(sums[-1] + self._between(np.array(edges[-2:-1]), np.array(edges[-1:])).item())
        if not np.isfinite(sums).all():
            raise OutOfReachError(
                f"A mode leaves its start, of the strength {self.first:.3g}, after a time that float64 does not hold.",
                "Start it from larger weights, or from 0.",
            )
        return np.array(edges), np.array(sums)
