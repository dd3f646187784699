"""Recorded passes of steps: the numbers of passes that are taken one by one, whatever networks and batches do."""

import pytest
import torch

from sim import deep
from sim.deep import train
from tests.sim.deep.families import DTYPE, data, family
from tests.sim.deep.test_train import OPTIMISERS
from tests.sim.training.test_captured import rehearsed
from tests.tolerances_of_deep_training import LAYERS_TRAINING

STEPS = 7  # into the third epoch of batches of 4, 4 and 3
GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"))


def trained(optimiser, case=None, state=None, steps=STEPS, device="cpu", **more):
    """Training in which networks stop while it goes on."""
    of = family(case=case)
    own = {"rate": 0.02, "batch": 4, "seed": 4, "dtype": DTYPE, "stop_below": 0.6, "stop_every": 2, **more}
    settings = deep.Settings("half-mse", OPTIMISERS[optimiser][0], device=device, **own)
    return deep.train_family(of, data(inputs=of.inputs), settings, steps, state=state)


def equal(run, other):
    same = (torch.equal(theta, other.state.parameters[name]) for name, theta in run.state.parameters.items())
    return all(same) and torch.equal(run.state.stopped, other.state.stopped)


def recorded_by(monkeypatch, record):
    """Record passes on the processor; return the list of the shapes that were recorded."""
    seen = []

    def noted(work, changed):
        seen.append([tuple(tensor.shape) for tensor in changed])
        return record(work, changed)

    monkeypatch.setattr(train, "recorder_on", lambda _device: noted)
    return seen


@pytest.mark.parametrize(("case", "optimiser"), [(None, "adam"), ("residual", "sgd")])
def test_recorded_passes_have_the_numbers_of_the_plain_ones(case, optimiser, monkeypatch):
    expected = trained(optimiser, case, stop_below=0.6 if case is None else 0.5)
    assert set((expected.state.stopped < 0).tolist()) == {True, False}
    seen = recorded_by(monkeypatch, rehearsed)
    assert equal(trained(optimiser, case, stop_below=0.6 if case is None else 0.5), expected)
    assert len(seen) == 1


@pytest.mark.parametrize(("case", "optimiser"), [(None, "sgd"), ("widening residual", "adam")])
@GPU[0]
@GPU[1]
def test_a_graph_takes_the_passes_of_a_gpu(case, optimiser, monkeypatch):
    found = trained(optimiser, case, device="cuda")
    monkeypatch.setattr(train, "recorder_on", lambda _device: None)
    plain = trained(optimiser, case, device="cuda")
    assert torch.equal(found.state.stopped, plain.state.stopped)
    for name, theta in found.state.parameters.items():
        other = plain.state.parameters[name]
        assert float((theta - other).abs().max()) <= LAYERS_TRAINING * float(other.abs().max())
