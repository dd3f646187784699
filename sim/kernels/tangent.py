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

from sim.kernels.arguments import check_inputs, check_weights, gate_values
from sim.kernels.passes import Elementwise, gating, gating_backward, passes
from sim.kernels.products import Pair, Progress, sum_of_products
from theory.problem import InputError

Kernel = Float[torch.Tensor, "*networks N M"]

# Inputs whose vectors are computed at once, so that on a CPU intermediate ones stay in the second-level cache.
_PART = {"cpu": 256, "cuda": 2**16}


def tangent_kernel(
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
) -> Kernel:
    """Return K(s, s') = sum_c sum_theta d yhat_c(s)/d theta d yhat_c(s')/d theta, (*networks, N, M).

    yhat = W_d z_(d-1) with z_l = G_l W_l z_(l-1) for `gates`, a list of (*networks, N, width) for the hidden layers, or
    z_l = f(W_l z_(l-1)) for an elementwise `activation`: give one of them. `weights[l - 1]` is W_l, (*networks,
    target, source), `inputs` (N, d_in); rows of the kernel are the inputs, columns those of `other` (M, d_in) with
    `other_gates`, by default the same inputs. Several outputs c are summed; each layer has weights of its own. Given
    gates do not depend on the weights, so that for them K is K^w of the DGN paper and K^V of the NPK paper.

    Memory: N M numbers for the result, N (1 + outputs) times the sum of the hidden widths for the vectors, and two
    tiles. `out`, `block` and `progress` are those of `products.sum_of_products`. All tensors have one type, float32 or
    float64, and lie on one device. An entry has an error of some rounding errors of sqrt(K(s, s) K(s', s')).

    Raises InputError for shapes or types that do not fit, OutOfReachError for a kernel that is too large.

    >>> weights = [torch.tensor([[2.0]]), torch.tensor([[3.0]])]
    >>> tangent_kernel(weights, torch.tensor([[1.0], [-5.0]]), activation=torch.relu).tolist()  # 3^2 + 2^2 where x > 0
    [[13.0, 0.0], [0.0, 0.0]]
    """
    _check(weights, inputs, other)
    if (gates is None) == (activation is None):
        raise InputError("A network has either `gates` or an `activation`.", "Give exactly one of them.")
    if other_gates is not None and (gates is None or other is None):
        raise InputError("other_gates are the gates of a second set of inputs.", "Give `other` and `gates` too.")
    if other is not None and gates is not None and other_gates is None:
        raise InputError("The inputs in `other` have gates too.", "Give other_gates.")
    outputs = weights[-1].shape[-2]
    rows = _network(weights, inputs, _checked(gates, inputs, weights, "gates"), activation)
    columns = rows
    if other is not None:
        columns = _network(weights, other, _checked(other_gates, other, weights, "other_gates"), activation)
    return sum_of_products(_of_weights(rows, columns, outputs), other is None, out, block, progress)


@dataclass(frozen=True)
class SplitKernel:
    """The two parts of the tangent kernel of a network whose gates learn: K = K^w + K^a, each (*networks, N, M)."""

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
    other: torch.Tensor | None = None,
    *,
    gate: Elementwise,
    gating_activation: Elementwise,
    value_inputs: torch.Tensor | None = None,
    other_value_inputs: torch.Tensor | None = None,
    block: int | None = None,
    progress: Progress | None = None,
) -> SplitKernel:
    """Return K^w and K^a of a network with gates that a second network computes from the same inputs.

    The gating network has p_m = V_m u_(m-1), u_0 = x, u_m = gating_activation(p_m), and the gates G_m = gate(p_m) of
    the hidden layers m = 1 to d - 1; `gating_weights[m - 1]` is V_m. `value_inputs`, of the shape of `inputs`, are what
    the gated network takes in place of the inputs, such as ones in a DLGN with constant experts; `other_value_inputs`
    those of `other`. K^w sums over `weights`, K^a over
    `gating_weights`. Both functions are elementwise and neither has a default, because the papers differ: on the gate
    (1 + eps) / (1 + exp(-beta p)) the DGN paper puts the activation p G(p), the NPK paper relu, and the DLGN paper the
    identity. A hard gate has slope 0, and K^a = 0.

    The other arguments, the errors and the memory are those of `tangent_kernel`; `progress` counts the entries of one
    kernel after the other. Source: DGN paper, Section 3 (K^w, K^a); NPK paper, Proposition 4.1 (K^V, K^F).

    >>> split = split_kernel(
    ...     [torch.ones(1, 1), torch.ones(1, 1)], [torch.zeros(1, 1)], torch.tensor([[2.0]]),
    ...     gate=torch.sigmoid, gating_activation=torch.relu,
    ... )
    >>> split.of_weights.item(), split.of_gates.item()  # 2 (2 / 2)^2, and (2 x 2 / 4)^2
    (2.0, 1.0)
    """
    _check(weights, inputs, other)
    if len(gating_weights) != len(weights) - 1:
        raise InputError(
            f"gating_weights has {len(gating_weights)} layers, but the network has {len(weights) - 1} hidden layers.",
            "The output has no gate.",
        )
    if gating_weights:
        check_weights(gating_weights, inputs, "gating_weights")
    for number, (own, gated) in enumerate(zip(gating_weights, weights, strict=False)):
        if own.shape[-2] != gated.shape[-2]:
            raise InputError(
                f"gating_weights[{number}] has {own.shape[-2]} units, weights[{number}] has {gated.shape[-2]}.",
                "A unit of the gating network is the gate of the same unit of the network.",
            )
    outputs = weights[-1].shape[-2]
    own = _values(value_inputs, inputs, "value_inputs")
    first = _gated(weights, gating_weights, inputs, own, gate, gating_activation)
    second = first
    if other is not None:
        if (value_inputs is None) != (other_value_inputs is None):
            raise InputError("Both sets of inputs need value inputs, or neither.", "Give other_value_inputs too.")
        own = _values(other_value_inputs, other, "other_value_inputs")
        second = _gated(weights, gating_weights, other, own, gate, gating_activation)
    elif other_value_inputs is not None:
        raise InputError("other_value_inputs belong to a second set of inputs.", "Give `other` too.")
    (rows, row_gates), (columns, column_gates) = first, second
    of_weights = sum_of_products(_of_weights(rows, columns, outputs), other is None, None, block, progress)
    if not gating_weights:
        return SplitKernel(of_weights, torch.zeros_like(of_weights))
    of_gates = sum_of_products(_layers(row_gates, column_gates), other is None, None, block, progress)
    return SplitKernel(of_weights, of_gates)


