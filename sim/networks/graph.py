"""Networks as graphs, S at once, and their gradient: one pass forward, and one back along the edges.

A node v holds h_v = g_v(x) f_v( scale_v sum_e g_e(x) W_e h_s(e) + b_v ). Let delta_v be the derivative of L by a node's
sum over its edges. Then

    dL/dW_e = delta_t(e) (g_e h_s(e))',    delta_v = scale_v f_v' g_v sum_{e out of v} g_e W_e' delta_t(e).

Arrays have units before examples, (S, d_v, B). Autograd needs more operations; the tests compare with it.
"""

from collections.abc import Mapping

import torch
from jaxtyping import Float

from sim.networks.activations import activation_named
from sim.networks.losses import loss_named
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
    return _joined(graph, _values(graph, parameters, x, gates))


def gradient(
    graph: Graph,
    kind: str,
    parameters: Parameters,
    x: Float[torch.Tensor, "S B n"],
    y: Float[torch.Tensor, "S B *m"],
    gates: GateValues,
) -> dict[str, torch.Tensor]:
    """Return dL/dtheta of each network in the trained parameters, by name.

    >>> from theory.problem import Network, one_hidden_layer
    >>> graph, x = one_hidden_layer(Network("relu", "sum", 1), 1), torch.tensor([[[1.0], [2.0]]])
    >>> gradient(graph, "half-mse", {"w": torch.ones(1, 1, 1)}, x, torch.zeros(1, 2), {})["w"].tolist()
    [[[2.5]]]
    """
    slopes: dict[str, torch.Tensor | None] = {}
    values = _values(graph, parameters, x, gates, slopes)
    named = loss_named(kind)
    pull = named.residual(_joined(graph, values), y).mul_(named.gradient_factor / x.shape[1])
    deltas = _at_outputs(graph, pull)
    trained = {own.name for own in graph.parameters if own.trained}
    found: dict[str, torch.Tensor] = {}
    for name in reversed(graph.order):
        if name in graph.inputs:
            continue
        node, delta = graph.node(name), deltas.pop(name)
        if slopes[name] is not None:
            delta = delta * slopes[name]
        if node.bias in trained:
            _add(found, node.bias, delta.sum(dim=2))
        if node.scale != 1:
            delta = delta * float(node.scale)
        for edge in graph.into(name):
            opened = delta if edge.gate is None else delta * gates[edge]
            if edge.weight in trained:
                _add(found, edge.weight, torch.bmm(opened, values[edge.source].transpose(1, 2)))
            if edge.source not in graph.inputs:
                _add(deltas, edge.source, _back(graph, edge, node, parameters, opened))
    return {
        own.name: found[own.name].view_as(parameters[own.name])
        if own.name in found
        else torch.zeros_like(parameters[own.name])
        for own in graph.parameters
        if own.trained
    }


def _inputs(graph: Graph, x: Float[torch.Tensor, "S B n"], gates: GateValues) -> dict[str, torch.Tensor]:
    """Return the values of the input nodes: x, times the node's gate where it has one."""
    inputs = x.transpose(1, 2)
    return {name: inputs * gates[name] if graph.node(name).gates else inputs for name in graph.inputs}


def _joined(graph: Graph, values: Mapping[str, torch.Tensor]) -> Float[torch.Tensor, "S B *m"]:
    """Return the values of the output nodes side by side: (S, B) for one output unit, (S, B, m) for m."""
    parts = [values[name] for name in graph.outputs]
    outputs = torch.cat(parts, dim=1) if len(parts) > 1 else parts[0]
    return outputs[:, 0] if outputs.shape[1] == 1 else outputs.transpose(1, 2)


def _preactivation(
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


def _weight(edge: Edge, node: Node, parameters: Parameters) -> Float[torch.Tensor, "S d source"]:
    """Return the weights of an edge into a node as matrices."""
    weight = parameters[edge.weight]
    # Most weights are matrices already, and the steps of small networks are dominated by the overhead of calls.
    if weight.ndim == 3 and weight.shape[1] == node.dimension:
        return weight
    return weight.reshape(len(weight), node.dimension, -1)


def _along(edge: Edge, node: Node, parameters: Parameters, source: torch.Tensor, gates: GateValues) -> torch.Tensor:
    if edge.weight is not None:
        passed = torch.bmm(_weight(edge, node, parameters), source)
    elif source.shape[1] == node.dimension:
        passed = source
    else:
        passed = source.reshape(len(source), -1, node.dimension, source.shape[-1]).sum(dim=1)
    return passed if edge.gate is None else passed * gates[edge]


def _values(
    graph: Graph,
    parameters: Parameters,
    x: Float[torch.Tensor, "S B n"],
    gates: GateValues,
    slopes: dict[str, torch.Tensor | None] | None = None,
) -> dict[str, torch.Tensor]:
    """Return the value h_v of every node; where `slopes` is given, put f_v' g_v into it, or None where that is 1."""
    values = _inputs(graph, x, gates)
    for name in graph.order:
        if name in values:
            continue
        node = graph.node(name)
        h, slope = _preactivation(graph, node, parameters, values, gates), None
        if node.activation != "linear":
            activation, leak = activation_named(node.activation), 0.0 if node.slope is None else float(node.slope)
            h, slope = (activation.value(h, leak), None) if slopes is None else activation.with_slope(h, leak)
        if node.gates:
            gate = gates[name]
            h, slope = h * gate, gate if slope is None else slope * gate
        values[name] = h
        if slopes is not None:
            slopes[name] = slope
    return values


def _at_outputs(graph: Graph, pull: Float[torch.Tensor, "S B *m"]) -> dict[str, torch.Tensor]:
    """Return the derivative of L by the value of each output node."""
    whole = pull[:, None] if pull.ndim == 2 else pull.transpose(1, 2)
    sizes = [graph.node(name).dimension for name in graph.outputs]
    return dict(zip(graph.outputs, whole.split(sizes, dim=1), strict=True))


def _back(graph: Graph, edge: Edge, node: Node, parameters: Parameters, delta: torch.Tensor) -> torch.Tensor:
    """Return W_e' delta; for an edge without weights, delta repeated for each block of the source."""
    if edge.weight is None:
        return delta.repeat(1, graph.node(edge.source).dimension // node.dimension, 1)
    return torch.bmm(_weight(edge, node, parameters).transpose(1, 2), delta)


def _add(sums: dict[str, torch.Tensor], name: str, term: torch.Tensor) -> None:
    sums[name] = sums[name] + term if name in sums else term
