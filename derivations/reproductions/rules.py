"""The verdict on a printed statement, from the values of independent runs.

Student's intervals of the means hold for all statements of an experiment together at the level LEVEL. A number is
REPRODUCED if the interval meets what its printed digits allow and its half width is at most the margin. An order is
ORDER if the interval is above 0. Either is NOT REPRODUCED if the interval excludes it: the interval does not meet the
number, or stays below the margin of the order without being above 0. In the other cases the runs are UNDECIDED.

Where NOT REPRODUCED would not be fair to the source, the target says what takes its place: INHERITED if the statement
is wrong through a slip that is charged elsewhere, UNSAID if what the source leaves unsaid may decide, and REMARK if the
source makes no such statement; a REMARK has no verdict, whatever the interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from derivations.reproductions.model import INHERITED, REMARK, UNSAID, Target
from derivations.statistics.intervals import intervals
from theory.problem import InputError

LEVEL = 0.01
REPRODUCED, ORDER, NOT_REPRODUCED, NOT_RUN = ("REPRODUCED", "ORDER", "NOT REPRODUCED", "NOT RUN")
UNDECIDED = "UNDECIDED"
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
        found = intervals(values[:, None], LEVEL / len(targets))
        mean, low, high = (float(part[0]) for part in (found.mean, found.low, found.high))
        rows.append(Row(target, mean, low, high, len(values), verdict(target, low, high)))
    return tuple(rows)


def verdict(target: Target, low: float, high: float) -> str:
    """Return the verdict on a target whose mean lies between `low` and `high`.

    >>> deeper = Target("deeper", "deeper is faster", None, margin=0.1)
    >>> verdict(deeper, 0.2, 0.4), verdict(deeper, -0.1, 0.05), verdict(deeper, -0.1, 0.4)
    ('ORDER', 'NOT REPRODUCED', 'UNDECIDED')
    """
    found = _by_interval(target, low, high)
    return target.instead if target.instead and (found == NOT_REPRODUCED or target.instead == REMARK) else found


def _by_interval(target: Target, low: float, high: float) -> str:
    if target.value is None:
        return ORDER if low > 0 else NOT_REPRODUCED if high < target.margin else UNDECIDED
    if low - target.half_unit > target.value or high + target.half_unit < target.value:
        return NOT_REPRODUCED
    return REPRODUCED if (high - low) / 2 <= target.margin else UNDECIDED


def together(verdicts: Sequence[str]) -> str:
    """Return the verdict on an experiment from those on its statements: the worst of them.

    >>> together([ORDER, REPRODUCED]), together([NOT_REPRODUCED, ORDER, REPRODUCED])
    ('ORDER', 'NOT REPRODUCED')
    """
    return next(one for one in _WORST_FIRST if one in verdicts)
