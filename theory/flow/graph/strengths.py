"""Sizes of weights and strengths of paths, from the weights of a derived flow.

|W| is the Frobenius norm; the strength of a path is |s_p W_p|, with W_p the product of the weights along it and s_p the
product of the scales of its nodes. It measures the effect of the path on x while its gates are open.
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import forward
from theory.problem.routes import route_names

Weights = Mapping[str, Float[np.ndarray, "*any rows columns"]]


def sizes(flow: GraphFlow, weights: Weights) -> dict[str, Float[np.ndarray, "*any"]]:
    """Return |W| of each trained weight by its name.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 1, (AlwaysGate(),)), 2), "half-mse")
    >>> float(sizes(flow, {"w": np.array([[3.0, 4.0]])})["w"])
    5.0
    """
    return {name: _length(weights[name]) for name in flow.weights}


def strengths(flow: GraphFlow, weights: Weights) -> dict[str, Float[np.ndarray, "*any"]]:
    """Return |s_p W_p| of each path, by the names of `theory.problem.routes`.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 2, (AlwaysGate(),) * 2), 2), "half-mse")
    >>> weights = {"w.0": np.array([[3.0, 4.0]]), "w.1": np.zeros((1, 2))}
    >>> {name: float(found) for name, found in strengths(flow, weights).items()}
    {'x -> hidden.0 -> y': 2.5, 'x -> hidden.1 -> y': 0.0}
    """
    named, one = zip(route_names(flow.graph), flow.paths, strict=True), np.eye(flow.inputs)
    return {name: _length(float(path.scale) * forward(flow, path.edges, weights, one)) for name, path in named}


def largest(values: Mapping[str, Float[np.ndarray, " T"]], most: int) -> tuple[str, ...]:
    """Return the names of up to `most` values that are largest at the last time, in their own order.

    >>> largest({"A": np.array([3.0, 1.0]), "B": np.array([0.0, 4.0]), "C": np.array([0.0, 2.0])}, 2)
    ('B', 'C')
    """
    kept = sorted(values, key=lambda name: values[name][-1], reverse=True)[:most]
    return tuple(name for name in values if name in kept)


def _length(array: Float[np.ndarray, "*any rows columns"]) -> Float[np.ndarray, "*any"]:
    return np.linalg.norm(array, axis=(-2, -1))
