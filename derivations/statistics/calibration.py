"""The range in which the test of `comparison` holds its level, from the stored study of `calibration_study`.

The study draws S replicates of d entries from families with a known mean and counts the runs that reject it while no
entry of the sample has a |skewness| beyond g. The test is shown for (S, d, g) where in each family these are at most
1.5 times the level of all runs at 5 % and 1 % (the liberal criterion of J. V. Bradley, Br. J. Math. Stat. Psychol. 31,
144, 1978), and at most twice the level at 0.2 %. A level is judged where its runs expect at least ten rejections. The
counts are joint with the sample's own skewness, so that its scatter, and how far it falls short of the true one in few
replicates, are part of them.

The limit for S and d is the largest such g, with S rounded down and d rounded up to numbers of the study. It is the
smallest over all numbers of entries up to d, because correlated entries may move as a few. What is shown is shown for
the families of the study: a law whose rare values are farther out than theirs, and which S replicates do not show, can
be rejected too often by any test of a mean.
"""

import json
from collections import defaultdict
from functools import cache
from math import ceil
from pathlib import Path

import numpy as np

STORED = Path(__file__).with_name("calibration.json")
ALLOWED = {0.05: 1.5, 0.01: 1.5, 0.002: 2.0}  # false rejections, in units of the level
_EXPECTED = 10  # with fewer expected false rejections the runs do not decide on a level
_USUAL = 0.95  # the share of runs with normal replicates that a number of replicates must let through


def limit(replicates: int, entries: int) -> float:
    """Return the largest skewness of a sample up to which the study shows that the test holds its level, or 0.

    >>> limit(64, 1) < limit(256, 1)
    True
    >>> limit(8, 1)
    0.0
    """
    cells = [_cell(replicates, stored) for stored in _entries_up_to(entries)]
    return min((_limits()[cell] if cell else 0.0 for cell in cells), default=0.0)


def least_replicates(entries: int) -> int | None:
    """The fewest replicates with which a sample of normal entries is decided in 95 % of runs; None for too many."""
    return next((count for count in _stored_replicates() if _lets_normal_through(count, entries)), None)


def sufficient_replicates(entries: int, skewness: float, replicates: int = 0) -> int | None:
    """Return a sufficient number of replicates, above `replicates`, at this skewness; None for too many entries.

    A number beyond `most_replicates()` is scaled as the square of the skewness, with which the error of the test grows
    at least: the study does not show that it suffices.
    """
    least = least_replicates(entries)
    if least is None:
        return None
    counts = [count for count in _stored_replicates() if count >= max(least, replicates + 1)]
    beyond = ceil(most_replicates() * (skewness / limit(most_replicates(), entries)) ** 2)
    return next((count for count in counts if limit(count, entries) >= skewness), beyond)


def most_replicates() -> int:
    """The largest number of replicates in the study."""
    return _stored_replicates()[-1]


@cache
def _table() -> dict:
    return json.loads(STORED.read_text(encoding="utf-8"))


@cache
def _limits() -> dict[tuple[int, int], float]:
    """The limit of each cell (replicates, entries) of the study, from all families that it tries there."""
    table = _table()
    levels = np.array(table["levels"])
    allowed = levels * [ALLOWED[level] for level in table["levels"]]
    holds: dict[tuple[int, int], list[np.ndarray]] = defaultdict(list)
    for row in table["rows"]:
        judged = levels * row["runs"] >= _EXPECTED
        within = np.array(row["rejected"]) <= allowed[:, None] * row["runs"]
        holds[row["replicates"], row["entries"]].append(within[judged].all(axis=0))
    return {cell: _last(table["skewness"], np.all(families, axis=0)) for cell, families in holds.items()}


def _last(skewness: list[float], holds: np.ndarray) -> float:
    """The largest skewness up to which the test holds; the counts grow with it."""
    return 0.0 if not holds[0] else skewness[int(np.count_nonzero(holds)) - 1]


def _lets_normal_through(replicates: int, entries: int) -> bool:
    largest = limit(replicates, entries)
    if not largest:
        return False
    cell = _cell(replicates, _entries_up_to(entries)[-1])
    table = _table()
    row = next(
        row for row in table["rows"] if (row["replicates"], row["entries"]) == cell and row["family"] == "normal"
    )
    return row["within"][table["skewness"].index(largest)] >= _USUAL * row["runs"]


def _stored_replicates() -> list[int]:
    return sorted({replicates for replicates, _ in _limits()})


def _entries_up_to(entries: int) -> list[int]:
    """The numbers of entries of the study up to the first that is not below `entries`; none where all are."""
    stored = sorted({number for _, number in _limits()})
    reached = next((index for index, number in enumerate(stored) if number >= entries), None)
    return [] if reached is None else stored[: reached + 1]


def _cell(replicates: int, entries: int) -> tuple[int, int] | None:
    """The cell of the study with the most replicates up to `replicates`, for a number of entries of the study."""
    return max((cell for cell in _limits() if cell[1] == entries and cell[0] <= replicates), default=None)
