r"""How far trained networks are from a prediction, from when on, and what is left at vanishing rate or infinite batch.

With v_s(t) the weights (or losses, or participation ratios) of replicate s at time t and r(t) what is predicted,

    delta(t) = |E v(t) - r(t)| / |r(t)| .

|mean_s v_s - r|^2 exceeds |E v - r|^2 by tr Cov(v)/S in the mean, which hides a small distance under the noise of many
weights. Its unbiased estimate leaves the diagonal out, with X_s = v_s - r:

    theta = 1/(S(S - 1)) sum_{s != s'} X_s . X_s' .

Its standard error is the jackknife's, which for such a statistic is not too small in the mean (Efron and Stein 1981)
and twice the variance where v is what is predicted. The band holds for all times together: theta +- c se, c the quantile
of the largest studentised mean of the jackknife's terms under random signs of whole replicates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from derivations.compare import flipped_maxima, sign_flip_p_value
from theory.problem import InputError


@dataclass(frozen=True)
class Departure:
    """From when on a distance exceeds a margin, on the grid of measured times; None where it does not by the last.

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
    critical: float
    replicates: int

    def departure(self, margin: float) -> Departure:
        """When the distance exceeds `margin`. Raises InputError for a margin below 0."""
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
    fewer than four replicates, or a reference that is zero at some time.
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
    error = np.sqrt(np.square(terms).sum(axis=0) / (count * (count - 1)))
    critical = float(np.quantile(flipped_maxima(terms, seed), 1 - level))
    difference = v.mean(axis=0) - r.mean(axis=0)
    return Meter(
        times=np.asarray(times, float),
        plain=np.linalg.norm(difference, axis=-1) / np.linalg.norm(r.mean(axis=0), axis=-1),
        distance=_root(share),
        low=_root(share - critical * error),
        high=_root(share + critical * error),
        level=level,
        critical=critical,
        replicates=count,
    )


@dataclass(frozen=True)
class Limit:
    """What is left at size 0 of a fit by polynomials, entry by entry: value, slope in each regressor, errors.

    `p_fit` is the sign-flip p-value of the fit's residual contrasts, all entries and sizes together: a small one says
    that the sizes are too large for the order. None where the sizes are as many as the coefficients.
    """

    value: Float[np.ndarray, "..."]
    standard_error: Float[np.ndarray, "..."]
    slopes: Float[np.ndarray, "p ..."]
    slope_errors: Float[np.ndarray, "p ..."]
    p_fit: float | None
    replicates: int


def extrapolate(
    sizes: Sequence[float] | Float[np.ndarray, "J p"],
    values: Float[np.ndarray, "J S ..."],
    order: int = 1,
    seed: int = 0,
) -> Limit:
    """The limit at size 0 of values measured at J sizes (learning rates, 1/batch, or columns of several such).

    Least squares of v = v_0 + sum_i a_i size^i (i <= order), in each replicate by itself, so that networks on the same
    stream at different sizes need no covariance: with two sizes h and h/2 it is Richardson's 2 v(h/2) - v(h). Means
    and standard errors are over the S replicates. Raises InputError for too few or repeated sizes.
    """
    values = np.asarray(values, float)
    columns = np.asarray(sizes, float)
    columns = columns[:, None] if columns.ndim == 1 else columns
    powers = [columns**power for power in range(1, order + 1)]
    design = np.concatenate([np.ones((len(columns), 1)), *powers], axis=1)
    if len(values) != len(design) or values.ndim < 2 or values.shape[1] < 2:
        raise InputError(
            f"{len(design)} sizes, and values of the shape {values.shape}.",
            "Give values (sizes, replicates, ...), at least two replicates.",
        )
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise InputError(
            f"{len(design)} sizes {np.asarray(sizes).tolist()} do not fix {design.shape[1]} coefficients.",
            "Measure at more sizes, or lower the order.",
        )
    coefficients = np.tensordot(np.linalg.pinv(design), values, axes=1)
    mean, error = _over_replicates(coefficients)
    contrasts = np.linalg.svd(design)[0][:, design.shape[1] :].T
    p_fit = None
    if len(contrasts):
        residual = np.moveaxis(np.tensordot(contrasts, values, axes=1), 1, 0)
        p_fit = sign_flip_p_value(residual.reshape(values.shape[1], -1), seed)
    return Limit(mean[0], error[0], mean[1:], error[1:], p_fit, values.shape[1])


@dataclass(frozen=True)
class Reduction:
    """By how much common random numbers reduce the variance of a difference: factor and jackknife standard error."""

    factor: float
    standard_error: float


def variance_reduction(first: Float[np.ndarray, "S ..."], second: Float[np.ndarray, "S ..."]) -> Reduction:
    """(tr Var v + tr Var v')/tr Var(v - v') of networks paired by replicate: 1 where they are independent.

    So many times more networks would be needed on streams of their own for the same error of the mean difference.
    Raises InputError for shapes that differ, or where the difference does not vary.
    """
    first, second = (np.asarray(values, float).reshape(len(values), -1) for values in (first, second))
    if first.shape != second.shape or len(first) < 3:
        raise InputError(f"Shapes {first.shape} and {second.shape}.", "Give as many networks of both, at least three.")
    if not np.ptp(first - second, axis=0).any():
        raise InputError("The difference is the same in every replicate.", "There is no variance to reduce.", "undefined")
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


def _over_replicates(values: Float[np.ndarray, "p S ..."]) -> tuple[np.ndarray, np.ndarray]:
    return values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])


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
