"""Gauss-Legendre quadrature of many integrals at once, each with as many nodes as it needs."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import host


@cache
def legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [0, 1], both of shape (count,).

    >>> nodes, weights = legendre(2)
    >>> round(float(weights @ nodes**3), 15)
    0.25
    """
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def grouped(needed: Any, rules: Sequence[tuple[float, int]], kernel: Callable[..., Any], *rows: Any, size: int) -> Any:
    """kernel(count, *rows) on flat arrays, in groups of equal count: the first (limit, count) with needed <= limit.

    A group works on about `size` numbers at a time, so that they stay in the processor's cache.
    """
    xp = namespace(*rows)
    which = np.searchsorted([limit for limit, _ in rules], host(needed))
    if not which.size:
        return rows[0] * 0.0
    order, pieces = [], []
    for rule in np.unique(which):
        count = rules[rule][1]
        members = np.nonzero(which == rule)[0]
        block = max(1, size // count)
        for start in range(0, members.size, block):
            chosen = members[start : start + block]
            order.append(chosen)
            pieces.append(kernel(count, *(row[chosen] for row in rows)))
    inverse = np.argsort(np.concatenate(order))
    return xp.concatenate(pieces)[inverse]
