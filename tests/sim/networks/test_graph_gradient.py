"""The gradient of a graph by hand against autograd, on random graphs with everything that a graph may have."""

from fractions import Fraction
from random import Random

import pytest
import torch

from sim.networks import graph
from sim.networks.losses import mean_loss
from tests.sim.cases import far
from tests.tolerances import SIM_GRADIENT
from theory.problem import Edge, Graph, Node, Parameter, SiteGate

S, B, N = 2, 17, 4
LOSSES = ("half-mse", "mse", "cross-entropy")
ACTIVATIONS = ("linear", "relu", "leaky-relu", "erf", "sigmoid")
# Its values are drawn below: here it only says that there is a gate.
GATE = SiteGate(0, lo=0)


def random_graph(seed):
    """Gated inputs, shared and fixed weights, edges without weights, biases, and an output with an edge out of it."""
    draw = Random(seed)
    sizes = {"left": N, "right": N, "h": 3, "k": 6, "l": 3, "y": 1 + seed % 2, "u": 2}
    gates = {name: (GATE,) * draw.choice((0, 1, size)) for name, size in sizes.items()}
    kinds = {name: draw.choice(ACTIVATIONS) for name in ("h", "k", "l")}
    nodes = tuple(
        Node(
            name,
            size,
            gates[name],
            kinds.get(name, "linear"),
            Fraction(1, 5) if kinds.get(name) == "leaky-relu" else None,
            draw.choice((None, f"b{name}")) if name in kinds else None,
            draw.choice((Fraction(1), Fraction(1, 3), Fraction(2))) if name in kinds else Fraction(1),
        )
        for name, size in sizes.items()
    )
    ends = [
        ("left", "h", "A"), ("right", "h", "A"), ("right", "k", "B"), ("h", "k", "C"), ("k", "l", None),
        ("h", "l", "D"), ("l", "y", "E"), ("h", "y", "F"), ("y", "u", "G"), ("k", "u", "H"),
    ]  # fmt: skip
    edges = tuple(Edge(*end, draw.choice((None, GATE))) for end in ends)
    shapes = {edge.weight: (sizes[edge.target], sizes[edge.source]) for edge in edges if edge.weight}
    shapes |= {node.bias: (node.dimension,) for node in nodes if node.bias} | {"unused": (2,)}
    fixed = draw.choice(("B", "F"))
    parameters = tuple(Parameter(name, shape, name != fixed) for name, shape in shapes.items())
    return Graph(nodes, edges, parameters, ("left", "right"), ("y", "u"))


def numbers(network, seed):
    """Random parameters, examples and values of gates, between 0 and 1 so that none of them is lost."""
    own = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(S, *shape, dtype=torch.float64, generator=own)

    parameters = {each.name: normal(*each.shape) for each in network.parameters}
    gates = {node.name: normal(len(node.gates), B).sigmoid() for node in network.nodes if node.gates}
    gates |= {edge: normal(1, B).sigmoid() for edge in network.edges if edge.gate is not None}
    outputs = sum(network.node(name).dimension for name in network.outputs)
    return parameters, normal(B, N), normal(B, outputs).sign(), gates


@pytest.mark.parametrize(("seed", "loss"), list(enumerate(LOSSES * 2)))
def test_the_gradient_by_hand_is_that_of_autograd(seed, loss):
    network = random_graph(seed)
    parameters, x, y, gates = numbers(network, seed)
    found = graph.gradient(network, loss, parameters, x, y, gates)
    assert list(found) == [each.name for each in network.parameters if each.trained]
    assert not found.pop("unused").any()
    for name in found:
        parameters[name].requires_grad_(True)
    mean_loss(loss, graph.forward(network, parameters, x, gates), y).sum().backward()
    for name in found:
        assert far(found[name], parameters[name].grad) < SIM_GRADIENT, name
