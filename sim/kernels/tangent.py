"""Empirical tangent kernels of deep networks, layer by layer, without a Jacobian.

    K(s, s') = sum_theta d yhat(s)/d theta d yhat(s')/d theta = sum_l <z_(l-1)(s), z_(l-1)(s')> <B_l(s), B_l(s')>

since the gradient in a layer is the outer product B_l z_(l-1)^T. A layer costs two products of an N x width matrix with
its transpose, whereas the Jacobian has N times as many numbers as the network has weights. `sim.deep.kernels_of` has
K = K^w + K^a of networks whose gates learn.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float

from sim.kernels.overlap import as_numbers
from sim.kernels.products import sum_of_products

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
    values = () if gates is None else as_numbers(gates, inputs.dtype)
    networks = torch.broadcast_shapes(*(each.shape[:-2] for each in (*weights, *values)))
    *matrices, readout = weights
    outputs = readout.shape[-2]

    def vectors(part: slice) -> list[torch.Tensor]:
        sources, hidden = [inputs[part]], []
        with torch.enable_grad():
            for number, matrix in enumerate(matrices):
                q = sources[-1] @ matrix.mT
                q = q.expand(*networks, *q.shape[-2:])
                hidden.append(q if q.requires_grad else q.requires_grad_())
                sources.append(q * values[number][..., part, :] if values else activation(q))
            yhat = sources[-1] @ readout.mT
        # An output of one input depends on no preactivation of another: one sum over inputs gives the slopes of all.
        slopes = [
            torch.autograd.grad(yhat[..., c].sum(), hidden, retain_graph=c < outputs - 1, materialize_grads=True)
            for c in range(outputs if hidden else 0)
        ]
        backward = [torch.cat(parts, dim=-1) if parts[1:] else parts[0] for parts in zip(*slopes, strict=True)]
        return [*(z.detach() for z in sources), *backward]

    found = _in_parts(vectors, inputs)
    sources, backward = found[: len(matrices)], found[len(weights) :]
    last = found[len(matrices)]  # the slopes of the outputs by their own preactivations are 1
    products = [[(z, z), (b, b)] for z, b in zip(sources, backward, strict=True)]
    return sum_of_products([*products, [(last if outputs == 1 else outputs * last, last)]])


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
