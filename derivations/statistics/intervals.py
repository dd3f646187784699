"""Simultaneous intervals for means over replicates, compared with a bound; the interval of a share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import betaincinv, stdtrit  # scipy.stats takes a second to import

from theory.claims.model import Outcome


@dataclass(frozen=True)
class Intervals:
    """Means over replicates with limits that hold for all entries together."""

    mean: Float[np.ndarray, " T"]
    low: Float[np.ndarray, " T"]
    high: Float[np.ndarray, " T"]

    def above(self, bound: float) -> Outcome:
        """PASS where every entry is shown to exceed the bound, FAIL where one is shown not to, else INCONCLUSIVE."""
        if (self.low > bound).all():
            return Outcome.PASS
        return Outcome.FAIL if (self.high < bound).any() else Outcome.INCONCLUSIVE

    def below(self, bound: float) -> Outcome:
        """PASS where every entry is shown to lie below the bound, as `above` with the order reversed."""
        return Intervals(-self.mean, -self.high, -self.low).above(-bound)

    def describe(self, places: int = 3) -> str:
        """The entries as `mean (low to high)`."""
        entries = zip(self.mean, self.low, self.high, strict=True)
        return ", ".join(f"{mean:.{places}f} ({low:.{places}f} to {high:.{places}f})" for mean, low, high in entries)


def intervals(values: Float[np.ndarray, "S T"], level: float) -> Intervals:
    """Student's intervals over S independent replicates; together they miss with probability `level` at most."""
    replicates = len(values)
    return student(values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(replicates), replicates, level)


def student(mean: Float[np.ndarray, " T"], error: Float[np.ndarray, " T"], replicates: int, level: float) -> Intervals:
    """Return Student's intervals for means over replicates with these standard errors, as `intervals` does."""
    reach = -float(stdtrit(replicates - 1, level / (2 * len(mean))))
    return Intervals(mean, mean - reach * error, mean + reach * error)


def difference(
    means: Sequence[Float[np.ndarray, " T"]],
    errors: Sequence[Float[np.ndarray, " T"]],
    replicates: Sequence[int],
    level: float,
) -> Intervals:
    """Return Welch's intervals for the first mean less the second; each of them misses with probability `level`.

    The two samples are independent and have so many replicates; `errors` are the standard errors of their means.
    """
    squares = [error**2 for error in errors]
    total = squares[0] + squares[1]
    freedom = total**2 / sum(square**2 / (count - 1) for square, count in zip(squares, replicates, strict=True))
    reach = -stdtrit(freedom, level / 2) * np.sqrt(total)
    middle = means[0] - means[1]
    return Intervals(middle, middle - reach, middle + reach)


def share_interval(count: int, trials: int, level: float) -> tuple[float, float]:
    """Return the exact interval of a share of which `count` of `trials` independent examples were observed.

    P(X >= count) = level/2 at the low end and P(X <= count) = level/2 at the high end, for X binomial (Clopper and
    Pearson, 1934): it misses with probability `level` at most, also where none or all were observed.

    >>> [round(end, 3) for end in share_interval(0, 100, 0.05)]
    [0.0, 0.036]
    """
    low = float(betaincinv(count, trials - count + 1, level / 2)) if count else 0.0
    high = float(betaincinv(count + 1, trials - count, 1 - level / 2)) if count < trials else 1.0
    return low, high
