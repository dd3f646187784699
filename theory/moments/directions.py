"""Signs of directions, s_v = sign(v.u): u the latent of the nonlinear Gaussian process, or the clone's Gaussian input.

v.u/sqrt(v'Rv) is one more unit Gaussian, with correlation r_k = (Rv)_k/sqrt(v'Rv) with u_k and
v'Rw/sqrt(v'Rv w'Rw) with the Gaussian of another direction, R the correlations of u in the class: every formula for
signs of sites holds with these in place of rho (localization map, section 5, item 10). They depend on the class.

R is a function of the lag only, so that v'Rw = sum over lags of rho(lag) times an exact fraction. The sum is exactly
zero if all these fractions are zero, and only then, because exp(-d^2/xi^2) at different d^2 are linearly independent
over the rationals (Lindemann, Weierstrass). The sums are computed in balls, so that 1 - r^2 is accurate despite
cancellation.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import Pair
from theory.moments.statistics import ClassStatistics
from theory.problem import OutOfReachError

Entries = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, order=True)
class Direction:
    """A direction up to scale and orientation: its nonzero entries by site, scaled so that the largest is 1.

    >>> Direction.of(((0, Fraction(-2)), (3, Fraction(1)))) == Direction.of(((0, Fraction(4)), (3, Fraction(-2))))
    True
    """

    entries: Entries

    @classmethod
    def of(cls, entries: Entries) -> "Direction":
        """The direction of a vector; `side` tells which of the two orientations the vector has."""
        unit = unit_of(entries)
        return cls(tuple((site, number / unit) for site, number in entries))

    @property
    def site(self) -> int | None:
        """i where the direction is e_i, whose sign is that of a site; otherwise None."""
        return self.entries[0][0] if len(self.entries) == 1 else None


def side(entries: Entries) -> int:
    """Return +1 if a vector points along its `Direction`, -1 if it points against it.

    >>> side(((0, Fraction(1)), (3, Fraction(-2))))
    -1
    """
    return 1 if unit_of(entries) > 0 else -1


def same_sign_on_latent(entries: Entries) -> bool:
    """Whether w.x and w.z have the same sign for every x = erf(gain z)/Z: one site, or two weights of equal size.

    erf is odd and increasing, so that erf(g a) + erf(g b) has the sign of a + b. With other weights there are z at
    which the two differ.

    >>> [same_sign_on_latent(((0, Fraction(1)), (3, Fraction(weight)))) for weight in (-1, 2)]
    [True, False]
    """
    return len(entries) == 1 or (len(entries) == 2 and abs(entries[0][1]) == abs(entries[1][1]))


def unit_of(entries: Entries) -> Fraction:
    """The entry of the largest size, of several the first: the vector over it is its `Direction`.

    >>> unit_of(((0, Fraction(1)), (3, Fraction(-2))))
    Fraction(-2, 1)
    """
    return max(entries, key=lambda entry: abs(entry[1]))[1]


def half_space(statistics: ClassStatistics, v: Direction) -> Shaped[np.ndarray, " n"]:
    """E[s_v x_k | class] for every site k.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.moments.statistics import class_statistics
    >>> from theory.problem import GaussianClone
    >>> clone = GaussianClone(2, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> v = Direction(((0, Fraction(1)),))
    >>> bool(abs(half_space(class_statistics(clone, 0, FLOAT64), v)[0] - np.sqrt(2 / np.pi)) <= 4 * np.finfo(float).eps)
    True
    """
    if v.site is not None:
        return statistics.half_space(statistics.lags_of(v.site))
    (r, gap), _ = statistics.arithmetic.settled(lambda: (projection(statistics.in_balls(), v), np.empty(0)))
    return statistics.through_sign(r, gap)


def _lags(statistics: ClassStatistics, v: Entries, w: Entries) -> dict[int, Fraction]:
    """The nonzero coefficients of v'Rw by lag."""
    weights: dict[int, Fraction] = {}
    for i, a in v:
        lags = statistics.lags_of(i)
        for j, b in w:
            lag = int(lags[j])
            weights[lag] = weights.get(lag, Fraction(0)) + a * b
    return {lag: weight for lag, weight in weights.items() if weight}


def _form(statistics: ClassStatistics, v: Entries, w: Entries) -> Any:
    """Return v'Rw, exactly zero if the coefficient of every lag is."""
    number, r = statistics.arithmetic.rational, statistics.correlations
    terms = (number(weight) * r[lag] for lag, weight in _lags(statistics, v, w).items())
    return sum(terms, start=number(Fraction(0)))


def _at_sites(statistics: ClassStatistics, v: Entries) -> list[Any]:
    """(Rv)_k for every k."""
    if len(v) == 1:
        ((site, number),) = v
        return list(statistics.arithmetic.rational(number) * statistics.correlations[statistics.lags_of(site)])
    return [_form(statistics, v, ((k, Fraction(1)),)) for k in range(statistics.law.n)]


def variance_along(statistics: ClassStatistics, v: Entries) -> Any:
    """v'Rv > 0. Raises OutOfReachError where it is certainly not: the ring's covariance is then indefinite.

    >>> from theory.moments.arithmetic import certified
    >>> from theory.moments.statistics import class_statistics
    >>> from theory.problem import NonlinearGP
    >>> statistics = class_statistics(NonlinearGP(2, (2, 1), 1, "open", "none", (1, 0)), 0, certified())
    >>> variance_along(statistics, ((0, Fraction(2)),))
    4.00000000000000
    """
    if statistics.rounded and len(v) > 1:
        _ = statistics.covariances  # refused: correlations of float64 may cancel along several sites
    variance = _form(statistics, v, v)
    if variance < 0:
        raise OutOfReachError(
            f"A gate's direction with entries at {len(v)} sites has the variance {variance.str(3, radius=False)} in "
            f"class {statistics.c}: the covariance is not positive semidefinite along it.",
            'Use boundary="open" or a smaller xi. (Nothing is clipped for you.)',
        )
    return variance


def projection(statistics: ClassStatistics, v: Direction) -> Shaped[np.ndarray, "2 n"]:
    """r_k = (Rv)_k/sqrt(v'Rv) and 1 - r_k^2 of a class in balls.

    >>> from theory.moments.arithmetic import certified
    >>> from theory.moments.statistics import class_statistics
    >>> from theory.problem import NonlinearGP
    >>> statistics = class_statistics(NonlinearGP(2, (2, 1), 1, "open", "none", (1, 0)), 0, certified())
    >>> projection(statistics, Direction(((0, Fraction(1)),)))[:, 0].tolist()
    [1.00000000000000, 0]
    """
    variance = variance_along(statistics, v.entries)
    along = _at_sites(statistics, v.entries)
    root = variance.sqrt()
    return np.array([[p / root for p in along], [(variance - p * p) / variance for p in along]], dtype=object)


def pair_in_balls(statistics: ClassStatistics, v: Direction, w: Direction) -> Pair:
    """1 - r^2; and corr(v, k), corr(w, k), their part u_k that w adds to v, and r, one after the other, in balls.

    >>> from theory.moments.arithmetic import certified
    >>> from theory.moments.statistics import class_statistics
    >>> from theory.problem import NonlinearGP
    >>> statistics = class_statistics(NonlinearGP(2, (2, 1), 1, "open", "none", (1, 0)), 0, certified())
    >>> gap, rest = pair_in_balls(statistics, *(Direction(((k, Fraction(1)),)) for k in (0, 1)))
    >>> (rest[-1] - statistics.correlations[1]).contains(0), len(rest)
    (True, 7)
    """
    own, other = variance_along(statistics, v.entries), variance_along(statistics, w.entries)
    joint = _form(statistics, v.entries, w.entries)
    left = own * other - joint * joint
    # What w adds to v is w - (v'Rw/v'Rv) v, of variance left/own.
    along, across = _at_sites(statistics, v.entries), _at_sites(statistics, w.entries)
    added = [(own * q - joint * p) / (own * left).sqrt() for p, q in zip(along, across, strict=True)]
    first, second = [p / own.sqrt() for p in along], [q / other.sqrt() for q in across]
    rest = [*first, *second, *added, joint / (own * other).sqrt()]
    return np.array([left / (own * other)], dtype=object), np.array(rest, dtype=object)
