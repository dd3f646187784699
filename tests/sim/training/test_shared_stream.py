"""Networks that share one stream: their examples are drawn once, and every number is that of a network by itself."""

from itertools import pairwise

import pytest

from sim.train import train
from sim.training.backends.names import numba_is_installed
from tests.sim.cases import gated, problem
from theory.problem import Network

WAYS = [{"backend": "reference"}]
if numba_is_installed():
    WAYS += [{"backend": "compiled"}, {"compile_steps": False}]
SHARED = {"shared_stream": True, "initialisation": "per-replicate", "replicates": 5}
NETWORKS = {"gated": gated(biases="trained"), "relu": Network("relu", "mean", 6)}


@pytest.mark.parametrize(("batch", "network"), [(1, "relu"), (8, "gated"), (40, "relu")])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_every_network_has_its_own_numbers_bit_for_bit(way, network, batch):
    question = problem(network=NETWORKS[network], batch=batch, **SHARED)
    run = train(question, "cpu", **way)
    for number in range(5):
        alone = train(question, "cpu", **way, replicates=[number])
        for name, values in run.parameters.items():
            assert (values[number] == alone.parameters[name][0]).all()
    assert all((one != other).any() for one, other in pairwise(run.weights[:, -1]))
