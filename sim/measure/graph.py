"""The sizes of the weights of trained networks, the strengths of the paths of a gated graph, and its maps' modes."""

from functools import reduce

import numpy as np
from jaxtyping import Float

from sim.measure.source import Source, values_of
from theory.problem import (
    GatedGraph,
    MapModesAtTimes,
    OutOfReachError,
    PathStrengthsAtTimes,
    Problem,
    WeightSizesAtTimes,
)
from theory.problem.graph import Edge, Graph
from theory.problem.maps import maps_of, mode_names
from theory.problem.routes import Route, routes


@values_of.register
def _(observable: WeightSizesAtTimes, source: Source) -> Float[np.ndarray, "R T W"]:
    arrays = source.trained(observable)
    return np.stack([_length(arrays[parameter.name]) for parameter in source.problem.parameters], axis=-1)


@values_of.register
def _(observable: PathStrengthsAtTimes, source: Source) -> Float[np.ndarray, "R T P"]:
    arrays, graph = source.trained(observable), _graph_of(source.problem, "The strength of a path is")
    return np.stack([_length(_along(graph, route, arrays)) for route in routes(graph)], axis=-1)


@values_of.register
def _(observable: MapModesAtTimes, source: Source) -> Float[np.ndarray, "R T M"]:
    arrays, graph = source.trained(observable), _graph_of(source.problem, "Modes of maps are")
    contexts, listed = source.problem.data.contexts, routes(graph)
    mode_names(graph, contexts)  # which refuses maps that are too large
    modes = [
        np.linalg.svd(_map(graph, [listed[index] for index in mine], arrays), compute_uv=False)
        for mine in maps_of(graph, contexts).values()
    ]
    return np.concatenate(modes, axis=-1)


def _graph_of(problem: Problem, what: str) -> Graph:
    """The graph of a problem. Raises OutOfReachError for another network."""
    if not isinstance(problem.network, GatedGraph):
        raise OutOfReachError(
            f'{what} measured on a gated graph, and the model is "{problem.network.model}".',
            'Measure "field-norm", or write the network as a graph: network.model = "gated-graph".',
        )
    return problem.graph


def _map(graph: Graph, open_routes: list[Route], arrays: dict[str, np.ndarray]) -> Float[np.ndarray, "*any m n"]:
    """The map of x to all outputs, stacked, while these routes alone are open."""
    n, (first, *_) = graph.node(graph.inputs[0]).dimension, arrays.values()
    blocks = {name: np.zeros((*first.shape[:2], graph.node(name).dimension, n)) for name in graph.outputs}
    for route in open_routes:
        blocks[route[-1].target] = blocks[route[-1].target] + _along(graph, route, arrays)
    return np.concatenate(list(blocks.values()), axis=-2)


def _along(graph: Graph, route: Route, arrays: dict[str, np.ndarray]) -> Float[np.ndarray, "*any m n"]:
    """Return the matrix that maps x along a route while all its gates are open."""
    return reduce(
        lambda passed, edge: _passed(graph, edge, arrays, passed), route, np.eye(graph.node(route[0].source).dimension)
    )


def _passed(graph: Graph, edge: Edge, arrays: dict[str, np.ndarray], source: np.ndarray) -> np.ndarray:
    """Multiply by the weights of an edge and the scale of its target."""
    node = graph.node(edge.target)
    if edge.weight is None:
        blocks = source.reshape(*source.shape[:-2], -1, node.dimension, source.shape[-1])
        return float(node.scale) * blocks.sum(axis=-3)
    return float(node.scale) * (arrays[edge.weight] @ source)


def _length(array: Float[np.ndarray, "R T ..."]) -> Float[np.ndarray, "R T"]:
    """Return the Frobenius norm for each replicate and time."""
    return np.linalg.norm(array.reshape(*array.shape[:2], -1), axis=-1)
