"""The flow of random graphs is minus the gradient by autograd, and conserves what is proved to be conserved."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
import torch

from derivations.experiments.folders import problem_named
from sim.networks.graph import gradient
from tests.theory.flow.graph.graphs import drawn, moments, opens
from tests.tolerances_of_graphs import GRAPH_FLOW, GRAPH_INTEGRATED
from theory.flow.graph.conserved import conserved
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import velocities
from theory.problem import Edge, GatedGraph, Graph, Node, Parameter
from theory.proof.derivation import Derivation


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


def change(kept, weights, moved):
    """dQ/dt from the weights and their velocities, by the product rule."""
    total = sum(moved[name].T @ weights[name] + weights[name].T @ moved[name] for name in kept.outgoing)
    return total - sum(moved[name] @ weights[name].T + weights[name] @ moved[name].T for name in kept.incoming)


def test_random_graphs():
    """Where the conditions hold, the velocities of random weights on random data leave the matrix as it is."""
    count = 0
    for seed in range(20):
        case = drawn(seed)
        flow = GraphFlow(case.graph, "half-mse")
        moved = velocities(flow, case.weights, moments(case, flow))
        for kept in conserved(flow)[0]:
            assert all(check.passed for check in kept.derivation.check())
            names = (*kept.outgoing, *kept.incoming)
            size = max(abs(moved[name]).max() * abs(case.weights[name]).max() for name in names)
            assert abs(change(kept, case.weights, moved)).max() <= 8 * GRAPH_FLOW * size
            count += 1
    assert count > 10


def test_where_a_condition_fails_the_matrix_changes():
    """The control: the same matrix at nodes that are refused does change."""
    changed = 0
    for seed in range(20):
        case = drawn(seed)
        flow = GraphFlow(case.graph, "half-mse")
        moved = velocities(flow, case.weights, moments(case, flow))
        for lost in conserved(flow)[1]:
            edges = [edge for edge in case.graph.edges if edge.weight is not None]
            out = {edge.weight for edge in edges if edge.source in lost.nodes}
            into = {edge.weight for edge in edges if edge.target in lost.nodes}
            sizes = {case.graph.node(name).dimension for name in lost.nodes}
            if out and into and len(sizes) == 1:
                total = sum(moved[w].T @ case.weights[w] for w in out) - sum(case.weights[w] @ moved[w].T for w in into)
                changed += bool(abs(total + total.T).max() > GRAPH_INTEGRATED)
    assert changed > 5


@pytest.mark.parametrize(
    ("edges", "nodes", "why"),
    [
        ((Edge("x", "h", "A"), Edge("h", "y")), ("h",), "the edge from h to y is not trained"),
        ((Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("x", "y", "B")), ("h",), "B also leads out of x"),
    ],
)
def test_the_condition_that_fails_is_named(edges, nodes, why):
    problem = problem_named("race")
    network = GatedGraph((Node("x", 2), Node("h", 2), Node("y", 1)), edges, ("x",), ("y",))
    kept, lost = conserved(GraphFlow(replace(problem, network=network).graph, "mse"))
    assert kept == ()
    assert [(each.nodes, each.why) for each in lost] == [(nodes, why)]


def test_tied_nodes_of_different_sizes_have_no_sum():
    """Six numbers are 2 x 3 on one edge and 3 x 2 on another: the matrices at the tied nodes do not add up."""
    nodes = Node("x", 3), Node("u", 2), Node("h", 2), Node("k", 3), Node("y", 1)
    edges = Edge("x", "h", "A"), Edge("x", "u", "B"), Edge("u", "k", "A"), Edge("h", "y", "C"), Edge("k", "y", "D")
    weights = Parameter("A", (2, 3)), Parameter("B", (2, 3)), Parameter("C", (1, 2)), Parameter("D", (1, 3))
    _, lost = conserved(GraphFlow(Graph(nodes, edges, weights, ("x",), ("y",)), "half-mse"))
    assert ("h", "k") in [each.nodes for each in lost]
    assert next(each.why for each in lost if each.nodes == ("h", "k")) == "tied nodes of 2 and 3 units"


def test_a_wrong_sign_is_rejected():
    flow = GraphFlow(problem_named("race").graph, "half-mse")
    proof = conserved(flow)[0][0].derivation
    first, *others = proof.steps
    wrong = sympy.Eq(first.expr.lhs, sympy.MatAdd(*first.expr.rhs.args[:-1], evaluate=False), evaluate=False)
    altered = Derivation(proof.id, proof.proves, (replace(first, expr=wrong), *others))
    assert not all(check.passed for check in altered.check())