@dataclass(frozen=True)
class _Gradients:
    """The two factors of the gradients in each layer, for N inputs: d yhat/dW_l = backward[l - 1] forward[l - 1]^T.

    `forward` are (*networks, N, source) and `backward` (*networks, N, outputs x target), the outputs side by side.
    Those of the weights have one more entry in `forward`: the gradient of an output in its own row of W_d.
    """

    forward: tuple[torch.Tensor, ...]
    backward: tuple[torch.Tensor, ...]


def _network(
    weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    gates: Sequence[torch.Tensor] | None,
    activation: Elementwise | None,
) -> _Gradients:
    def vectors(part: slice) -> list[torch.Tensor]:
        own = None if gates is None else [gate[..., part, :] for gate in gates]
        found = passes(weights, inputs[part], own, activation)
        return [*found.forward[1:], *(b.flatten(-2) for b in found.backward)]

    found, hidden = _in_parts(vectors, inputs), len(weights) - 1
    return _Gradients((inputs, *found[:hidden]), tuple(found[hidden:]))


def _gated(
    weights: Sequence[torch.Tensor],
    gating_weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    values: torch.Tensor,
    gate: Elementwise,
    activation: Elementwise,
) -> tuple[_Gradients, _Gradients]:
    """Return the gradients in the weights, of a network that takes `values`, and those in the gating weights."""

    def vectors(part: slice) -> list[torch.Tensor]:
        own = gating(gating_weights, inputs[part], gate, activation)
        found = passes(weights, values[part], own.gates, None, for_gates=True)
        backward = (*found.backward, *gating_backward(gating_weights, own, found))
        return [*found.forward[1:], *own.sources[1:], *(b.flatten(-2) for b in backward)]

    found, hidden = _in_parts(vectors, inputs), len(gating_weights)
    sources = 2 * hidden - 1 if hidden else 0
    forward, backward = found[:sources], found[sources:]
    return (
        _Gradients((values, *forward[:hidden]), tuple(backward[:hidden])),
        _Gradients((inputs, *forward[hidden:]), tuple(backward[hidden:])),
    )


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


def _of_weights(rows: _Gradients, columns: _Gradients, outputs: int) -> list[list[Pair]]:
    """Return the two Gram matrices of each layer; that of the backward vectors of the last layer is `outputs`."""
    left, right = rows.forward[-1], columns.forward[-1]
    return [[(left if outputs == 1 else outputs * left, right)], *_layers(rows, columns)]


def _layers(rows: _Gradients, columns: _Gradients) -> list[list[Pair]]:
    count = len(rows.backward)
    layers = zip(rows.forward[:count], columns.forward[:count], rows.backward, columns.backward, strict=True)
    return [[(z, y), (b, c)] for z, y, b, c in layers]


def _check(weights: Sequence[torch.Tensor], inputs: torch.Tensor, other: torch.Tensor | None) -> None:
    check_inputs(inputs)
    check_weights(weights, inputs)
    if other is not None:
        check_inputs(other, "other")
        check_weights(weights, other)


def _values(given: torch.Tensor | None, inputs: torch.Tensor, name: str) -> torch.Tensor:
    if given is None:
        return inputs
    check_inputs(given, name)
    if given.shape != inputs.shape or given.dtype != inputs.dtype:
        raise InputError(
            f"{name} is {tuple(given.shape)} of {given.dtype}, the inputs are {tuple(inputs.shape)} of {inputs.dtype}.",
            "Give one row of the same length for each input.",
        )
    return given


def _checked(
    gates: Sequence[torch.Tensor] | None, inputs: torch.Tensor, weights: Sequence[torch.Tensor], name: str
) -> list[torch.Tensor] | None:
    if gates is None:
        return None
    return gate_values(gates, len(inputs), [matrix.shape[-2] for matrix in weights[:-1]], inputs, name)
