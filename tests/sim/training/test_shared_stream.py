"""Networks that share one stream: their examples are drawn once, and every number is that of a network by itself."""

from itertools import pairwise

import pytest

from sim.train import train
from sim.training.backends.names import numba_is_installed
from tests.sim.cases import gated, problem
from theory.problem import Network

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
