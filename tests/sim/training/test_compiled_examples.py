"""Batches that compiled loops draw for torch steps: the reference's examples, sorted by class within each step."""

import numpy as np
import pytest

from sim.train import train
from sim.training.backends.choice import STEPS_IN_TORCH
from tests.sim.cases import problem
from tests.tolerances import SIM_DESCENT
from theory.problem import Edge, GatedGraph, Node, SiteGate

pytest.importorskip("numba", reason="numba is not installed (extra `speed`)")


def two_layers(on):
    """Two gated pathways of two layers that share the last one, on four sites."""
    gates = {"a": (SiteGate(1, lo=0, on=on),), "b": (SiteGate(2, hi=0, on=on),)}
    nodes = Node("x", 4), Node("a", 3, gates["a"]), Node("b", 3, gates["b"]), Node("y", 1)
    edges = Edge("x", "a", "A"), Edge("x", "b", "B"), Edge("a", "y", "C"), Edge("b", "y", "C")
    return GatedGraph(nodes, edges, ("x",), ("y",))


@pytest.mark.parametrize(("batch", "on"), [(1, "latent"), (8, "input"), (40, "latent")])
def test_a_graph_is_trained_as_by_the_reference(batch, on):
    question = problem(network=two_layers(on), batch=batch)
    drawn, plain = (train(question, "cpu", backend=backend) for backend in ("auto", "reference"))
    assert (drawn.backend, plain.backend) == ("compiled", "reference")
    assert "take no steps of the model gated-graph" in drawn.fallback
    for name, expected in plain.parameters.items():
        assert np.abs(drawn.parameters[name] - expected).max() / np.abs(expected).max() < SIM_DESCENT
    assert np.abs(plain.parameters["C"][:, -1] - plain.parameters["C"][:, 0]).max() > SIM_DESCENT


@pytest.mark.parametrize("batch", [8, 40])
def test_steps_that_are_not_compiled_are_taken_on_the_same_examples(batch):
    question = problem(batch=batch)
    left, plain = train(question, "cpu", compile_steps=False), train(question, "cpu", backend="reference")
    assert (left.backend, left.fallback) == ("compiled", STEPS_IN_TORCH)
    assert np.abs(left.weights - plain.weights).max() < SIM_DESCENT * np.abs(plain.weights).max()
