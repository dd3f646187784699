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
    InputError,
    Network,
    Node,
    NormalInitialisation,
    Parameter,
    RepeatedGate,
    SiteGate,
    one_hidden_layer,
    resolved,
)
from theory.problem.parameters import initial_numbers

NODES = (Node("x", 4), Node("h", 3, activation="relu", bias="b"), Node("y", 1))
PARAMETERS = (Parameter("w", (3, 4)), Parameter("b", (3,)), Parameter("v", (1, 3)))
GOOD = Graph(NODES, (Edge("x", "h", "w"), Edge("h", "y", "v")), PARAMETERS, ("x",), ("y",))


def test_nodes_are_ordered_by_the_edges():
    skip = replace(GOOD, nodes=NODES[::-1], edges=(*GOOD.edges, Edge("x", "y")))
    assert skip.order == ("x", "h", "y")
    assert [edge.source for edge in skip.into("y")] == ["h", "x"]


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
        ({"nodes": (NODES[0], replace(NODES[1], bias="v2"), NODES[2])}, "the bias of node h = 'v2' is not known"),
        ({"outputs": ("z",)}, "node = 'z' is not known"),
    ]
    assert not_refused(lambda change: replace(GOOD, **change), cases) == []


def test_a_node_has_no_gate_one_gate_or_one_for_each_unit():
    for gates in ((), (AlwaysGate(),), (AlwaysGate(),) * 3):
        assert Node("h", 3, gates).gates == gates
    with pytest.raises(InputError, match="node h has 2 gates for 3 units"):
        Node("h", 3, (AlwaysGate(),) * 2)
    with pytest.raises(InputError, match="activation = 'tanh' is not known"):
        Node("h", 3, activation="tanh")


GATES = (SiteGate(0, lo=0), SiteGate(1, hi=0), AlwaysGate())


@pytest.mark.parametrize(
    ("network", "outputs", "shapes"),
    [
        (Network("gated-linear", "mean", 3, GATES), 1, {"w": (3, 5)}),
        (Network("gated-linear", "sum", 3, GATES), 2, {"w": (3, 2, 5)}),
        (Network("gated-linear", "mean", 3, GATES, "trained"), 2, {"w": (3, 2, 5), "b": (3, 2), "b_out": (2,)}),
        (Network("relu", "mean", 3, biases="fixed"), 1, {"w": (3, 5), "b": (3,), "b_out": (1,)}),
        (Network("erf", "trained-sum", 3), 1, {"w": (3, 5), "a": (3,)}),
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


def test_a_repeated_gate_is_that_of_its_unit_also_with_several_outputs():
    gates = (SiteGate(0, lo=0), SiteGate(1, hi=0), RepeatedGate(1))
    hidden = one_hidden_layer(Network("gated-linear", "mean", 3, gates), 5, outputs=2).node("hidden")
    assert resolved(hidden.gates) == (gates[0], gates[0], gates[1], gates[1], gates[1], gates[1])


def test_equal_seeds_give_parameters_and_replicates_their_own_numbers():
    law = NormalInitialisation(1, 3)
    draws = [initial_numbers(law, (4,), key) for key in [(), (0, 0), (0, 1), (0,), (1,), (1, 0, 0)]]
    assert len({draw.tobytes() for draw in draws}) == len(draws)
    assert np.array_equal(initial_numbers((Fraction(1), Fraction(2)), (2,)), [1.0, 2.0])
