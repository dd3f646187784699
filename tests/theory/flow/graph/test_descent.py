"""Gradient descent of a graph in discrete steps, against autograd on the examples, and its distance from the flow."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from derivations.experiments.folders import problem_named
from sim.networks.choice import by_graph
from sim.networks.examples import Examples
from tests.tolerances_of_graphs import GRAPH_DESCENT
from theory.flow.graph.descent import descend
from theory.problem import InputError, OutOfReachError, Problem

RACE = problem_named("race")
LONG = replace(RACE, training=replace(RACE.training, times=(400,)))


def changed(problem: Problem, **settings) -> Problem:
    return replace(problem, simulation=replace(problem.simulation, **settings))


def test_each_step_is_autograds_gradient_on_all_examples():
    """The four examples of the race, equally likely; their gates by the sign of the first input."""
    x = torch.tensor([[float(entry) for entry in row] for row in RACE.data.x], dtype=torch.float64)
    y = torch.tensor([float(RACE.data.labels[c]) for c in RACE.data.category], dtype=torch.float64)
    gate = torch.stack([x[:, 0] >= 0, x[:, 0] < 0]).to(torch.float64)
    network = by_graph(RACE)
    examples = Examples(x[None], y[None], gate[None])
    weights = {name: torch.from_numpy(array)[None] for name, array in RACE.start().items()}
    descent, rate, step = descend(RACE), float(RACE.simulation.learning_rate), 0
    for index, time in enumerate(descent.times):
        while step < round(time / rate):
            gradient = network.gradient(weights, examples)
            weights = {name: array - rate * gradient[name] for name, array in weights.items()}
            step += 1
        for name, array in weights.items():
            assert abs(descent.weights[name][0, index] - array[0].numpy()).max() <= GRAPH_DESCENT
        loss = float((y - network.predict(weights, examples)[0]).square().mean())
        assert abs(descent.losses[0, index] - loss) <= GRAPH_DESCENT


def test_networks_with_their_own_starts_descend_as_each_alone():
    both = descend(RACE, (0, 2))
    for place, replicate in enumerate((0, 2)):
        alone = descend(RACE, (replicate,))
        assert abs(both.losses[place] - alone.losses[0]).max() <= GRAPH_DESCENT
        for name, array in RACE.start(replicate).items():
            assert np.array_equal(both.weights[name][place, 0], array)
    assert (both.losses[0] != both.losses[1]).all()


@pytest.mark.parametrize(
    ("problem", "error", "said"),
    [
        (changed(LONG, learning_rate=4), InputError, "100 steps .* overflow at the learning rate 4"),
        (changed(RACE, learning_rate="3/7"), InputError, "is 2.33333 steps"),
        (changed(RACE, optimizer="momentum", momentum="0.9"), OutOfReachError, 'not for "momentum"'),
        (replace(RACE, simulation=None), InputError, "no .simulation. table"),
    ],
)
def test_what_has_no_prediction_says_why(problem, error, said):
    with pytest.raises(error, match=said):
        descend(problem)
