r"""The law of the largest studentised mean, by resampling whole replicates: the bootstrap of Student's t.

With x_s the d numbers of replicate s, centred at their means, and n_s how often s is drawn in S draws with replacement,

    T* = max_j |m_j| sqrt(S - 1)/sqrt(q_j - m_j^2),    m = sum_s n_s x_s/S,    q = sum_s n_s x_s^2/S .

T = max_j |mean_j - mu_j|/se_j has this law up to terms of order 1/S^2 in one dimension, skewed replicates included.
Random signs and Student's t err by terms of order 1/S, the squared skewness among them: P. Hall, The Bootstrap and
Edgeworth Expansion (Springer 1992), sections 3.5 and 3.6. Assumptions: replicates are independent and of one law with
at least four moments, whose tails the sample shows; `calibration` says where that is enough. A resample without spread
counts as infinitely far, which makes the test reject seldom where replicates are few and entries many.

An entry that is the same in all replicates has no law: its mean is met exactly or missed, and it is left out here.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float, Int

RESAMPLES = 4999  # resolves p-values down to 1/5000, a fiftieth of the family-wise level of 1 %
_BLOCK = 256  # resamples handled at once, which bounds the memory by 256 x entries


def mean_and_error(
    deviations: Float[np.ndarray, "S d"],
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """The mean over replicates and its standard error, which is 0 where all replicates are equal."""
    error = deviations.std(axis=0, ddof=1) / np.sqrt(len(deviations))
    return deviations.mean(axis=0), np.where(varies(deviations), error, 0.0)


def varies(deviations: Float[np.ndarray, "S d"]) -> np.ndarray:
    """Whether an entry differs between replicates; the computed spread of equal ones may be a rounding error, not 0."""
    return np.ptp(deviations, axis=0) > 0


def studentise(mean: np.ndarray, error: np.ndarray) -> np.ndarray:
    """|mean|/se; an entry without spread is 0 where it is met exactly and infinite where it is missed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(mean) / error
    return np.where(error > 0, ratio, np.where(mean == 0, 0.0, np.inf))


def resampled_maxima(values: Float[np.ndarray, "S d"], seed: int) -> Float[np.ndarray, " resamples"]:
    """T* of `RESAMPLES` resamples of the replicates, ascending; zeros where no entry varies."""
    moving = values[:, varies(values)]
    if moving.shape[1] == 0:
        return np.zeros(RESAMPLES)
    centred = moving - moving.mean(axis=0)
    entries = centred.shape[1]
    squares = [largest_squares(counts, centred, entries).ravel() for counts in counts_of(len(values), seed)]
    return np.sort(np.sqrt(np.concatenate(squares)))


def counts_of(replicates: int, seed: int) -> Iterator[Int[np.ndarray, "b S"]]:
    """Yield the counts with which each replicate is drawn, for all resamples in blocks."""
    rng = np.random.default_rng(seed)
    for start in range(0, RESAMPLES, _BLOCK):
        yield draw_counts(rng, min(_BLOCK, RESAMPLES - start), replicates)


def draw_counts(rng: np.random.Generator, resamples: int, replicates: int) -> Int[np.ndarray, "b S"]:
    """Return the counts of each of S replicates in S draws with replacement, a row for each resample."""
    drawn = rng.integers(replicates, size=(resamples, replicates)) + replicates * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * replicates).reshape(resamples, replicates)


def largest_squares(counts: np.ndarray, centred: Float[np.ndarray, "S c"], entries: int) -> Float[np.ndarray, "b r"]:
    """The largest squared t of each resample over each `entries` columns in turn, infinite without spread."""
    replicates = len(centred)
    weights = counts.astype(centred.dtype) / centred.dtype.type(replicates)
    square = weights @ centred
    np.square(square, out=square)
    squares = np.square(centred)
    spread = weights @ squares
    spread -= square
    # The spread of equal numbers is a rounding of S terms of the size of the column.
    rounding = replicates * np.finfo(centred.dtype).eps * squares.mean(axis=0)
    ratio = np.full_like(square, np.inf)
    np.divide(square, spread, out=ratio, where=spread > rounding)
    return (replicates - 1) * ratio.reshape(len(counts), -1, entries).max(axis=-1)


def p_value(statistic: float, maxima: Float[np.ndarray, " resamples"]) -> float:
    """(1 + how many of the maxima reach the statistic)/(1 + their number); never below 1/(1 + RESAMPLES)."""
    beaten = len(maxima) - np.searchsorted(maxima, statistic, side="left")
    return float((1 + beaten) / (1 + len(maxima)))


def critical_value(maxima: Float[np.ndarray, " resamples"], level: float) -> float:
    """The value c with p <= level exactly where the statistic exceeds c; infinite below the least p-value.

    The interval mean +- c se of all entries is therefore missed as often as the truth is rejected.
    """
    allowed = int(np.floor(level * (1 + len(maxima)) * (1 + np.finfo(float).eps)))
    return float(maxima[len(maxima) - allowed]) if allowed else float("inf")


def skewness(values: Float[np.ndarray, "S d"]) -> Float[np.ndarray, " d"]:
    """The third standardised moment of each entry of the sample, mean (x - m)^3/s^3; 0 where an entry is constant."""
    centred = values - values.mean(axis=0)
    square = np.square(centred)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (square * centred).mean(axis=0) / square.mean(axis=0) ** 1.5
    return np.where(varies(values), ratio, 0.0)


def skewness_error(values: Float[np.ndarray, " S"]) -> float:
    """The jackknife error of the skewness of one entry."""
    left_out = np.stack([np.delete(values, s) for s in range(len(values))], axis=1)
    return float(np.sqrt((len(values) - 1) * skewness(left_out).var()))
