"""Graphs trained: gradient descent on the sample is the Euler map of the flow with the sample's moments."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from sim.measure import measure
from sim.train import train
from tests.tolerances_of_graphs import GRAPH_DESCENT
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.moments import loss_from, velocities
from theory.flow.integrators import euler
from theory.moments.feature_moments import squared_labels
from theory.problem import FiniteData, LossAtTimes, OutOfReachError, WeightsAtTimes


@pytest.fixture(scope="module")
def run():
    """The shipped race, trained on the sample that each replicate draws."""
    return train(problem_named("race"), "cpu", backend="reference")


def test_full_batch_descent_is_the_euler_map(run):
    problem, replicate = run.problem, 3
    x = run.sample.x[replicate].tolist()
    y = run.sample.y[replicate].tolist()
    rows, counts = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
    sample = FiniteData(rows[:, :-1].tolist(), rows[:, -1].tolist(), weights=counts.tolist())
    drawn = replace(problem, data=sample, simulation=None)
    flow = flow_of(drawn)
    moments, weights = moments_of(drawn, flow), problem.start()
    rate = float(problem.simulation.learning_rate)
    at = euler(lambda _t, own: velocities(flow, own, moments), weights, run.times, rate)
    for index, weights in enumerate(at):
        for name, expected in weights.items():
            assert abs(run.parameters[name][replicate, index] - expected).max() <= GRAPH_DESCENT


def test_the_loss_is_that_of_the_moments(run):
    """On the four examples of the data set the trained networks' loss is the formula of the moments."""
    problem = run.problem
    flow, found = flow_of(problem), measure(LossAtTimes(), run, "cpu")
    moments, second = moments_of(problem, flow), float(squared_labels(problem.data))
    expected = [
        loss_from(flow, {name: array[0, index] for name, array in run.parameters.items()}, moments, second)
        for index in range(len(run.times))
    ]
    errors = found.values[0] - expected
    spread = 4 * np.array(expected) / np.sqrt(problem.simulation.samples)  # four examples of squared errors
    assert (abs(errors) <= 3 * spread).all()
    assert expected[-1] < expected[0] / 100


def test_online_descent_is_reproducible():
    problem = problem_named("race")
    online = replace(problem, simulation=replace(problem.simulation, mode="online", batch=50, replicates=2))
    one, other = (train(online, "cpu", backend="reference").parameters for _ in range(2))
    assert all((one[name] == other[name]).all() for name in one)
    assert not (one["R"][0, -1] == one["R"][1, -1]).all()


def test_fields_of_a_graph_are_refused(run):
    with pytest.raises(OutOfReachError, match="one hidden layer"):
        measure(WeightsAtTimes(), run, "cpu")
    with pytest.raises(OutOfReachError, match="encode, R, L, decode, always"):
        _ = run.weights
