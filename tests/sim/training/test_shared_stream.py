"""Networks that share one stream: their examples are drawn once, and every number is that of a network by itself."""

from itertools import pairwise

import pytest
import torch

from sim.data.gaussian import GaussianSampler
from sim.measure import measure
from sim.train import fixed_sample, train
from sim.training.backends.names import numba_is_installed
from tests.sim.cases import gated, problem
from theory.problem import LossAtTimes, Network

BACKENDS = ["reference", *(["compiled-normals", "compiled-examples", "compiled"] if numba_is_installed() else [])]
SHARED = {"shared_stream": True, "initialisation": "per-replicate", "replicates": 5}
NETWORKS = {"gated": gated(biases="trained"), "relu": Network("relu", "mean", 6)}


@pytest.mark.parametrize(("batch", "network"), [(1, "relu"), (8, "gated"), (40, "relu")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_network_has_its_own_numbers_bit_for_bit(backend, network, batch):
    question = problem(network=NETWORKS[network], batch=batch, **SHARED)
    run = train(question, "cpu", backend=backend)
    for number in range(5):
        alone = train(question, "cpu", backend=backend, replicates=[number])
        for name, values in run.parameters.items():
            assert (values[number] == alone.parameters[name][0]).all()
    assert all((one != other).any() for one, other in pairwise(run.weights[:, -1]))


def test_examples_are_drawn_once(monkeypatch):
    drawn = []
    whole = GaussianSampler.draw

    def counted(self, streams, rows, room=None):
        drawn.append(len(streams) * rows)
        return whole(self, streams, rows, room)

    monkeypatch.setattr(GaussianSampler, "draw", counted)
    question = problem(network=NETWORKS["relu"], **SHARED)
    run = train(question, "cpu", backend="reference")
    blocks, _ = drawn.copy(), drawn.clear()
    train(question, "cpu", backend="reference", replicates=[0])
    assert blocks == drawn
    drawn.clear()
    measure(LossAtTimes(), run, "cpu")
    assert sum(drawn) == question.simulation.samples
    drawn.clear()
    sample = fixed_sample(
        problem(mode="full-batch", batch=None, **SHARED), range(3), torch.device("cpu"), torch.float64
    )
    assert sum(drawn) == question.simulation.samples
    assert sample.x.shape == (3, 200, 4)
