"""The routes through a graph: each is listed once, and its name is its own."""

import pytest

from theory.problem import Edge, Graph, Node, OutOfReachError, Parameter, SiteGate
from theory.problem.routes import MOST_ROUTES, route_names, routes

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
