"""Predictions against a plain loop, and hand-written gradients against autograd and against differences."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import cycle, product

import pytest
import torch

from sim.networks.examples import Examples
from sim.networks.one_hidden_layer import gradient
from sim.networks.parameters import mapped
from tests.sim.cases import far, loss
from tests.tolerances import SIM_GRADIENT
from theory.problem import AlwaysGate, Network

S, K, N, B = 3, 4, 7, 33
SLOPE = Fraction(1, 8)
ACTIVATION = {
    "relu": lambda h: max(h, 0.0),
    "leaky-relu": lambda h: h if h > 0 else h / 8,
    "erf": lambda h: math.erf(h / math.sqrt(2)),
    "sigmoid": lambda h: 1 / (1 + math.exp(-h)),
}
MODELS = ["gated-linear", *ACTIVATION]


def case(model, readout="mean", scale=1.0, biases="none"):
    """Random numbers; gates take any value from 0 to 1, as soft ones do, and labels are +-1."""
    draw = torch.Generator().manual_seed(1)
    gates = tuple(AlwaysGate() for _ in range(K)) if model == "gated-linear" else ()
    network = Network(model, readout, K, gates, biases, SLOPE if model == "leaky-relu" else None)

    def drawn(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=draw)

    w, x = scale * drawn(S, K, N), drawn(S, B, N)
    gate = torch.rand(S, K, B, dtype=torch.float64, generator=draw) if gates else None
    parameters = {"w": w}
    if network.has_biases:
        start = scale * drawn(S, K + 1)
        parameters |= {"b": start[:, :K].clone(), "b_out": start[:, K:].clone()}
    if network.trains_readout:
        parameters["a"] = scale * drawn(S, K)
    return network, parameters, Examples(x, torch.sign(drawn(S, B)), gate)


def whole(learned):
    """Biases of a network without them are zeros, readout weights ones."""
    zeros, ones = torch.zeros(S, K + 1, dtype=torch.float64), torch.ones(S, K, dtype=torch.float64)
    biases = torch.cat([learned["b"], learned["b_out"]], dim=1) if "b" in learned else zeros
    return biases, learned.get("a", ones)


def plain_loss(network, kind, learned, examples):
    """The loss written for autograd, from torch's own activations and losses."""
    b, a = whole(learned)
    h = torch.einsum("skn,sbn->skb", learned["w"], examples.x) + b[:, :K, None]
    value = {
        "gated-linear": lambda v: v * examples.gate,
        "relu": torch.relu,
        "leaky-relu": lambda v: torch.nn.functional.leaky_relu(v, 1 / 8),
        "erf": lambda v: torch.erf(v / math.sqrt(2)),
        "sigmoid": torch.sigmoid,
    }[network.model](h) * a[:, :, None]
    yhat = (value.mean(dim=1) if network.readout.endswith("mean") else value.sum(dim=1)) + b[:, K:]
    if kind == "cross-entropy":
        entropy = torch.nn.functional.binary_cross_entropy_with_logits
        return entropy(yhat, (1 + examples.y) / 2, reduction="none").mean(dim=1)
    return (0.5 if kind == "half-mse" else 1.0) * ((yhat - examples.y) ** 2).mean(dim=1)


@pytest.mark.parametrize("kind", ["half-mse", "mse", "cross-entropy"])
@pytest.mark.parametrize("model", MODELS)
def test_gradient_is_autograds(model, kind):
    scales = cycle([1e-6, 1.0, 30.0])
    for biases, readout in product(["none", "fixed", "trained"], ["mean", "sum", "trained-mean", "trained-sum"]):
        assert_gradient_is_autograds(model, next(scales), readout, kind, biases)


def assert_gradient_is_autograds(model, scale, readout, kind, biases):
    network, learned, examples = case(model, readout, scale, biases)
    trained = [name for name in learned if biases != "fixed" or not name.startswith("b")]
    for name in trained:
        learned[name].requires_grad_(True)
    value = plain_loss(network, kind, learned, examples)
    value.sum().backward()
    fixed = mapped(torch.Tensor.detach, learned)
    assert far(loss(network, kind, fixed, examples), value.detach()) < SIM_GRADIENT
    found = gradient(network, kind, fixed, examples)
    assert set(found) == set(trained)
    for name in trained:
        assert far(found[name], learned[name].grad) < SIM_GRADIENT


def test_the_cross_entropy_of_sure_answers():
    """No overflow and no loss of digits: log(1 + exp(-m)) is exp(-m) at m = 700 and 700 at m = -700."""
    network, learned, examples = case("gated-linear", "trained-sum", 0.0, "trained")
    for margin, expected in ((700.0, math.exp(-700)), (-700.0, 700.0)):
        learned["b_out"][:] = margin
        one = replace(examples, y=torch.ones_like(examples.y))
        value = loss(network, "cross-entropy", learned, one)
        assert far(value, torch.full_like(value, expected)) < SIM_GRADIENT
        slope = gradient(network, "cross-entropy", learned, one)["b_out"][:, 0]
        assert far(slope, torch.full_like(slope, -expected if margin > 0 else -1.0)) < SIM_GRADIENT


@pytest.mark.parametrize("model", ["relu", "leaky-relu"])
def test_relu_at_rest(model):
    """At h = 0 the slope of ReLU is 0, that of leaky ReLU the one below, as in torch."""
    network, learned, examples = case(model, scale=0.0)
    slopes = gradient(network, "mse", learned, examples)["w"]
    expected = -2 * torch.einsum("sb,sbn->sn", examples.y, examples.x)[:, None] / (B * K)
    assert far(slopes, expected.expand_as(slopes) / 8) < SIM_GRADIENT if model == "leaky-relu" else (slopes == 0).all()
