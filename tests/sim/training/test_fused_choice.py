"""The problems that the fused back end trains or refuses by name. No kernel runs, and Triton is not needed."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest
import torch

from sim.train import train
from sim.training.backends import names, support
from sim.training.backends.choice import backend_for
from tests.sim.cases import OPTIMIZERS, gated, grid, line, problem
from tests.sim.training.test_choice import DATA, MadeUpGate, MadeUpLaw
from theory.problem import GATES, LAWS, DirectionGate, Edge, GatedGraph, Network, Node, OutOfReachError, SiteGate

GRAPH = GatedGraph(
    (Node("x", 4), Node("a", 3), Node("y", 1)), (Edge("x", "a", "A"), Edge("a", "y", "B")), ("x",), ("y",)
)

REFUSALS = [
    (problem(mode="full-batch", samples=10, batch=None), "draws fresh examples"),
    (problem(DATA, Network("relu", "mean", 2)), "draws Gaussian laws and their erf, not finite"),
    (problem(MadeUpLaw(), Network("relu", "mean", 2)), "draws Gaussian laws and their erf, not made-up"),
    (problem(line(priors=("1/4", "3/4"))), "draws two equally likely classes"),
    (problem(grid()), "colours the noise of lines and short rings, not of grids"),
    (problem(line(n=600, boundary="ring")), "colours rings below 512 sites, not of 600"),
    (problem(network=gated((DirectionGate({1: 1}, lo=0),))), "opens no gates of the kind direction"),
    (problem(network=gated((SiteGate(1), MadeUpGate()))), "opens no gates of the kind made-up"),
    (problem(network=GRAPH), "has no loops for the model gated-graph"),
    (problem(**OPTIMIZERS[0]), "takes plain descent, sgd, not momentum"),
    (problem(network=Network("relu", "mean", 17)), "holds up to 16 units on the chip, not 17"),
    (problem(line(n=2000), batch=1), "holds up to 1024 sites on the chip at batch = 1, not 2000"),
    (problem(line(n=130), batch=17), "holds up to 128 sites on the chip at batch = 17, not 130"),
]


@pytest.mark.parametrize(("question", "reason"), REFUSALS, ids=[reason for _, reason in REFUSALS])
def test_what_the_fused_kernels_do_not_train_is_named(question, reason):
    found, hint = support.fused_obstacle_on("cuda", question)
    assert reason in found
    assert 'backend="auto"' in hint


def test_the_fused_kernels_run_on_a_gpu_with_triton(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    with pytest.raises(OutOfReachError, match=r"fused back end runs on a CUDA device, not on cpu.*auto") as caught:
        train(problem(), "cpu", backend="fused")
    assert (caught.value.kind, caught.value.exit_code) == ("backend", 4)
    monkeypatch.setitem(sys.modules, "triton", None)
    assert not names.triton_is_installed()
    with pytest.raises(OutOfReachError, match=r"needs Triton, which is not installed.*\[gpu\]"):
        backend_for("fused", problem(), torch.device("cuda"))
    monkeypatch.setitem(sys.modules, "triton", ModuleType("triton"))
    sys.modules["triton"].__spec__ = ModuleSpec("triton", None)
    assert support.fused_obstacle_on("cuda", problem()) is None
    assert backend_for("auto", problem(), torch.device("cuda")).name == "captured"


def test_every_law_and_gate_has_an_answer_or_a_reason_of_the_fused_kernels():
    for kind in LAWS.values():
        assert kind in support.fused_law.registry or "not" in support.fused_law(object.__new__(kind))
    for kind in GATES.values():
        assert kind in support.fused_gate.registry or "no gates" in support.fused_gate(object.__new__(kind))
