"""Tangent kernels of networks with given gates or an activation, against the Jacobians of autograd."""

import pytest
import torch

from sim.kernels import tangent_kernel
from tests.sim.kernels.networks import drawn, hard_gates, points
from tests.tolerances_of_empirical_kernels import EMPIRICAL_KERNEL

ROWS = 7
ACTIVATIONS = {
    "relu": torch.relu,
    "tanh": torch.tanh,
}
WIDTHS = {
    "one layer": (3, 1),
    "four layers": (4, 8, 3, 5, 1),
    "two outputs": (3, 5, 4, 2),
}


def by_autograd(weights, inputs, activation=None, gates=None):
    """The sum over outputs and weights of the products of the Jacobian with itself."""

    def outputs(*own):
        z = inputs
        for number, matrix in enumerate(own[:-1]):
            q = z @ matrix.T
            z = activation(q) if activation else q * gates[number]
        return z @ own[-1].T

    parts = [part.flatten(2) for part in torch.autograd.functional.jacobian(outputs, tuple(weights))]
    return sum(torch.einsum("ncp,mcp->nm", part, part) for part in parts)


def close(found, exact):
    return float((found - exact).abs().max()) <= EMPIRICAL_KERNEL * float(exact.abs().max())


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
@pytest.mark.parametrize("widths", WIDTHS.values(), ids=WIDTHS)
def test_the_kernel_of_an_activation_is_the_product_of_the_jacobians(widths, activation):
    weights, x = drawn(widths), points(ROWS, widths[0])
    assert close(tangent_kernel(weights, x, activation=activation), by_autograd(weights, x, activation))


@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@pytest.mark.parametrize("widths", WIDTHS.values(), ids=WIDTHS)
def test_the_kernel_of_gates_is_the_product_of_the_jacobians(widths, soft):
    weights, x, gates = drawn(widths), points(ROWS, widths[0]), hard_gates(ROWS, widths[1:-1])
    if soft:
        gates = [0.3 + 0.6 * g.double() for g in gates]
    assert close(tangent_kernel(weights, x, gates=gates), by_autograd(weights, x, gates=gates))


@pytest.mark.parametrize("shared", ["gates", "weights"])
def test_networks_may_share_gates_or_weights(shared):
    weights = drawn((3, 6, 4, 1), networks=() if shared == "weights" else (2,))
    x = points(ROWS, 3)
    gates = hard_gates(ROWS, (6, 4))
    each = [gates, hard_gates(ROWS, (6, 4), seed=9)]
    own = gates if shared == "gates" else [torch.stack(layer) for layer in zip(*each, strict=True)]
    found = tangent_kernel(weights, x, gates=own)
    assert found.shape == (2, ROWS, ROWS)
    for i in range(2):
        alone = weights if shared == "weights" else [matrix[i] for matrix in weights]
        assert close(found[i], tangent_kernel(alone, x, gates=gates if shared == "gates" else each[i]))
