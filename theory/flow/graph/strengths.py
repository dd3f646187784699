"""Sizes of weights, strengths of paths and end-to-end maps, from the weights of a derived flow.

|W| is the Frobenius norm; the strength of a path is |s_p W_p|, with W_p the product of the weights along it and s_p the
product of the scales of its nodes. It measures the effect of the path on x while its gates are open.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import forward
from theory.problem.maps import maps_of, mode_names
from theory.problem.routes import route_names

_AGREEING = 1e-6  # relative: above the error of the integrated flow, below the digits that are shown
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


def maps(flow: GraphFlow, weights: Weights, contexts: Sequence[int]) -> dict[str, Float[np.ndarray, "*any m n"]]:
    """Return the sum of s_p W_p over the paths of each map, all outputs stacked, by the names of `theory.problem.maps`.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 2, (AlwaysGate(),) * 2), 2), "half-mse")
    >>> weights = {"w.0": np.array([[3.0, 4.0]]), "w.1": np.array([[1.0, 0.0]])}
    >>> {name: found.tolist() for name, found in maps(flow, weights, ()).items()}
    {'every input': [[2.0, 2.0]]}
    """
    one, rows = np.eye(flow.inputs), flow.label_rows
    shape = np.broadcast_shapes(*(weights[name].shape[:-2] for name in flow.weights))
    found = {}
    for name, mine in maps_of(flow.graph, contexts).items():
        found[name] = np.zeros((*shape, max(block.stop for block in rows.values()), flow.inputs))
        for path in (flow.paths[index] for index in mine):
            found[name][..., rows[path.target], :] += float(path.scale) * forward(flow, path.edges, weights, one)
    return found


def modes(flow: GraphFlow, weights: Weights, contexts: Sequence[int]) -> dict[str, Float[np.ndarray, "*any"]]:
    """Return the singular values of each map, by the names of `theory.problem.maps.mode_names`, which may refuse.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 1, (AlwaysGate(),)), 2), "half-mse")
    >>> {name: found.tolist() for name, found in modes(flow, {"w": np.array([[[3.0, 4.0]]])}, ()).items()}
    {'every input': [5.0]}
    """
    names = mode_names(flow.graph, contexts)
    values = [np.linalg.svd(one, compute_uv=False) for one in maps(flow, weights, contexts).values()]
    return dict(zip(names, np.moveaxis(np.concatenate(values, axis=-1), -1, 0), strict=True))


def strongest(values: Mapping[str, Float[np.ndarray, " T"]]) -> tuple[str, ...]:
    """Return the names of the values that are largest at the last time: several that agree, none where all are 0.

    >>> strongest({"A": np.array([3.0, 1.0]), "B": np.array([0.0, 4.0]), "C": np.array([5.0, 4.0])})
    ('B', 'C')
    """
    most = max(value[-1] for value in values.values())
    return tuple(name for name, value in values.items() if most > 0 and value[-1] >= (1 - _AGREEING) * most)


def largest(values: Mapping[str, Float[np.ndarray, " T"]], most: int) -> tuple[str, ...]:
    """Return the names of up to `most` values that are largest at the last time, in their own order.

    >>> largest({"A": np.array([3.0, 1.0]), "B": np.array([0.0, 4.0]), "C": np.array([0.0, 2.0])}, 2)
    ('B', 'C')
    """
    kept = sorted(values, key=lambda name: values[name][-1], reverse=True)[:most]
    return tuple(name for name in values if name in kept)


def _length(array: Float[np.ndarray, "*any rows columns"]) -> Float[np.ndarray, "*any"]:
    return np.linalg.norm(array, axis=(-2, -1))
