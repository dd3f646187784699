"""The amplifier of a marginal in float64, for arrays of a: densities by quadrature, finite values by their sum.

The average of an even function h with h(0) = 0 needs the distribution alone, which is bounded where a density may have
a pole: E h(X) = int_0^oo h'(x) P(|X| > x) dx.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, pi, sqrt

import numpy as np
from scipy.special import erf

from theory.moments.inputs import Density, Marginal, Values
from theory.problem import InputError, OutOfReachError
from theory.problem.distributions.sampled import LARGEST_NUMBER

Array = np.ndarray | np.floating  # of any shape; NumPy makes a scalar of a sum
Function = Callable[[Array], Array]

# Gauss-Legendre nodes and weights; a panel is cut until that changes its integral of P(|X| > x) by less than _RESOLVED.
_NODES, _RESOLVED, _MOST_PANELS = np.polynomial.legendre.leggauss(16), 1e-14, 4000
# A tail of smaller probability is left out: the rounding error of 1 - P(X <= x) is as large.
_TAIL = 3e-16
# Panels halve so often towards 0 and the end of the range: they resolve erf(s x) for s up to 10^9.
_HALVINGS = 50
_LONGEST = 1e12  # no range is longer
# The quadrature knows mean and variance to this error, even of tails that fall like x^-5.
UNIT = 1e-6
_CHUNK = 2**21  # numbers in memory at a time
# erf(u) is 1, and u exp(-u^2) is 0, from here on.
_SATURATED = 30.0


def steepness(a: Array | float) -> Array:
    """Return s = a/sqrt(1 - a^2), infinite at a = 1 and -1. Raises InputError for other a.

    >>> steepness(np.array([0.0, 0.6, 1.0])).round(12).tolist()
    [0.0, 0.75, inf]
    """
    a = np.asarray(a, float)
    if not (np.abs(a) <= 1).all():
        wrong = a[~(np.abs(a) <= 1)].flat[0]
        raise InputError(f"a = {wrong:g} is not a correlation, -1 <= a <= 1.", "Give a between -1 and 1.")
    with np.errstate(divide="ignore"):
        return a / np.sqrt((1 - a) * (1 + a))


def require_sizes(x: Array, what: str) -> None:
    """Raise InputError for the first number that is not finite, or so large that its square overflows float64.

    >>> require_sizes(np.array([0.0, np.nan]), "sample")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: The sample 1 is nan: not finite, or larger than 1e100. Correct it; ...
    """
    wrong = np.flatnonzero(~(np.abs(x) <= LARGEST_NUMBER))
    if len(wrong):
        raise InputError(
            f"The {what} {wrong[0]} is {x[wrong[0]]:g}: not finite, or larger than 1e100.",
            "Correct it; they count from 0.",
        )


def require_unit(mean: float, variance: float, allowed: float = UNIT) -> None:
    """Raise InputError unless mean and variance are 0 and 1, up to `allowed`.

    >>> require_unit(0.0, 4.0)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: The marginal has the variance 4; the amplifier is defined for the variance 1. ...
    """
    if not abs(mean) <= allowed:
        raise InputError(
            f"The marginal has the mean {mean:.6g}; the amplifier is defined for the mean 0.", "Subtract the mean."
        )
    if not abs(variance - 1) <= allowed:
        raise InputError(
            f"The marginal has the variance {variance:.8g}; the amplifier is defined for the variance 1.",
            f"Divide x by {sqrt(variance):.8g}; on the command line --rescale does so.",
        )


def integrand(s: Array, x: Array) -> Array:
    """Return h = x erf(s x/sqrt2), whose mean is phi.

    >>> integrand(np.array(np.inf), np.array([-2.0, 0.0])).tolist()
    [2.0, 0.0]
    """
    return x * erf(_product(s, x) / sqrt(2))


def integrand_by_x(s: Array, x: Array) -> Array:
    """Return dh/dx.

    >>> integrand_by_x(np.array(1.0), np.array(0.0)).item()
    0.0
    """
    u = _product(s, x) / sqrt(2)
    return erf(u) + 2 * u * np.exp(-u * u) / sqrt(pi)


def integrand_by_s(s: Array, x: Array) -> Array:
    """Return dh/ds = sqrt(2/pi) x^2 exp(-s^2 x^2/2).

    >>> integrand_by_s(np.array(1.0), np.array(0.0)).item()
    0.0
    """
    return sqrt(2 / pi) * x * x * np.exp(-(_product(s, x) ** 2) / 2)


@dataclass(frozen=True, eq=False)
class Amplifier:
    """phi and its elasticity for a marginal of mean 0 and variance 1; raises InputError for another.

    The absolute error of phi is below 1e-10 for a density with tails that fall exponentially. A Gaussian pixel has
    phi = sqrt(2/pi) a, and no other one is as plain:

    >>> from theory.moments.marginal import gaussian_marginal
    >>> found = Amplifier(gaussian_marginal(1.0))
    >>> (found.at(np.array([0.5, -0.9, 1.0])) * sqrt(pi / 2)).round(10).tolist()
    [0.5, -0.9, 1.0]
    >>> found.elasticity(np.array([0.0, 0.9])).round(10).tolist()
    [1.0, 1.0]
    """

    marginal: Marginal

    def __post_init__(self) -> None:
        require_unit(*moments(self.marginal))

    @cached_property
    def _average(self) -> "_Average":
        return _average(self.marginal)

    def at(self, a: Array | float) -> Array:
        """Return phi(a), |a| <= 1; phi(1) = E|X|."""
        return self._each(steepness(a), self._value)

    def elasticity(self, a: Array | float) -> Array:
        """Return d ln phi/d ln a, |a| < 1, which tends to 1 as a tends to 0. Raises InputError at |a| = 1."""
        a = np.asarray(a, float)
        s = steepness(a)
        if not np.isfinite(s).all():
            raise InputError("The elasticity is defined for |a| < 1 only.", "Give a smaller a.")
        flat = s == 0
        safe = np.where(flat, 1.0, s)
        found = safe * self._each(safe, self._slope) / self._each(safe, self._value) * (1 + safe * safe)
        return np.where(flat, 1.0, found)

    def _value(self, s: Array) -> Array:
        return self._average(lambda x: integrand(s, x), lambda x: integrand_by_x(s, x))

    def _slope(self, s: Array) -> Array:
        """d phi/d s."""

        def derivative(x: Array) -> Array:
            square = _product(s, x) ** 2
            return sqrt(2 / pi) * x * (2 - square) * np.exp(-square / 2)

        return self._average(lambda x: integrand_by_s(s, x), derivative)

    def _each(self, s: Array, function: Function) -> Array:
        """Apply a function to a few values of s at a time."""
        flat = s.ravel()
        rows = max(1, _CHUNK // self._average.size)
        parts = [function(flat[start : start + rows, None]) for start in range(0, flat.size, rows)]
        return np.concatenate([np.zeros(0), *parts]).reshape(s.shape)


def moments(marginal: Marginal) -> tuple[float, float]:
    """Return mean and variance of a marginal. Raises OutOfReachError where the variance is infinite.

    >>> moments(Values((-1, 1), (0.5, 0.5)))
    (0.0, 1.0)
    """
    if isinstance(marginal, Values):
        x, p = (np.array([float(number) for number in row]) for row in (marginal.values, marginal.probabilities))
        return float(x @ p), float((x - x @ p) ** 2 @ p)
    average = _average(marginal)
    mean = float(average.weights @ (1 - marginal.cumulative(average.x) - marginal.cumulative(-average.x)))
    return mean, float(average(np.square, lambda x: 2 * x)) - mean**2


def unit_marginal(marginal: Marginal) -> Marginal:
    """Return the marginal of (X - E X)/sqrt(Var X).

    >>> unit_marginal(Values((0, 2), (0.5, 0.5))).values
    (-1.0, 1.0)
    """
    mean, variance = moments(marginal)
    if not variance > 0:
        raise InputError("The marginal has a single value.", "Give one that varies.")
    scale = sqrt(variance)
    if isinstance(marginal, Values):
        return Values(tuple((float(x) - mean) / scale for x in marginal.values), marginal.probabilities)
    return Density(
        lambda x: scale * marginal.density(mean + scale * x),
        lambda x: marginal.cumulative(mean + scale * x),
        (marginal.low - mean) / scale,
        (marginal.high - mean) / scale,
    )


@dataclass(frozen=True, eq=False)
class _Average:
    """E h(X) for even h with h(0) = 0: a sum over points x of h itself, or of its derivative times P(|X| > x)."""

    x: Array
    weights: Array
    tail: Array | None  # P(|X| > x), or None for finitely many values with the probabilities `weights`

    @property
    def size(self) -> int:
        return len(self.x)

    def __call__(self, h: Function, derivative: Function) -> Array:
        return h(self.x) @ self.weights if self.tail is None else derivative(self.x) @ (self.weights * self.tail)


def _average(marginal: Marginal) -> _Average:
    if isinstance(marginal, Values):
        p = np.array([float(number) for number in marginal.probabilities])
        return _Average(np.array([float(x) for x in marginal.values]), p, None)

    def beyond(x: Array) -> Array:
        return 1 - marginal.cumulative(x) + marginal.cumulative(-x)

    end = _end(marginal, beyond)
    small = end * 0.5 ** np.arange(1, _HALVINGS)
    ends = np.sort(np.concatenate([[0.0], small, end - small[1:], [end]]))
    low, high = ends[:-1], ends[1:]
    kept: list[tuple[Array, Array]] = []
    panels = 0
    while low.size:
        middle = (low + high) / 2
        whole, left, right = (_panels(*pair, beyond)[2] for pair in ((low, high), (low, middle), (middle, high)))
        rough = (np.abs(whole - left - right) > _RESOLVED * end) & (high - low > 1e-15 * end)
        kept.append((low[~rough], high[~rough]))
        panels += int((~rough).sum())
        if panels > _MOST_PANELS:
            raise OutOfReachError("The distribution function is too rough for the quadrature.", "Give samples of it.")
        low, high = np.concatenate([low[rough], middle[rough]]), np.concatenate([middle[rough], high[rough]])
    low, high = (np.concatenate(side) for side in zip(*kept, strict=True))
    x, weights, _ = _panels(low, high, beyond)
    return _Average(x.ravel(), weights.ravel(), beyond(x).ravel())


def _panels(low: Array, high: Array, beyond: Function) -> tuple[Array, Array, Array]:
    """Nodes and weights of every panel, and the integral of the tail over it."""
    node, weight = _NODES
    half = (high - low)[:, None] / 2
    x, weights = (low + high)[:, None] / 2 + half * node, half * weight
    return x, weights, (weights * beyond(x)).sum(axis=1)


def _end(marginal: Density, beyond: Function) -> float:
    """The end of the range of |X|; of an infinite one, the point beyond which the tail is below rounding."""
    end = max(abs(marginal.low), abs(marginal.high))
    if isfinite(end):
        return end
    grid = 2.0 ** np.arange(-20, 41)
    small = np.flatnonzero(beyond(grid) <= _TAIL)
    end = float(grid[small[0]]) if small.size else 2 * _LONGEST
    # With a finite variance x^2 P(|X| > x) vanishes for large x; at the cut it bounds the variance that is left out.
    left = (end / 2) ** 2 * float(beyond(np.array([end / 2]))[0])
    if not left <= UNIT:
        raise OutOfReachError(
            f"The tails are too heavy: x^2 P(|X| > x) is still {left:.2g} at x = {end / 2:.3g}. The variance "
            "is infinite or beyond float64.",
            "Give a marginal whose tails fall faster.",
        )
    return end


def _product(s: Array, x: Array) -> Array:
    """Return s x, cut off where erf and exp have reached their limits; 0 at x = 0 even for infinite s."""
    with np.errstate(invalid="ignore"):
        product = np.where(x == 0, 0.0, s * x)
    return np.clip(product, -2 * _SATURATED, 2 * _SATURATED)
