"""Networks as graphs: a forward pass by hand, autograd against the hand-written gradient, shared weights, refusals."""

from fractions import Fraction

import torch

from sim.data.sample import prepare
from sim.gates.gating import gate_values
from sim.networks import graph
from sim.networks.choice import network_of
from sim.networks.examples import Examples, examples_of
from sim.random.streams import TRAINING, stream
from sim.training.state import Replicate, beginning
from tests.sim.cases import EVERY_GATE, far, gated, line, problem
from tests.tolerances import SIM_GRADIENT
from theory.problem import Edge, Graph, Node, Parameter, SiteGate

CPU = torch.device("cpu")
B = 33


def numbers(question, replicates=3):
    """Parameters that differ between replicates, and examples of each."""
    own = [Replicate(question, number) for number in range(replicates)]
    drawn = prepare(question.data, CPU, torch.float64).draw([one.stream() for one in own], B)
    return beginning(own).parameters, examples_of(question, drawn)


TWO = (SiteGate(0, lo=0), SiteGate(0, hi=0))
DEEP = Graph(
    nodes=(
        Node("x", 4),
        Node("one", 3, (SiteGate(1, lo=0),)),
        Node("two", 3, activation="sigmoid", bias="b", scale=Fraction(1, 2)),
        Node("y", 2),
    ),
    edges=(
        Edge("x", "one", "w"),
        Edge("one", "two", "v", TWO[0]),
        Edge("x", "two", "w", TWO[1]),
        Edge("two", "y", "u"),
    ),
    parameters=(
        Parameter("w", (3, 4)),
        Parameter("v", (3, 3)),
        Parameter("u", (2, 3)),
        Parameter("b", (3,), trained=False),
    ),
    inputs=("x",),
    outputs=("y",),
)


def deep_case():
    """Random numbers for two networks, and examples with their latent."""
    drawn = prepare(line(), CPU, torch.float64).draw([stream(1, s, TRAINING) for s in (0, 1)], B)
    random = torch.Generator().manual_seed(1)
    parameters = {
        own.name: torch.randn(2, *own.shape, dtype=torch.float64, generator=random) for own in DEEP.parameters
    }
    return parameters, drawn, torch.randn(2, B, 2, dtype=torch.float64, generator=random)


def gates_of(drawn):
    """g(x) of every gated node and edge of the deep graph."""
    found = {node.name: gate_values(node.gates, drawn) for node in DEEP.nodes if node.gates}
    return found | {edge: gate_values((edge.gate,), drawn) for edge in DEEP.edges if edge.gate is not None}


def test_a_deep_graph_by_hand():
    """Gates on a node and on edges, a fixed bias, and weights that two edges share."""
    parameters, drawn, _ = deep_case()
    found = graph.forward(DEEP, parameters, drawn.x, gates_of(drawn))
    for s in range(2):
        w, v, u, b = (parameters[name][s] for name in "wvub")
        for e in range(B):
            x, z = drawn.x[s, e], drawn.z[s, e]
            one = (w @ x) * float(z[1] >= 0)
            two = torch.sigmoid((v @ one * float(z[0] >= 0) + w @ x * float(z[0] < 0)) / 2 + b)
            assert far(found[s, e], u @ two) < SIM_GRADIENT


def test_vector_labels_train_by_the_graph():
    """Each output of a gated-linear network is a network of its own, with that entry of the label."""
    labels = ((1, 0), (0, "1/2"))
    question = problem(line(labels=labels), gated(EVERY_GATE, biases="trained"))
    parameters, examples = numbers(question)
    assert examples.y.shape == (3, B, 2)
    network = network_of(question)
    yhat, found = network.predict(parameters, examples), network.gradient(parameters, examples)
    assert yhat.shape == (3, B, 2)
    for output in range(2):
        one = problem(line(labels=tuple(label[output] for label in labels)), gated(EVERY_GATE, biases="trained"))
        own = {"w": parameters["w"][:, :, output], "b": parameters["b"][:, :, output]}
        own["b_out"] = parameters["b_out"][:, output : output + 1]
        part = Examples(examples.x, examples.y[..., output], examples.gate)
        assert far(network_of(one).predict(own, part), yhat[..., output]) < SIM_GRADIENT
        gradient = network_of(one).gradient(own, part)
        for name in ("w", "b"):
            assert far(gradient[name], found[name][:, :, output]) < SIM_GRADIENT
