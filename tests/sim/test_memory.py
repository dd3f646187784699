"""The memory that a cell needs on a GPU: the bound against the bytes of all tensors, counted on the processor.

The steps are captured as on a GPU, with two further copies of their temporaries, those of the warming up and of the
graph. What lies in the memory of the processor on a GPU is counted too, so that the bound is held by more than it must.
"""

import gc
from functools import partial
from weakref import finalize

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from sim import memory
from sim.measure import measure
from sim.train import train
from sim.training.backends.captured import Captured
from sim.training.backends.choice import Backend
from sim.training.backends.reference import train_group
from sim.training.memory import networks_at_once
from tests.sim.cases import EVERY_GATE, OPTIMIZERS, gated, line, problem
from tests.tolerances_of_sweeps import GPU_MEMORY
from theory.problem import OBSERVABLES, Network


class Counted(TorchDispatchMode):
    """Counts the bytes of the tensors that are alive while it is active: those made in it, and those it was given."""

    def __init__(self):
        super().__init__()
        self.alive, self.peak, self.seen = 0, 0, set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for each in tree_leaves((args, kwargs, made)):
            if isinstance(each, torch.Tensor):
                self.count(each.untyped_storage())
        self.peak = max(self.peak, self.alive)
        return made

    def count(self, storage):
        key, size = storage._cdata, storage.nbytes()
        if key not in self.seen:
            self.seen.add(key)
            self.alive += size
            finalize(storage, self.free, key, size)

    def free(self, key, size):
        self.seen.discard(key)
        self.alive -= size


@pytest.fixture
def counted(monkeypatch):
    """Train and measure as on a GPU, on the processor; the peaks of both in bytes."""

    def count(question, *observables):
        mode = Counted()

        def record(work, changed):
            """The work, with the memory of a graph and of the stream that warmed up."""
            before, others, mode.peak = [tensor.clone() for tensor in changed], mode.peak, mode.alive
            work()
            kept = torch.empty(2 * (mode.peak - mode.alive), dtype=torch.uint8)
            mode.peak = max(mode.peak, others)
            for tensor, value in zip(changed, before, strict=True):
                tensor.copy_(value)
            return lambda _kept=kept: work()

        backend = Backend("captured", partial(train_group, capture=partial(Captured, record=record)))
        monkeypatch.setattr("sim.train.backend_for", lambda *_: backend)
        monkeypatch.setattr("sim.train.networks_at_once", on_a_gpu)
        with mode:
            run = train(question, "cpu")
            gc.collect()  # the step recorded here, not one of a graph, refers to itself
            training, mode.peak = mode.peak, 0
            for name in observables:
                measure(OBSERVABLES[name](), run, "cpu")
        return training, mode.peak

    return count


def on_a_gpu(question, per_step, size, _device, *limits):
    return networks_at_once(question, per_step, size, "cuda", *limits)


LAW = line(n=40)
RELU, WIDE = Network("relu", "mean", 3), Network("relu", "trained-mean", 40)
FULL_BATCH = {"mode": "full-batch", "batch": None, "samples": 3000, "times": (0, 1)}
CELLS = {
    "gates": problem(LAW, gated(EVERY_GATE, "trained-sum", "trained"), batch=64, times=(0, 8), **OPTIMIZERS[2]),
    "one by one": problem(LAW, RELU, batch=1, times=(0, 8)),
    "units": problem(LAW, WIDE, batch=1024, **OPTIMIZERS[2]),
    "shared sample": problem(LAW, gated(EVERY_GATE), **FULL_BATCH, shared_stream=True),
}
OBSERVED = ("loss", "input-moment", "input-output-moment", "gate-flips", "gate-flips-between", "preactivation-kurtosis")


def observed(question):
    """The observables that are measured on a GPU and that the network has."""
    given = question.network.model == Network.gated
    return [name for name in OBSERVED if ("moment" in name) == given or name == "loss"]


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_stays_within_its_bound(name, counted):
    question = CELLS[name]
    observables = observed(question)
    training, measuring = counted(question, *observables)
    assert training <= memory._training(question) <= GPU_MEMORY * training
    assert measuring <= memory._measuring(question, observables)
