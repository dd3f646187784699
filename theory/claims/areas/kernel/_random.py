"""The mean of K0(x, x') over all signs of the weights and all gates of two inputs x = x' = 1, by the chain rule."""

from functools import lru_cache
from itertools import product

import numpy as np


@lru_cache(maxsize=32)
def sums(width: int, depth: int) -> tuple[int, ...]:
    """Return the sums of 2^(number of weights) E K0(x, x') over all gates with 0, 1, 2, ... of them open."""
    sizes = (1, *[width] * (depth - 1), 1)
    shapes = [(sizes[k + 1], sizes[k]) for k in range(depth)]
    number = sum(rows * columns for rows, columns in shapes)
    signs = 1 - 2 * (np.arange(2**number)[:, None] >> np.arange(number) & 1)
    cuts = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
    weights = [part.reshape(-1, *shape) for part, shape in zip(np.split(signs, cuts, axis=1), shapes, strict=True)]
    bits = tuple(product((0, 1), repeat=width * (depth - 1)))
    slopes = [_slopes(weights, np.array(gates, dtype=np.int64).reshape(depth - 1, width)) for gates in bits]
    found = [0] * (2 * width * (depth - 1) + 1)
    for one, left in zip(bits, slopes, strict=True):
        for other, right in zip(bits, slopes, strict=True):
            found[sum(one) + sum(other)] += int((left * right).sum())
    return (*found, 2**number)


def _slopes(weights: list[np.ndarray], gates: np.ndarray) -> np.ndarray:
    """Return dy/dtheta, one row for each choice of signs."""
    levels = [np.ones((len(weights[0]), 1), dtype=np.int64)]
    for layer, open_ in zip(weights, gates, strict=False):
        levels.append(open_ * (layer @ levels[-1][..., None])[..., 0])
    back, parts = np.ones((len(weights[0]), 1), dtype=np.int64), []
    for number in range(len(weights) - 1, -1, -1):
        parts.append((back[:, :, None] * levels[number][:, None, :]).reshape(len(back), -1))
        if number:
            back = (back[:, None, :] @ weights[number])[:, 0] * gates[number - 1]
    return np.concatenate(parts, axis=1)
