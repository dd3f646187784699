"""Batches that compiled loops draw for torch steps: the reference's examples, sorted by class within each step."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sim.train import train
from sim.training.backends.choice import backend_for
from tests.sim.cases import problem
from tests.tolerances import SIM_DESCENT
from theory.problem import Edge, FiniteData, GatedGraph, Node, OutOfReachError, SiteGate

pytest.importorskip("numba", reason="numba is not installed (extra `speed`)")

CPU = torch.device("cpu")


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
    assert (drawn.backend, plain.backend) == ("compiled-examples", "reference")
    assert "has no loops for the model gated-graph" in drawn.fallback
    for name, expected in plain.parameters.items():
        assert np.abs(drawn.parameters[name] - expected).max() / np.abs(expected).max() < SIM_DESCENT
    assert np.abs(plain.parameters["C"][:, -1] - plain.parameters["C"][:, 0]).max() > SIM_DESCENT


def test_what_it_cannot_draw_is_named():
    full = problem(network=two_layers("input"), mode="full-batch", samples=10, batch=None)
    with pytest.raises(OutOfReachError, match=r"compiled-examples draws fresh examples; a full-batch run is"):
        train(full, "cpu", backend="compiled-examples")
    assert train(full, "cpu").backend == "compiled-normals"
    data = FiniteData([[1, 0, 0, 1], [0, 1, 1, 0]], [1, -1])
    with pytest.raises(OutOfReachError, match="compiled-examples draws Gaussian laws and their erf, not finite"):
        train(replace(problem(network=two_layers("input")), data=data), "cpu", backend="compiled-examples")
    with pytest.raises(OutOfReachError, match="runs on the CPU, not on cuda"):
        backend_for("compiled-examples", problem(), torch.device("cuda"))
