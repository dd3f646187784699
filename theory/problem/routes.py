"""The routes through a graph: sequences of edges from an input to an output, and their names.

A route is declared by the graph alone. Scales along it belong to `theory.flow.graph.paths`; its strength in
trained networks is measured in `sim.measure.graph`.
"""

from collections import Counter
from collections.abc import Container, Iterator

from theory.problem.errors import OutOfReachError
from theory.problem.gates import Gate
from theory.problem.graph import Edge, Graph

MOST_ROUTES = 2_000
Route = tuple[Edge, ...]


def routes(graph: Graph) -> tuple[Route, ...]:
    """Return all routes from an input to an output, by output, then in the order of the edges.

    Raises OutOfReachError where there are more than MOST_ROUTES; they are counted before any is listed.

    >>> from theory.problem import Node, Parameter
    >>> nodes = Node("x", 3), Node("h", 2), Node("y", 1)
    >>> edges = Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("x", "y", "C")
    >>> weights = Parameter("A", (2, 3)), Parameter("B", (1, 2)), Parameter("C", (1, 3))
    >>> [[edge.weight for edge in route] for route in routes(Graph(nodes, edges, weights, ("x",), ("y",)))]
    [['A', 'B'], ['C']]
    """
    count = _counted(graph)
    if count > MOST_ROUTES:
        raise OutOfReachError(
            f"The graph has {count} paths from an input to an output, more than {MOST_ROUTES}.",
            "Use fewer nodes; gdln simulate trains the network without listing its paths.",
        )
    return tuple(edges for output in graph.outputs for edges in _into(graph, output))


def route_gates(graph: Graph, route: Route) -> tuple[Gate, ...]:
    """Return the gates of the nodes and edges of a route, in its order, with repetitions.

    >>> from theory.problem import AlwaysGate, Node, Parameter
    >>> nodes, edge = (Node("x", 1), Node("y", 1, (AlwaysGate(),))), Edge("x", "y", "A")
    >>> route_gates(Graph(nodes, (edge,), (Parameter("A", (1, 1)),), ("x",), ("y",)), (edge,))
    (AlwaysGate(),)
    """
    gates = list(graph.node(route[0].source).gates)
    for edge in route:
        gates += [edge.gate] if edge.gate is not None else []
        gates += graph.node(edge.target).gates
    return tuple(gates)


def route_name(route: Route, parallel: Container[tuple[str, str]] = ()) -> str:
    """Return the nodes of a route in their order, with the weights of edges between nodes that are in `parallel`.

    >>> route_name((Edge("x", "h", "A"), Edge("h", "y", "B")), {("h", "y")})
    'x -> h -B-> y'
    """
    shown = [edge.weight if (edge.source, edge.target) in parallel else None for edge in route]
    steps = [
        f" -{weight}-> {edge.target}" if weight else f" -> {edge.target}"
        for edge, weight in zip(route, shown, strict=True)
    ]
    return route[0].source + "".join(steps)


def route_names(graph: Graph) -> tuple[str, ...]:
    """Return a name for each route: its nodes, the weights of parallel edges, and a number where names still agree.

    >>> from theory.problem import Node, Parameter
    >>> nodes, edges = (Node("x", 2), Node("y", 1)), (Edge("x", "y", "A"), Edge("x", "y", "B"))
    >>> weights = Parameter("A", (1, 2)), Parameter("B", (1, 2))
    >>> route_names(Graph(nodes, edges, weights, ("x",), ("y",)))
    ('x -A-> y', 'x -B-> y')
    """
    joined = Counter((edge.source, edge.target) for edge in graph.edges)
    parallel = {ends for ends, count in joined.items() if count > 1}
    named = [route_name(route, parallel) for route in routes(graph)]
    seen: Counter[str] = Counter()
    labels = []
    for name in named:
        seen[name] += 1
        labels.append(name if named.count(name) == 1 else f"{name} {seen[name]}")
    return tuple(labels)


def _counted(graph: Graph) -> int:
    """Return the number of routes, without listing them."""
    ways = dict.fromkeys(graph.inputs, 1)
    for name in graph.order:
        if name not in ways:
            ways[name] = sum(ways[edge.source] for edge in graph.into(name))
    return sum(ways[name] for name in graph.outputs)


def _into(graph: Graph, name: str) -> Iterator[Route]:
    if name in graph.inputs:
        yield ()
        return
    for edge in graph.into(name):
        for before in _into(graph, edge.source):
            yield (*before, edge)
