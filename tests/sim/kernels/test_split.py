"""K = K^w + K^a of networks whose gates learn, against Jacobians of autograd in the parameters of both networks."""

import pytest
import torch

from sim.kernels import split_kernel
from tests.sim.kernels.networks import drawn, jacobian, kernel, learnable, points
from tests.tolerances_of_empirical_kernels import EMPIRICAL_KERNEL

ROWS, BETA, EPS = 7, 4, 0.1


def dgn_gate(p):
    """(1 + eps) / (1 + exp(-beta p)), Table 2 of the DGN paper."""
    return (1 + EPS) / (1 + torch.exp(-BETA * p))


# The gate and the activation of the gating network in the three papers.
PAPERS = {
    "DGN": (dgn_gate, lambda p: p * dgn_gate(p)),
    "NPK": (lambda p: torch.sigmoid(8 * p), torch.relu),
    "DLGN": (lambda p: torch.sigmoid(10 * p), lambda p: p),
}
WIDTHS = {"four layers": (4, 5, 3, 6, 1), "two outputs": (3, 5, 4, 2)}


def by_autograd(weights, gating_weights, x, gate, activation):
    """The Jacobians in the weights and in the gating weights."""
    own, gating = learnable(weights), learnable(gating_weights)

    def outputs(z, _s):
        u = z
        for matrix, source in zip(own[:-1], gating, strict=True):
            p = source @ u
            z, u = (matrix @ z) * gate(p), activation(p)
        return own[-1] @ z

    return jacobian(outputs, own, x), jacobian(outputs, gating, x)


def close(found, exact):
    return float((found - exact).abs().max()) <= EMPIRICAL_KERNEL * float(exact.abs().max())


@pytest.mark.parametrize(("gate", "activation"), PAPERS.values(), ids=PAPERS)
@pytest.mark.parametrize("widths", WIDTHS.values(), ids=WIDTHS)
def test_both_parts_are_the_products_of_their_jacobians(widths, gate, activation):
    weights, gating, x = drawn(widths), drawn(widths[:-1], seed=3), points(ROWS, widths[0])
    w, a = by_autograd(weights, gating, x, gate, activation)
    own = split_kernel(weights, gating, x, gate=gate, gating_activation=activation)
    assert close(own.of_weights, kernel(w))
    assert close(own.of_gates, kernel(a))
    assert close(own.total, kernel(torch.cat([w, a], -1)))
