"""The time that a sweep still takes, estimated from what its finished cells took."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from derivations.output import counted


@dataclass(frozen=True)
class TimeLeft:
    """A range of seconds, for `cells` cells by `workers` workers, estimated from `finished` finished cells.

    `idle` where nobody is at work: the range is for one worker.
    """

    low: float
    high: float
    cells: int
    workers: int
    finished: int
    idle: bool

    def json(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)

    def text(self) -> str:
        """Return the range and how it was made, in a sentence.

        >>> TimeLeft(600, 1500, 8, 4, 9, False).text().partition(";")[0]
        '10 min to 25 min left for 8 cells by the 4 workers of now'
        """
        low, high = in_words(self.low), in_words(self.high)
        workers = f"by the {counted(self.workers, 'worker')} of now"
        by = "if one worker begins (none is at work)" if self.idle else workers
        return (
            f"{low if low == high else f'{low} to {high}'} left for {counted(self.cells, 'cell')} {by}; "
            f"estimated from the seconds per network-step of {counted(self.finished, 'finished cell')}."
        )


def time_left(
    finished: Sequence[tuple[float, int]], waiting: Sequence[int], in_work: Sequence[tuple[int, float | None]]
) -> TimeLeft | None:
    r"""Return the range of the time left; None where nothing is left or no cell has finished.

    `finished` has the seconds s and the network-steps c of cells, `waiting` the network-steps of cells that nobody
    makes, `in_work` those of cells in work, each by a worker of its own, with the share done (None: unknown, between 0
    and 1). Cells without a step count as one step.

    The rate in seconds per network-step is $r = \sum s / \sum c$; its range is widened to the quartiles of $s/c$. Let
    P be the network-steps left, L those of the largest cell and m the workers. Workers who always take a next cell need
    at least $\max(P/m, L)$ and at most $P/m + (1 - 1/m) L$ steps' time, in any order of the cells (Graham, Bell System
    Technical Journal 45 (1966) 1563). So low = r_low max(P/m, L) and high = r_high (P/m + (1 - 1/m) L). The time
    between cells and the starts of processes are not in it, and it takes the workers and machines as they are now.

    >>> time_left([(10.0, 100)], [100, 100], [(100, 0.5)])
    TimeLeft(low=25.0, high=25.0, cells=3, workers=1, finished=1, idle=False)
    >>> time_left([], [100], []) is None
    True
    """
    if not finished or not (waiting or in_work):
        return None
    rates = [seconds / max(steps, 1) for seconds, steps in finished]
    mean = sum(seconds for seconds, _ in finished) / sum(max(steps, 1) for _, steps in finished)
    lower, _, upper = quantiles(rates, n=4, method="inclusive") if len(rates) > 1 else (mean,) * 3
    workers = max(len(in_work), 1)
    whole = [max(steps, 1) for steps in waiting]
    least = [max(steps, 1) * (0.0 if share is None else 1 - share) for steps, share in in_work]
    most = [max(steps, 1) * (1 - (share or 0.0)) for steps, share in in_work]
    low = min(mean, lower) * max((sum(whole) + sum(least)) / workers, *whole, *least)
    high = max(mean, upper) * ((sum(whole) + sum(most)) / workers + (1 - 1 / workers) * max([*whole, *most]))
    return TimeLeft(low, high, len(whole) + len(least), workers, len(finished), not in_work)


def in_words(seconds: float) -> str:
    """Return a time in the unit that suits it, in two significant digits.

    >>> in_words(0.2), in_words(61), in_words(7300), in_words(180000), in_words(9.9e6)
    ('below 1 s', '1 min', '2 h', '2.1 days', '110 days')
    """
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= size:
            number = seconds / size
            shown = f"{number:.1f}".removesuffix(".0") if number < 10 else f"{float(f'{number:.2g}'):.0f}"
            return f"{shown} {unit}"
    return "below 1 s"
