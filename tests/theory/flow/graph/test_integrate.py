"""The integrated flow of a graph against one hidden layer, its descent in steps against autograd, and refusals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from derivations.experiments.folders import problem_named
from sim.networks.choice import network_of
from sim.networks.examples import Examples
from tests.tolerances_of_graphs import GRAPH_DESCENT, GRAPH_SHALLOW
from theory.flow import solve
from theory.flow.graph.data import flow_of, single_gates
from theory.flow.graph.descent import descend
from theory.flow.graph.integrate import integrate
from theory.problem import (
    AlwaysGate,
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    InputError,
    Network,
    Node,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    RepeatedGate,
    SiteGate,
    Training,
)


def chain(start):
    """y = 2 x on x = 1, -1, learned by two scalar weights that start from one number."""
    network = GatedGraph(
        (Node("x", 1), Node("h", 1), Node("y", 1)), (Edge("x", "h", "A"), Edge("h", "y", "B")), ("x",), ("y",)
    )
    starts = InitialByName((("A", ((start,),)), ("B", ((start,),))))
    return Problem(FiniteData([[1], [-1]], [2, -2]), network, Training("half-mse", 2, starts, (1,)))


def test_a_flow_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr("theory.flow.graph.integrate.MOST_EVALUATIONS", 50)
    with pytest.raises(OutOfReachError, match="evaluated the flow 50 times"):
        integrate(chain(0.5), [100.0])


def test_a_flow_that_fails_at_once_says_where():
    with pytest.raises(OutOfReachError, match="stops before t = 1"), np.errstate(all="ignore"):
        integrate(chain(1e99), [1.0])


def test_a_soft_gate_twice_on_a_path_is_another_gate():
    """A hard gate times itself is itself; of a soft one the law knows no moments through the square."""
    problem = problem_named("small-bump")
    training = replace(problem.training, w0=NormalInitialisation(1, 0))
    for gate, known in ((SiteGate(3, lo=0), True), (SiteGate(3, lo=0, sharpness=2), False)):
        nodes = Node("x", 40), Node("h", 2, (gate,)), Node("k", 2, (gate,)), Node("y", 1)
        edges = Edge("x", "h", "A"), Edge("h", "k", "B"), Edge("k", "y", "C")
        flow = flow_of(Problem(problem.data, GatedGraph(nodes, edges, ("x",), ("y",)), training))
        if known:
            assert single_gates(flow) == (gate,)
        else:
            with pytest.raises(OutOfReachError, match="several gates"):
                single_gates(flow)


def test_the_flow_of_a_trained_readout_begins_at_its_weights():
    """Unit k has row k of the weights and column k of the readout: the loss at t = 0 is that over the examples."""
    x, y = [[1, 2], [1, -1], [0, 3]], [[3, 0], [-1, 2], [1, 1]]
    first, last = ((0.5, -0.2), (0.1, 0.7)), ((0.3, -0.4), (0.8, 0.1))  # a row for each output
    training = Training("half-mse", 1, [list(row) for row in first], (0,), readout0=last)
    gates = AlwaysGate(), SiteGate(0, lo="1/2", on="input")
    integrated = integrate(Problem(FiniteData(x, y), Network("gated-linear", "trained-sum", 2, gates), training))
    expected = 0.0
    for row, label in zip(np.array(x, dtype=float), np.array(y, dtype=float), strict=True):
        g = np.array([1.0, float(row[0] >= 0.5)])
        expected += np.sum((label - np.array(last) @ (g * (np.array(first) @ row))) ** 2) / 3
    assert abs(integrated.losses[0] - expected) <= GRAPH_SHALLOW


def test_one_hidden_layer_as_a_graph():
    """Gates of contexts and sites, one of them repeated: in closed form, and on nodes of a graph, integrated."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(-8, 9, (12, 3)), rng.integers(-8, 9, 12)
    law = FiniteData((x / 4).tolist(), (y / 4).tolist(), context=[i % 3 for i in range(12)])
    gates = ContextGate([0, 1]), ContextGate([1, 2]), SiteGate(1, lo=0, on="input"), RepeatedGate(0)
    rows = (rng.integers(-8, 9, (4, 3)) / 8).tolist()
    shallow = Problem(law, Network("gated-linear", "mean", 4, gates), Training("half-mse", 1, rows, (0, 1, 20)))
    nodes = [Node(f"h{k}", 1, (gates[k % 3],)) for k in range(4)]
    edges = [edge for k in range(4) for edge in (Edge("x", f"h{k}", f"w.{k}"), Edge(f"h{k}", "y"))]
    network = GatedGraph((Node("x", 3), *nodes, Node("y", 1, scale=Fraction(1, 4))), tuple(edges), ("x",), ("y",))
    starts = InitialByName(tuple((f"w.{k}", (tuple(row),)) for k, row in enumerate(rows)))
    written = Problem(law, network, replace(shallow.training, w0=starts))
    exact = solve(shallow)
    for integrated in (integrate(written), integrate(shallow)):
        weights = np.stack([integrated.weights[f"w.{k}"][:, 0] for k in range(4)], axis=1)
        assert abs(weights - exact.weights).max() <= GRAPH_SHALLOW
        assert abs(integrated.losses - exact.losses).max() <= GRAPH_SHALLOW


RACE = problem_named("race")
LONG = replace(RACE, training=replace(RACE.training, times=(400,)))


def changed(problem: Problem, **settings) -> Problem:
    return replace(problem, simulation=replace(problem.simulation, **settings))


def test_each_step_is_the_gradient_on_all_examples():
    """The four examples of the race, equally likely; their gates by the sign of the first input."""
    x = torch.tensor([[float(entry) for entry in row] for row in RACE.data.x], dtype=torch.float64)
    y = torch.tensor([float(RACE.data.labels[c]) for c in RACE.data.category], dtype=torch.float64)
    gate = torch.stack([x[:, 0] >= 0, x[:, 0] < 0]).to(torch.float64)
    network = network_of(RACE)
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
