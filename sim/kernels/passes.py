"""Forward and backward vectors of deep networks on many inputs, by matrix products alone.

    q_l = W_l z_(l-1),  z_l = G_l q_l for given gates or z_l = f(q_l) for an activation,  yhat = q_d
    S_l = W_(l+1)^T B_(l+1),  B_l = G_l S_l or f'(q_l) S_l,  B_d = 1,  so that d yhat/dW_l = B_l z_(l-1)^T

A gating network has the pre-activations p_m = V_m u_(m-1), u_0 = x, u_m = f(p_m), and the gates G_m = g(p_m):

    D_m = g'(p_m) q_m S_m + f'(p_m) V_(m+1)^T D_(m+1),  so that d yhat/dV_m = D_m u_(m-1)^T
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

Elementwise = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Passes:
    """The vectors of a network on N inputs.

    `forward[l]` is z_l, (*networks, N, width), l = 0 to d - 1, and `backward[l - 1]` is B_l, (*networks, N, outputs,
    width), for the hidden layers l = 1 to d - 1. `preactivations[l - 1]` is q_l and `sensitivities[l - 1]` S_l, of the
    shape of B_l; both are empty unless gates that learn need them.
    """

    forward: tuple[torch.Tensor, ...]
    backward: tuple[torch.Tensor, ...]
    outputs: int
    preactivations: tuple[torch.Tensor, ...] = ()
    sensitivities: tuple[torch.Tensor, ...] = ()


@dataclass(frozen=True)
class Gating:
    """The vectors of a gating network on N inputs: u_(m-1), g(p_m), g'(p_m) and f'(p_m) for the hidden layers m."""

    sources: tuple[torch.Tensor, ...]
    gates: tuple[torch.Tensor, ...]
    gate_slopes: tuple[torch.Tensor, ...]
    slopes: tuple[torch.Tensor, ...]


def passes(
    weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    gates: Sequence[torch.Tensor] | None,
    activation: Elementwise | None,
    for_gates: bool = False,
) -> Passes:
    """Return the vectors of the network, for given gates or, where they are None, for an activation.

    `for_gates` keeps the vectors that the gradients of the gates need.

    >>> weights = [torch.tensor([[1.0, 0.0], [0.0, -1.0]]), torch.tensor([[2.0, 3.0]])]
    >>> found = passes(weights, torch.tensor([[4.0, 5.0]]), None, torch.relu)
    >>> found.forward[1].tolist(), found.backward[0].tolist()
    ([[4.0, 0.0]], [[[2.0, 0.0]]])
    """
    forward, preactivations, slopes = [inputs], [], []
    for number, matrix in enumerate(weights[:-1]):
        q = forward[-1] @ matrix.mT
        value, slope = (q * gates[number], gates[number]) if gates is not None else with_slope(activation, q)
        if for_gates:
            preactivations.append(q)
        forward.append(value)
        slopes.append(slope)
    sensitivities, backward = [], []
    sensitivity = weights[-1].unsqueeze(-3)
    for number in reversed(range(len(slopes))):
        if number < len(slopes) - 1:
            sensitivity = transposed(weights[number + 1], backward[-1])
        if for_gates:
            sensitivities.append(sensitivity)
        backward.append(sensitivity * slopes[number].unsqueeze(-2))
    outputs = weights[-1].shape[-2]
    return Passes(
        tuple(forward), tuple(reversed(backward)), outputs, tuple(preactivations), tuple(reversed(sensitivities))
    )


def gating(weights: Sequence[torch.Tensor], inputs: torch.Tensor, gate: Elementwise, activation: Elementwise) -> Gating:
    """Return the vectors of a gating network with the gates g and the activation f.

    >>> gating([torch.tensor([[1.0], [-1.0]])], torch.tensor([[3.0]]), torch.sigmoid, torch.relu).slopes[0].tolist()
    [[1.0, 0.0]]
    """
    sources, gates, gate_slopes, slopes = [inputs], [], [], []
    for matrix in weights:
        p = sources[-1] @ matrix.mT
        value, gate_slope = with_slope(gate, p)
        passed, slope = with_slope(activation, p)
        gates.append(value)
        gate_slopes.append(gate_slope)
        slopes.append(slope)
        sources.append(passed)
    return Gating(tuple(sources[:-1]), tuple(gates), tuple(gate_slopes), tuple(slopes))


def gating_backward(weights: Sequence[torch.Tensor], network: Gating, gated: Passes) -> tuple[torch.Tensor, ...]:
    """Return D_m, (*networks, N, outputs, width), of each layer of the gating network `weights`."""
    found: list[torch.Tensor] = []
    for m in reversed(range(len(weights))):
        through_gate = gated.sensitivities[m] * (network.gate_slopes[m] * gated.preactivations[m]).unsqueeze(-2)
        if found:
            through_gate = through_gate + transposed(weights[m + 1], found[-1]) * network.slopes[m].unsqueeze(-2)
        found.append(through_gate)
    return tuple(reversed(found))


def with_slope(function: Elementwise, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return f(values) and f'(values), by autograd, of a function that acts on each number alone.

    A function whose result does not depend on its argument as far as autograd knows, such as a step, has slope 0.

    >>> [part.tolist() for part in with_slope(torch.relu, torch.tensor([-1.0, 0.0, 2.0]))]
    [[0.0, 0.0, 2.0], [0.0, 0.0, 1.0]]
    """
    with torch.enable_grad():
        argument = values.detach().requires_grad_()
        value = function(argument).to(values.dtype)
        if not value.requires_grad:
            return value, torch.zeros_like(values)
        ones = torch.ones((), dtype=values.dtype, device=values.device).expand_as(value)
        (slope,) = torch.autograd.grad(value, argument, ones)
    return value.detach(), slope


def transposed(matrix: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
    """Return W^T v for the vectors (*networks, N, outputs, target) of each input and output."""
    flat = vectors.flatten(-3, -2) @ matrix
    return flat.unflatten(-2, vectors.shape[-3:-1])
