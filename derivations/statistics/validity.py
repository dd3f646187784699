r"""The distance of trained networks from a prediction, and the time at which it exceeds a margin.

With v_s(t) the weights (or losses, or participation ratios) of replicate s at time t and r(t) what is predicted,

    delta(t) = |E v(t) - r(t)| / |r(t)| .

|mean_s v_s - r|^2 exceeds |E v - r|^2 by tr Cov(v)/S in the mean, which hides a small distance under the noise of many
weights. Its unbiased estimate leaves the diagonal out, with X_s = v_s - r:

    theta = 1/(S(S - 1)) sum_{s != s'} X_s . X_s' .

The band is where two bands meet, each for all times together at half of the level, with resamples of whole replicates
for the law of the largest studentised deviation (`resampling`), skewed replicates included:

* along the distance: from sqrt(theta - c se) to sqrt(theta) + c se/(2 sqrt(theta)). se^2 is the jackknife's variance,
  4 E X . Cov(X) E X/S in first order, plus 2 tr Cov(X)^2/(S (S - 1)), that of theta where E X = 0, because
  by chance the mean noise is small at times, and the jackknife's variance with it. Narrow where the weights are many.
* whatever its direction: |mean X| +- q sqrt(tr Cov(X)/S), by the triangle inequality. Holds at any distance, narrow
  where the numbers are few.

A band is given for any sample, also where replicates are so few or so skewed that a registered comparison would not be
decided (`calibration`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.statistics.resampling import counts_of, critical_value, resampled_maxima
from theory.problem import InputError


@dataclass(frozen=True)
class Departure:
    """The first measured time at which a distance exceeds a margin, or None.

    `time` is the first at which the whole band lies above the margin. The first time at which the true distance
    exceeds it lies from `earliest` to `time`, up to the level of the band.
    """

    margin: float
    time: float | None
    earliest: float | None


@dataclass(frozen=True)
class Meter:
    """Relative distances at T times with a band that covers all of them with probability 1 - level.

    `plain` is |mean - r|/|r| as it is, noise included; `distance` the root of the unbiased square, 0 where that is
    negative; `low` and `high` are the band. They have no unit.
    """

    times: Float[np.ndarray, " T"]
    plain: Float[np.ndarray, " T"]
    distance: Float[np.ndarray, " T"]
    low: Float[np.ndarray, " T"]
    high: Float[np.ndarray, " T"]
    level: float
    replicates: int

    @property
    def bands(self) -> list[str]:
        """The ends of the band at each time in words."""
        return [f"{low:.4f} to {high:.4f}" for low, high in zip(self.low, self.high, strict=True)]

    def json(self) -> dict[str, Any]:
        """The distances with their band, as answers print them."""
        return {name: getattr(self, name) for name in ("distance", "low", "high", "plain", "level")}

    def departure(self, margin: float) -> Departure:
        """Return the time at which the distance exceeds `margin`. Raises InputError for a margin below 0."""
        if not margin >= 0:
            raise InputError(f"The margin {margin} is no distance.", "Give a number from 0 on.")
        return Departure(margin, _first(self.times, self.low > margin), _first(self.times, self.high > margin))


def meter(
    times: Sequence[float],
    values: Float[np.ndarray, "S T ..."],
    reference: Float[np.ndarray, "..."],
    level: float = 0.01,
    seed: int = 0,
) -> Meter:
    """The distance of networks to `reference`: a prediction (T, ...), or other networks (S, T, ...).

    Networks beside networks are paired by replicate (best on the same stream); the distance is then that of the two
    means, in units of the length of the second, whose noise counts too. Raises InputError for shapes that do not fit,
    too few replicates (four or fewer at the level 0.01), or a reference that is zero at some time.
    """
    values, reference = np.asarray(values, float), np.asarray(reference, float)
    paired = reference.ndim == values.ndim
    _check(times, values, reference, paired)
    count = len(values)
    v = values.reshape(count, len(times), -1)
    r = reference.reshape(count if paired else 1, len(times), -1)
    square, terms = _unbiased_square(v - r)
    if paired:
        scale, scale_terms = _unbiased_square(r)
    else:
        scale, scale_terms = np.square(r[0]).sum(axis=-1), np.zeros_like(terms)
    if not (scale > 0).all():
        raise InputError(
            f"The reference is zero at t = {float(np.asarray(times)[np.argmin(scale)]):g} (or hidden by noise): a "
            "distance relative to it is undefined.",
            "Leave this time out.",
            "undefined",
        )
    share = square / scale
    terms = (terms - share * scale_terms) / scale
    error = np.sqrt(np.square(terms).sum(axis=0) / (count * (count - 1)) + _null_variance(v - r) / scale**2)
    reach = _critical(resampled_maxima(terms, seed), level / 2, count) * error
    plain, noise = _any_direction(v, r, level / 2, seed)
    root = _root(share)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.where(root > 0, root + reach / (2 * root), np.inf)
    return Meter(
        times=np.asarray(times, float),
        plain=plain,
        distance=root,
        low=np.maximum(_root(share - reach), plain - noise),
        high=np.minimum(above, plain + noise),
        level=level,
        replicates=count,
    )


def network_meter(
    times: Sequence[float],
    values: Float[np.ndarray, "S T ..."],
    reference: Float[np.ndarray, "S T ..."],
    level: float = 0.01,
    seed: int = 0,
) -> Meter:
    """The mean over replicates of |v_s(t) - r_s(t)|/|r_s(t)|, each network beside its own partner.

    For replicates with starts of their own, where a mean over replicates does not describe any one network.
    `plain` and `distance` are both this mean; the band is studentised, with its quantile from resamples. Raises
    InputError as `meter` does.
    """
    values, reference = np.asarray(values, float), np.asarray(reference, float)
    _check(times, values, reference, paired=True)
    v, r = (array.reshape(len(values), len(times), -1) for array in (values, reference))
    length = np.linalg.norm(r, axis=-1)
    if not length.all():
        raise InputError("A network of the reference has only zeros at some time.", "Leave it out.", "undefined")
    apart = np.linalg.norm(v - r, axis=-1) / length
    mean, error = apart.mean(axis=0), apart.std(axis=0, ddof=1) / np.sqrt(len(apart))
    reach = _critical(resampled_maxima(apart, seed), level, len(apart)) * error
    return Meter(np.asarray(times, float), mean, mean, np.maximum(mean - reach, 0), mean + reach, level, len(apart))


@dataclass(frozen=True)
class Reduction:
    """The factor by which common random numbers reduce the variance of a difference, with its jackknife error."""

    factor: float
    standard_error: float


def variance_reduction(first: Float[np.ndarray, "S ..."], second: Float[np.ndarray, "S ..."]) -> Reduction:
    """(tr Var v + tr Var v')/tr Var(v - v') of networks paired by replicate: 1 where they are independent.

    With independent streams this factor more networks would be needed for the same error of the mean difference.
    Raises InputError for shapes that differ, or where the difference does not vary.
    """
    first, second = (np.asarray(values, float).reshape(len(values), -1) for values in (first, second))
    if first.shape != second.shape or len(first) < 3:
        raise InputError(f"Shapes {first.shape} and {second.shape}.", "Give as many networks of both, at least three.")
    if not np.ptp(first - second, axis=0).any():
        what = "The difference is the same in every replicate: there is no variance to reduce."
        raise InputError(what, "Compare their means.", "undefined")
    count = len(first)
    factors = np.array([_factor(np.delete(first, s, axis=0), np.delete(second, s, axis=0)) for s in range(count)])
    return Reduction(_factor(first, second), float(np.sqrt((count - 1) * factors.var())))


def _factor(first: np.ndarray, second: np.ndarray) -> float:
    apart = first.var(axis=0).sum() + second.var(axis=0).sum()
    return float(apart / (first - second).var(axis=0).sum())


def _unbiased_square(
    x: Float[np.ndarray, "S T d"],
) -> tuple[Float[np.ndarray, " T"], Float[np.ndarray, "S T"]]:
    """The mean of X_s . X_s' over s != s', and the jackknife's terms: deviations of 2 X_s . mean_{s' != s} X_s'.

    The factor (S - 1)/(S - 2) makes the mean square of the terms over S that of the jackknife.
    """
    count = len(x)
    total = x.sum(axis=0)
    others = np.einsum("std,std->st", x, total - x) / (count - 1)
    square = others.mean(axis=0)
    return square, 2 * (others - square) * (count - 1) / (count - 2)


def _null_variance(x: Float[np.ndarray, "S T d"]) -> Float[np.ndarray, " T"]:
    """2 tr Cov(X)^2/(S (S - 1)), from the products of different replicates' deviations."""
    count = len(x)
    centred = x - x.mean(axis=0)
    gram = np.einsum("std,utd->tsu", centred, centred)
    square = np.square(gram).sum(axis=(1, 2)) - np.square(np.einsum("tss->ts", gram)).sum(axis=1)
    return 2 * square / (count * (count - 1)) ** 2


