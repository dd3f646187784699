"""Pre-activations of hidden units over many examples, in parts of bounded memory."""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float

from sim.training.sizes import PART_NUMBERS


def preactivations(
    w: Float[torch.Tensor, "T *units n"], b: Float[torch.Tensor, "T *units"] | None, x: Float[torch.Tensor, "B n"]
) -> Iterator[Float[torch.Tensor, "T K b"]]:
    """Yield w_k(t).x + b_k(t) of the examples, K the number of all units, in parts of bounded size.

    >>> [part.tolist() for part in preactivations(torch.ones(1, 2, 3), torch.tensor([[0.0, 1.0]]), torch.ones(1, 3))]
    [[[[3.0], [4.0]]]]
    """
    times, n = w.shape[0], w.shape[-1]
    flat, own = w.reshape(times, -1, n), None if b is None else b.reshape(times, -1, 1)
    for part in parts(len(x), math.prod(flat.shape[:2])):
        h = torch.matmul(flat, x[part].T)
        yield h if own is None else h + own


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Yield slices that divide `rows` examples so that each has a bounded count of `columns` numbers an example."""
    size = max(1, PART_NUMBERS // columns)
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))
