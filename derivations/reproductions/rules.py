"""The verdict on a printed statement, from the values of independent runs.

Student's intervals of the means hold for all statements of an experiment together at the level LEVEL. A number is
REPRODUCED if the interval meets what its printed digits allow and its half width is at most the margin; a statement
that it is near is REPRODUCED if the whole interval is as near. An order is ORDER if the interval is above 0. Each is
NOT REPRODUCED if the interval excludes it: the interval does not meet the number or what is near it, or stays below
the margin of the order without being above 0. In the other cases the runs are UNDECIDED.

Where NOT REPRODUCED would not be fair to the source, the target says what takes its place: INHERITED if the statement
is wrong through a slip that is charged elsewhere, UNSAID if another setting that the source allows reproduces it,
UNDECIDED if another one leaves it open, and REMARK if the source makes no such statement; a REMARK has no verdict,
whatever the interval.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from derivations.reproductions.model import INHERITED, REMARK, UNDECIDED, UNSAID, Target
from derivations.statistics.intervals import intervals
from theory.problem import InputError

LEVEL = 0.01
MOST_RUNS = 10_000  # of those that `runs_needed` looks at
REPRODUCED, ORDER, NOT_REPRODUCED, NOT_RUN = ("REPRODUCED", "ORDER", "NOT REPRODUCED", "NOT RUN")
_WORST_FIRST = (NOT_REPRODUCED, UNSAID, UNDECIDED, INHERITED, ORDER, REPRODUCED, REMARK)


@dataclass(frozen=True)
class Row:
    """The verdict on one target: the mean over the runs and its interval."""

    target: Target
    mean: float
    low: float
    high: float
    runs: int
    verdict: str


def judged(targets: Sequence[Target], measured: Mapping[str, np.ndarray]) -> tuple[Row, ...]:
    """Judge all targets together. Raises InputError where values are missing, not finite, or fewer than two.

    >>> target = Target("rate", "0.81", 0.81, margin=0.02, half_unit=0.005)
    >>> judged([target], {"rate": np.array([0.809, 0.81, 0.811, 0.81])})[0].verdict
    'REPRODUCED'
    """
    rows = []
    for target in targets:
        values = np.asarray(measured.get(target.key, ()), dtype=float)
        if len(values) < 2 or not np.isfinite(values).all():
            raise InputError(
                f"{target.key}: {len(values)} values of runs, of which {int(np.isfinite(values).sum())} are finite.",
                "An interval needs two finite values or more: a run diverged, or `measure` leaves the key out.",
            )
        interval = intervals(values[:, None], LEVEL / len(targets))
        mean, low, high = (float(part[0]) for part in (interval.mean, interval.low, interval.high))
        rows.append(Row(target, mean, low, high, len(values), verdict(target, low, high)))
    return tuple(rows)


def verdict(target: Target, low: float, high: float) -> str:
    """Return the verdict on a target whose mean lies between `low` and `high`.

    >>> deeper = Target("deeper", "deeper is faster", None, margin=0.1)
    >>> verdict(deeper, 0.2, 0.4), verdict(deeper, -0.1, 0.05), verdict(deeper, -0.1, 0.4)
    ('ORDER', 'NOT REPRODUCED', 'UNDECIDED')
    """
    by_interval = _by_interval(target, low, high)
    return (
        target.instead
        if target.instead and (by_interval == NOT_REPRODUCED or target.instead == REMARK)
        else by_interval
    )


def _by_interval(target: Target, low: float, high: float) -> str:
    if target.value is None:
        return ORDER if low > 0 else NOT_REPRODUCED if high < target.margin else UNDECIDED
    near = target.within or target.half_unit
    if low - near > target.value or high + near < target.value:
        return NOT_REPRODUCED
    if target.within:
        return REPRODUCED if target.value - near <= low and high <= target.value + near else UNDECIDED
    return REPRODUCED if (high - low) / 2 <= target.margin else UNDECIDED


def runs_needed(target: Target, row: Mapping[str, Any], statements: int) -> int:
    """Return the least number of runs that decide, if their mean and their scatter are those of `row`.

    `row` has the mean, the interval and the number of runs of one of `statements` statements that are judged together.
    A mean on the border of two verdicts needs more than any number of runs; then MOST_RUNS is returned.

    >>> row = {"mean": 0.3, "low": -0.1, "high": 0.7, "runs": 5}
    >>> runs_needed(Target("deeper", "deeper is faster", None, margin=0.1), row, 1)
    7
    """
    level, runs = LEVEL / statements, row["runs"]
    scatter = (row["high"] - row["low"]) / 2 / _reach(runs, level)
    for count in _counts(runs):
        half = scatter * _reach(count, level)
        if _by_interval(target, row["mean"] - half, row["mean"] + half) != UNDECIDED:
            return count
    return MOST_RUNS


def _reach(runs: int, level: float) -> float:
    """Return the half width of the interval of `runs` values of standard deviation 1."""
    values = np.zeros(runs)
    values[0] = 1
    interval = intervals((values / values.std(ddof=1))[:, None], level)
    return float(interval.high[0] - interval.low[0]) / 2


def _counts(runs: int) -> Iterator[int]:
    """Yield numbers of runs above `runs`, each one up to 100 and then in steps of a tenth, below MOST_RUNS."""
    count = runs
    while (count := count + max(1, count // 10 if count >= 100 else 1)) < MOST_RUNS:
        yield count


def together(verdicts: Sequence[str]) -> str:
    """Return the verdict on an experiment from those on its statements: the worst of them.

    >>> together([ORDER, REPRODUCED]), together([NOT_REPRODUCED, ORDER, REPRODUCED])
    ('ORDER', 'NOT REPRODUCED')
    """
    return next(one for one in _WORST_FIRST if one in verdicts)
