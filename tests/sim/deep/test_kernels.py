"""Kernels of every member against Jacobians of plain networks by autograd."""

import pytest
import torch

from sim import deep
from tests.sim.deep.families import DTYPE, REPLICATES, data, family, plain
from tests.sim.deep.plain import KINDS
from tests.tolerances import SIM_GRADIENT
from theory.problem import InputError


def jacobian(network, x, rows, own):
    """The gradients of the outputs of a plain network in the parameters given, (N, outputs, parameters)."""
    yhat = network(x, rows)
    found = []
    for output in yhat.flatten():
        parts = torch.autograd.grad(output, own, retain_graph=True, allow_unused=True)
        parts = [torch.zeros_like(o) if g is None else g for g, o in zip(parts, own, strict=True)]
        found.append(torch.cat([part.flatten() for part in parts]))
    return torch.stack(found).unflatten(0, yhat.shape)


def same(found, expected):
    return torch.linalg.norm(found - expected) <= SIM_GRADIENT * torch.linalg.norm(expected)


def are_of_the_jacobian(found, of, name, examples, rows, case=None):
    """Assert that K and K^a at the start are sums of products of gradients of plain networks."""
    parameters = of.starting(DTYPE)
    for replicate in range(REPLICATES):
        network = plain(of, name, replicate, parameters, case)
        learned = [own for own in network.parameters() if own.requires_grad]
        gradients = jacobian(network, examples.x[rows], rows, learned)
        assert same(found.tangent[replicate], torch.einsum("sop,top->st", gradients, gradients))
        if not KINDS[name].gates_learn:
            assert found.of_gates is None
            continue
        gradients = jacobian(network, examples.x[rows], rows, list(network.second))
        assert same(found.of_gates[replicate], torch.einsum("sop,top->st", gradients, gradients))


def test_kernels_are_those_of_the_jacobian():
    of, examples, rows = family(outputs=2), data(outputs=2), torch.tensor([3, 0, 7, 10])
    for name in KINDS:
        found = deep.kernels_of(of, name, of.starting(DTYPE), examples, rows=rows)
        are_of_the_jacobian(found, of, name, examples, rows)


def test_what_has_no_kernel_is_refused():
    for more, said in [
        ({"rows": torch.tensor([11])}, "from 0 to 10"),
        ({"rows": torch.tensor([0.5])}, "from 0 to 10"),
        ({"rows": torch.tensor([0]), "x": torch.ones(1, 3)}, "Give one of them"),
        ({"x": torch.ones(1, 3)}, "on the training examples alone"),
    ]:
        of = family(("frg",))
        with pytest.raises(InputError, match=said):
            deep.kernels_of(of, "frg", of.starting(DTYPE), data(), **more)


@pytest.mark.parametrize(
    ("case", "name"), [("no padding", "frg"), ("circular image", "relu"), ("widening residual", "soft-galu")]
)
def test_kernels_of_any_layers_are_those_of_the_jacobian(case, name):
    """With two outputs: convolutions, pooling and residual blocks, and the part of the gates."""
    of, rows = family(outputs=2, case=case), torch.tensor([3, 0, 7])
    examples = data(outputs=2, inputs=of.inputs)
    found = deep.kernels_of(of, name, of.starting(DTYPE), examples, rows=rows)
    assert found.overlap is None
    are_of_the_jacobian(found, of, name, examples, rows, case)
