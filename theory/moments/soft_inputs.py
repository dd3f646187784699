"""Soft gates on inputs x = f(gain z)/Z of one site: mixtures of hard thresholds of the latent.

T(x) = Phi(beta (x - h)) is a monotone function of the latent u = z/sqrt(v), and so are hard gates. For a product G of
one or two functions of one site, with the half-spaces 1[u >= a],

    G(u) = G(-oo) + int G'(a) 1[u >= a] da,

so that every moment through G is a mean of moments at thresholds. The measure G'(a) da is a sum of parts of one sign,
T' times the other factor; Gauss's rule for each has few nodes, because moments are smooth functions of a threshold
between the kinks of f.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigh_tridiagonal
from scipy.special import ndtr

from theory.moments.half_spaces import HalfSpace
from theory.moments.statistics import ClassStatistics

COUNT = 44  # nodes of Gauss's rule of a part; most have negligible weights
REACH, PANELS, NODES = 12.0, 96, 12
NEAR = 2.0 ** np.arange(-3, 5)

Points = Float[np.ndarray, " q"]
Weighted = list[tuple[float, float]]


@dataclass(frozen=True)
class Factor:
    """A function of u at one site: a soft half-space of x or z, or a hard one or a sign with its threshold `at` on u.

    `mean` is the class mean of x.

    >>> from fractions import Fraction
    >>> from theory.moments.directions import Direction
    >>> sign = HalfSpace.at_threshold(Direction(((0, Fraction(1)),)), Fraction(0))
    >>> Factor(None, sign, 0.0, at=0.25).values(np.array([-1.0, 1.0])).tolist()
    [-1.0, 1.0]
    """

    statistics: ClassStatistics | None
    half_space: HalfSpace
    mean: float
    at: float | None = None

    def values(self, u: Points) -> Points:
        """The function of u."""
        if self.at is None:
            return ndtr(self._side * self._height(self._seen(u)[0]))
        above = np.where(u >= self.at, 1.0, 0.0)
        return 2 * above - 1 if not self.half_space.tail else (1 - above if self.half_space.below else above)

    def slopes(self, u: Points) -> Points:
        """The derivative of a soft function."""
        x, slope = self._seen(u)
        height = self._height(x)
        return self._side * float(self.half_space.sharpness) * slope * np.exp(-(height**2) / 2) / sqrt(2 * np.pi)

    def _seen(self, u: Points) -> tuple[Points, Points]:
        """The x or z at which the gate looks, and its derivative."""
        if self.half_space.on_input:
            x, slope = self.statistics.input_of(u)
            return x + self.mean, slope
        root = sqrt(float(self.statistics.spread))
        return root * u, np.full_like(u, root)

    @property
    def _side(self) -> int:
        return -1 if self.half_space.below else 1

    def _height(self, x: Points) -> Points:
        return float(self.half_space.sharpness) * (x - float(self.half_space.at))

    @property
    def middle(self) -> Float[np.ndarray, " e"]:
        """About where a soft function is 1/2, and how far it is from there at points of u; empty if it is not."""
        grid = np.linspace(-REACH, REACH, 24 * PANELS + 1)
        height = self._height(self._seen(grid)[0])
        at = np.flatnonzero(np.diff(np.sign(height)))
        if not len(at):
            return np.zeros(0)
        place, length = grid[at[0]], (grid[1] - grid[0]) / max(abs(height[at[0] + 1] - height[at[0]]), 1e-12)
        return np.concatenate([[place], place + length * NEAR, place - length * NEAR])


def thresholds(factors: Sequence[Factor], kinks: Sequence[float]) -> tuple[float, Weighted]:
    """Return G(-oo), and thresholds a with weights: the mixture that is the product G of one or two factors.

    `kinks` are the u at which f is not smooth.
    """
    steps = [factor.at for factor in factors if factor.at is not None]
    breaks = np.unique(np.clip([-REACH, *kinks, *steps, REACH], -REACH, REACH))
    start = float(np.prod([factor.values(np.array([-REACH]))[0] for factor in factors]))
    found: Weighted = []
    for index, factor in enumerate(factors):
        rest = [other for place, other in enumerate(factors) if place != index]
        if factor.at is not None:
            at = np.array([factor.at])
            jump = np.diff(factor.values(np.array([factor.at - 1, factor.at + 1])))[0]
            found.append((float(jump * np.prod([other.values(at)[0] for other in rest])), factor.at))
            continue
        for low, high in pairwise(breaks.tolist()):
            edges = np.concatenate([np.linspace(-REACH, REACH, PANELS + 1), factor.middle, [low, high]])
            u, weight = _composite(np.unique(np.clip(edges, low, high)))
            measure = weight * factor.slopes(u) * np.prod([other.values(u) for other in rest] or [1.0], axis=0)
            found += gauss_rule(u, measure, COUNT)
    return start, found


def gauss_rule(points: Points, weights: Points, count: int) -> Weighted:
    """Return the weights and nodes of Gauss's rule of a measure of one sign on points, by Lanczos' recursion.

    >>> rule = gauss_rule(np.linspace(-1, 1, 9), np.full(9, 1 / 9), 3)
    >>> exact = np.mean(np.linspace(-1, 1, 9) ** 4)
    >>> bool(abs(sum(weight * node**4 for weight, node in rule) - exact) < 1e-14)
    True
    """
    total = float(weights.sum())
    share = np.abs(weights) / max(abs(total), np.finfo(float).tiny)
    kept = share > np.finfo(float).tiny
    points, share = points[kept], share[kept]
    if not len(points):
        return []
    basis = [np.sqrt(share / share.sum())]
    diagonal, beside = [], []
    for _ in range(min(count, len(points))):
        moved = points * basis[-1]
        diagonal.append(float(basis[-1] @ moved))
        for _again in range(2):
            moved = moved - sum((own @ moved) * own for own in basis)
        length = float(np.linalg.norm(moved))
        if length < 1e-13 * np.abs(points).max():
            break
        beside.append(length)
        basis.append(moved / length)
    nodes, vectors = eigh_tridiagonal(np.array(diagonal), np.array(beside[: len(diagonal) - 1]))
    return [(float(total * first**2), float(node)) for first, node in zip(vectors[0], nodes, strict=True)]


def _composite(edges: Float[np.ndarray, " e"]) -> tuple[Points, Points]:
    unit, unit_weight = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + unit)).ravel(), (half * unit_weight).ravel()
