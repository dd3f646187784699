"""Decisions of a refinement: exact, equal to Student's intervals of the statistics, and free of rounding."""

from fractions import Fraction

import numpy as np
from scipy.stats import t as student

from derivations.statistics.intervals import intervals
from derivations.sweeps.decisions import changes, interval, networks_needed, quantile
from tests.tolerances_of_sweeps import REFINE_QUANTILE

LEVEL = Fraction(95, 100)
NAN = float("nan")
DECIMALS = 1 / 10**6  # to which quantiles are rounded up


def test_quantiles_are_rounded_up():
    for freedom in (1, 2, 9, 99):
        reach = student.ppf(0.975, freedom)
        assert -REFINE_QUANTILE < float(quantile(freedom, LEVEL)) - reach < DECIMALS + REFINE_QUANTILE


def test_a_change_is_student_s_interval_of_the_differences():
    """Of the same networks: a common scatter has no part."""
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first, second = rng.normal(size=(2, 7)) + 5 * rng.normal(size=7)
        result = intervals((second - first)[:, None], 0.05)
        for step in (0.1, 0.3, 1.0):
            shown = float(result.low[0]) > step or float(result.high[0]) < -step
            assert changes(first.tolist(), second.tolist(), Fraction(step), LEVEL) == shown
            seen.add(shown)
    assert seen == {True, False}


def test_networks_that_diverged_are_left_out():
    assert changes((0.0, NAN, 0.1, 0.0), (1.0, 7.0, 1.0, 1.1), Fraction(1, 10), LEVEL)
    assert not changes((0.0, NAN, 0.1), (1.0, 7.0, NAN), Fraction(1, 10), LEVEL)
    assert networks_needed((1.0, NAN), Fraction(1), LEVEL) is None
    assert interval((1.0, NAN), (1.0, NAN), LEVEL) is None


def test_the_pilot_is_enough_where_its_scatter_is_small():
    assert networks_needed((1.0, 1.0, 1.0), Fraction(1, 10**9), LEVEL) == 3


def test_the_order_of_numbers_does_not_matter():
    """A bound between the two sums that float64 gives for two orders is on one side for both."""
    numbers = [1e16, 1.0, -1e16, 3.0]
    again = [numbers[k] for k in (3, 1, 0, 2)]
    for half_width in (Fraction(10**15), Fraction(10**17)):
        assert networks_needed(numbers, half_width, LEVEL) == networks_needed(again, half_width, LEVEL)
    assert interval(numbers, numbers, LEVEL) == interval(again, again, LEVEL)
