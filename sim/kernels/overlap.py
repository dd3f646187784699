"""The overlap of networks from the values of their gates, by products of Gram matrices.

    Lambda(s, s') = prod_l <G_l(s), G_l(s')>        H(s, s') = <x_s, x_s'> Lambda(s, s')

Lambda counts the paths from one input node that are active for both inputs; for soft gates it is the sum over these
paths of the products of their activities. H is the path kernel, the Gram matrix of the path features. Neither needs the
weights, nor the d_in w^(d-1) path features.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float

from sim.kernels.products import sum_of_products


def overlap(gates: Sequence[torch.Tensor]) -> Float[torch.Tensor, "*networks N N"]:
    """Return Lambda(s, s') = prod_(l=1)^(d-1) <G_l(s), G_l(s')>, (*networks, N, N).

    `gates[l]`, (*networks, N, width) with a row for each input, has the gates of a hidden layer, hard (bool, 0 and 1)
    or soft. Up to 2^24 paths are counted exactly in float32 and up to 2^53 in float64. Raises OutOfReachError for a
    result that is too large. Source: NPK paper, Definition 2.2; DLGN paper, Section 3.2.

    >>> gates = [torch.tensor([[True, True, False], [False, True, True]]), torch.tensor([[True, False], [True, True]])]
    >>> overlap(gates).tolist()
    [[2.0, 1.0], [1.0, 4.0]]
    """
    kind = next((gate.dtype for gate in gates if gate.dtype != torch.bool), torch.float64)
    values = as_numbers(gates, kind)
    return sum_of_products([list(zip(values, values, strict=True))])


def as_numbers(gates: Sequence[torch.Tensor], kind: torch.dtype) -> list[torch.Tensor]:
    """Return the gates with hard ones of type bool as the numbers 0 and 1.

    >>> as_numbers([torch.tensor([True])], torch.float32)[0].dtype
    torch.float32
    """
    return [gate.to(kind) if gate.dtype == torch.bool else gate for gate in gates]
