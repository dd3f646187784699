"""Convolutions, pooling and residual blocks: every member against plain torch with autograd and torch.optim."""

from math import prod

import pytest
import torch

from sim import deep
from sim.deep.batches import given_gates
from sim.deep.passes import backward, forward
from tests.sim.deep.architectures import CASES
from tests.sim.deep.families import DTYPE, EXAMPLES, REPLICATES, data, family, plain
from tests.sim.deep.plain import KINDS
from tests.tolerances_of_deep_training import LAYERS_GRADIENT, LAYERS_PASS

RATE, SEED = 0.02, 4


def inputs_of(case):
    return data(inputs=prod(CASES[case].layers.shape))


@pytest.fixture(scope="module", params=CASES)
def passed(request):
    """A pass of all members, whose replicates see the examples in an order of their own."""
    of, examples = family(case=request.param), inputs_of(request.param)
    orders = torch.stack([torch.arange(EXAMPLES), torch.arange(EXAMPLES).flip(0)])
    given = {
        name: [torch.stack([own[order] for own, order in zip(level, orders, strict=True)]) for level in levels]
        for name, levels in given_gates(of, examples).items()
    }
    parameters = of.starting(DTYPE)
    return request.param, of, examples, orders, parameters, forward(of, parameters, examples.x[orders], given)


def test_outputs_and_gradients_are_those_of_plain_torch(passed):
    for name in KINDS:
        assert_outputs_and_gradients_are_those_of_plain_torch(name, passed)


def assert_outputs_and_gradients_are_those_of_plain_torch(name, passed):
    case, of, examples, orders, parameters, found = passed
    seeds = torch.randn(found.output.shape, generator=torch.Generator().manual_seed(2), dtype=DTYPE)
    shares = {theta: share for theta, *share in backward(of, parameters, found, seeds.clone())}
    for replicate in range(REPLICATES):
        network = plain(of, name, replicate, parameters, case)
        output = network(examples.x[orders[replicate]], orders[replicate])
        own = of.networks[name].start + replicate
        apart = float((found.output[own] - output.detach()).abs().max())
        assert apart <= LAYERS_PASS * max(1.0, float(output.detach().abs().max()))
        output.backward(seeds[own])
        stacks = [(theta, of.networks[name]) for theta in of.names]
        stacks += [(theta, of.second_networks[name]) for theta in of.gating_names] if name in of.second_networks else []
        for weight, (theta, part) in zip(network.parameters(), stacks, strict=True):
            place = part.start + replicate
            assert (place < of.learned[theta]) == weight.requires_grad
            if weight.requires_grad:
                layer, delta, source = shares[theta]
                gradient = torch.empty(len(delta), *weight.shape, dtype=DTYPE)
                layer.gradient(delta, source, gradient)
                apart = float((gradient[place] - weight.grad).abs().max())
                assert apart <= LAYERS_GRADIENT * float(weight.grad.abs().max())
                added = torch.ones_like(gradient)
                layer.add_gradient(added, delta, source)
                assert float((added[place] - 1 - gradient[place]).abs().max()) <= LAYERS_GRADIENT * float(
                    added[place].abs().max()
                )


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
