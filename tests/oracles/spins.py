"""Ising models one configuration at a time: every x in {-1, 1}^n with its probability exp(energy)/Z, in float64."""

from itertools import product

import numpy as np


def chain(n, boundary, beta, h):
    """All configurations of a chain (2^n, n) and their probabilities."""
    return grid((n, 1), boundary, (beta, 0.0), h)


def grid(shape, boundary, couplings, h):
    """The same of a grid: couplings within columns and within rows; "ring" closes the columns, "torus" both."""
    x = np.array(list(product((-1, 1), repeat=shape[0] * shape[1])))
    rows = x.reshape(-1, *shape)
    energy = h * x.sum(axis=1)
    for axis, coupling in enumerate(couplings):
        closed = boundary == "torus" or (boundary == "ring" and axis == 0)
        neighbours = np.roll(rows, -1, axis=axis + 1) if closed else rows[:, 1:] if axis == 0 else rows[:, :, 1:]
        own = rows if closed else rows[:, :-1] if axis == 0 else rows[:, :, :-1]
        energy = energy + coupling * (own * neighbours).sum(axis=(1, 2))
    weights = np.exp(energy - energy.max())
    return x, weights / weights.sum()
