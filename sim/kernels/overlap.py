"""Overlap and path kernel from the values of gates, by products of their Gram matrices.

    Lambda(s, s') = prod_l <G_l(s), G_l(s')>        H(s, s') = <x_s, x_s'> Lambda(s, s')

Lambda counts the paths from one input node that are active for both inputs; for soft gates it is the sum over these
paths of the products of their activities. Neither needs the weights, nor the d_in w^(d-1) path features.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float

from sim.kernels.arguments import check_inputs, check_layer_scale, gate_values
from sim.kernels.products import Pair, Progress, sum_of_products
from theory.problem import InputError


def overlap(
    gates: Sequence[torch.Tensor],
    other: Sequence[torch.Tensor] | None = None,
    *,
    layer_scale: float = 1.0,
    out: torch.Tensor | None = None,
    block: int | None = None,
    progress: Progress | None = None,
) -> Float[torch.Tensor, "*networks N M"]:
    """Return layer_scale^(d-1) Lambda(s, s'), Lambda(s, s') = prod_(l=1)^(d-1) <G_l(s), G_l(s')>, (*networks, N, M).

    `gates[l]`, (*networks, N, width) with a row for each input, has the gates of a hidden layer, hard (bool, 0 and 1)
    or soft; `other` has those of M other inputs, by default the same. With layer_scale = sigma^2, the variance of the
    weights, the result is sigma^(2(d-1)) Lambda. Up to 2^24 paths are counted exactly in float32 and up to 2^53 in
    float64. `out`, `block` and `progress` are those of `products.sum_of_products`.

    Raises InputError for gates whose shapes or types do not fit, OutOfReachError for a result that is too large.
    Source: NPK paper, Definition 2.2; DLGN paper, Section 3.2.

    >>> gates = [torch.tensor([[True, True, False], [False, True, True]]), torch.tensor([[True, False], [True, True]])]
    >>> overlap(gates).tolist()
    [[2.0, 1.0], [1.0, 4.0]]
    """
    pairs = _pairs(gates, other, layer_scale)
    return sum_of_products([pairs], other is None, out, block, progress)


def path_kernel(
    inputs: torch.Tensor,
    gates: Sequence[torch.Tensor],
    other: torch.Tensor | None = None,
    other_gates: Sequence[torch.Tensor] | None = None,
    *,
    layer_scale: float = 1.0,
    out: torch.Tensor | None = None,
    block: int | None = None,
    progress: Progress | None = None,
) -> Float[torch.Tensor, "*networks N M"]:
    """Return layer_scale^(d-1) H, H(s, s') = <x_s, x_s'> Lambda(s, s'), the Gram matrix of the path features.

    `inputs` (N, d_in) and `gates` as for `overlap`; `other` (M, d_in) with `other_gates` is a second set of inputs.
    Raises as `overlap` does. Source: NPK paper, Lemma 2.1.

    >>> inputs = torch.tensor([[1.0, 0.0], [1.0, 2.0]])
    >>> path_kernel(inputs, [torch.tensor([[True, True, False], [False, True, True]])]).tolist()
    [[2.0, 1.0], [1.0, 10.0]]
    """
    check_inputs(inputs)
    if (other is None) != (other_gates is None):
        raise InputError("A second set of inputs needs both `other` and `other_gates`.", "Give both, or neither.")
    columns = inputs if other is None else other
    check_inputs(columns, "other")
    if columns.shape[1] != inputs.shape[1]:
        raise InputError(f"other has {columns.shape[1]} columns, inputs has {inputs.shape[1]}.", "They must agree.")
    first = gate_values(gates, len(inputs), None, inputs)
    second = None if other_gates is None else gate_values(other_gates, len(columns), None, inputs, "other_gates")
    pairs = [(inputs, columns), *(_pairs(first, second, layer_scale) if first or second else [])]
    return sum_of_products([pairs], other is None, out, block, progress)


def _pairs(gates: Sequence[torch.Tensor], other: Sequence[torch.Tensor] | None, layer_scale: float) -> list[Pair]:
    """Return the factors of Lambda, each Gram matrix times `layer_scale`."""
    if len(gates) == 0:
        raise InputError("gates is empty, but an overlap needs a hidden layer.", "Give a matrix for each hidden layer.")
    check_layer_scale(layer_scale)
    rows = gate_values(gates, _rows(gates), None, None)
    columns = rows
    if other is not None:
        columns = gate_values(other, _rows(other), [gate.shape[-1] for gate in rows], rows[0], "other")
    scaled = rows if layer_scale == 1 else [layer_scale * gate for gate in rows]
    return list(zip(scaled, columns, strict=True))


def _rows(gates: Sequence[torch.Tensor]) -> int:
    """Return the number of inputs that the first gates have."""
    first = gates[0] if len(gates) else None
    if not isinstance(first, torch.Tensor) or first.dim() < 2:
        raise InputError("gates[0] must be a tensor (*networks, N, width).", "Rows are inputs, columns are units.")
    return first.shape[-2]
