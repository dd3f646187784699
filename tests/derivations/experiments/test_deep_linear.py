"""The rule of the experiment on deep linear networks: what it passes, and each fault that it names."""

import numpy as np
import pytest

from derivations.experiments.deep_linear import experiment
from tests.tolerances_of_graphs import DEEP_FLOAT, GRAPH_INTEGRATED
from theory.claims.model import Outcome
from theory.flow.graph.integrate import integrate

(THREE, *_) = experiment.cases()


def errors(case, first, second):
    """Strengths trained at both rates with an error of first and of second order in the rate."""
    times = np.array([float(time) for time in case.times])
    exact = np.stack([case.exact(times, s) for s in case.targets])
    shape = times * np.exp(-times)
    return [exact + shape * (first * float(rate) + second * float(rate) ** 2) for rate in experiment.RATES]


def test_an_error_of_first_order_passes():
    one = experiment.judged(THREE, *errors(THREE, 1.0, 1.0))
    assert one.faults == ()
    result = experiment._result(THREE.claim, [one])
    assert result.outcome is Outcome.PASS
    assert result.worst < result.tolerance


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (0.0, 5.0, "slope in the rate"),  # no error of first order
        (1.0, -60.0, "not ten times closer"),
        (60.0, 0.0, "rival"),  # networks so far off that a rival's formula cannot be told apart
    ],
)
def test_faults_are_named(first, second, words):
    one = experiment.judged(THREE, *errors(THREE, first, second))
    assert any(words in fault for fault in one.faults)
    assert experiment._result(THREE.claim, [one]).outcome is Outcome.FAIL


@pytest.mark.parametrize("case", experiment.cases()[::2], ids=lambda case: f"{case.panel}, {case.name}")
def test_every_formula_is_the_flow_of_the_network_that_is_trained(case):
    """All weights integrated from the start of the case; a rival's formula is far from it."""
    times = [0.0, float(case.end) / 3, float(case.end)]
    weights = integrate(experiment.problem(case, experiment.RATES[0]), times).weights
    product = np.eye(4)
    for name in weights:
        product = weights[name] @ product
    modes = len(case.targets)
    result = np.einsum("ok,toi,ik->kt", experiment._OUTPUTS[:, :modes], product, experiment._INPUTS[:, :modes])
    exact = np.stack([case.exact(np.array(times), s) for s in case.targets])
    assert abs(result - exact).max() <= GRAPH_INTEGRATED
    if case.rival is not None:
        assert (
            abs(result - np.stack([case.rival(np.array(times), s) for s in case.targets])).max()
            > 1e5 * GRAPH_INTEGRATED
        )


def test_a_rival_is_held_against_the_networks():
    """Its distance is that of the finer rate, in every case that has a rival."""
    for case in experiment.cases():
        times = np.array([float(time) for time in case.times])
        exact = np.stack([case.exact(times, s) for s in case.targets])
        one = experiment.judged(case, exact, exact + 0.5)
        assert (one.rival is None) is (case.rival is None)
        if case.rival is not None:
            expected = max(abs(exact[k] + 0.5 - case.rival(times, s)).max() for k, s in enumerate(case.targets))
            assert abs(one.rival - expected) <= DEEP_FLOAT * expected
