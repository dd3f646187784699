"""The meter: its parts against loops, its level and coverage by simulation, its power; common numbers."""

import numpy as np
import pytest

from derivations.statistics.resampling import critical_value, resampled_maxima
from derivations.statistics.validity import Meter, meter, network_meter, variance_reduction
from tests.tolerances import (
    METER_LEVEL,
    METER_MISSES,
    METER_REPEATS,
    METER_SUMS,
    STANDARD_ERRORS,
)
from theory.problem import InputError

TIMES = (1.0, 2.0, 4.0, 8.0)


def networks(rng, shift, count=16, entries=6, rank=3):
    """Networks about `shift` along one direction, with noise that is correlated across times and entries."""
    mixing = np.random.default_rng(0).normal(size=(rank, len(TIMES) * entries)) / np.sqrt(rank)
    noise = (rng.normal(size=(count, rank)) @ mixing).reshape(count, len(TIMES), entries)
    direction = np.eye(entries)[0]
    reference = np.ones((len(TIMES), entries)) / np.sqrt(entries)
    return reference + np.asarray(shift, float)[..., None] * direction + noise / 2, reference


def missed(draw, judge):
    """How many of the repeated experiments `judge` calls a miss."""
    rng = np.random.default_rng(5)
    return sum(judge(draw(rng)) for _ in range(METER_REPEATS))


def test_distance_by_loops():
    values, reference = networks(np.random.default_rng(1), np.full(4, 0.7))
    result = meter(TIMES, values, reference)
    x = values - reference
    for t in range(4):
        pairs = [x[s, t] @ x[u, t] for s in range(16) for u in range(16) if s != u]
        length = np.linalg.norm(reference[t])
        assert abs(result.distance[t] - np.sqrt(np.mean(pairs)) / length) < METER_SUMS
        assert abs(result.plain[t] - np.linalg.norm(x[:, t].mean(axis=0)) / length) < METER_SUMS
    assert (result.low <= result.distance).all()
    assert (result.distance <= result.high).all()
    assert (result.distance < result.plain).all()  # without the noise
    again = meter(TIMES, 3 * values, 3 * reference)
    assert np.abs(result.high - again.high).max() < METER_SUMS


@pytest.mark.parametrize("paired", [False, True])
def test_the_band_along_a_distance_by_loops(paired):
    """Where the weights are many it is the narrower one; networks beside partners share their noise with them."""
    rng, level, count, entries = np.random.default_rng(9), 0.1, 24, 120
    r = 3 + paired * rng.normal(size=(count, 2, entries))
    values = r + 0.5 + rng.normal(size=(count, 2, entries))
    result = meter((1, 2), values, r if paired else r[0], level, seed=7)

    def theta_and_terms(x):
        others = np.array([sum(x[s] @ x[u] for u in range(count) if u != s) / (count - 1) for s in range(count)])
        return others.mean(), 2 * (others - others.mean()) * (count - 1) / (count - 2)

    def null_variance(x):
        x = x - x.mean(axis=0)
        pairs = sum((x[s] @ x[u]) ** 2 for s in range(count) for u in range(count) if s != u)
        return 2 * pairs / (count * (count - 1)) ** 2

    terms, error, share = np.empty((count, 2)), np.empty(2), np.empty(2)
    for t in range(2):
        square, each = theta_and_terms(values[:, t] - r[:, t])
        scale, scale_terms = theta_and_terms(r[:, t]) if paired else (r[0, t] @ r[0, t], np.zeros(count))
        share[t], terms[:, t] = square / scale, (each - square / scale * scale_terms) / scale
        null = null_variance(values[:, t] - r[:, t]) / scale**2
        error[t] = np.sqrt(np.square(terms[:, t]).sum() / (count * (count - 1)) + null)
    reach = critical_value(resampled_maxima(terms, 7), level / 2) * error
    assert np.abs(result.distance - np.sqrt(share)).max() < METER_SUMS
    assert np.abs(result.low - np.sqrt(share - reach)).max() < METER_SUMS
    assert np.abs(result.high - np.sqrt(share) - reach / (2 * np.sqrt(share))).max() < METER_SUMS


def test_noise_that_happens_to_have_the_mean_zero_is_not_taken_for_no_distance():
    """At the first time every jackknife term is the same, so that its variance is 0, and so its law at that time."""
    noise = np.array([[1, -1, 1, -1, 1, -1, 1, -1], np.random.default_rng(5).normal(size=8)]).T
    error = 1 / np.sqrt(8) / 10  # of the mean, in units of the reference
    for times in ((1, 2), (1,)):
        result = meter(times, 10 + noise[:, : len(times), None], np.full((len(times), 1), 10.0), level=0.1)
        assert result.distance[0] == 0
        assert result.high[0] > error


def test_the_length_of_the_partners_has_noise_too():
    """Twice the partner, in one number: numerator and denominator go up and down together, so that nothing is left."""
    from derivations.statistics.validity import _any_direction

    partners = 3 + np.random.default_rng(12).normal(size=(8, 2, 1))
    apart, noise = _any_direction(2 * partners, partners, 0.1, 0)
    assert np.abs(apart - 1).max() < METER_SUMS
    assert noise.max() < METER_SUMS


