"""Sizes of weights and strengths of paths of trained graphs, against the network of a path's edges alone."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from derivations.experiments.folders import problem_named
from sim.measure import measure
from sim.networks.graph import forward
from sim.train import train
from tests.tolerances import UNIT_ROUNDOFF
from tests.tolerances_of_graphs import GRAPH_STRENGTH
from theory.flow.graph.data import flow_of
from theory.flow.graph.strengths import sizes, strengths
from theory.problem import (
    Edge,
    FiniteData,
    GatedGraph,
    Graph,
    InputError,
    Network,
    Node,
    NormalInitialisation,
    OutOfReachError,
    PathStrengthsAtTimes,
    Problem,
    Simulation,
    SiteGate,
    Training,
    WeightSizesAtTimes,
)
from theory.problem.routes import route_names, routes

GATE = SiteGate(0, lo=0, on="input")


@pytest.fixture(scope="module")
def run():
    """A graph with shared weights, scales, gates on nodes and edges, an edge that adds up blocks, and two outputs."""
    nodes = (
        Node("x", 2),
        Node("wide", 4, scale=Fraction(1, 3)),
        Node("h", 2, (GATE,), scale=Fraction(2)),
        Node("y", 2),
        Node("z", 1),
    )
    edges = (
        Edge("x", "wide", "A"),
        Edge("wide", "h"),  # the sum of two blocks
        Edge("x", "h", "S"),
        Edge("h", "y", "S"),
        Edge("x", "y", "C", GATE),
        Edge("h", "z", "D"),
    )
    law = FiniteData(((1, 0), (0, 1), (1, -1)), ((1, 0, 1), (0, 1, -1), (1, 1, 0)))
    training = Training("half-mse", 1, NormalInitialisation(1, 3), (0, "1/2"))
    problem = Problem(
        law, GatedGraph(nodes, edges, ("x",), ("y", "z")), training, Simulation("online", 6, ".1", 3, 0, 4)
    )
    return train(problem, "cpu", backend="reference")


def test_a_path_is_as_strong_as_the_network_of_its_edges_alone(run):
    graph, measured = run.problem.graph, measure(PathStrengthsAtTimes(), run, "cpu").values
    assert measured.shape == (3, 2, len(routes(graph)))
    for index, route in enumerate(routes(graph)):
        names = [route[0].source, *(edge.target for edge in route)]
        nodes = tuple(replace(graph.node(name), gates=()) for name in names)
        edges = tuple(replace(edge, gate=None) for edge in route)
        alone = Graph(nodes, edges, graph.parameters, (names[0],), (names[-1],))
        for replicate, time in np.ndindex(measured.shape[:2]):
            own = {
                name: torch.from_numpy(array[replicate : replicate + 1, time]) for name, array in run.parameters.items()
            }
            matrix = forward(alone, own, torch.eye(2, dtype=torch.float64)[None], {})
            expected = float(torch.linalg.norm(matrix))
            assert abs(measured[replicate, time, index] - expected) <= GRAPH_STRENGTH * expected


def test_sizes_are_the_roots_of_the_sums_of_squares(run):
    measured = measure(WeightSizesAtTimes(), run, "cpu").values
    for index, parameter in enumerate(run.problem.parameters):
        expected = np.sqrt((run.parameters[parameter.name] ** 2).sum(axis=(2, 3)))
        assert (abs(measured[..., index] - expected) <= 8 * UNIT_ROUNDOFF * expected).all()


def test_theory_and_networks_name_and_measure_the_same(run):
    flow = flow_of(run.problem)
    for observable, found, names in (
        (PathStrengthsAtTimes(), strengths(flow, run.parameters), route_names(run.problem.graph)),
        (WeightSizesAtTimes(), sizes(flow, run.parameters), [p.name for p in run.problem.parameters]),
    ):
        assert list(found) == list(names)
        measured = measure(observable, run, "cpu").values
        expected = np.stack(list(found.values()), axis=-1)
        assert (abs(measured - expected) <= GRAPH_STRENGTH * expected).all()


def test_a_network_with_one_hidden_layer_has_sizes_and_no_paths(run):
    training = Training("half-mse", 1, NormalInitialisation(1, 3), (0, "1/2"))
    law = FiniteData(((1, 0), (0, 1)), (1, 0))
    own = train(Problem(law, Network("relu", "mean", 2), training, run.problem.simulation), "cpu", backend="reference")
    assert measure(WeightSizesAtTimes(), own, "cpu").values.shape == (3, 2, 1)
    with pytest.raises(OutOfReachError, match='the model is "relu"'):
        measure(PathStrengthsAtTimes(), own, "cpu")


@pytest.mark.parametrize("kind", [WeightSizesAtTimes, PathStrengthsAtTimes])
def test_trained_networks_are_needed(kind):
    with pytest.raises(InputError, match=f"{kind.__name__} is measured on trained networks"):
        measure(kind(), problem_named("race"))
