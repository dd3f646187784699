"""Sizes of weights and strengths of paths of trained graphs, against the network of a path's edges alone."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.measure import measure
from sim.networks.graph import forward
from sim.train import train
from tests.tolerances_of_graphs import GRAPH_MODES, GRAPH_STRENGTH
from theory.flow.graph.data import flow_of
from theory.flow.graph.strengths import maps, modes, sizes, strengths
from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    Graph,
    MapModesAtTimes,
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
from theory.problem.maps import mode_names
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
        law, GatedGraph(nodes, edges, ("x",), ("y", "z")), training, Simulation("online", 6, ".05", 3, 0, 4)
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


def test_theory_and_networks_name_and_measure_the_same(run):
    flow = flow_of(run.problem)
    for observable, found, names in (
        (PathStrengthsAtTimes(), strengths(flow, run.parameters), route_names(run.problem.graph)),
        (WeightSizesAtTimes(), sizes(flow, run.parameters), [p.name for p in run.problem.parameters]),
        (MapModesAtTimes(), modes(flow, run.parameters, ()), mode_names(run.problem.graph, ())),
    ):
        assert list(found) == list(names)
        measured = measure(observable, run, "cpu").values
        expected = np.stack(list(found.values()), axis=-1)
        # A singular value has the rounding of the largest of its map.
        assert (abs(measured - expected) <= GRAPH_STRENGTH * expected.max(axis=-1, keepdims=True)).all()


def test_a_network_with_one_hidden_layer_has_sizes_and_no_paths(run):
    training = Training("half-mse", 1, NormalInitialisation(1, 3), (0, "1/2"))
    law = FiniteData(((1, 0), (0, 1)), (1, 0))
    own = train(Problem(law, Network("relu", "mean", 2), training, run.problem.simulation), "cpu", backend="reference")
    assert measure(WeightSizesAtTimes(), own, "cpu").values.shape == (3, 2, 1)
    with pytest.raises(OutOfReachError, match='the model is "relu"'):
        measure(PathStrengthsAtTimes(), own, "cpu")
    with pytest.raises(OutOfReachError, match=r'Modes of maps are .* the model is "relu"'):
        measure(MapModesAtTimes(), own, "cpu")


def routed(y):
    """Two contexts with a pathway each, and one that both share, all 2 x 2."""
    nodes = (
        Node("x", 2),
        Node("one", 2, (ContextGate((0,)),), scale=Fraction(1, 2)),
        Node("other", 2, (ContextGate((1, 2)),), scale=Fraction(3)),
        Node("y", 2),
    )
    edges = (
        Edge("x", "one", "A"),
        Edge("one", "y"),
        Edge("x", "other", "B"),
        Edge("other", "y"),
        Edge("x", "y", "C"),
    )
    law = FiniteData(((1, 0), (0, 1), (1, 1)), y, context=(0, 1, 2))
    training = Training("half-mse", 1, NormalInitialisation(1, 3), (0, "1/2"))
    settings = Simulation("online", 6, ".05", 3, 0, 4)
    return Problem(law, GatedGraph(nodes, edges, ("x",), ("y",)), training, settings)


def test_the_map_of_each_context_by_hand():
    """A/2 + C in context 0, 3 B + C in contexts 1 and 2: both singular values from trace and determinant."""
    run = train(routed(((1, 0), (0, 1), (1, 1))), "cpu", backend="reference")
    A, B, C = (run.parameters[name] for name in "ABC")
    names = mode_names(run.problem.graph, run.problem.data.contexts)
    assert names == ("context 0, mode 1", "context 0, mode 2", "contexts 1, 2, mode 1", "contexts 1, 2, mode 2")
    measured = measure(MapModesAtTimes(), run, "cpu").values
    by_theory = maps(flow_of(run.problem), run.parameters, run.problem.data.contexts)
    for first, (name, M) in zip((0, 2), {"context 0": A / 2 + C, "contexts 1, 2": 3 * B + C}.items(), strict=True):
        squares = np.square(M).sum(axis=(-2, -1))
        determinant = M[..., 0, 0] * M[..., 1, 1] - M[..., 0, 1] * M[..., 1, 0]
        root = np.sqrt(squares**2 - 4 * determinant**2)
        expected = np.stack([np.sqrt((squares + root) / 2), np.sqrt((squares - root) / 2)], axis=-1)
        found = measured[..., first : first + 2]
        assert (abs(found - expected) <= GRAPH_MODES * expected[..., :1] ** 2 / expected[..., 1:]).all()
        assert abs(by_theory[name] - M).max() <= GRAPH_STRENGTH * abs(M).max()
