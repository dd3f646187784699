"""Random gated graphs with examples: depth up to 4, skip paths, shared weights, gates on nodes and edges."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theory.flow.graph.moments import empirical
from theory.problem import Edge, Graph, Node, Parameter, SiteGate

SITES, EXAMPLES = 4, 30


@dataclass(frozen=True)
class Drawn:
    """A graph, its weights as (target, source) matrices, and N examples with equal probabilities."""

    graph: Graph
    weights: dict[str, np.ndarray]
    x: np.ndarray
    y: dict[str, np.ndarray]


def drawn(seed):
    """A random graph: three layers of hidden nodes of dimension 2 or 3, and edges that may skip layers."""
    rng = np.random.default_rng(seed)
    layers = [["x"], *[[f"h{depth}{k}" for k in range(rng.integers(1, 3))] for depth in range(rng.integers(1, 4))]]
    outputs = ["y0", "y1"][: rng.integers(1, 3)]
    dimension = {"x": SITES} | {name: int(rng.integers(2, 4)) for layer in layers[1:] for name in layer}
    dimension |= {name: int(rng.integers(1, 3)) for name in outputs}
    edges, shapes = [], {}
    for depth, layer in enumerate([*layers[1:], outputs], start=1):
        earlier = [name for before in layers[:depth] for name in before]
        for name in layer:
            sources = {rng.choice(layers[depth - 1]), *(each for each in earlier if rng.random() < 0.3)}
            for source in sorted(sources):
                edges.append(_edge(rng, source, name, dimension, shapes))
    for depth, layer in enumerate(layers[1:], start=1):  # every hidden node leads on
        for name in layer:
            if not any(edge.source == name for edge in edges):
                target = rng.choice(([*layers[1:], outputs])[depth])
                edges.append(_edge(rng, name, target, dimension, shapes))
    nodes = [
        Node(name, size, _gate(rng), scale=Fraction(1, int(rng.integers(1, 4))) if name != "x" else Fraction(1))
        for name, size in dimension.items()
    ]
    parameters = tuple(Parameter(name, shape) for name, shape in shapes.items())
    graph = Graph(tuple(nodes), tuple(edges), parameters, ("x",), tuple(outputs))
    weights = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    labels = {name: rng.normal(size=(EXAMPLES, dimension[name])) for name in outputs}
    return Drawn(graph, weights, rng.normal(size=(EXAMPLES, SITES)), labels)


def opens(gate, x):
    """g(x) of a hard site gate on the input, by its definition."""
    return ((x[:, gate.site] >= float(gate.lo)) & (x[:, gate.site] < float(gate.hi))).astype(float)


def _gate(rng):
    return (SiteGate(int(rng.integers(SITES)), lo=Fraction(int(rng.integers(-2, 2)), 4), on="input"),) * int(
        rng.random() < 0.5
    )


def _edge(rng, source, target, dimension, shapes):
    rows, columns = dimension[target], dimension[source]
    gate = next(iter(_gate(rng)), None)
    if columns % rows == 0 and rng.random() < 0.1:
        return Edge(source, target, None, gate)
    same = [name for name, shape in shapes.items() if shape == (rows, columns)]
    name = str(rng.choice(same)) if same and rng.random() < 0.4 else f"W{len(shapes)}"
    shapes[name] = (rows, columns)
    return Edge(source, target, name, gate)


def moments(case, flow):
    """The path moments of the drawn examples."""
    gates = {
        a: np.prod([opens(gate, case.x) for gate in product], axis=0)
        for a, product in enumerate(flow.openings, start=1)
        if product
    }
    return empirical(flow, case.x, case.y, gates, np.full(EXAMPLES, 1 / EXAMPLES))
