"""Networks as graphs: what fits, the order of the nodes, one hidden layer as the smallest case, initial numbers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import (
    AlwaysGate,
    Edge,
    Graph,
    Network,
    Node,
    NormalInitialisation,
    OutOfReachError,
    Parameter,
    SiteGate,
    one_hidden_layer,
)
from theory.problem.parameters import initial_numbers
from theory.problem.routes import MOST_ROUTES, route_names, routes

NODES = (Node("x", 4), Node("h", 3, activation="relu", bias="b"), Node("y", 1))
PARAMETERS = (Parameter("w", (3, 4)), Parameter("b", (3,)), Parameter("v", (1, 3)))
GOOD = Graph(NODES, (Edge("x", "h", "w"), Edge("h", "y", "v")), PARAMETERS, ("x",), ("y",))


def test_graphs_that_do_not_fit_are_named():
    cases = [
        ({"nodes": (*NODES, Node("h", 2))}, "Two nodes of the graph are called h"),
        ({"parameters": (*PARAMETERS, Parameter("w", (1,)))}, "Two parameters of the graph are called w"),
        ({"edges": (*GOOD.edges, Edge("h", "z"))}, "node = 'z' is not known"),
        ({"edges": (*GOOD.edges, Edge("y", "h", "u"))}, "the edge from y to h = 'u' is not known"),
        ({"edges": (*GOOD.edges, Edge("y", "h", "b"))}, "The edges between h, y form a circle"),
        ({"edges": (*GOOD.edges, Edge("h", "x", "w"))}, "node x is an input, and an edge leads into it"),
        ({"edges": GOOD.edges[:1]}, "node y is no input, and no edge leads into it"),
        ({"edges": (Edge("x", "h", "v"), GOOD.edges[1])}, "from x to h needs 12 numbers"),
        ({"edges": (Edge("x", "h"), GOOD.edges[1])}, "4 units are no multiple of 3"),
        ({"outputs": ("z",)}, "node = 'z' is not known"),
    ]
    assert not_refused(lambda change: replace(GOOD, **change), cases) == []


GATES = (SiteGate(0, lo=0), SiteGate(1, hi=0), AlwaysGate())


@pytest.mark.parametrize(
    ("network", "outputs", "shapes"),
    [
        (Network("gated-linear", "mean", 3, GATES), 1, {"w": (3, 5)}),
        (Network("gated-linear", "mean", 3, GATES, "trained"), 2, {"w": (3, 2, 5), "b": (3, 2), "b_out": (2,)}),
        (Network("relu", "mean", 3, biases="fixed"), 1, {"w": (3, 5), "b": (3,), "b_out": (1,)}),
        (Network("erf", "trained-sum", 3), 2, {"w": (3, 5), "a": (2, 3)}),
    ],
)
def test_one_hidden_layer_is_a_graph(network, outputs, shapes):
    graph = one_hidden_layer(network, 5, outputs)
    assert {p.name: p.shape for p in graph.parameters} == shapes
    assert {p.trained for p in graph.parameters if p.name.startswith("b")} <= {network.biases == "trained"}
    assert graph.order == ("x", "hidden", "y")
    assert graph.node("y").scale == network.scale
    if network.gates:  # unit after unit, each gate once for each output that reads it
        assert graph.node("hidden").gates == tuple(gate for gate in GATES for _ in range(outputs))


def test_equal_seeds_give_parameters_and_replicates_their_own_numbers():
    law = NormalInitialisation(1, 3)
    draws = [initial_numbers(law, (4,), key) for key in [(), (0, 0), (0, 1), (0,), (1,), (1, 0, 0)]]
    assert len({draw.tobytes() for draw in draws}) == len(draws)
    assert np.array_equal(initial_numbers((Fraction(1), Fraction(2)), (2,)), [1.0, 2.0])


ENDS = Node("x", 2), Node("y", 2)
WEIGHTS = Parameter("A", (2, 2)), Parameter("B", (2, 2))


def test_routes_come_by_output_then_in_the_order_of_the_edges():
    nodes = (Node("x", 2), Node("h", 2), Node("y", 2), Node("z", 2))
    edges = (Edge("x", "z", "A"), Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("h", "z", "B"), Edge("x", "y", "A"))
    graph = Graph(nodes, edges, WEIGHTS, ("x",), ("y", "z"))
    assert route_names(graph) == ("x -> h -> y", "x -> y", "x -> z", "x -> h -> z")
    assert [len(route) for route in routes(graph)] == [2, 1, 1, 2]


def test_routes_with_the_same_nodes_are_told_apart():
    gate = SiteGate(0, lo=0, on="input")
    edges = Edge("x", "y", "A"), Edge("x", "y", "B"), Edge("x", "y", "B", gate), Edge("x", "y")
    names = route_names(Graph(ENDS, edges, WEIGHTS, ("x",), ("y",)))
    assert names == ("x -A-> y", "x -B-> y 1", "x -B-> y 2", "x -> y")


def test_too_many_routes_are_counted_and_not_listed():
    """Two ways at each of 60 places are 2^60 routes."""
    nodes = tuple(Node(f"h{k}", 2) for k in range(61))
    edges = tuple(Edge(f"h{k}", f"h{k + 1}", name) for k in range(60) for name in ("A", "B"))
    with pytest.raises(OutOfReachError, match=f"{2**60} paths .* more than {MOST_ROUTES}"):
        routes(Graph(nodes, edges, WEIGHTS, ("h0",), ("h60",)))
