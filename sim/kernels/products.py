"""Sums of products of Gram matrices, one tile of the result at a time.

    K(s, s') = sum_t prod_f <a_tf(s), b_tf(s')>

An overlap is one such product, a tangent kernel has one product of two Gram matrices for each layer. A tile takes two
tiles of scratch memory, so that the memory beyond the result and the factors does not grow with the number of inputs.
"""

import math
from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float

from sim.training.schedule import refuse_too_large
from theory.problem import InputError, OutOfReachError

# The factors of one Gram matrix, both of the same N inputs: (*networks, N, k).
Pair = tuple[torch.Tensor, torch.Tensor]

# Rows of a tile. On a CPU, with fewer rows matrix products pack the columns more often, and with more rows more entries
# are computed twice along the diagonal; on a GPU a tile has work for every multiprocessor.
_ROWS = {"cpu": 256, "cuda": 2048}
_COLUMNS_PER_ROW = 4


def sum_of_products(
    products: Sequence[Sequence[Pair]], block: int | None = None
) -> Float[torch.Tensor, "*networks N N"]:
    """Return K(s, s') = sum_t prod_f <a_tf(s), b_tf(s')>, (*networks, N, N), with `products[t][f]` = (a_tf, b_tf).

    K is symmetric: the tiles up to the diagonal are computed, and the others copied. A tile has `block` rows and
    4 `block` columns. Raises InputError for factors that are not finite, OutOfReachError for a result that is too large
    for the memory of a run or for the numbers of its type.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> sum_of_products([[(x, x), (x, x)], [(x, x)]]).tolist()
    [[30.0, 132.0], [132.0, 650.0]]
    """
    left, _ = products[0][0]
    rows = left.shape[-2]
    networks = torch.broadcast_shapes(*(side.shape[:-2] for product in products for pair in product for side in pair))
    shape, count = (*networks, rows, rows), math.prod(networks)
    what = f"A kernel of {' x '.join(f'{size:,}' for size in shape)} numbers"
    refuse_too_large(what, math.prod(shape), left.element_size(), "Use fewer inputs.")
    out = left.new_empty(shape)
    side = block or _ROWS[left.device.type]
    numbers = count * min(side, rows) * min(_COLUMNS_PER_ROW * side, rows)
    scratch = [left.new_empty(numbers) for _ in range(2)]
    for i, j, k, m in _tiles(rows, side):
        room = [part[: count * (j - i) * (m - k)].view(*networks, j - i, m - k) for part in scratch]
        tile = out[..., i:j, k:m]
        _fill(tile, products, slice(i, j), slice(k, m), room)
        _refuse_overflow(tile, products)
        if m == j:
            _mirror(out, i, j)
    return out


def _tiles(rows: int, side: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield (i, j, k, m) for the rows i to j and columns k to m of each tile up to the diagonal."""
    for i in range(0, rows, side):
        j = min(i + side, rows)
        for k in range(0, j, _COLUMNS_PER_ROW * side):
            yield i, j, k, min(k + _COLUMNS_PER_ROW * side, j)


def _fill(
    tile: torch.Tensor, products: Sequence[Sequence[Pair]], rows: slice, columns: slice, room: Sequence[torch.Tensor]
) -> None:
    """Write the sum of the products into `tile`; `room` are two scratch tensors of its shape."""
    for number, product in enumerate(products):
        first, *others = ((a[..., rows, :], b[..., columns, :].mT) for a, b in product)
        if number == 0:
            _gram(first, tile)
            for pair in others:
                tile.mul_(_gram(pair, room[1]))
        elif len(product) == 1:
            tile.add_(_gram(first, room[0]))
        else:
            term = _gram(first, room[0])
            for pair in others[:-1]:
                term.mul_(_gram(pair, room[1]))
            tile.addcmul_(term, _gram(others[-1], room[1]))


def _gram(pair: Pair, room: torch.Tensor) -> torch.Tensor:
    """Return the product of the two matrices in `room`; factors that all networks share are multiplied once."""
    left, right = pair
    if left.dim() == right.dim() == room.dim():
        return torch.matmul(left, right, out=room)
    return room.copy_(left @ right)


def _mirror(out: torch.Tensor, i: int, j: int) -> None:
    """Copy the rows i to j left of the diagonal to the columns above it."""
    corner = out[..., i:j, i:j]
    corner.copy_(corner.tril() + corner.tril(-1).mT)
    if i:
        out[..., :i, i:j] = out[..., i:j, :i].mT


def _refuse_overflow(tile: torch.Tensor, products: Sequence[Sequence[Pair]]) -> None:
    # The sum is finite unless an entry is not, or the sum itself overflows: the search through the tile is rare.
    if math.isfinite(tile.sum().item()) or bool(tile.isfinite().all()):
        return
    if not all(bool(side.isfinite().all()) for product in products for pair in product for side in pair):
        raise InputError(
            "Weights, inputs or gates, or what the layers make of them, are not all finite numbers.",
            "Check them for nan and inf; values that overflow in the layers need smaller weights or float64.",
        )
    size = max(sum(_digits(pair) for pair in product) for product in products)
    largest = torch.finfo(tile.dtype).max
    raise OutOfReachError(
        f"An entry of the kernel, up to about 1e{size:.0f}, is larger than {largest:.1e}, the largest number of "
        f"{tile.dtype}.",
        "Use float64 or smaller weights.",
        "overflow",
    )


def _digits(pair: Pair) -> float:
    """log10 of the bound max |a| max |b| on the entries of a Gram matrix; -inf where a factor is 0."""
    bound = math.prod(float(side.double().norm(dim=-1).max()) for side in pair)
    return math.log10(bound) if bound > 0 else -math.inf
