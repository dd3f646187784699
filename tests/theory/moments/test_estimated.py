"""Estimated moments against plain sums over the same examples, and what has none."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from tests.theory.sampled_cases import Process, Regression, problem
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_estimates import ESTIMATED_SUMS
from theory.flow import discrete
from theory.moments import feature_moments, gated_moments
from theory.moments.arithmetic import FLOAT64
from theory.moments.estimated import (
    drawn,
    errors_of_averages,
    estimated_moments,
    group_sizes,
    kept,
    standard_errors,
)
from theory.moments.example_statistics import ExampleStatistics
from theory.moments.feature_moments import exactly, second_moments
from theory.moments.inputs import input_statistics
from theory.problem import (
    AlwaysGate,
    ContextGate,
    DirectionGate,
    InputError,
    Network,
    OutOfReachError,
    RepeatedGate,
    SiteGate,
)
from theory.problem.distributions.sampled import GROUPS, Estimate

LAW = Process(Estimate(1000, 5))
OF_TWO = replace(LAW, labels=((1, 0), (-1, 3)))
OPEN = {
    "site": (SiteGate(1, -1, "1/2", "input"), lambda x: (x[1] >= -1) & (x[1] < 0.5)),
    "direction": (DirectionGate({0: 1, 2: -2}, lo="1/4", on="input"), lambda x: x[0] - 2 * x[2] >= 0.25),
    "always": (AlwaysGate(), lambda x: True),
    "repeated": (RepeatedGate(of=0), lambda x: (x[1] >= -1) & (x[1] < 0.5)),
    "soft": (SiteGate(3, lo=0, on="input", sharpness=2), lambda x: ndtr(2 * x[3])),
}
NETWORKS = {
    "hard": (("site", "direction", "always"), "none", "mean"),
    "repeated": (("site", "repeated"), "none", "sum"),
    "soft": (("soft", "site"), "none", "mean"),
    "biases": (("direction", "soft"), "trained", "mean"),
}


def direct(law, names, biases, readout, left_out=None):
    """A, b and <y.y> as means over the examples, one by one."""
    features, labels = [], []
    for group, x, category in drawn(law, 77):
        for row, c in zip(x if group != left_out else [], category, strict=group != left_out):
            gates = [float(OPEN[name][1](row)) for name in names]
            own = [g * value for g in gates for value in row]
            own += [*gates, len(names) if readout == "mean" else 1] if biases != "none" else []
            features.append(own)
            labels.append([float(entry) for entry in np.atleast_1d(np.array(law.labels[c], float))])
    phi, y = np.array(features), np.array(labels)
    return phi.T @ phi / len(phi), phi.T @ y / len(phi), (y**2).sum() / len(phi)


@pytest.mark.parametrize("law", [LAW, OF_TWO], ids=["one output", "two outputs"])
@pytest.mark.parametrize("name", NETWORKS)
def test_moments_are_means_over_the_examples(name, law):
    names, biases, readout = NETWORKS[name]
    asked = problem(law, tuple(OPEN[each][0] for each in names), biases=biases, readout=readout)
    found = estimated_moments(asked.data, asked.network)
    for moments, left_out in ((found.whole, None), (found.without(7), 7)):
        A, b, y2 = direct(law, names, biases, readout, left_out)
        assert np.abs(moments.assembled() - A).max() <= ESTIMATED_SUMS * np.abs(A).max()
        assert np.abs(moments.b - np.squeeze(b)).max() <= ESTIMATED_SUMS * np.abs(A).max()
        assert abs(moments.y2 - y2) <= ESTIMATED_SUMS * y2


def test_groups_have_examples_of_their_own_and_seeds_differ():
    parts = [x for _, x, _ in drawn(LAW, 1000)]
    assert [len(x) for x in parts] == group_sizes(LAW).tolist()
    assert sum(map(len, parts)) == 1000
    other = [x for _, x, _ in drawn(replace(LAW, estimate=Estimate(1000, 6)), 1000)]
    assert len({tuple(row) for x in (*parts, *other) for row in x.tolist()}) == 2000
    assert sum(group_sizes(replace(LAW, estimate=Estimate(GROUPS + 1)))) == GROUPS + 1


def test_statistics_of_inputs_are_those_of_the_same_examples(monkeypatch):
    x, category = (np.concatenate(arrays) for arrays in list(zip(*drawn(LAW, 1000), strict=True))[1:])
    for c in (0, 1):
        found, mine = input_statistics(LAW, c), x[category == c]
        assert np.abs(found.mean - mine.mean(axis=0)).max() <= ESTIMATED_SUMS
        assert np.abs(found.covariance - np.cov(mine.T, bias=True)).max() <= ESTIMATED_SUMS * 4
    monkeypatch.setattr("theory.moments.estimated.MOST_KEPT", 400)
    few, _ = kept(replace(LAW, estimate=Estimate(1000, 8)))
    assert len(few) == 128  # four groups, of 32 examples each, have 100


def test_standard_errors_are_those_of_repetitions():
    """Squares of uniform numbers, the same with noise, and ones; 400 repetitions of 2,000 examples."""
    rng, repetitions, count = np.random.default_rng(11), 400, 2000
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


def test_errors_of_averages_cover_the_truth():
    """Over 400 seeds, differences over their errors have the variance 1: its own error is sqrt(2/400)."""
    scores = []
    for seed in range(400):
        law = Regression((1.0, 2.0), (0.0, 0.0), estimate=Estimate(640, seed))
        statistics = input_statistics(law, 0)
        mean, variance = errors_of_averages(statistics)
        scores.append((statistics.mean.mean() / mean, (statistics.variance.mean() - 2.5) / variance))
    for each in np.array(scores).T:
        assert abs((each**2).mean() - 1) <= STANDARD_ERRORS * np.sqrt(2 / 400)


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


@pytest.mark.parametrize(
    "ask",
    [
        lambda asked: feature_moments(asked.data, asked.network),
        lambda asked: gated_moments(asked),
        lambda asked: exactly(second_moments, asked.data)(asked.data, FLOAT64),
        discrete,
    ],
)
def test_exact_moments_are_refused_by_name(ask):
    from theory.problem import Simulation

    asked = replace(problem(LAW), simulation=Simulation("online", 100, "1/2", 2, 0, 10))
    with pytest.raises(OutOfReachError, match='"process" is known by its examples') as caught:
        ask(asked)
    assert "gdln solve" in caught.value.hint
