"""The rule on laws of listed examples: what passes, each planted fault that fails, and the rivals."""

import numpy as np
import pytest

from derivations.experiments.data_files import small_data_sets
from derivations.experiments.folders import problem_named
from derivations.experiments.listed_examples import experiment
from sim.measure import Estimate
from theory.claims.areas.law.examples import MARGIN
from theory.claims.model import Outcome
from theory.flow.linear.descent import discrete
from theory.problem import WeightsAtTimes

NAME = "listed-pairs"
PREDICTION = np.array([1.0, -0.5, 0.25, 0.0])
NETWORKS = 128
_SPREAD = 0.01  # of the weights of single networks: 0.0009 of their mean


def weights_near(mean):
    """Weights of networks that scatter around `mean`."""
    noise = _SPREAD * np.random.default_rng(0).standard_normal((NETWORKS, len(mean)))
    return Estimate(WeightsAtTimes(), problem_named(NAME), mean + noise - noise.mean(axis=0), seed=0)


def test_one_weight_off_by_more_than_the_margin_decides():
    entry = 2
    assert experiment.decide(weights_near(PREDICTION), PREDICTION, NAME).outcome is Outcome.PASS
    moved = PREDICTION.copy()
    moved[entry] += 2 * float(MARGIN)
    result = experiment.decide(weights_near(moved), PREDICTION, NAME)
    assert result.outcome is Outcome.FAIL
    assert result.worst > result.tolerance == float(MARGIN)


def test_too_few_networks_decide_nothing():
    few = weights_near(PREDICTION)
    few = Estimate(few.observable, few.problem, few.values[:4], seed=0)
    assert experiment.decide(few, PREDICTION, NAME).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("name", experiment.RIVALS)
def test_a_rival_differs_by_more_than_the_margin(name):
    _, rival = experiment.RIVALS[name]
    with small_data_sets():
        problem = problem_named(name)
        each = discrete(problem).weights
        other = discrete(experiment.replace(problem, data=rival(problem.data))).weights
    assert abs(each - other).max() > float(MARGIN) * abs(each).max()
