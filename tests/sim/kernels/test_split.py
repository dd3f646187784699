"""K = K^w + K^a of networks whose gates learn, against Jacobians of autograd in the parameters of both networks."""

import pytest
import torch

from sim.kernels import split_kernel, tangent_kernel
from tests.sim.kernels.networks import drawn, jacobian, kernel, learnable, points
from tests.tolerances_of_empirical_kernels import EMPIRICAL_KERNEL
from theory.problem import InputError

ROWS, COLUMNS, BETA, EPS = 7, 5, 4, 0.1


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
    weights, gating = drawn(widths), drawn(widths[:-1], seed=3)
    x, y = points(ROWS, widths[0]), points(COLUMNS, widths[0], seed=5)
    (w, a), (v, b) = (by_autograd(weights, gating, inputs, gate, activation) for inputs in (x, y))
    own = split_kernel(weights, gating, x, gate=gate, gating_activation=activation, block=3)
    assert close(own.of_weights, kernel(w, w))
    assert close(own.of_gates, kernel(a, a))
    assert close(own.total, kernel(torch.cat([w, a], -1), torch.cat([w, a], -1)))
    both = split_kernel(weights, gating, x, y, gate=gate, gating_activation=activation)
    assert close(both.of_weights, kernel(w, v))
    assert close(both.of_gates, kernel(a, b))


@pytest.mark.parametrize(
    ("gating", "message"),
    [
        (drawn((3, 6), seed=3), "gating_weights has 1 layers, but the network has 2 hidden layers"),
        (drawn((3, 6, 5), seed=3), r"gating_weights\[1\] has 5 units, weights\[1\] has 4"),
        (drawn((2, 6, 4), seed=3), r"gating_weights\[0\] has 2 columns, but 3 inputs feed it"),
    ],
)
def test_gating_networks_that_do_not_fit_are_named(gating, message):
    with pytest.raises(InputError, match=message):
        split_kernel(drawn((3, 6, 4, 1)), gating, points(2, 3), gate=torch.sigmoid, gating_activation=torch.relu)


def test_a_function_that_changes_the_shape_is_named():
    with pytest.raises(InputError, match=r"does not return a tensor of the shape \(2, 6\)"):
        tangent_kernel(drawn((3, 6, 1)), points(2, 3), activation=lambda q: q.sum(-1))
