"""Any number of classes, priors, class means and vector labels; finite data sets, and contexts of their examples."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import (
    ContextGate,
    FiniteData,
    GaussianClone,
    InputError,
    Network,
    NonlinearGP,
    NormalInitialisation,
    Problem,
    SinglePulse,
    SiteGate,
    Training,
    dumps,
    loads,
)

THREE = NonlinearGP(4, (2, 1, "1/2"), 1, "open", "none", (1, 0, -1), priors=("1/2", "1/4", "1/4"))
ROWS = ((1, 0), (0, 1), (1, 1), (2, 2))


def problem_on(data, **network) -> Problem:
    """A network of two linear units on the data, or of `network`."""
    settings = {"model": "relu", "readout": "mean", "units": 2} | network
    readout0 = NormalInitialisation(1, 1) if settings["readout"].startswith("trained") else None
    training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,), readout0=readout0)
    return Problem(data, Network(**settings), training)


def test_priors_and_means_are_exact_and_their_defaults_are_none():
    assert THREE.probabilities == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    uniform = replace(THREE, priors=("1/3", "1/3", "1/3"))
    assert uniform == replace(THREE, priors=())
    assert uniform.probabilities == (Fraction(1, 3),) * 3
    means = replace(THREE, means=(1, [0, 0, 0, "1/2"], 0)).means
    assert means == ((1, 1, 1, 1), (0, 0, 0, Fraction(1, 2)), (0, 0, 0, 0))
    assert replace(THREE, means=(0, 0, 0)) == THREE


def test_classes_that_do_not_fit_are_named():
    cases = [
        ({"priors": (1, 0)}, "data.priors = (1, 0) must be 3 probabilities"),
        ({"priors": ("1/2", "1/2", "1/2")}, "data.priors add up to 3/2"),
        ({"means": (1, 2)}, "data.means = (1, 2) must be 3 means"),
        ({"labels": (1, [1, 2], 3)}, "data.labels have 1 and 2 entries"),
        ({"xi": (1,) * 1001, "labels": (1,) * 1001}, "more than 1000 classes"),
    ]
    assert not_refused(lambda change: replace(THREE, **{"priors": ()} | change), cases) == []


def test_finite_data_that_do_not_fit_are_named():
    cases = [
        ([[1], [1, 2]], [1, 2], [], "data.x has rows of 1 and 2 numbers"),
        ([[1], [2]], [1], [], "data.y = [1] must be one for each of the 2 examples"),
        ([[1], [2]], [1, [1, 2]], [], "data.y have 1 and 2 entries"),
        ([[1], [2]], [1, 1], [1, 0], "data.weights[1] = 0 must be > 0"),
    ]
    assert not_refused(lambda x, y, weights: FiniteData(x, y, weights=weights), cases) == []


def test_the_classes_of_finite_data_are_its_labels():
    law = FiniteData(ROWS, ("1", -1, 1, 0), weights=(1, 1, 1, 3))
    assert (law.n, law.latent, law.boundary, law.classes) == (2, False, "open", 3)
    assert law.labels == (1, -1, 0)
    assert law.category == (0, 1, 0, 2)
    assert law.probabilities == (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    assert replace(law, weights=(2, 2, 2, 2)) == replace(law, weights=())


def test_files_keep_every_number():
    """Read again, the text of a problem is the problem; what is left at its default is not written."""
    laws = [
        replace(THREE, means=(1, [0, 0, 0, "1/3"], -1)),
        GaussianClone(3, (2, 1), 1, "ring", "none", (1, 0), priors=("1/3", "2/3")),
        SinglePulse(8, ([1, 2], [3, 4], [5, 5]), "zero-one", "none", (1, 0, 2), priors=("1/2", "1/4", "1/4")),
        FiniteData(ROWS, (1, -1, 1, 0), weights=(1, 2, 3, 4)),
        FiniteData(ROWS, ([1, 0], [0, 1], [1, 1], [0, 0])),
    ]
    for data in laws:
        problem = problem_on(data, readout="trained-mean" if data.outputs > 1 else "mean")
        text = dumps(problem)
        assert loads(text) == problem
        assert ("priors" in text) == bool(data.priors)
        assert ("means" in text) == bool(data.means)


def test_labels_of_several_numbers_need_outputs_that_differ():
    law = NonlinearGP(3, (2, 1), 1, "open", "none", ([1, 0], [0, 1]))
    with pytest.raises(InputError, match=r'2 outputs, .*all outputs of a "relu" network are the'):
        problem_on(law)
    shapes = {p.name: p.shape for p in problem_on(law, readout="trained-sum").parameters}
    assert shapes == {"w": (2, 3), "a": (2, 2)}
    gates = (SiteGate(0, lo=0), SiteGate(1, lo=0))
    gated = problem_on(law, model="gated-linear", gates=gates)
    assert {name: array.shape for name, array in gated.start().items()} == {"w": (2, 2, 3)}


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


def test_contexts_are_read_and_written():
    problem = loads(ROUTED)
    assert problem.data.context == (0, 3, 1)
    assert problem.data.contexts == (0, 1, 3)
    assert problem.network.gates == (ContextGate((0, 3)), ContextGate((1,)))
    assert loads(dumps(problem)) == problem


def test_contexts_that_do_not_fit_are_named():
    cases = [
        ("open = [0, 3]", "open = []", "gate.open = [] must be a list of at least one context"),
        ("open = [0, 3]", "open = [0, 3, 0]", "gate.open names the context 0 twice"),
        ("open = [0, 3]", "open = [-1]", "gate.open = -1 must be at least 0"),
        ("open = [0, 3]", "open = [0, 2]", "the gate of node h opens in context 2"),
        ("open = [1]", "open = [7]", "the gate from x to y opens in context 7"),
        ("open = [1]", "open = [3]", "In context 1 of the data no path"),
        ("context = [0, 3, 1]", "context = [0, 3]", "data.context = [0, 3] must be one for each of the 3 examples"),
        ("context = [0, 3, 1]", "context = [0, 3, -1]", "data.context[2] = -1 must be at least 0"),
        ("context = [0, 3, 1]\n", "", 'the law "finite" has no contexts'),
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
