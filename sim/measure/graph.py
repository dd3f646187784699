"""The sizes of the weights of trained networks, and the strengths of the paths through a gated graph."""

from functools import reduce

import numpy as np
from jaxtyping import Float

from sim.measure.source import Source, values_of
from theory.problem import GatedGraph, OutOfReachError, PathStrengthsAtTimes, WeightSizesAtTimes
from theory.problem.graph import Edge, Graph
from theory.problem.routes import Route, routes


@values_of.register
def _(observable: WeightSizesAtTimes, source: Source) -> Float[np.ndarray, "R T W"]:
    arrays = source.trained(observable)
    return np.stack([_length(arrays[parameter.name]) for parameter in source.problem.parameters], axis=-1)


@values_of.register
def _(observable: PathStrengthsAtTimes, source: Source) -> Float[np.ndarray, "R T P"]:
    arrays, problem = source.trained(observable), source.problem
    if not isinstance(problem.network, GatedGraph):
        raise OutOfReachError(
            f'The strength of a path is measured on a gated graph, and the model is "{problem.network.model}".',
            'Measure "field-norm", or write the network as a graph: network.model = "gated-graph".',
        )
    return np.stack([_length(_along(problem.graph, route, arrays)) for route in routes(problem.graph)], axis=-1)


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
