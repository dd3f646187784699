"""The stored study of false rejections, a part of it repeated, and the rule that reads it."""

import json

import numpy as np
import pytest
from scipy.stats import binom

from derivations.statistics import calibration, calibration_study
from derivations.statistics.calibration import ALLOWED, least_replicates, limit, sufficient_replicates
from derivations.statistics.calibration_study import (
    FAMILIES,
    LEVELS,
    REPLICATES,
    RUNS,
    SKEWNESS,
    batch_of,
    cells,
)
from tests.tolerances import RECOUNTED

TABLE = json.loads(calibration.STORED.read_text(encoding="utf-8"))
ROWS = {(row["family"], row["replicates"], row["entries"]): row for row in TABLE["rows"]}


def test_the_stored_study_is_that_of_the_code():
    assert list(ROWS) == list(cells())
    assert all(row["runs"] == RUNS[row["entries"]] for row in TABLE["rows"])
    stored = TABLE["seed"], TABLE["resamples"], tuple(TABLE["levels"]), tuple(TABLE["skewness"]), TABLE["command"]
    code = calibration_study.SEED, calibration_study.RESAMPLES, LEVELS, SKEWNESS, calibration_study.COMMAND
    assert stored == code
    assert set(ALLOWED) == set(LEVELS)


@pytest.mark.parametrize(
    "cell",
    [("normal", 16, 1), ("heavy log-normal", 32, 1)],
)
def test_a_part_of_the_study_repeated(cell):
    stored, again = ROWS[cell], calibration_study.row(*cell)
    for name in ("within", "rejected", "rejected_at_any_skewness"):
        assert np.abs(np.subtract(stored[name], again[name])).max() <= RECOUNTED


def test_where_the_rule_decides_the_truth_is_rejected_no_more_often_than_allowed():
    """On draws that the study has not seen."""
    family, replicates, entries = "exponential", 96, 4
    rng = np.random.default_rng(1)
    batches = [batch_of(FAMILIES[family], 100, replicates, entries, rng) for _ in range(10)]
    p, skewness = np.concatenate(batches, axis=1)
    decided = skewness <= limit(replicates, entries)
    for level in LEVELS:
        rejected = np.count_nonzero(decided & (p <= level))
        # Exceeded with probability 1e-3 where the share is exactly what is allowed.
        assert rejected <= binom.isf(1e-3, len(p), ALLOWED[level] * level)


@pytest.fixture
def judged(monkeypatch, tmp_path):
    """The limits of a study by hand: rows (replicates, entries, runs, rejected), of three skewnesses and levels."""

    def store(*rows):
        named = [dict(zip(("replicates", "entries", "runs", "rejected"), row, strict=True)) for row in rows]
        table = {"levels": LEVELS, "skewness": [0.5, 1.0, 1.5], "rows": named}
        path = tmp_path / "study.json"
        path.write_text(json.dumps(table))
        monkeypatch.setattr(calibration, "STORED", path)
        forget()

    def forget():
        calibration._table.cache_clear()
        calibration._limits.cache_clear()

    yield store
    forget()


def test_the_largest_allowed_count_is_allowed_and_one_more_is_not(judged):
    """1.5, 1.5 and 2 times the level of 10,000 runs, exceeded by one run from the skewness `beyond` on."""
    for level in range(3):
        for beyond, expected in ((3, 1.5), (2, 1.0), (1, 0.5), (0, 0.0)):
            counts = [[750] * 3, [150] * 3, [40] * 3]
            counts[level][beyond:] = [count + 1 for count in counts[level][beyond:]]
            judged((64, 1, 10_000, [[0] * 3] * 3), (64, 1, 10_000, counts))
            assert limit(64, 1) == expected, (level, beyond)


@pytest.mark.parametrize(("runs", "expected"), [(4_999, 1.5), (5_000, 0.0)])
def test_a_level_is_judged_where_its_runs_expect_ten_rejections(judged, runs, expected):
    judged((64, 1, runs, [[0] * 3, [0] * 3, [100] * 3]))
    assert limit(64, 1) == expected


@pytest.mark.parametrize(("replicates", "entries"), [(63, 1), (100, 3), (96, 5), (128, 41)])
def test_the_limit_is_that_of_fewer_replicates_and_of_any_number_of_entries(replicates, entries):
    fewer = max(count for count in REPLICATES if count <= replicates)
    assert limit(replicates, entries) == limit(fewer, entries)
    stored = list(RUNS)
    reached = [number for number in stored if number < entries] + [min(n for n in stored if n >= entries)]
    assert limit(replicates, entries) == min(limit(replicates, number) for number in reached)


def test_nothing_is_shown_outside_the_study():
    assert limit(7, 1) == 0
    assert limit(10_000, 4_001) == 0
    assert limit(64, 401) == 0
    assert least_replicates(4_001) is None
    assert sufficient_replicates(4_001, 0.1) is None


def test_the_number_that_would_do_is_the_least_that_suffices():
    assert sufficient_replicates(40, 0.0) == least_replicates(40)
    for count in REPLICATES[3:]:  # one replicate more reaches the next number of the study
        assert sufficient_replicates(1, limit(count, 1), count - 1) == count
    most = limit(REPLICATES[-1], 1)  # beyond the study it grows with the square of the skewness
    assert sufficient_replicates(1, 2 * most, 64) == 4 * REPLICATES[-1]
    assert calibration.most_replicates() == REPLICATES[-1]
