"""Empirical tangent kernels of deep networks, layer by layer, without a Jacobian.

    K(s, s') = sum_theta d yhat(s)/d theta d yhat(s')/d theta = sum_l <z_(l-1)(s), z_(l-1)(s')> <B_l(s), B_l(s')>

since the gradient in a layer is the outer product B_l z_(l-1)^T. A layer costs two products of an N x width matrix with
its transpose, whereas the Jacobian has N times as many numbers as the network has weights. The gradients in the weights
of a gating network are outer products too, which gives K = K^w + K^a for gates that learn in a network of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.kernels.overlap import as_numbers
from sim.kernels.products import Pair, sum_of_products

Elementwise = Callable[[torch.Tensor], torch.Tensor]
Kernel = Float[torch.Tensor, "*networks N N"]

# Inputs whose vectors are computed at once, so that on a CPU intermediate ones stay in the second-level cache.
_PART = {"cpu": 256, "cuda": 2**16}


def tangent_kernel(
    weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    *,
    gates: Sequence[torch.Tensor] | None = None,
    activation: Elementwise | None = None,
) -> Kernel:
    """Return K(s, s') = sum_c sum_theta d yhat_c(s)/d theta d yhat_c(s')/d theta, (*networks, N, N).

    yhat = W_d z_(d-1) with z_l = G_l W_l z_(l-1) for `gates`, a list of (*networks, N, width) for the hidden layers, or
    z_l = f(W_l z_(l-1)) for an elementwise `activation`: give one of them. `weights[l - 1]` is W_l, (*networks,
    target, source), `inputs` (N, d_in). Several outputs c are summed; each layer has weights of its own. Given gates do
    not depend on the weights, so that for them K is K^w of the DGN paper and K^V of the NPK paper.

    Memory: N^2 numbers for the result, N (1 + outputs) times the sum of the hidden widths for the vectors, and two
    tiles. All tensors have one type, float32 or float64, and lie on one device. An entry has an error of some rounding
    errors of sqrt(K(s, s) K(s', s')). Raises OutOfReachError for a kernel that is too large.

    >>> weights = [torch.tensor([[2.0]]), torch.tensor([[3.0]])]
    >>> tangent_kernel(weights, torch.tensor([[1.0], [-5.0]]), activation=torch.relu).tolist()  # 3^2 + 2^2 where x > 0
    [[13.0, 0.0], [0.0, 0.0]]
    """
    values = None if gates is None else as_numbers(gates, inputs.dtype)

    def outputs(part: slice, seen: Layers) -> torch.Tensor:
        z = inputs[part]
        for number, matrix in enumerate(weights[:-1]):
            q = seen.add(z, matrix)
            z = activation(q) if values is None else q * values[number][..., part, :]
        return seen.add(z, weights[-1])

    return sum_of_products(_products(outputs, inputs, (*weights, *(values or ())), weights[-1].shape[-2]))


@dataclass(frozen=True)
class SplitKernel:
    """The two parts of the tangent kernel of a network whose gates learn: K = K^w + K^a, each (*networks, N, N)."""

    of_weights: Kernel
    of_gates: Kernel

    @property
    def total(self) -> Kernel:
        """K = K^w + K^a, with which the errors of all parameters' gradient flow decay."""
        return self.of_weights + self.of_gates


