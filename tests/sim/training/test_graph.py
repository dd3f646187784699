"""Graphs trained: gradient descent on the sample is the Euler map of the flow with the sample's moments."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from sim.measure import measure
from sim.train import train
from tests.tolerances_of_graphs import GRAPH_DESCENT
from theory.flow.graph.descent import descend
from theory.problem import FiniteData, OutOfReachError, WeightsAtTimes


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
    predicted = descend(replace(problem, data=sample)).weights
    for name, expected in predicted.items():
        assert abs(run.parameters[name][replicate] - expected[0]).max() <= GRAPH_DESCENT


def test_fields_of_a_graph_are_refused(run):
    with pytest.raises(OutOfReachError, match="one hidden layer"):
        measure(WeightsAtTimes(), run, "cpu")
    with pytest.raises(OutOfReachError, match="encode, R, L, decode, always"):
        _ = run.weights
