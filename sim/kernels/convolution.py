"""Empirical kernels of convolutional networks with shared weights: circular convolution, global average pooling.

With positions i + k modulo n, z_0 = x and G_l the gates or, for an activation f, z_l = f(q_l),

    q_l(c, i) = sum_c' sum_k W_l(c, c', k) z_(l-1)(c', i + k),   z_l = G_l q_l,   yhat = W_d (1/n) sum_i z_(d-1)(., i)

    d yhat/dW_l(c, c', k) = sum_i B_l(c, i) z_(l-1)(c', i + k)

A gradient in shared weights is a sum over positions, so that the Gram matrices of the two factors do not suffice, as
they do for fully connected layers. The kernel is the Gram matrix of these gradients, which are few numbers a layer.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float

from sim.kernels.arguments import check_layer_scale, check_like, check_real
from sim.kernels.convolution_arguments import check_convolution, check_images, image_gates, windows_of
from sim.kernels.passes import Elementwise, with_slope
from sim.kernels.products import Pair, Progress, result, sum_of_products
from theory.problem import InputError, OutOfReachError

# Numbers of a tile of the path kernel, of which there are two at a time.
_TILE = 2**22


def convolution_tangent_kernel(
    weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    other: torch.Tensor | None = None,
    *,
    gates: Sequence[torch.Tensor] | None = None,
    other_gates: Sequence[torch.Tensor] | None = None,
    activation: Elementwise | None = None,
    out: torch.Tensor | None = None,
    block: int | None = None,
    progress: Progress | None = None,
) -> Float[torch.Tensor, "*networks N M"]:
    """Return K(s, s') = sum_c sum_theta d yhat_c(s)/d theta d yhat_c(s')/d theta of a convolutional network.

    `inputs` are (N, channels, n). `weights[l - 1]` is W_l, (*networks, channels, channels before, window), and the last
    one is W_d, (*networks, outputs, channels). The network has either `gates`, (*networks, N, channels, n) for each
    convolution, or an elementwise `activation`. Rows of the kernel are the inputs, columns those of `other` with
    `other_gates`, by default the same inputs. Several outputs c are summed. Given gates do not depend on the weights.

    Memory: N M numbers for the result, and N times the number of weights times the outputs for the gradients. `out`,
    `block` and `progress` are those of `products.sum_of_products`. All tensors have one type, float32 or float64.

    Raises InputError for shapes or types that do not fit, OutOfReachError for a kernel that is too large.
    Source: DGN paper, Section 4, for the network.

    >>> weights = [torch.tensor([[[5.0]]]), torch.tensor([[2.0]])]
    >>> convolution_tangent_kernel(weights, torch.tensor([[[3.0]]]), activation=torch.relu).tolist()  # 15^2 + 6^2
    [[261.0]]
    """
    if (gates is None) == (activation is None):
        raise InputError("A network has either `gates` or an `activation`.", "Give exactly one of them.")
    if other_gates is not None and (gates is None or other is None):
        raise InputError("other_gates are the gates of a second set of inputs.", "Give `other` and `gates` too.")
    if other is not None and gates is not None and other_gates is None:
        raise InputError("The inputs in `other` have gates too.", "Give other_gates.")
    rows = _gradients(weights, inputs, gates, activation, "inputs", "gates")
    columns = rows
    if other is not None:
        columns = _gradients(weights, other, other_gates, activation, "other", "other_gates")
    products: list[list[Pair]] = [[pair] for pair in zip(rows, columns, strict=True)]
    return sum_of_products(products, other is None, out, block, progress)


def convolution_path_kernel(
    inputs: torch.Tensor,
    gates: Sequence[torch.Tensor],
    windows: Sequence[int],
    other: torch.Tensor | None = None,
    other_gates: Sequence[torch.Tensor] | None = None,
    *,
    layer_scale: float = 1.0,
    out: torch.Tensor | None = None,
) -> Float[torch.Tensor, "*networks N M"]:
    """Return layer_scale^(d-1) H, H(s, s') = sum_p phi(s, p) phi(s', p) over the paths of a convolutional network.

    A path is a channel at a position of x, then one of each convolution whose window `windows[l - 1]` has the node
    before; phi(s, p) is x_s where p starts times the gates along p. The sum is taken level by level,

        R_0(i) = sum_c x_s(c, i) x_s'(c, i),   R_l(i) = sum_c G_l(s; c, i) G_l(s'; c, i) sum_(k < window) R_(l-1)(i + k)

    and H = sum_i R_(d-1)(i). Paths with equal channels and shifts share their value, so that here H is not the kernel
    of networks with random weights. `inputs` are (N, channels, n), `gates[l - 1]` (*networks, N, channels, n), hard
    (bool, 0 and 1) or soft. Raises InputError for shapes that do not fit, OutOfReachError for a kernel that is too
    large for the memory of a run or for the numbers of its type.

    >>> x, gates = torch.tensor([[[1.0, 2.0, 0.0]]]), [torch.tensor([[[True, True, False]]])]
    >>> convolution_path_kernel(x, gates, [2]).tolist()  # paths from 1 to 0, and from 2 to 0 and 1
    [[9.0]]
    """
    check_images(inputs, "inputs")
    check_layer_scale(layer_scale)
    if (other is None) != (other_gates is None):
        raise InputError("`other` and `other_gates` belong together.", "Give both, or none.")
    left = image_gates(gates, None, inputs, "gates")
    right, columns = left, inputs if other is None else other
    if other is not None:
        check_images(other, "other")
        right = image_gates(other_gates, [gate.shape[-2] for gate in left], other, "other_gates")
        if other.shape[1:] != inputs.shape[1:]:
            raise InputError(
                f"inputs have {tuple(inputs.shape[1:])} channels and positions, other {tuple(other.shape[1:])}.",
                "Both sets of inputs are of one network.",
            )
    spans = windows_of(windows, len(left), inputs.shape[-1])
    networks = torch.broadcast_shapes(*(gate.shape[:-3] for gate in (*left, *right)))
    found = result(out, (*networks, len(inputs), len(columns)), inputs)
    side = max(1, _TILE // (inputs.shape[-1] * networks.numel() * len(columns)))
    for start in range(0, len(inputs), side):
        part = slice(start, start + side)
        sums = _position_grams(inputs[part], columns)
        for own, theirs, span in zip(left, right, spans, strict=True):
            reached = sum(sums.roll(-shift, -3) for shift in range(span))
            sums = layer_scale * _position_grams(own[..., part, :, :], theirs) * reached
        found[..., part, :] = sums.sum(-3)
    _refuse_overflow(found, (inputs, columns, *left, *right))
    return found


def convolution_gates_of(
    weights: Sequence[torch.Tensor], inputs: torch.Tensor, gate: Elementwise, activation: Elementwise
) -> list[Float[torch.Tensor, "*networks N channels n"]]:
    """Return the gates gate(q_l), q_l the convolution of z_(l-1) by `weights[l - 1]`, z_l = activation(q_l), z_0 = x.

    `weights` are the convolutions alone, without W_d. Raises InputError for shapes that do not fit.

    >>> weights, x = [torch.tensor([[[1.0, -1.0]]])], torch.tensor([[[1.0, 2.0, 0.0]]])
    >>> convolution_gates_of(weights, x, gate=lambda q: q > 0, activation=torch.relu)[0].tolist()  # q = (-1, 2, -1)
    [[[0.0, 1.0, 0.0]]]
    """
    check_images(inputs, "inputs")
    check_convolution(weights, inputs)
    z, found = inputs, []
    for kernel in weights:
        q = _convolved(kernel, z)
        found.append(gate(q).to(q.dtype))
        z = activation(q)
    return found


def _convolved(kernel: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    """Return sum_c' sum_k kernel(c, c', k) z(c', i + k), (*networks, N, channels, n)."""
    return sum(kernel[..., None, :, :, k] @ z.roll(-k, -1) for k in range(kernel.shape[-1]))


def _position_grams(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return sum_c left(s, c, i) right(s', c, i) for each position i, (*networks, n, N, M)."""
    return left.movedim(-1, -3) @ right.movedim(-1, -3).mT


def _gradients(
    weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    gates: Sequence[torch.Tensor] | None,
    activation: Elementwise | None,
    name: str,
    gates_name: str,
) -> list[torch.Tensor]:
    """Return the gradients by the weights of each layer, (*networks, N, outputs x weights), the last layer first.

    That of an output by its own row of W_d stands for all outputs, times the root of their number.
    """
    check_images(inputs, name)
    if len(weights) < 2:
        raise InputError(f"weights has {len(weights)} layers.", "Give the convolutions, and W_d as the last one.")
    check_convolution(weights[:-1], inputs)
    *kernels, readout = weights
    widths = [kernel.shape[-3] for kernel in kernels]
    _check_readout(readout, kernels[-1])
    own = None if gates is None else image_gates(gates, widths, inputs, gates_name)
    n, forward, slopes = inputs.shape[-1], [inputs], []
    for number, kernel in enumerate(kernels):
        q = _convolved(kernel, forward[-1])
        value, slope = (q * own[number], own[number]) if own is not None else with_slope(activation, q)
        forward.append(value)
        slopes.append(slope)
    outputs = readout.shape[-2]
    found = [outputs**0.5 * forward[-1].mean(-1)]
    # (*networks, N, outputs, channels, n)
    back = (readout / n)[..., None, :, :, None].expand(*readout.shape[:-2], 1, *readout.shape[-2:], n)
    for number in reversed(range(len(kernels))):
        kernel, z = kernels[number], forward[number]
        back = back * slopes[number].unsqueeze(-3)
        shifts = range(kernel.shape[-1])
        by_shift = [back @ z.roll(-k, -1).unsqueeze(-3).mT for k in shifts]  # (*networks, N, outputs, after, before)
        found.append(torch.stack(by_shift, -1).flatten(-4))
        if number > 0:
            back = sum((kernel[..., None, None, :, :, k].mT @ back).roll(k, -1) for k in shifts)
    return found


def _check_readout(readout: torch.Tensor, last: torch.Tensor) -> None:
    """Raise InputError unless the last layer is (*networks, outputs, channels)."""
    check_real(readout, "weights[-1]")
    check_like(readout, last, "weights[-1]")
    if readout.dim() != last.dim() - 1 or readout.shape[-1] != last.shape[-3] or readout.shape[:-2] != last.shape[:-3]:
        raise InputError(
            f"weights[-1] has shape {tuple(readout.shape)}, and the convolution before it {tuple(last.shape)}.",
            f"W_d is (*networks, outputs, {last.shape[-3]}): a number for each channel, not for each position.",
        )


def _refuse_overflow(found: torch.Tensor, given: Sequence[torch.Tensor]) -> None:
    if bool(found.isfinite().all()):
        return
    if not all(bool(values.isfinite().all()) for values in given):
        raise InputError("Inputs or gates are not all finite numbers.", "Check them for nan and inf.")
    raise OutOfReachError(
        f"An entry of the kernel is larger than {torch.finfo(found.dtype).max:.1e}, the largest number of "
        f"{found.dtype}.",
        "Use float64, or give layer_scale, for example 2 / (window times channels).",
        "overflow",
    )
