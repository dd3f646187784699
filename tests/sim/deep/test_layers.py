"""Convolutions, pooling and residual blocks: every member against plain torch with autograd and torch.optim."""

from math import prod

import pytest
import torch

from sim import deep
from sim.networks.products import ConvolutionLayer
from tests.sim.deep.architectures import CASES
from tests.sim.deep.families import DTYPE, EXAMPLES, REPLICATES, data, family, plain
from tests.sim.deep.plain import KINDS
from tests.tolerances_of_deep_training import LAYERS_GRADIENT, LAYERS_PASS

RATE, SEED = 0.02, 4


def inputs_of(case):
    return data(inputs=prod(CASES[case].layers.shape))


@pytest.mark.parametrize("case", CASES)
def test_outputs_and_gradients_are_those_of_plain_torch(case):
    """Of all members, whose replicates see the examples in an order of their own."""
    of, examples = family(case=case), inputs_of(case)
    orders = torch.stack([torch.arange(EXAMPLES), torch.arange(EXAMPLES).flip(0)])
    parameters = of.starting(DTYPE)
    for name in KINDS:
        member, own = of.member(name), of.of(name, parameters)
        given = [
            torch.stack([level[row][order] for row, order in enumerate(orders)])
            for level in of.given_gates(name, examples)
        ]
        passed = of.forward(name, own, examples.x[orders], given, member.learned)
        seeds = torch.randn(passed.output.shape, generator=torch.Generator().manual_seed(2), dtype=DTYPE)
        shares = {theta: share for theta, *share in passed.backward(seeds, member.learned)}
        for replicate in range(REPLICATES):
            network = plain(of, name, replicate, parameters, case)
            output = network(examples.x[orders[replicate]], orders[replicate])
            apart = float((passed.output[replicate] - output).detach().abs().max())
            assert apart <= LAYERS_PASS * max(1.0, float(output.detach().abs().max()))
            output.backward(seeds[replicate])
            for weight, theta in zip(network.parameters(), own, strict=True):
                assert (theta in shares) == weight.requires_grad
                if weight.requires_grad:
                    assert_gradients_are(weight.grad, *shares[theta], replicate)


@torch.no_grad()
def assert_gradients_are(expected, layer, delta, source, replicate):
    """All examples together, written or added; and the sum of those of each example, which convolutions give."""
    size = float(expected.abs().max())
    gradient = layer.gradient(delta, source)
    assert float((gradient[replicate] - expected).abs().max()) <= LAYERS_GRADIENT * size
    added = torch.ones_like(gradient)
    layer.add_gradient(added, delta, source)
    apart = float((added - 1 - gradient)[replicate].abs().max())
    assert apart <= LAYERS_GRADIENT * float(added[replicate].abs().max())
    if isinstance(layer, ConvolutionLayer):
        each = layer.gradients(delta, source).sum(dim=1)
        assert float((each[replicate] - expected.flatten()).abs().max()) <= LAYERS_GRADIENT * size


def test_recorded_gates_are_replayed_as_fixed_learned_features():
    case = "residual"
    settings = deep.Settings("half-mse", deep.momentum(0.9), 0.01, batch=4, seed=4, dtype=DTYPE)
    of, examples = family({"relu"}, case=case), inputs_of(case)
    run = deep.train_family(of, examples, settings, 10)
    replay = deep.flnpf(of.layers.widths, deep.features_of(run, "relu", 10))
    second = deep.Family((replay,), REPLICATES, of.inputs, 1, of.start, of.layers)
    replayed = deep.train_family(second, examples, settings, 5)
    found, expected = deep.recorded(replayed, "flnpf", 5).gates, deep.recorded(run, "relu", 10).gates
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))
    assert [tuple(gate.shape[2:]) for gate in found] == [layer.after for layer in of.plan[:-1]]
    assert [gate[0, 0].numel() for gate in found] == list(CASES[case].nodes)


def test_declared_shapes():
    for case in CASES.values():
        assert tuple(layer.theta_shape for layer in case.layers.plan(1)[:-1]) == case.shapes
        assert case.layers.fan_ins[:-1] == tuple(prod(shape[1:]) for shape in case.shapes)
