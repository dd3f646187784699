"""Networks as graphs, S at once, and their gradient by autograd: the reference for every network.

A node v holds h_v = g_v(x) sigma_v( scale_v sum_e g_e(x) W_e h_s(e) + b_v ), units before examples: (S, d_v, B).
"""

from collections.abc import Mapping

import torch
from jaxtyping import Float

from sim.networks.activations import activation_named
from sim.networks.losses import mean_loss
from sim.networks.parameters import Parameters
from theory.problem.graph import Edge, Graph, Node

# Gate values by the name of a node (S, d or 1, B), or by an edge (S, 1, B).
GateValues = Mapping[str | Edge, torch.Tensor]


def forward(
    graph: Graph, parameters: Parameters, x: Float[torch.Tensor, "S B n"], gates: GateValues
) -> Float[torch.Tensor, "S B *m"]:
    """Return the outputs of S networks: (S, B) for one output unit, (S, B, m) for m.

    Every input node holds x, times its gate where it has one; equal weight names share their numbers. Raises
    OutOfReachError for an activation without a simulation, KeyError for a gate whose values are missing.

    >>> from fractions import Fraction
    >>> from theory.problem.parameters import Parameter
    >>> nodes = (Node("x", 2), Node("h", 2, activation="relu"), Node("y", 1, scale=Fraction(1, 2)))
    >>> deep = Graph(nodes, (Edge("x", "h", "w"), Edge("h", "y")), (Parameter("w", (2, 2)),), ("x",), ("y",))
    >>> w = torch.tensor([[[1.0, 1.0], [0.0, -1.0]]])
    >>> forward(deep, {"w": w}, torch.tensor([[[1.0, 2.0], [0.0, -4.0]]]), {}).tolist()
    [[1.5, 2.0]]
    """
    values = inputs_of(graph, x, gates)
    for name in graph.order:
        if name not in values:
            values[name] = _node(graph, graph.node(name), parameters, values, gates)
    return joined_outputs(graph, values)


def loss(
    graph: Graph,
    kind: str,
    parameters: Parameters,
    x: Float[torch.Tensor, "S B n"],
    y: Float[torch.Tensor, "S B *m"],
    gates: GateValues,
) -> Float[torch.Tensor, " S"]:
    """Return L of each network, averaged over the examples and summed over the outputs."""
    return mean_loss(kind, forward(graph, parameters, x, gates), y)


def gradient(
    graph: Graph,
    kind: str,
    parameters: Parameters,
    x: Float[torch.Tensor, "S B n"],
    y: Float[torch.Tensor, "S B *m"],
    gates: GateValues,
) -> dict[str, torch.Tensor]:
    """Return dL/dtheta of each network in the trained parameters, by name, by automatic differentiation.

    >>> from theory.problem import Network, one_hidden_layer
    >>> graph, x = one_hidden_layer(Network("relu", "sum", 1), 1), torch.tensor([[[1.0], [2.0]]])
    >>> gradient(graph, "half-mse", {"w": torch.ones(1, 1, 1)}, x, torch.zeros(1, 2), {})["w"].tolist()
    [[[2.5]]]
    """
    trained = [parameter.name for parameter in graph.parameters if parameter.trained]
    with torch.enable_grad():
        numbers = {name: parameters[name].detach().requires_grad_(True) for name in trained}
        total = loss(graph, kind, {**parameters, **numbers}, x, y, gates).sum()
        found = torch.autograd.grad(total, list(numbers.values()), materialize_grads=True)
    return dict(zip(trained, found, strict=True))


def inputs_of(graph: Graph, x: Float[torch.Tensor, "S B n"], gates: GateValues) -> dict[str, torch.Tensor]:
    """Return the values of the input nodes: x, times the node's gate where it has one."""
    inputs = x.transpose(1, 2)
    return {name: inputs * gates[name] if graph.node(name).gates else inputs for name in graph.inputs}


def joined_outputs(graph: Graph, values: Mapping[str, torch.Tensor]) -> Float[torch.Tensor, "S B *m"]:
    """Return the values of the output nodes side by side: (S, B) for one output unit, (S, B, m) for m."""
    parts = [values[name] for name in graph.outputs]
    outputs = torch.cat(parts, dim=1) if len(parts) > 1 else parts[0]
    return outputs[:, 0] if outputs.shape[1] == 1 else outputs.transpose(1, 2)


def preactivation(
    graph: Graph, node: Node, parameters: Parameters, values: Mapping[str, torch.Tensor], gates: GateValues
) -> Float[torch.Tensor, "S d B"]:
    """Return scale sum_e g_e W_e h_s(e) + b of a node."""
    first, *others = (_along(edge, node, parameters, values[edge.source], gates) for edge in graph.into(node.name))
    h = sum(others, first)
    if node.scale != 1:
        h = h * float(node.scale)
    if node.bias is not None:
        bias = parameters[node.bias]
        h = h + bias.reshape(len(bias), node.dimension, 1)
    return h


def edge_weight(edge: Edge, node: Node, parameters: Parameters) -> Float[torch.Tensor, "S d source"]:
    """Return the weights of an edge into a node as matrices."""
    weight = parameters[edge.weight]
    # Most weights are matrices already, and the steps of small networks are dominated by the overhead of calls.
    if weight.ndim == 3 and weight.shape[1] == node.dimension:
        return weight
    return weight.reshape(len(weight), node.dimension, -1)


def _node(
    graph: Graph, node: Node, parameters: Parameters, values: Mapping[str, torch.Tensor], gates: GateValues
) -> torch.Tensor:
    h = preactivation(graph, node, parameters, values, gates)
    value = activation_named(node.activation).value(h, 0.0 if node.slope is None else float(node.slope))
    return value * gates[node.name] if node.gates else value


def _along(edge: Edge, node: Node, parameters: Parameters, source: torch.Tensor, gates: GateValues) -> torch.Tensor:
    if edge.weight is not None:
        passed = torch.bmm(edge_weight(edge, node, parameters), source)
    elif source.shape[1] == node.dimension:
        passed = source
    else:
        passed = source.reshape(len(source), -1, node.dimension, source.shape[-1]).sum(dim=1)
    return passed if edge.gate is None else passed * gates[edge]
