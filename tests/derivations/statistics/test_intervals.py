"""Simultaneous intervals for means: Student's, by another library, and what they say of a bound."""

from math import comb

import numpy as np
import pytest
from scipy.stats import t as student

from derivations.statistics.intervals import Intervals, intervals, share_interval
from tests.tolerances import BINOMIAL_TAILS, RESAMPLED_SUMS
from theory.claims.model import Outcome


@pytest.mark.parametrize(("replicates", "entries", "level"), [(2, 1, 0.1), (5, 4, 0.01)])
def test_intervals_are_students_at_an_equal_part_of_the_level(replicates, entries, level):
    values = np.random.default_rng(1).normal(size=(replicates, entries))
    result = intervals(values, level)
    error = np.sqrt(((values - values.mean(axis=0)) ** 2).sum(axis=0) / (replicates * (replicates - 1)))
    low, high = student.interval(1 - level / entries, replicates - 1, values.mean(axis=0), error)
    assert (result.mean == values.mean(axis=0)).all()
    assert np.abs((result.low - low) / (high - low)).max() < RESAMPLED_SUMS
    assert np.abs((result.high - high) / (high - low)).max() < RESAMPLED_SUMS


def test_all_entries_must_exceed_a_bound_and_one_is_enough_to_miss_it():
    result = Intervals(np.array([1.5, 3.5]), np.array([1.0, 3.0]), np.array([2.0, 4.0]))
    for bound, above, below in (
        (0.5, "PASS", "FAIL"),
        (1.0, "INCONCLUSIVE", "FAIL"),  # the end of the lower interval does not exceed itself
        (2.5, "FAIL", "FAIL"),
        (4.0, "FAIL", "INCONCLUSIVE"),
        (4.5, "FAIL", "PASS"),
    ):
        assert (result.above(bound), result.below(bound)) == (Outcome(above), Outcome(below)), bound


@pytest.mark.parametrize(("count", "trials"), [(0, 7), (1, 7), (40, 90), (7, 7)])
def test_the_interval_of_a_share_has_the_binomial_tails_of_its_level(count, trials):
    level = 0.05
    low, high = share_interval(count, trials, level)

    def probability(share, counts):
        return sum(comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in counts)

    assert abs(probability(low, range(count, trials + 1)) - (level / 2 if count else 1)) < BINOMIAL_TAILS
    assert abs(probability(high, range(count + 1)) - (level / 2 if count < trials else 1)) < BINOMIAL_TAILS
