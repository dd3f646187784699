"""Resampling whole replicates: the maxima against loops, p-values and critical values against counting."""

import numpy as np
import pytest
from scipy.stats import skew

from derivations.statistics.resampling import (
    RESAMPLES,
    counts_of,
    critical_value,
    largest_squares,
    mean_and_error,
    p_value,
    resampled_maxima,
    skewness,
    skewness_error,
    studentise,
)
from tests.tolerances import RESAMPLED_SUMS


def test_each_maximum_is_the_largest_t_of_a_resample():
    values = np.random.default_rng(1).exponential(size=(16, 300)) * np.geomspace(1e-3, 1e3, 300)
    middle = values.mean(axis=0)
    result = resampled_maxima(values, seed=5)
    expected = []
    for count in np.concatenate(list(counts_of(16, seed=5))):
        drawn = values[np.repeat(np.arange(16), count)]
        expected.append(np.max(np.abs(drawn.mean(axis=0) - middle) / (drawn.std(axis=0, ddof=1) / np.sqrt(16))))
    assert len(result) == RESAMPLES
    assert np.abs(result / np.sort(expected) - 1).max() < RESAMPLED_SUMS * result.max()


def test_a_resample_without_spread_is_infinitely_far():
    centred = np.array([[-0.3], [0.1], [0.2]])
    counts = np.array([[3, 0, 0], [0, 3, 0], [2, 1, 0]])
    assert np.isinf(largest_squares(counts, centred, 1)).ravel().tolist() == [True, True, False]


def test_entries_that_do_not_vary_have_no_law():
    values = np.random.default_rng(4).normal(size=(10, 2))
    neighbour = np.concatenate([values, np.full((10, 1), 0.1)], axis=1)
    assert (resampled_maxima(neighbour, 1) == resampled_maxima(values, 1)).all()
    assert (resampled_maxima(np.full((10, 3), 0.1), 1) == 0).all()
    mean, error = mean_and_error(np.full((7, 1), 0.1))
    assert error[0] == 0
    assert studentise(mean, error)[0] == np.inf


def test_p_values_count_the_statistic_itself():
    """Among the 4 equally likely places of a statistic beside 3 maxima: (1 + beaten)/(1 + 3)."""
    maxima = np.array([1.0, 2.0, 3.0])
    assert [p_value(statistic, maxima) for statistic in (0.5, 1.5, 2.0, 2.5, 9.0)] == [1.0, 0.75, 0.75, 0.5, 0.25]


@pytest.mark.parametrize("level", [0.002, 0.5])
def test_the_critical_value_is_where_p_reaches_the_level(level):
    maxima = resampled_maxima(np.random.default_rng(6).normal(size=(20, 3)), 1)
    critical = critical_value(maxima, level)
    assert np.count_nonzero(maxima >= critical) == round(level * (1 + RESAMPLES))
    assert p_value(critical, maxima) > level
    assert p_value(np.nextafter(critical, np.inf), maxima) <= level
    assert np.isinf(critical_value(np.arange(99.0), 1 / 101))  # no p-value is smaller than 1/100


def test_skewness():
    values = np.random.default_rng(7).exponential(size=(40, 3))
    assert np.abs(skewness(values) / skew(values, axis=0) - 1).max() < RESAMPLED_SUMS
    assert skewness(np.full((5, 1), 0.1))[0] == 0


def test_the_error_of_skewness_by_leaving_out():
    values = np.random.default_rng(9).exponential(size=6)
    left_out = np.array([skew([x for other, x in enumerate(values) if other != one]) for one in range(6)])
    expected = np.sqrt(5 / 6 * np.sum((left_out - left_out.mean()) ** 2))
    assert abs(skewness_error(values) / expected - 1) < RESAMPLED_SUMS
