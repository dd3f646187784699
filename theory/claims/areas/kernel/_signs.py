"""The mean of K0(x, x') = sum_theta dy(x)/dtheta dy(x')/dtheta over all signs of the weights of a small network."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

_INPUTS = 2
Gates = tuple[int, ...]  # of a level; all hidden levels have the same


@lru_cache(maxsize=128)
def coefficients(depth: int, one: Gates, other: Gates) -> tuple[tuple[Fraction, ...], ...]:
    """Return the means M_ij with E K0(x, x') = sum_ij x_i M_ij x'_j for weights +-1 and two input nodes.

    The two inputs have the gates `one` and `other` at each hidden level.
    """
    widths = (_INPUTS, *[len(one)] * (depth - 1), 1)
    shapes = list(zip(widths[1:], widths, strict=False))
    size = sum(a * b for a, b in shapes)
    signs = 1 - 2 * (np.arange(2**size)[:, None] >> np.arange(size) & 1)  # one row for each choice
    ends = np.cumsum([a * b for a, b in shapes])[:-1]
    weights = [part.reshape(-1, *shape) for part, shape in zip(np.split(signs, ends, axis=1), shapes, strict=True)]
    units = np.eye(_INPUTS, dtype=np.int64)
    slopes = [[_gradient(weights, unit, gates) for unit in units] for gates in (one, other)]
    return tuple(tuple(Fraction(int((left * right).sum()), 2**size) for right in slopes[1]) for left in slopes[0])


def _gradient(weights: list[np.ndarray], x: np.ndarray, gates: Gates) -> np.ndarray:
    """Return dy/dtheta for all weights, by the chain rule, a row for each choice of signs."""
    levels = [np.tile(x, (len(weights[0]), 1))]
    for layer in weights[:-1]:
        levels.append(np.array(gates) * (layer @ levels[-1][..., None])[..., 0])
    slope, parts = np.ones((len(weights[0]), 1), dtype=np.int64), []
    for number in range(len(weights) - 1, -1, -1):
        parts.append((slope[:, :, None] * levels[number][:, None, :]).reshape(len(slope), -1))
        slope = (slope[:, None, :] @ weights[number])[:, 0] * (np.array(gates) if number else 1)
    return np.concatenate(parts, axis=1)
