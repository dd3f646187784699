"""Kernels of every member against Jacobians of plain networks by autograd."""

import pytest
import torch

from sim import deep
from tests.sim.deep.families import DTYPE, REPLICATES, data, family, plain
from tests.sim.deep.plain import KINDS, jacobian
from tests.tolerances import SIM_GRADIENT


def same(found, expected):
    return torch.linalg.norm(found - expected) <= SIM_GRADIENT * torch.linalg.norm(expected)


def are_of_the_jacobian(found, of, name, examples, case=None):
    """Assert that K and K^a at the start are sums of products of gradients of plain networks."""
    parameters = of.starting(DTYPE)
    for replicate in range(REPLICATES):
        network = plain(of, name, replicate, parameters, case)
        learned = [own for own in network.parameters() if own.requires_grad]
        gradients = jacobian(network, examples.x, learned)
        assert same(found.tangent[replicate], torch.einsum("sop,top->st", gradients, gradients))
        if not KINDS[name].gates_learn:
            assert found.of_gates is None
            continue
        gradients = jacobian(network, examples.x, list(network.second))
        assert same(found.of_gates[replicate], torch.einsum("sop,top->st", gradients, gradients))


def test_kernels_are_those_of_the_jacobian():
    of, examples = family(outputs=2), data(outputs=2)
    for name in KINDS:
        found = deep.kernels_of(of, name, of.starting(DTYPE), examples)
        are_of_the_jacobian(found, of, name, examples)


@pytest.mark.parametrize(
    ("case", "name"), [("no padding", "frg"), ("circular image", "relu"), ("widening residual", "soft-galu")]
)
def test_kernels_of_any_layers_are_those_of_the_jacobian(case, name):
    """With two outputs: convolutions, pooling and residual blocks, and the part of the gates."""
    of = family(outputs=2, case=case)
    examples = data(outputs=2, inputs=of.inputs)
    found = deep.kernels_of(of, name, of.starting(DTYPE), examples)
    assert found.overlap is None
    are_of_the_jacobian(found, of, name, examples, case)
