"""Captured steps against the reference: the same numbers, whatever was done on the way to the recording."""

from fractions import Fraction
from functools import partial

import pytest
import torch

from sim.train import train
from sim.training.backends.captured import Captured
from sim.training.backends.choice import Backend, backend_for
from sim.training.backends.reference import train_group
from tests.sim.cases import OPTIMIZERS, every_network, far, learned, named, problem
from tests.tolerances import SIM_DESCENT
from theory.problem import OutOfReachError

RULES = [{}, *OPTIMIZERS]
MODES = [{}, {"mode": "full-batch", "samples": 40, "batch": None}]
TIMES = tuple(Fraction(step, 8) for step in (0, 1, 2, 3, 5, 12))


def rehearsed(work, changed):
    """In place of a graph: the work itself, after it was done three times and what it changed put back."""
    before = [tensor.clone() for tensor in changed]
    for _ in range(3):
        work()
    for tensor, value in zip(changed, before, strict=True):
        tensor.copy_(value)
    return work


@pytest.fixture
def captured(monkeypatch):
    """Train with captured steps, the work being repeated on the CPU as a graph would repeat it."""
    backend = Backend("captured", partial(train_group, capture=partial(Captured, record=rehearsed)))
    monkeypatch.setattr(
        "sim.train.backend_for", lambda name, *of: backend_for(name, *of) if name != "auto" else backend
    )
    return lambda question, **settings: train(question, "cpu", **settings)


def test_steps_are_those_of_the_reference(captured):
    """Each network with one optimiser and mode; each optimiser and mode with several networks."""
    far_apart = []
    for number, network in enumerate(every_network()[::2]):
        settings = RULES[number % 4] | MODES[number // 4 % 2]
        question = problem(network=network, learning_rate=Fraction(1, 8), times=TIMES, **settings)
        run, reference = captured(question), train(question, "cpu", backend="reference")
        assert (run.backend, reference.backend) == ("captured", "reference")
        if not far(learned(run), learned(reference)) < SIM_DESCENT:
            far_apart.append((named(network), settings))
    assert far_apart == []


def test_a_diverging_network_is_frozen_alike(captured):
    question = problem(batch=8, learning_rate=Fraction(60), times=(0, 60, 6000), replicates=4)
    reference, run = train(question, "cpu", backend="reference"), captured(question)
    assert run.diverged.any()
    assert (run.diverged == reference.diverged).all()


def without_numbers(work, changed):
    """In place of a graph: the step on tensors of device "meta", which have shapes and no numbers.

    What a recording forbids fails there too: to read a number on the host, or to make a shape that depends on one.
    """
    steps = work.__self__

    def bare(tensor):
        return tensor.to("meta")

    corrections = tuple(map(bare, steps._corrections))
    after = steps._rule.step(steps.state.mapped(bare), steps._examples.mapped(bare), corrections)
    assert [part.shape for part in after.tensors()] == [part.shape for part in changed]
    return work


def test_a_step_reads_no_number_on_the_host(monkeypatch):
    capture = partial(Captured, record=without_numbers)
    monkeypatch.setattr("sim.train.backend_for", lambda *_: Backend("captured", partial(train_group, capture=capture)))
    for number, network in enumerate(every_network()):
        question = problem(network=network, learning_rate=Fraction(1, 8), times=TIMES, **RULES[number % 4])
        assert train(question, "cpu").backend == "captured"


def test_it_needs_a_gpu():
    with pytest.raises(
        OutOfReachError, match=r"captured back end is a CUDA graph, and this run is on cpu.*auto"
    ) as error:
        train(problem(), "cpu", backend="captured")
    assert error.value.kind == "backend"
    for name in ("captured", "auto"):
        assert backend_for(name, problem(), torch.device("cuda")).name == "captured"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_graph_takes_the_steps_of_the_reference():
    for number, network in enumerate(every_network()):
        for mode in MODES:
            settings = RULES[number % 4] | mode
            question = problem(network=network, learning_rate=Fraction(1, 8), times=TIMES, **settings)
            reference, graph = (train(question, "cuda", backend=backend) for backend in ("reference", "captured"))
            assert far(learned(graph), learned(reference)) < SIM_DESCENT, named(network)
