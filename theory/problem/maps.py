"""The maps of x to yhat that a gated graph computes: which routes are open together, and the names of their modes.

A map is the sum over open routes of the products of their weights and scales. Where contexts alone open the gates there
is one for each context. Gates that look at x open for parts of the inputs: then there is one for each set of routes
that pass the same gates, and the network adds up those that are open.
"""

from collections.abc import Sequence
from typing import Any

from theory.problem.errors import OutOfReachError
from theory.problem.gates.always import AlwaysGate
from theory.problem.gates.context import ContextGate
from theory.problem.graph import Graph
from theory.problem.routes import route_gates, route_names, routes

# Limit of m n min(m, n) summed over all maps, which is proportional to the time for their singular values: up to 0.1 s
# for one network at one time, or 1 s for many small maps.
MOST_WORK = 100_000_000
_NAMED = 3  # the most contexts in the name of a map


def maps_of(graph: Graph, contexts: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Return the routes that each map sums, by the map's name; routes are counted as `theory.problem.routes` does.

    `contexts` are those of the data. Contexts in which the same routes are open have one map.

    >>> from theory.problem import Edge, Node, Parameter
    >>> nodes = Node("x", 2), Node("h", 2, (ContextGate([0, 2]),)), Node("y", 1)
    >>> edges, weights = (Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("x", "y", "C")), {"A": (2, 2), "B": (1, 2)}
    >>> parameters = [Parameter(name, shape) for name, shape in (weights | {"C": (1, 2)}).items()]
    >>> graph = Graph(nodes, edges, tuple(parameters), ("x",), ("y",))
    >>> maps_of(graph, (0, 1, 2))
    {'contexts 0, 2': (0, 1), 'context 1': (1,)}
    """
    gates = [frozenset(gate for gate in route_gates(graph, route) if gate != AlwaysGate()) for route in routes(graph)]
    if not any(gates):
        return {"every input": tuple(range(len(gates)))}
    indices: dict[object, list[int]] = {}
    if contexts and all(isinstance(gate, ContextGate) for chain in gates for gate in chain):
        for context in contexts:
            open_now = tuple(index for index, chain in enumerate(gates) if all(context in gate.open for gate in chain))
            indices.setdefault(open_now, []).append(context)
        return {_of_contexts(mine): open_now for open_now, mine in indices.items()}
    names = route_names(graph)
    for index, chain in enumerate(gates):
        indices.setdefault(chain, []).append(index)
    return {_of_routes([names[index] for index in mine]): tuple(mine) for mine in indices.values()}


def mode_names(graph: Graph, contexts: Sequence[int]) -> tuple[str, ...]:
    """Return a name for each singular value of each map, the strongest of a map first.

    Raises OutOfReachError where the singular values would take too long to compute.

    >>> from theory.problem import Edge, Node, Parameter
    >>> nodes, weights = (Node("x", 3), Node("y", 2)), (Parameter("A", (2, 3)),)
    >>> mode_names(Graph(nodes, (Edge("x", "y", "A"),), weights, ("x",), ("y",)), ())
    ('every input, mode 1', 'every input, mode 2')
    """
    maps, n = maps_of(graph, contexts), graph.node(graph.inputs[0]).dimension
    outputs = sum(graph.node(name).dimension for name in graph.outputs)
    count = min(outputs, n)
    if len(maps) * outputs * n * count > MOST_WORK:
        raise OutOfReachError(
            f"The singular values of {len(maps)} maps of {n} inputs to {outputs} outputs take long to compute.",
            "Read the weights, and compute those of one map.",
        )
    return tuple(f"{name}, mode {mode}" if count > 1 else name for name in maps for mode in range(1, count + 1))


def _of_contexts(contexts: Sequence[int]) -> str:
    if len(contexts) == 1:
        return f"context {contexts[0]}"
    more = f" and {len(contexts) - _NAMED} more" if len(contexts) > _NAMED else ""
    return f"contexts {', '.join(map(str, contexts[:_NAMED]))}{more}"


def _of_routes(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def names_along(axis: str, problem: Any) -> tuple[str, ...] | None:
    """Return the names of the places along an axis of weights, paths or modes; None where the places have numbers."""
    if axis == "weight":
        return tuple(parameter.name for parameter in problem.parameters)
    if axis == "path":
        return route_names(problem.graph)
    return mode_names(problem.graph, problem.data.contexts) if axis == "map_mode" else None
