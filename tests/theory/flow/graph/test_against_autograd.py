"""The derived gradient flow of random gated graphs is minus the gradient that automatic differentiation finds."""

import numpy as np
import torch

from sim.networks.graph import gradient
from tests.theory.flow.graph.graphs import drawn, moments, opens
from tests.tolerances_of_graphs import GRAPH_FLOW
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import velocities


def by_theory(case, loss):
    """tau dW/dt by the derived flow, from the moments of the examples."""
    flow = GraphFlow(case.graph, loss)
    return velocities(flow, case.weights, moments(case, flow))


def by_autograd(case, loss):
    """-dL/dW of the network that is run forward on the examples."""
    gates = {}
    for item in (*case.graph.nodes, *case.graph.edges):
        item_gates = item.gates if hasattr(item, "gates") else (item.gate,) * (item.gate is not None)
        if item_gates:
            gates[getattr(item, "name", item)] = torch.tensor(opens(item_gates[0], case.x))[None, None]
    y = np.concatenate([case.y[name] for name in case.graph.outputs], axis=1)
    y = y[:, 0] if y.shape[1] == 1 else y
    parameters = {name: torch.tensor(values)[None] for name, values in case.weights.items()}
    slopes = gradient(case.graph, loss, parameters, torch.tensor(case.x)[None], torch.tensor(y)[None], gates)
    return {name: -values[0].numpy() for name, values in slopes.items()}


def test_the_flow_is_minus_the_gradient_of_the_loss():
    wrong = []
    for seed in range(20):
        case, loss = drawn(seed), ("half-mse", "mse")[seed % 2]
        theory, autograd = by_theory(case, loss), by_autograd(case, loss)
        assert set(theory) == set(autograd) == set(case.weights)
        for name, expected in autograd.items():
            if abs(theory[name] - expected).max() > GRAPH_FLOW * abs(expected).max():
                wrong.append((seed, name))
    assert wrong == []
