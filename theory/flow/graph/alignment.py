"""Weights that share the singular vectors of the moments: W_e = R_t B_e R_s', B diagonal, R orthogonal at each node."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from theory.flow.graph.conditions import Condition
from theory.flow.graph.diagonal import Modes
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.known import EPSILON


@dataclass(frozen=True, eq=False)
class Alignment:
    """The bases and strengths that fit weights: R by node, one column a mode (0 where there is none), and b by weight.

    off: the largest of |W_e - R_t B_e R_s'| / |W_e| and of the departures of the R from orthonormal columns. It is 0
    for aligned weights, and otherwise an upper bound on the distance from them. rounding: its error in float64.
    """

    bases: Mapping[str, Float[np.ndarray, "d n"]]
    strengths: Mapping[str, Float[np.ndarray, " n"]]
    off: float
    rounding: float

    @property
    def condition(self) -> Condition:
        """The condition on the initial weights."""
        says = "the initial weights are aligned, $W = R_t B R_s^{\\top}$"
        holds = bool(self.off <= self.rounding)
        within = f", within the rounding of float64 ({self.rounding:.1g})" if holds else ""
        return Condition(says, holds, f"at most {self.off:.2g} of the norm of a weight{within}", False)


def tied_nodes(flow: GraphFlow) -> dict[str, str]:
    """Return for each node the first of the nodes that must have the same R.

    These are all inputs, the two ends of an edge without weights, and corresponding ends of shared weights.


    >>> from theory.problem import Edge, GatedGraph, Node
    >>> nodes = Node("x", 2), Node("h", 2), Node("k", 2), Node("y", 1)
    >>> edges = Edge("x", "h", "A"), Edge("x", "k", "A"), Edge("h", "y", "B"), Edge("k", "y", "C")
    >>> tied_nodes(GraphFlow(GatedGraph(nodes, edges, ("x",), ("y",)).graph, "mse"))
    {'x': 'x', 'h': 'h', 'k': 'h', 'y': 'y'}
    """
    graph = flow.graph
    first = {node.name: node.name for node in graph.nodes}
    pairs = [(graph.inputs[0], name) for name in graph.inputs]
    for index, edge in enumerate(graph.edges):
        if edge.weight is None:
            pairs.append((edge.source, edge.target))
        for twin in graph.edges[:index]:
            if edge.weight is not None and twin.weight == edge.weight:
                pairs += [(twin.source, edge.source), (twin.target, edge.target)]
    for one, other in pairs:
        kept, gone = first[one], first[other]
        first = {name: kept if root == gone else root for name, root in first.items()}
    return first


def lift(
    flow: GraphFlow, strengths: Mapping[str, Float[np.ndarray, " n"]], bases: Mapping[str, Float[np.ndarray, "d n"]]
) -> dict[str, np.ndarray]:
    """The weights W_e = R_t B_e R_s' of strengths b and bases R.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "sum", 1, (AlwaysGate(),)), 2), "half-mse")
    >>> bases = {"x": np.eye(2), "hidden": np.array([[1.0, 0.0]]), "y": np.array([[1.0, 0.0]])}
    >>> lift(flow, {"w": np.array([3.0, 0.0])}, bases)["w"].tolist()
    [[3.0, 0.0]]
    """
    found = {}
    for edge in flow.graph.edges:
        if edge.weight is not None and edge.weight not in found:
            found[edge.weight] = (bases[edge.target] * strengths[edge.weight]) @ bases[edge.source].T
    return found


def align(flow: GraphFlow, modes: Modes, weights: Mapping[str, np.ndarray]) -> Alignment:
    """Find bases of the hidden nodes that continue the modes of the moments along the weights, and the strengths.

    A column of R is the image of a mode under the weights from a node with a known basis; the strongest image is taken.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "sum", 1, (AlwaysGate(),)), 2), "half-mse")
    >>> S, D = {("y", 1): np.array([1.0, 0.0])}, {(1, 1): np.array([1.0, 1.0])}
    >>> modes = Modes(np.eye(2), {"y": np.array([[1.0, 0.0]])}, S, D, 0.0, 1e-15)
    >>> align(flow, modes, {"w": np.array([[3.0, 0.0]])}).condition.holds
    True
    >>> round(align(flow, modes, {"w": np.array([[3.0, 4.0]])}).off, 9)
    0.8
    """
    graph, first = flow.graph, tied_nodes(flow)
    n = flow.inputs
    R = {root: np.zeros((graph.node(root).dimension, n)) for root in dict.fromkeys(first.values())}
    R[first[graph.inputs[0]]] = modes.inputs
    R |= {first[name]: modes.outputs[name] for name in graph.outputs}
    fixed = {first[name] for name in (*graph.inputs, *graph.outputs)}
    links = [(first[e.source], first[e.target], weights[e.weight]) for e in graph.edges if e.weight is not None]
    links += [(target, source, matrix.T) for source, target, matrix in links]
    for _ in graph.nodes:  # each pass continues the modes by one edge
        for root in R.keys() - fixed:
            R[root] = _filled(R[root], [(R[source], matrix) for source, target, matrix in links if target == root])
    strengths, off = {}, 0.0
    for edge in graph.edges:
        if edge.weight is not None and edge.weight not in strengths:
            W, out, into = weights[edge.weight], R[first[edge.target]], R[first[edge.source]]
            strengths[edge.weight] = np.einsum("ia,ij,ja->a", out, W, into)
            left = np.linalg.norm(W - (out * strengths[edge.weight]) @ into.T)
            off = max(off, float(left / (np.linalg.norm(W) or 1.0)))
    for basis in R.values():
        off = max(off, float(abs(basis.T @ basis - np.diag(basis.any(axis=0))).max()))
    largest = max(node.dimension for node in graph.nodes)
    return Alignment(
        {name: R[root] for name, root in first.items()},
        strengths,
        off,
        len(graph.nodes) * (modes.rounding + 8 * largest * EPSILON),
    )


def _filled(basis: np.ndarray, reached: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The basis with its empty columns filled by the strongest image of their mode, the strongest modes first.

    An image loses its part along the columns before it: rounding of a strong mode, or what `align` then finds in W.
    """
    basis = basis.copy()
    images = {}
    for mode in np.flatnonzero(~basis.any(axis=0)):
        own = [matrix @ other[:, mode] / (np.linalg.norm(matrix) or 1.0) for other, matrix in reached]
        images[mode] = max(own, key=np.linalg.norm)
    for mode, image in sorted(images.items(), key=lambda item: -np.linalg.norm(item[1])):
        for _ in range(2):  # once more for the rounding of the first time
            image = image - basis @ (basis.T @ image)
        if np.linalg.norm(image) > max(len(image), basis.shape[1]) * 1e3 * EPSILON:
            basis[:, mode] = image / np.linalg.norm(image)
    return basis
