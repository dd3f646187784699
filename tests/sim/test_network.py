"""Predictions against a plain loop, and hand-written gradients against autograd."""

import math

import pytest
import torch

from sim.network import Examples, Parameters, gradient, loss, predict
from tests.tolerances import SIM_GRADIENT
from theory.problem import AlwaysGate, Network

S, K, N, B = 3, 4, 7, 33
ACTIVATION = {
    "relu": lambda h: max(h, 0.0),
    "erf": lambda h: math.erf(h / math.sqrt(2)),
    "sigmoid": lambda h: 1 / (1 + math.exp(-h)),
}
MODELS = ["gated-linear", *ACTIVATION]
EVERY_BIAS = pytest.mark.parametrize("biases", ["none", "trained"])


def case(model, readout="mean", scale=1.0, biases="none"):
    draw = torch.Generator().manual_seed(1)
    gates = tuple(AlwaysGate() for _ in range(K)) if model == "gated-linear" else ()
    network = Network(model, readout, K, gates, biases)
    w = scale * torch.randn(S, K, N, dtype=torch.float64, generator=draw)
    x = torch.randn(S, B, N, dtype=torch.float64, generator=draw)
    y = torch.randn(S, B, dtype=torch.float64, generator=draw)
    gate = torch.randint(0, 2, (S, K, B), generator=draw).double() if gates else None
    start = scale * torch.randn(S, K + 1, dtype=torch.float64, generator=draw) if network.has_biases else None
    return network, Parameters(w, start), Examples(x, y, gate)


def far(found, expected):
    return float((found - expected).abs().max() / expected.abs().max())


def whole(learned):
    """Biases of a network without them are zeros."""
    return torch.zeros(S, K + 1, dtype=torch.float64) if learned.biases is None else learned.biases


@EVERY_BIAS
@pytest.mark.parametrize("readout", ["mean", "sum"])
@pytest.mark.parametrize("model", MODELS)
def test_prediction_is_the_sum_over_units(model, readout, biases):
    network, learned, examples = case(model, readout, biases=biases)
    expected, b = torch.empty(S, B, dtype=torch.float64), whole(learned)
    for s in range(S):
        for e in range(B):
            h = [math.fsum([*(learned.w[s, k] * examples.x[s, e]).tolist(), float(b[s, k])]) for k in range(K)]
            if examples.gate is not None:
                terms = [float(examples.gate[s, k, e]) * h[k] for k in range(K)]
            else:
                terms = [ACTIVATION[model](field) for field in h]
            expected[s, e] = math.fsum(terms) / (K if readout == "mean" else 1) + float(b[s, K])
    assert far(predict(network, learned, examples), expected) < SIM_GRADIENT


def plain_loss(network, kind, learned, examples):
    """The loss written for autograd, from torch's own activations."""
    b = whole(learned)
    h = torch.einsum("skn,sbn->skb", learned.w, examples.x) + b[:, :K, None]
    if network.model == "gated-linear":
        value = h * examples.gate
    else:
        value = {"relu": torch.relu, "erf": lambda v: torch.erf(v / math.sqrt(2)), "sigmoid": torch.sigmoid}[
            network.model
        ](h)
    yhat = (value.mean(dim=1) if network.readout == "mean" else value.sum(dim=1)) + b[:, K:]
    return (0.5 if kind == "half-mse" else 1.0) * ((yhat - examples.y) ** 2).mean(dim=1)


@EVERY_BIAS
@pytest.mark.parametrize("kind", ["half-mse", "mse"])
@pytest.mark.parametrize("readout", ["mean", "sum"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 30.0])
@pytest.mark.parametrize("model", MODELS)
def test_gradient_is_autograds(model, scale, readout, kind, biases):
    network, learned, examples = case(model, readout, scale, biases)
    for tensor in learned.tensors():
        tensor.requires_grad_(True)
    value = plain_loss(network, kind, learned, examples)
    value.sum().backward()
    fixed = learned.mapped(torch.Tensor.detach)
    assert far(loss(network, kind, fixed, examples), value.detach()) < SIM_GRADIENT
    found = gradient(network, kind, fixed, examples).tensors()
    for slope, tensor in zip(found, learned.tensors(), strict=True):
        assert far(slope, tensor.grad) < SIM_GRADIENT


def test_relu_at_rest_stays_at_rest():
    """The slope of ReLU at 0 is 0, as in torch."""
    network, learned, examples = case("relu", scale=0.0)
    assert (gradient(network, "mse", learned, examples).w == 0).all()


@EVERY_BIAS
@pytest.mark.parametrize("model", MODELS)
def test_parts_are_predicted_alike(model, biases):
    network, learned, examples = case(model, biases=biases)
    together = predict(network, learned, examples)
    part = examples.part(slice(1, 3), slice(5, 20))
    some = learned.mapped(lambda tensor: tensor[1:3])
    assert far(predict(network, some, part), together[1:3, 5:20]) < SIM_GRADIENT