def _any_direction(
    v: Float[np.ndarray, "S T d"], r: Float[np.ndarray, "s T d"], level: float, seed: int
) -> tuple[Float[np.ndarray, " T"], Float[np.ndarray, " T"]]:
    """|mean (v - r)|/|mean r|, and how far the vector in it may lie from its expectation, at all times together.

    The noise of |mean r| is taken in first order. The studentised length of the mean is tried in resamples, with its
    standard error anew each time.
    """
    count, middle = len(v), r.mean(axis=0)
    length = np.linalg.norm(middle, axis=-1)
    apart = (v.mean(axis=0) - middle) / length[:, None]
    along = np.einsum("std,td->st", r - middle, middle) / length**2
    terms = (v - r - (v - r).mean(axis=0)) / length[:, None] - along[..., None] * apart
    gram = np.einsum("std,utd->tsu", terms, terms)
    squared_norms = np.einsum("tss->ts", gram)
    square = squared_norms.mean(axis=1)
    moving = square > 0
    if not moving.any():
        return np.linalg.norm(apart, axis=-1), np.zeros_like(square)
    maxima = []
    for counts in counts_of(count, seed):
        share = counts / count
        mean = np.einsum("bu,tbu->bt", share, share @ gram[moving])
        spread = share @ squared_norms[moving].T - mean
        rounding = count * np.finfo(float).eps * square[moving]
        ratio = np.divide(mean, spread, out=np.full_like(mean, np.inf), where=spread > rounding)
        maxima.append((count - 1) * ratio.max(axis=1))
    largest = _critical(np.sort(np.concatenate(maxima)), level, count)
    return np.linalg.norm(apart, axis=-1), np.sqrt(largest * square / (count - 1))


def _critical(maxima: np.ndarray, level: float, replicates: int) -> float:
    """The critical value of a band. Raises InputError where too many resamples have no spread."""
    value = critical_value(maxima, level)
    if not np.isfinite(value):
        raise InputError(f"{replicates} replicates give no band of level {level}.", "Train more.", "undefined")
    return value


def _root(square: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(square, 0.0))


def _first(times: np.ndarray, reached: np.ndarray) -> float | None:
    return float(times[np.argmax(reached)]) if reached.any() else None


def _check(times: Sequence[float], values: np.ndarray, reference: np.ndarray, paired: bool) -> None:
    expected = values.shape if paired else values.shape[1:]
    if values.ndim < 2 or values.shape[1] != len(times) or reference.shape != expected:
        raise InputError(
            f"{len(times)} times, values of the shape {values.shape}, a reference of the shape {reference.shape}.",
            "Give values (replicates, times, ...) and a reference (times, ...) or (replicates, times, ...).",
        )
    if len(values) < 4:
        raise InputError(f"{len(values)} replicates give no band.", "Train at least four.")
