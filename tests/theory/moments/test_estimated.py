"""Estimated moments against plain sums over the same examples, and what has none."""

from dataclasses import replace

import numpy as np
import pytest

from tests.theory.moments.definition import summed
from tests.theory.sampled_cases import Process, Regression, problem
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_estimates import ESTIMATED_SUMS
from theory.flow import discrete
from theory.moments import gated_moments
from theory.moments.estimated import (
    drawn,
    estimated_moments,
    standard_errors,
)
from theory.moments.example_statistics import ExampleStatistics
from theory.moments.inputs import input_statistics
from theory.problem import (
    AlwaysGate,
    ContextGate,
    DirectionGate,
    InputError,
    Network,
    OutOfReachError,
    RepeatedGate,
    Simulation,
    SiteGate,
)
from theory.problem.distributions.sampled import Estimate

LAW = Process(Estimate(1000, 5))
OF_TWO = replace(LAW, labels=((1, 0), (-1, 3)))
UNIT = SiteGate(1, -1, "1/2", "input")
ALONG, SOFT = DirectionGate({0: 1, 2: -2}, lo="1/4", on="input"), SiteGate(3, lo=0, on="input", sharpness=2)


def direct(law, network, left_out=None):
    """A, b and <y.y> as means over the examples."""
    groups = [(x, category) for group, x, category in drawn(law, 77) if group != left_out]
    x, category = (np.concatenate(arrays) for arrays in zip(*groups, strict=True))
    labels = np.array([np.atleast_1d(np.array(label, float)) for label in law.labels])
    y, p = labels[category], np.full(len(x), 1 / len(x))
    return *summed(network, x.T, p, y), (y**2).sum() / len(x)


@pytest.mark.parametrize(
    ("law", "gates", "biases", "readout"),
    [
        (LAW, (UNIT, ALONG, AlwaysGate()), "none", "mean"),
        (LAW, (UNIT, RepeatedGate(of=0)), "none", "sum"),
        (OF_TWO, (SOFT, UNIT), "none", "mean"),
        (OF_TWO, (ALONG, SOFT), "trained", "mean"),
    ],
)
def test_moments_are_means_over_the_examples(law, gates, biases, readout):
    asked = problem(law, gates, biases=biases, readout=readout)
    estimate = estimated_moments(asked.data, asked.network)
    for moments, left_out in ((estimate.whole, None), (estimate.without(7), 7)):
        A, b, y2 = direct(law, asked.network, left_out)
        assert np.abs(moments.assembled() - A).max() <= ESTIMATED_SUMS * np.abs(A).max()
        assert np.abs(moments.b - np.squeeze(b)).max() <= ESTIMATED_SUMS * np.abs(A).max()
        assert abs(moments.y2 - y2) <= ESTIMATED_SUMS * y2


def test_statistics_of_inputs_are_those_of_the_same_examples():
    x, category = (np.concatenate(arrays) for arrays in list(zip(*drawn(LAW, 1000), strict=True))[1:])
    for c in (0, 1):
        found, mine = input_statistics(LAW, c), x[category == c]
        assert np.abs(found.mean - mine.mean(axis=0)).max() <= ESTIMATED_SUMS
        assert np.abs(found.covariance - np.cov(mine.T, bias=True)).max() <= ESTIMATED_SUMS * 4


def test_standard_errors_are_those_of_repetitions():
    """Squares of uniform numbers, the same with noise, and ones; 200 repetitions of 2,000 examples."""
    rng, repetitions, count = np.random.default_rng(11), 200, 2000
    found, errors = [], []
    for _ in range(repetitions):
        one = rng.uniform(0, 1, count) ** 2
        x = np.stack([one, one + rng.uniform(-1, 1, count), np.ones(count)], axis=1)
        statistics = ExampleStatistics(x, np.full(count, 1 / count))
        off = x[:, :2] - x[:, :2].mean(axis=0)
        kurtosis = (off**4).mean(axis=0) / (off**2).mean(axis=0) ** 2 - 3
        found.append([*x.mean(axis=0)[:2], *x.var(axis=0)[:2], *kurtosis, off.prod(axis=1).mean()])
        known = standard_errors(statistics, 0)
        errors.append([*known.mean[:2], *known.variance[:2], *known.kurtosis[:2], known.covariance[1]])
        assert (known.mean[2], known.variance[2], known.covariance[2]) == (0, 0, 0)
        assert np.isnan(known.kurtosis[2])
    # Of bounded inputs every estimate is nearly Gaussian, so that its deviation has the relative error 1/sqrt(2 R).
    ratio = np.std(found, axis=0) / np.mean(errors, axis=0)
    assert (np.abs(ratio - 1) <= STANDARD_ERRORS / np.sqrt(2 * repetitions)).all()


def test_a_class_that_is_not_as_frequent_as_its_prior_is_an_error():
    network = Network("gated-linear", "mean", 1, (AlwaysGate(),))
    with pytest.raises(InputError, match=r"draws class 0 in \d+ of 6400 examples; its prior is 0\.5"):
        estimated_moments(Regression(shares=0.55), network)
    with pytest.raises(InputError, match=r"its prior is 0\.5"):
        input_statistics(Regression(shares=0.55), 0)
    stated = estimated_moments(Regression(shares=0.55, priors=(0.55, 0.45)), network)
    assert stated.whole.assembled().shape == (3, 3)


def test_moments_that_are_out_of_reach_are_named():
    wide = replace(LAW, n=1000)
    with pytest.raises(OutOfReachError, match="A has 2000 rows; the moments of 32 groups with more than 1767 rows"):
        estimated_moments(wide, problem(wide).network)
    few = replace(LAW, estimate=Estimate(79))
    with pytest.raises(OutOfReachError, match="79 examples are too few to estimate the moments of 8 features"):
        estimated_moments(few, problem(few).network)
    with pytest.raises(OutOfReachError, match="opens in contexts, and these data have none"):
        estimated_moments(LAW, Network("gated-linear", "mean", 1, (ContextGate([0]),)))
    with pytest.raises(OutOfReachError, match='A network of model "relu" has no exact moments'):
        estimated_moments(LAW, Network("relu", "mean", 2))


def test_exact_moments_are_refused_by_name():
    asked = replace(problem(LAW), simulation=Simulation("online", 100, "1/2", 2, 0, 10))
    for ask in (gated_moments, discrete):
        with pytest.raises(OutOfReachError, match="known by its examples"):
            ask(asked)
