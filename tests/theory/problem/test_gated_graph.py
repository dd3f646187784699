"""Gated graphs in problem files: read, written, and refused with the name of the node, edge or weight."""

import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import Edge, GatedGraph, InputError, Node, SiteGate, dumps, loads

DATA = '[data]\nlaw = "finite"\nx = [[1.0, 0.0], [0.0, 1.0]]\ny = [1.0, -1.0]\n'
NODES = """
[network]
model = "gated-graph"
inputs = ["x"]
outputs = ["y"]
[[network.nodes]]
name = "x"
dimension = 2
[[network.nodes]]
name = "h"
dimension = 3
gate = { kind = "site", site = 0, lo = 0.5 }
[[network.nodes]]
name = "y"
dimension = 1
scale = "1/3"
"""
EDGES = """
[[network.edges]]
from = "x"
to = "h"
weight = "A"
[[network.edges]]
from = "h"
to = "y"
weight = "B"
[[network.edges]]
from = "x"
to = "y"
gate = { kind = "site", site = 1, hi = 0.5 }
"""
TRAINING = """
[training]
loss = "half-mse"
tau = 1.0
times = [1.0]
w0 = { A = { law = "normal", scale = 0.1, seed = 0 }, B = [[1.0, 2.0, "1/3"]] }
"""
WHOLE = DATA + NODES + EDGES + TRAINING


def test_read_and_written():
    problem = loads(WHOLE)
    assert isinstance(problem.network, GatedGraph)
    assert [(p.name, p.shape) for p in problem.parameters] == [("A", (3, 2)), ("B", (1, 3))]
    assert problem.start()["B"].tolist() == [[1.0, 2.0, 1 / 3]]
    assert loads(dumps(problem)) == problem


GATE = 'gate = { kind = "site", site = 0, lo = 0.5 }'
REFUSED = [
    ('to = "h"\nweight = "A"', 'to = "h"\nweight = "A"\n[[network.edges]]\nfrom = "h"\nto = "h"', "form a circle"),
    ('outputs = ["y"]', 'outputs = ["y", "y"]', "outputs of the graph name y twice"),
    ('inputs = ["x"]', 'inputs = "x"', "network.inputs must be a list"),
    ('weight = "B"', 'weight = "E"', "A weight is called E"),
    ('weight = "B"', 'weight = "A"', "needs weights of 1 x 3 numbers; A has 3 x 2"),
    ('name = "h"', 'name = "y"', "Two nodes of the graph are called y"),
    ("dimension = 2", "dimension = 5", "node x is an input of dimension 5"),
    ("dimension = 1", "dimension = 2", "output nodes y have 2 units"),
    ('[[network.edges]]\nfrom = "h"\nto = "y"\nweight = "B"\n', "", "No path leads from node h"),
    ('from = "x"\nto = "h"', 'from = "x"\nto = "y"', "node h is no input"),
    ('to = "h"\nweight = "A"', 'to = "x"\nweight = "A"', "node x is an input, and an edge"),
    ('outputs = ["y"]', 'outputs = ["x"]', "Node x is an input and an output"),
    ("site = 0, lo", "site = 9, lo", "the gate of node h"),
    ("site = 1, hi", "site = 7, hi", "the gate from x to y"),
    ("site = 0, lo", 'on = "latent", site = 0, lo', "no latent"),
    (GATE, 'gate = { kind = "repeated", of = 0 }', "repeats a unit"),
    (', B = [[1.0, 2.0, "1/3"]]', "", "lacks B"),
    ("B = [[", "C = [[0.0]], B = [[", "names C"),
    ('[[1.0, 2.0, "1/3"]]', "[[1.0, 2.0]]", "1 x 3 numbers"),
    (TRAINING[TRAINING.index("w0") :], "w0 = [[1.0, 0.0]]\n", "several names"),
    ('model = "gated-graph"', 'model = "gated-graph"\nbiases = "trained"', "biases"),
    (NODES + EDGES, '[network]\nmodel = "relu"\nreadout = "mean"\nunits = 1\n', "belongs to a graph"),
]


def test_what_is_wrong_is_named():
    assert all(before in WHOLE for before, _, _ in REFUSED)
    assert not_refused(lambda before, after: loads(WHOLE.replace(before, after)), REFUSED) == []


def test_every_input_has_all_sites():
    """Two inputs, one of which has another dimension than the data, whichever is named first."""
    nodes = Node("x", 2), Node("z", 3), Node("y", 1)
    for inputs in (("x", "z"), ("z", "x")):
        network = GatedGraph(nodes, (Edge("x", "y", "A"), Edge("z", "y", "B")), inputs, ("y",))
        with pytest.raises(InputError, match="node z is an input of dimension 3; x has n = 2 sites"):
            network.check_data(2, 1)


def test_a_node_has_one_gate_at_most():
    gates = SiteGate(0, lo=0, on="input"), SiteGate(0, hi=0, on="input")
    nodes, edges = (Node("x", 2), Node("h", 2, gates), Node("y", 1)), (Edge("x", "h", "A"), Edge("h", "y", "B"))
    with pytest.raises(InputError, match="Node h has 2 gates"):
        GatedGraph(nodes, edges, ("x",), ("y",))


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (3, 2)])
def test_a_shared_weight_has_one_shape(rows, columns):
    """A is 2 x 3 on its first edge; rows alone or columns alone do not make another edge fit."""
    nodes = Node("x", 3), Node("h", 2), Node("k", columns), Node("l", rows), Node("y", 1)
    edges = Edge("x", "h", "A"), Edge("x", "k", "B"), Edge("k", "l", "A"), Edge("h", "y", "C"), Edge("l", "y", "D")
    with pytest.raises(InputError, match=f"k to l needs weights of {rows} x {columns} numbers; A has 2 x 3"):
        GatedGraph(nodes, edges, ("x",), ("y",))
