"""Gated graphs on routed data: path moments, the flow against autograd, and one hidden layer written as a graph."""

from dataclasses import replace
from math import erfc, sqrt

import numpy as np
import pytest
import torch

from sim.data.sample import Draw
from sim.gates.gating import opens
from sim.networks.graph import gradient
from tests.theory.flow.graph.graphs import EXAMPLES, SITES, drawn
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


@pytest.mark.parametrize("seed", range(12))
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


def test_random_graphs_have_several_contexts_on_their_paths():
    """The control: the graphs above route, and some paths pass two gates of contexts, or one of each kind."""
    products = [
        product
        for seed in range(12)
        for product in flow_of(
            routed(seed, lambda x, y, c: FiniteData(x.tolist(), y.tolist(), context=c.tolist()))[0]
        ).openings
    ]
    several = [product for product in products if len({gate for gate in product if isinstance(gate, ContextGate)}) > 1]
    mixed = [product for product in products if {type(gate) for gate in product} == {ContextGate, SiteGate}]
    assert len(several) > 10
    assert len(mixed) > 10


@pytest.mark.parametrize("seed", range(4))
def test_path_moments_are_sums_over_the_examples_that_open_both_paths(seed, make):
    problem, _, (x, y, context) = routed(seed, make)
    flow = flow_of(problem)
    moments = moments_of(problem, flow)

    def is_open(product, i):
        return all(
            context[i] in gate.open
            if isinstance(gate, ContextGate)
            else float(gate.lo) <= x[i, gate.site] < float(gate.hi)
            for gate in product
        )

    first = 0
    for name in flow.graph.outputs:
        columns = slice(first, first + flow.graph.node(name).dimension)
        first = columns.stop
        for a, product in enumerate(flow.openings, start=1):
            expected = sum((np.outer(y[i, columns], x[i]) for i in range(EXAMPLES) if is_open(product, i)), 0.0)
            assert abs(moments.output_input[name, a] - expected / EXAMPLES).max() <= GRAPH_FLOW
    for a, one in enumerate(flow.openings, start=1):
        for b, other in enumerate(flow.openings, start=1):
            both = [i for i in range(EXAMPLES) if is_open(one, i) and is_open(other, i)]
            expected = sum((np.outer(x[i], x[i]) for i in both), np.zeros((SITES, SITES)))
            assert abs(moments.beside(a, b) - expected / EXAMPLES).max() <= GRAPH_FLOW


@pytest.mark.parametrize("sharpness", ["1/2", 3])
def test_soft_gates_on_a_table(tmp_path, sharpness):
    """Every example opens them in its own way: Sigma^xx of two paths is the sum of g_a g_b x x'."""
    rng = np.random.default_rng(2)
    x, y, context = rng.normal(size=(EXAMPLES, 3)), rng.normal(size=(EXAMPLES, 1)), np.arange(EXAMPLES) % 2
    np.savez(tmp_path / "data.npz", x=x, y=y, context=context)
    soft, routed = SiteGate(1, lo="1/4", on="input", sharpness=sharpness), ContextGate([1])
    nodes = (Node("x", 3), Node("h", 2, (soft,)), Node("k", 2, (routed,)), Node("y", 1))
    edges = Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("x", "k", "C"), Edge("h", "k", "D"), Edge("k", "y", "F")
    training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    problem = Problem(Table(str(tmp_path / "data.npz")), GatedGraph(nodes, edges, ("x",), ("y",)), training)
    flow = flow_of(problem)
    moments = moments_of(problem, flow)
    values = {soft: [0.5 * erfc(-float(soft.sharpness) * (v - 0.25) / sqrt(2)) for v in x[:, 1]], routed: context == 1}
    g = {a: np.prod([values[gate] for gate in product], axis=0) for a, product in enumerate(flow.openings, start=1)}
    assert {len(product) for product in flow.openings} == {1, 2}
    for a in g:
        assert abs(moments.output_input["y", a] - (y * g[a][:, None]).T @ x / EXAMPLES).max() <= GRAPH_FLOW
        for b in g:
            expected = sum(g[a][i] * g[b][i] * np.outer(x[i], x[i]) for i in range(EXAMPLES)) / EXAMPLES
            assert abs(moments.beside(a, b) - expected).max() <= GRAPH_FLOW


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


def test_exclusive_contexts_do_not_see_each_other(make):
    """Two pathways of disjoint contexts: Sigma^xx between them is exactly 0, and each learns as if it were alone."""
    rng = np.random.default_rng(1)
    x, y, context = rng.normal(size=(EXAMPLES, 3)), rng.normal(size=(EXAMPLES, 2)), np.arange(EXAMPLES) % 3
    nodes = (Node("x", 3), Node("left", 2, (ContextGate([0, 2]),)), Node("right", 2, (ContextGate([1]),)), Node("y", 2))
    edges = Edge("x", "left", "A"), Edge("left", "y", "B"), Edge("x", "right", "C"), Edge("right", "y", "D")
    training = Training("half-mse", 1, NormalInitialisation("1/2", 0), (0, 2, 8))
    both = Problem(make(x, y, context), GatedGraph(nodes, edges, ("x",), ("y",)), training)
    flow = flow_of(both)
    assert (moments_of(both, flow).beside(1, 2) == 0).all()
    found, start = integrate(both), both.start()
    starts = InitialByName(tuple((name, tuple(map(tuple, start[name].tolist()))) for name in "AB"))
    left = GatedGraph(nodes[:2] + nodes[3:], edges[:2], ("x",), ("y",))
    mine = context != 1
    alone = Problem(make(x[mine], y[mine], context[mine]), left, replace(training, tau="3/2", w0=starts))
    assert mine.sum() * 3 == 2 * EXAMPLES  # the other third of the examples only slows it
    for name, expected in integrate(alone).weights.items():
        assert abs(found.weights[name] - expected).max() <= GRAPH_SHALLOW
