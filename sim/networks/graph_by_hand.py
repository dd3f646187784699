"""The explicit gradient of networks on graphs, S at once: one pass forward and one back along the edges.

The reference is autograd through `sim.networks.graph`; this module needs fewer operations. Let delta_v be the
derivative of L by a node's sum over its edges. Then

    dL/dW_e = delta_t(e) (g_e h_s(e))',    delta_v = scale_v f_v' g_v sum_{e out of v} g_e W_e' delta_t(e).

Arrays have units before examples, (S, d, B).
"""

from collections.abc import Mapping

import torch
from jaxtyping import Float

from sim.networks.activations import activation_named
from sim.networks.graph import GateValues, edge_weight, inputs_of, joined_outputs, preactivation
from sim.networks.losses import loss_named
from sim.networks.parameters import Parameters
from theory.problem.graph import Edge, Graph, Node


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
    values, slopes = _forward(graph, parameters, x, gates)
    named = loss_named(kind)
    pull = named.residual(joined_outputs(graph, values), y).mul_(named.gradient_factor / x.shape[1])
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


def _forward(
    graph: Graph, parameters: Parameters, x: Float[torch.Tensor, "S B n"], gates: GateValues
) -> tuple[dict[str, torch.Tensor], Mapping[str, torch.Tensor | None]]:
    """Return the value h_v of every node, and f_v' g_v, or None where that is 1."""
    values, slopes = inputs_of(graph, x, gates), {}
    for name in graph.order:
        if name in values:
            continue
        node = graph.node(name)
        h, slope = preactivation(graph, node, parameters, values, gates), None
        if node.activation != "linear":
            leak = 0.0 if node.slope is None else float(node.slope)
            h, slope = activation_named(node.activation).with_slope(h, leak)
        if node.gates:
            gate = gates[name]
            h, slope = h * gate, gate if slope is None else slope * gate
        values[name], slopes[name] = h, slope
    return values, slopes


def _at_outputs(graph: Graph, pull: Float[torch.Tensor, "S B *m"]) -> dict[str, torch.Tensor]:
    """Return the derivative of L by the value of each output node."""
    whole = pull[:, None] if pull.ndim == 2 else pull.transpose(1, 2)
    sizes = [graph.node(name).dimension for name in graph.outputs]
    return dict(zip(graph.outputs, whole.split(sizes, dim=1), strict=True))


def _back(graph: Graph, edge: Edge, node: Node, parameters: Parameters, delta: torch.Tensor) -> torch.Tensor:
    """Return W_e' delta; for an edge without weights, delta repeated for each block of the source."""
    if edge.weight is None:
        return delta.repeat(1, graph.node(edge.source).dimension // node.dimension, 1)
    return torch.bmm(edge_weight(edge, node, parameters).transpose(1, 2), delta)


def _add(sums: dict[str, torch.Tensor], name: str, term: torch.Tensor) -> None:
    sums[name] = sums[name] + term if name in sums else term
