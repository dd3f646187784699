"""Empirical tangent kernels of deep networks, layer by layer, without a Jacobian.

    K(s, s') = sum_theta d yhat(s)/d theta d yhat(s')/d theta = sum_l <z_(l-1)(s), z_(l-1)(s')> <B_l(s), B_l(s')>

since the gradient in a layer is the outer product B_l z_(l-1)^T. A layer costs two products of an N x width matrix with
its transpose, whereas the Jacobian has N times as many numbers as the network has weights. The gradients in the weights
of a gating network are outer products too, which gives K = K^w + K^a for gates that learn in a network of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.kernels.arguments import check_inputs, check_weights, gate_values
from sim.kernels.passes import Elementwise, Gating, Passes, gating, gating_backward, passes
from sim.kernels.products import Pair, Progress, sum_of_products
from theory.problem import InputError

Kernel = Float[torch.Tensor, "*networks N M"]


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

    Memory: N M numbers for the result, about 2 N (1 + outputs) times the sum of the widths for the vectors, and two
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
    rows = passes(weights, inputs, _checked(gates, inputs, weights, "gates"), activation)
    columns = rows
    if other is not None:
        columns = passes(weights, other, _checked(other_gates, other, weights, "other_gates"), activation)
    return sum_of_products(_of_weights(rows, columns), other is None, out, block, progress)


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
    block: int | None = None,
    progress: Progress | None = None,
) -> SplitKernel:
    """Return K^w and K^a of a network with gates that a second network computes from the same inputs.

    The gating network has p_m = V_m u_(m-1), u_0 = x, u_m = gating_activation(p_m), and the gates G_m = gate(p_m) of
    the hidden layers m = 1 to d - 1; `gating_weights[m - 1]` is V_m. K^w sums over `weights`, K^a over
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
    first = _gated(weights, gating_weights, inputs, gate, gating_activation)
    second = first if other is None else _gated(weights, gating_weights, other, gate, gating_activation)
    (rows, row_gating, row_back), (columns, column_gating, column_back) = first, second
    of_weights = sum_of_products(_of_weights(rows, columns), other is None, None, block, progress)
    pairs = zip(row_gating.sources, column_gating.sources, row_back, column_back, strict=True)
    products = [[(u, v), (d.flatten(-2), e.flatten(-2))] for u, v, d, e in pairs]
    if not products:
        return SplitKernel(of_weights, torch.zeros_like(of_weights))
    return SplitKernel(of_weights, sum_of_products(products, other is None, None, block, progress))


def _gated(
    weights: Sequence[torch.Tensor],
    gating_weights: Sequence[torch.Tensor],
    inputs: torch.Tensor,
    gate: Elementwise,
    activation: Elementwise,
) -> tuple[Passes, Gating, tuple[torch.Tensor, ...]]:
    own = gating(gating_weights, inputs, gate, activation)
    found = passes(weights, inputs, own.gates, None)
    return found, own, gating_backward(gating_weights, own, found)


def _of_weights(rows: Passes, columns: Passes) -> list[list[Pair]]:
    """Return the two factors of each layer; the gradient of an output in its own row of W_d is z_(d-1)."""
    last, others = (rows.forward[-1], columns.forward[-1]), (rows.forward[:-1], columns.forward[:-1])
    products = [[last if rows.outputs == 1 else (rows.outputs * last[0], last[1])]]
    layers = zip(*others, rows.backward, columns.backward, strict=True)
    return products + [[(z, y), (b.flatten(-2), c.flatten(-2))] for z, y, b, c in layers]


def _check(weights: Sequence[torch.Tensor], inputs: torch.Tensor, other: torch.Tensor | None) -> None:
    check_inputs(inputs)
    check_weights(weights, inputs)
    if other is not None:
        check_inputs(other, "other")
        check_weights(weights, other)


def _checked(
    gates: Sequence[torch.Tensor] | None, inputs: torch.Tensor, weights: Sequence[torch.Tensor], name: str
) -> list[torch.Tensor] | None:
    if gates is None:
        return None
    return gate_values(gates, len(inputs), [matrix.shape[-2] for matrix in weights[:-1]], inputs, name)
