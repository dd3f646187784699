"""Gated graphs on routed data: path moments, the flow against autograd, and one hidden layer written as a graph."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sim.data.sample import Draw
from sim.gates.gating import opens
from sim.networks.graph import gradient
from tests.theory.flow.graph.graphs import EXAMPLES, drawn
from tests.tolerances_of_graphs import GRAPH_FLOW, GRAPH_SHALLOW
from theory.flow import solve
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.integrate import integrate
from theory.flow.graph.moments import velocities
from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    Network,
    Node,
    NormalInitialisation,
    Problem,
    SiteGate,
    Table,
    Training,
)

CONTEXTS = 4


def routed(seed, make):
    """A random graph with context gates in place of some gates at sites, weights, and the problem with its data."""
    case, rng = drawn(seed), np.random.default_rng(seed + 1000)

    def gate(given):
        if given is None or rng.random() < 0.3:
            return given
        return ContextGate(sorted(rng.choice(CONTEXTS, rng.integers(1, CONTEXTS), replace=False).tolist()))

    nodes = tuple(replace(node, gates=tuple(map(gate, node.gates))) for node in case.graph.nodes)
    edges = tuple(replace(edge, gate=gate(edge.gate)) for edge in case.graph.edges)
    around = Edge("x", "around", "around_in"), Edge("around", case.graph.outputs[0], "around_out")
    nodes, edges = (*nodes, Node("around", 2)), (*edges, *around)  # so that no context is without a path
    network = GatedGraph(
        tuple(replace(node, gates=()) if node.name in ("x", *case.graph.outputs) else node for node in nodes),
        edges,
        case.graph.inputs,
        case.graph.outputs,
    )
    weights = {p.name: rng.normal(size=p.shape) for p in network.graph.parameters}
    y = np.concatenate([case.y[name] for name in case.graph.outputs], axis=1)
    context = np.arange(EXAMPLES) % CONTEXTS
    law = make(case.x, y, context)
    problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(1, 0), (1,)))
    return problem, weights, (case.x, y, context)


@pytest.fixture(params=["finite", "table"])
def make(request, tmp_path):
    """A maker of the law of some examples."""

    def finite(x, y, context):
        return FiniteData(*(np.vectorize(repr, otypes=[object])(a).tolist() for a in (x, y)), context=context.tolist())

    def table(x, y, context):
        np.savez(tmp_path / "data.npz", x=x, y=y, context=context)
        return Table(str(tmp_path / "data.npz"))

    return {"finite": finite, "table": table}[request.param]


@pytest.mark.parametrize("seed", range(6))
def test_the_flow_is_minus_the_gradient_of_the_loss(seed, make):
    problem, weights, (x, y, context) = routed(seed, make)
    flow = flow_of(problem)
    theory = velocities(flow, weights, moments_of(problem, flow))
    inputs, labels = torch.tensor(x)[None], torch.tensor(y[:, 0] if y.shape[1] == 1 else y)[None]
    draw = Draw(None, inputs, torch.zeros(1, EXAMPLES, dtype=torch.int64), labels, context=torch.tensor(context)[None])
    owners = [*problem.graph.nodes, *problem.graph.edges]
    gates = {}
    for owner in owners:
        own = owner.gates if isinstance(owner, Node) else (owner.gate,) * (owner.gate is not None)
        if own:
            gates[owner.name if isinstance(owner, Node) else owner] = opens(own[0], draw)[:, None].double()
    parameters = {name: torch.tensor(values)[None] for name, values in weights.items()}
    autograd = gradient(problem.graph, "half-mse", parameters, inputs, labels, gates)
    assert set(theory) == set(autograd)
    for name, expected in autograd.items():
        assert abs(theory[name] + expected[0].numpy()).max() <= GRAPH_FLOW * abs(expected).max(), name


def test_one_hidden_layer_of_contexts_as_a_graph(make):
    """[[network.gates]] solved in closed form, and the same gates on nodes of a graph, integrated."""
    rng = np.random.default_rng(0)
    x, y, context = rng.normal(size=(EXAMPLES, 3)), rng.normal(size=(EXAMPLES, 1)), np.arange(EXAMPLES) % 3
    gates = (ContextGate([0, 1]), ContextGate([1, 2]), SiteGate(1, lo=0, on="input"))
    rows = rng.normal(size=(3, 3)).round(3)
    law, times = make(x, y, context), (0, 1, 20)
    shallow = Problem(
        law,
        Network("gated-linear", "mean", 3, gates),
        Training("half-mse", 1, [list(map(str, row)) for row in rows], times),
    )
    nodes = (
        Node("x", 3),
        *(Node(f"h{k}", 1, (gate,)) for k, gate in enumerate(gates)),
        Node("y", 1, scale=shallow.network.scale),
    )
    edges = tuple(Edge("x", f"h{k}", f"w{k}") for k in range(3)) + tuple(Edge(f"h{k}", "y") for k in range(3))
    starts = InitialByName(tuple((f"w{k}", (tuple(map(str, row)),)) for k, row in enumerate(rows)))
    written = Problem(law, GatedGraph(nodes, edges, ("x",), ("y",)), Training("half-mse", 1, starts, times))
    exact, found, direct = solve(shallow), integrate(written), integrate(shallow)
    for weights in (found.weights, {f"w{k}": direct.weights[f"w.{k}"] for k in range(3)}):
        whole = np.stack([weights[f"w{k}"][:, 0] for k in range(3)], axis=1)
        assert abs(whole - exact.weights).max() <= GRAPH_SHALLOW
    assert abs(found.losses - exact.losses).max() <= GRAPH_SHALLOW
    assert abs(direct.losses - exact.losses).max() <= GRAPH_SHALLOW