def split_kernel(
    weights: Sequence[torch.Tensor],
    gating_weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    *,
    gate: Elementwise,
    gating_activation: Elementwise,
    value_inputs: torch.Tensor | None = None,
) -> SplitKernel:
    """Return K^w and K^a of a network with gates that a second network computes from the same inputs.

    The gating network has p_m = V_m u_(m-1), u_0 = x, u_m = gating_activation(p_m), and the gates G_m = gate(p_m) of
    the hidden layers m = 1 to d - 1; `gating_weights[m - 1]` is V_m. `value_inputs`, of the shape of `inputs`, are what
    the gated network takes in place of the inputs, such as ones in a DLGN with constant experts. K^w sums over
    `weights`, K^a over `gating_weights`. Both functions are elementwise and neither has a default, because the papers
    differ: on the gate (1 + eps) / (1 + exp(-beta p)) the DGN paper puts the activation p G(p), the NPK paper relu, and
    the DLGN paper the identity. A hard gate has slope 0, and K^a = 0.

    The errors and the memory are those of `tangent_kernel`. Source: DGN paper, Section 3 (K^w, K^a); NPK paper,
    Proposition 4.1 (K^V, K^F).

    >>> split = split_kernel(
    ...     [torch.ones(1, 1), torch.ones(1, 1)], [torch.zeros(1, 1)], torch.tensor([[2.0]]),
    ...     gate=torch.sigmoid, gating_activation=torch.relu,
    ... )
    >>> split.of_weights.item(), split.of_gates.item()  # 2 (2 / 2)^2, and (2 x 2 / 4)^2
    (2.0, 1.0)
    """
    values = inputs if value_inputs is None else value_inputs

    def outputs(part: slice, seen: Layers) -> torch.Tensor:
        u, gates = inputs[part], []
        for matrix in gating_weights:
            p = seen.add(u, matrix)
            gates.append(gate(p).to(p.dtype))
            u = gating_activation(p)
        z = values[part]
        for matrix, opened in zip(weights[:-1], gates, strict=True):
            z = seen.add(z, matrix) * opened
        return seen.add(z, weights[-1])

    count = len(gating_weights)
    products = _products(outputs, inputs, (*weights, *gating_weights), weights[-1].shape[-2])
    return SplitKernel(sum_of_products(products[count:]), sum_of_products(products[:count]))


class Layers:
    """The sources z_(l-1) and preactivations q_l = W_l z_(l-1) of the layers of a pass of networks, in its order."""

    def __init__(self, networks: torch.Size) -> None:
        self.networks = networks
        self.sources: list[torch.Tensor] = []
        self.preactivations: list[torch.Tensor] = []

    def add(self, z: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
        """Return W z of each network, by which autograd can differentiate."""
        q = z @ matrix.mT
        q = q.expand(*self.networks, *q.shape[-2:])
        if not q.requires_grad:
            q.requires_grad_()
        self.sources.append(z)
        self.preactivations.append(q)
        return q


def _products(
    pass_of: Callable[[slice, Layers], torch.Tensor],
    inputs: torch.Tensor,
    declared: Sequence[torch.Tensor],
    outputs: int,
) -> list[list[Pair]]:
    """Return the two Gram matrices of each layer of a pass, of which the last layer gives the outputs.

    The weights and gates that are `declared` say how many networks there are.
    """
    networks = torch.broadcast_shapes(*(each.shape[:-2] for each in declared))

    def vectors(part: slice) -> list[torch.Tensor]:
        seen = Layers(networks)
        with torch.enable_grad():
            yhat = pass_of(part, seen)
        *hidden, _ = seen.preactivations
        # An output of one input depends on no preactivation of another: one sum over inputs gives the slopes of all.
        slopes = [
            torch.autograd.grad(yhat[..., c].sum(), hidden, retain_graph=c < outputs - 1, materialize_grads=True)
            for c in range(outputs if hidden else 0)
        ]
        backward = [torch.cat(parts, dim=-1) if parts[1:] else parts[0] for parts in zip(*slopes, strict=True)]
        return [*(z.detach() for z in seen.sources), *backward]

    factors = _in_parts(vectors, inputs)
    hidden = len(factors) // 2
    last = factors[hidden]  # the slopes of the outputs by their own preactivations are 1
    pairs = zip(factors[:hidden], factors[hidden + 1 :], strict=True)
    products: list[list[Pair]] = [[(z, z), (b, b)] for z, b in pairs]
    return [*products, [(last if outputs == 1 else outputs * last, last)]]


def _in_parts(vectors: Callable[[slice], list[torch.Tensor]], inputs: torch.Tensor) -> list[torch.Tensor]:
    """Return the vectors of all inputs, (*networks, N, width), from those of the parts of the inputs."""
    rows, size = len(inputs), _PART.get(inputs.device.type, _PART["cpu"])
    found = vectors(slice(0, size))
    if rows <= size:
        return found
    whole = [own.new_empty((*own.shape[:-2], rows, own.shape[-1])) for own in found]
    for start in range(0, rows, size):
        part = slice(start, start + size)
        for target, own in zip(whole, found if start == 0 else vectors(part), strict=True):
            target[..., part, :] = own
    return whole
