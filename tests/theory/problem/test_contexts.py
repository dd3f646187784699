"""Contexts of data and the gates that open in them: declared, written to files, and refused where they do not fit."""

import pytest

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
    assert FiniteData([[1], [2]], [1, 1]).contexts == ()
    assert FiniteData([[1], [2]], [1, 1], context=[]) == FiniteData([[1], [2]], [1, 1])


def test_the_order_of_contexts_is_no_part_of_a_gate():
    assert ContextGate([3, 0]) == ContextGate((0, 3))


@pytest.mark.parametrize(
    ("line", "instead", "message"),
    [
        ("open = [0, 3]", "open = []", r"gate\.open = \[\] must be a list of at least one context"),
        ("open = [0, 3]", "open = 0", r"gate\.open = 0 must be a list"),
        ("open = [0, 3]", "open = [0, 3, 0]", r"gate\.open names the context 0 twice"),
        ("open = [0, 3]", "open = [-1]", r"gate\.open = -1 must be at least 0"),
        ("open = [0, 3]", "open = [0.0]", r"gate\.open = 0\.0 is not a whole number"),
        ("open = [0, 3]", "open = [true]", r"gate\.open = True is not a whole number"),
        (
            "open = [0, 3]",
            "open = [0, 2]",
            r"the gate of node h opens in context 2, which no example has; .*\[0, 1, 3\]",
        ),
        ("open = [1]", "open = [7]", r"the gate from x to y opens in context 7, which no example has"),
        ("open = [1]", "open = [3]", r"In context 1 of the data no path .* node h, the edge from x to y\. Add 1 to"),
        ("context = [0, 3, 1]", "context = [0, 3]", r"data\.context = \[0, 3\] must be one for each of the 3 examples"),
        ("context = [0, 3, 1]", "context = 3", r"data\.context = 3 must be one for each of the 3 examples"),
        ("context = [0, 3, 1]", "context = [0, 3, 1.5]", r"data\.context\[2\] = 1\.5 is not a whole number"),
        ("context = [0, 3, 1]", "context = [0, 3, -1]", r"data\.context\[2\] = -1 must be at least 0"),
        ("context = [0, 3, 1]\n", "", r'the gate of node h opens in contexts, but the law "finite" has no contexts'),
        ("open = [0, 3] }", "open = [0, 3], on = 'input' }", r"nodes\[1\]\.gate has the unknown key 'on'"),
    ],
)
def test_what_does_not_fit_is_named(line, instead, message):
    assert line in ROUTED
    with pytest.raises(InputError, match=message) as caught:
        loads(ROUTED.replace(line, instead))
    assert caught.value.hint


def test_a_law_without_contexts_refuses_the_gate():
    from tests.sim.cases import line

    network = Network("gated-linear", "mean", 1, (ContextGate([0]),))
    training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    with pytest.raises(InputError, match=r'network\.gates\[0\] opens in contexts, but the law "nlgp" has'):
        Problem(line(), network, training)


def test_a_context_that_leads_to_one_output_of_two_is_no_fault():
    """Context 0 routes to the first task, context 1 to the second."""
    two = loads(
        ROUTED.replace("y = [1.0, -1.0, 0.5]", "y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]")
        .replace('outputs = ["y"]', 'outputs = ["y", "z"]')
        .replace('from = "x"\nto = "y"', 'from = "x"\nto = "z"')
        .replace("[[network.edges]]", '[[network.nodes]]\nname = "z"\ndimension = 1\n[[network.edges]]', 1)
    )
    assert two.network.outputs == 2


def test_units_of_one_layer_may_divide_the_contexts_among_them():
    """Each gate of a layer is its own unit's: a context is routed where one of them is open."""
    data, gates = FiniteData([[1], [2]], [1, -1], context=[0, 1]), (ContextGate([0]), ContextGate([1]))
    training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    assert Problem(data, Network("gated-linear", "mean", 2, gates), training).data.contexts == (0, 1)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_every_context_is_followed_through_all_gates(order):
    """Contexts 1 and 2 are alike for one of two gates, and closed contexts are found whichever gate comes first."""
    data = FiniteData([[1], [2], [3]], [1, -1, 0], context=[0, 1, 2])
    gates = tuple(ContextGate([context]) for context in order)
    training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    with pytest.raises(InputError, match="In context 2 of the data no path"):
        Problem(data, Network("gated-linear", "mean", 2, gates), training)
