"""Contexts of data and the gates that open in them: declared, written to files, and refused where they do not fit."""

import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import (
    ContextGate,
    FiniteData,
    InputError,
    Network,
    NormalInitialisation,
    Problem,
    Training,
    dumps,
    loads,
)

ROUTED = """
[data]
law = "finite"
x = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
y = [1.0, -1.0, 0.5]
context = [0, 3, 1]
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
gate = { kind = "context", open = [0, 3] }
[[network.nodes]]
name = "y"
dimension = 1
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
weight = "C"
gate = { kind = "context", open = [1] }
[training]
loss = "half-mse"
tau = 1.0
times = [1.0]
w0 = { law = "normal", scale = 0.1, seed = 0 }
"""


def test_read_and_written():
    problem = loads(ROUTED)
    assert problem.data.context == (0, 3, 1)
    assert problem.data.contexts == (0, 1, 3)
    assert problem.network.gates == (ContextGate((0, 3)), ContextGate((1,)))
    assert loads(dumps(problem)) == problem


def test_contexts_are_part_of_the_data():
    one, other = (FiniteData([[1], [2]], [1, 1], context=context) for context in ([0, 1], [1, 0]))
    assert one != other
    assert ContextGate([3, 0]) == ContextGate((0, 3))
    assert FiniteData([[1], [2]], [1, 1]).contexts == ()
    assert FiniteData([[1], [2]], [1, 1], context=[]) == FiniteData([[1], [2]], [1, 1])


def test_what_does_not_fit_is_named():
    cases = [
        ("open = [0, 3]", "open = []", "gate.open = [] must be a list of at least one context"),
        ("open = [0, 3]", "open = 0", "gate.open = 0 must be a list"),
        ("open = [0, 3]", "open = [0, 3, 0]", "gate.open names the context 0 twice"),
        ("open = [0, 3]", "open = [-1]", "gate.open = -1 must be at least 0"),
        ("open = [0, 3]", "open = [true]", "gate.open = True is not a whole number"),
        ("open = [0, 3]", "open = [0, 2]", "the gate of node h opens in context 2"),
        ("open = [1]", "open = [7]", "the gate from x to y opens in context 7"),
        ("open = [1]", "open = [3]", "In context 1 of the data no path"),
        ("context = [0, 3, 1]", "context = [0, 3]", "data.context = [0, 3] must be one for each of the 3 examples"),
        ("context = [0, 3, 1]", "context = [0, 3, 1.5]", "data.context[2] = 1.5 is not a whole number"),
        ("context = [0, 3, 1]", "context = [0, 3, -1]", "data.context[2] = -1 must be at least 0"),
        ("context = [0, 3, 1]\n", "", 'the law "finite" has no contexts'),
        ("open = [0, 3] }", "open = [0, 3], on = 'input' }", "nodes[1].gate has the unknown key 'on'"),
    ]
    assert all(line in ROUTED for line, _, _ in cases)
    assert not_refused(lambda line, instead: loads(ROUTED.replace(line, instead)), cases) == []


def test_every_context_is_followed_through_all_gates():
    """Each gate of a layer is its own unit's: a context is routed where one of them is open, whichever comes first."""
    training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    for order in ((0, 1), (1, 0)):
        network = Network("gated-linear", "mean", 2, tuple(ContextGate([context]) for context in order))
        routed = FiniteData([[1], [2]], [1, -1], context=[0, 1])
        assert Problem(routed, network, training).data.contexts == (0, 1)
        data = FiniteData([[1], [2], [3]], [1, -1, 0], context=[0, 1, 2])
        with pytest.raises(InputError, match="In context 2 of the data no path"):
            Problem(data, network, training)


def test_a_context_that_leads_to_one_output_of_two_is_no_fault():
    """Context 0 routes to the first task, context 1 to the second."""
    two = loads(
        ROUTED.replace("y = [1.0, -1.0, 0.5]", "y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]")
        .replace('outputs = ["y"]', 'outputs = ["y", "z"]')
        .replace('from = "x"\nto = "y"', 'from = "x"\nto = "z"')
        .replace("[[network.edges]]", '[[network.nodes]]\nname = "z"\ndimension = 1\n[[network.edges]]', 1)
    )
    assert two.network.outputs == 2