def test_the_band_in_any_direction_is_that_of_the_mean_for_one_number():
    """The noise hides the distance here, so that |mean| and its standard errors alone limit it."""
    level, x = 0.1, np.random.default_rng(10).normal(size=12)
    x += 0.1 - x.mean()
    result = meter((1,), 4 + x[:, None, None], np.full((1, 1), 4.0), level, seed=3)
    reach = critical_value(resampled_maxima(x[:, None], 3), level / 2) * x.std(ddof=1) / np.sqrt(12)
    assert result.distance[0] == result.low[0] == 0
    assert abs(result.plain[0] - 0.1 / 4) < METER_SUMS
    assert abs(result.high[0] - (0.1 + reach) / 4) < METER_SUMS


def test_skewed_networks_of_the_prediction_are_seldom_rejected():
    """One number a time, as a loss is, log-normal and correlated in time; random signs miss in 27 % at 10 %."""

    def losses(rng):
        z = 0.8 * rng.normal(size=(16, 1)) + 0.6 * rng.normal(size=(16, len(TIMES)))
        return 3 + np.exp(z)[..., None] - np.exp(0.5), np.full((len(TIMES), 1), 3.0)

    count = missed(lambda rng: meter(TIMES, *losses(rng), METER_LEVEL), lambda result: (result.low > 0).any())
    assert count <= METER_MISSES


def test_the_band_covers_planted_distances():
    """At all times together, with distances from 0 to once the length."""
    truth = np.array([0, 0.25, 0.5, 1.0])
    count = missed(
        lambda rng: meter(TIMES, *networks(rng, truth), METER_LEVEL),
        lambda result: not ((result.low <= truth) & (truth <= result.high)).all(),
    )
    assert count <= METER_MISSES


def test_departure_lies_in_its_interval():
    times = np.arange(5.0)
    low, high = np.array([0, 0, 0.1, 0.3, 0.2]), np.array([0, 0.15, 0.4, 0.6, 0.5])
    result = Meter(times, low, low, low, high, 0.01, 8)
    assert vars(result.departure(0.12)) == {"margin": 0.12, "time": 3.0, "earliest": 1.0}
    assert vars(result.departure(0.45)) == {"margin": 0.45, "time": None, "earliest": 3.0}
    assert vars(result.departure(0.3)) == {"margin": 0.3, "time": None, "earliest": 2.0}  # a margin may be reached
    assert vars(result.departure(0.4)) == {"margin": 0.4, "time": None, "earliest": 3.0}
    assert vars(result.departure(0.7)) == {"margin": 0.7, "time": None, "earliest": None}
    with pytest.raises(InputError, match="no distance"):
        result.departure(-1)


def test_each_network_beside_its_own():
    rng = np.random.default_rng(7)
    reference = rng.normal(size=(12, 4, 5))
    factors = 1 + np.arange(1, 5) / 10 * rng.uniform(0.9, 1.1, size=(12, 1))
    result = network_meter(TIMES, reference * factors[..., None], reference)
    assert np.abs(result.distance - (factors - 1).mean(axis=0)).max() < METER_SUMS
    assert (result.low < result.distance).all()
    assert (result.distance < result.high).all()
    apart = np.linalg.norm(reference * (factors[..., None] - 1), axis=-1) / np.linalg.norm(reference, axis=-1)
    reach = critical_value(resampled_maxima(apart, 0), 0.01) * apart.std(axis=0, ddof=1) / np.sqrt(12)
    assert np.abs(result.high - result.distance - reach).max() < METER_SUMS
    assert np.abs(result.low - np.maximum(result.distance - reach, 0)).max() < METER_SUMS
    same = network_meter(TIMES, reference, reference)
    assert (same.high == 0).all()


def test_what_has_no_distance_is_refused():
    values, reference = networks(np.random.default_rng(8), np.zeros(4))
    for judge, times, first, second, words in (
        (meter, TIMES, values, reference * np.array([1, 0, 1, 1])[:, None], "zero at t = 2"),
        (meter, TIMES, values[:3], reference, r"3 replicates give no band\."),
        (meter, TIMES, values[:4], reference, r"4 replicates give no band of level 0\.005"),
        (meter, TIMES[:3], values, reference, "Give values"),
        (meter, TIMES, values[:, 0, 0], values[:, 0, 0], "Give values"),
        (network_meter, TIMES, values, reference, "Give values"),
        (network_meter, TIMES, values, 0 * values, "only zeros"),
    ):
        with pytest.raises(InputError, match=words):
            judge(times, first, second)


def test_common_numbers():
    rng = np.random.default_rng(11)
    shared, first, second = rng.normal(size=(3, 400, 2))
    result = variance_reduction(3 * shared + first, 3 * shared + second)
    assert abs(result.factor - 10) < STANDARD_ERRORS * result.standard_error
    apart = variance_reduction(first, second)
    assert abs(apart.factor - 1) < STANDARD_ERRORS * apart.standard_error
    with pytest.raises(InputError, match="no variance to reduce"):
        variance_reduction(np.arange(12.0).reshape(6, 2), np.arange(12.0).reshape(6, 2) + np.arange(2))
    with pytest.raises(InputError, match="Shapes"):
        variance_reduction(first, second[:5])
