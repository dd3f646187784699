"""Whether fields are local, by an effect size: their participation ratio in units of that of random weights.

    R = sum_j w_j^4/(sum_j w_j^2)^2 of one field;   3/(n + 2) is its mean for n independent Gaussian weights

This is the only place that decides the word; registered experiments have decision rules of their own.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from derivations.statistics.intervals import intervals
from theory.moments.null_levels import gaussian_ratio

LEVEL = 0.01  # at which an interval misses the mean
LOCAL, SLIGHT, NOT_LOCAL, UNDECIDED = "local", "slightly concentrated", "not local", "undecided"
# Random weights on m of n sites have the ratio 3/(m + 2): twice the ratio of all sites is that of fewer than half of
# them (m = n/2 - 1). What is not local stays below: a sinusoid has 1/2 of the random ratio, random weights under half a
# wave along the whole line 3/2, and of single random fields fewer than 2 % on 8 sites, 0.4 % on 40, reach twice it.
TIMES = 2


@dataclass(frozen=True)
class Locality:
    """The mean participation ratio of fields, the interval of this mean, and the ratio of random weights."""

    mean: float
    low: float
    high: float
    random: float

    @property
    def word(self) -> str:
        """One of the three words of `rule`, or "undecided" where the interval holds both of its thresholds."""
        if self.low > TIMES * self.random:
            return LOCAL
        if self.low > self.random:
            return SLIGHT
        return NOT_LOCAL if self.high <= TIMES * self.random else UNDECIDED

    def text(self) -> str:
        """The ratio with its interval, if it has one, and in units of the ratio of random weights."""
        band = "" if self.low == self.high else f" (99 %: {self.low:.3f} to {self.high:.3f})"
        return f"{self.mean:.3f}{band}, {self.mean / self.random:.3g} times that of random weights, {self.random:.3f}"

    def json(self) -> dict[str, float | str]:
        """The word and its numbers."""
        return {"word": self.word, "mean": self.mean, "low": self.low, "high": self.high, "random": self.random}


def locality(values: Float[np.ndarray, " S"], n: int, level: float = LEVEL) -> Locality | None:
    """Return the locality of networks with these ratios on n sites; None where fewer than two are finite.

    The networks are independent; Student's interval misses their mean with probability `level`.

    >>> locality(np.array([0.5, 0.6, 0.55]), 40).word
    'local'
    """
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return None
    interval = intervals(known[:, None], level)
    return Locality(float(interval.mean[0]), float(interval.low[0]), float(interval.high[0]), float(gaussian_ratio(n)))


def exactly(ratio: float, n: int) -> Locality:
    """Return the locality of a field, or a mean over fields, whose ratio is known without error.

    >>> exactly(1 / 40, 40).word  # a flat field
    'not local'
    """
    return Locality(ratio, ratio, ratio, float(gaussian_ratio(n)))


def rule(n: int) -> str:
    """Return the thresholds of the three words on n sites, in a sentence."""
    random, local = (f"{factor * float(gaussian_ratio(n)):.3f}" for factor in (1, TIMES))
    return (
        f"{LOCAL.capitalize()}: the 99 % interval of the mean ratio lies above {local}, {TIMES} times that of random "
        f"weights; {SLIGHT}: above {random} = 3/(n + 2), that of random weights, but not wholly above {local}; "
        f"{NOT_LOCAL}: it reaches down to {random} and not up to {local}."
    )
