"""Gauss-Legendre quadrature of many integrals at once, each with as many nodes as it needs."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import host


@cache
def legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre nodes and weights on [0, 1], both of shape (count,).

    >>> nodes, weights = legendre(2)
    >>> round(float(weights @ nodes**3), 15)
    0.25
    """
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


@cache
def even_legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positive nodes of 2 count Gauss-Legendre nodes on [-1, 1] and their weights, for int_0^1 of even f.

    Exact for even polynomials up to the degree 4 count - 2:

    >>> nodes, weights = even_legendre(2)
    >>> round(float(weights @ nodes**6) * 7, 14)
    1.0
    """
    nodes, weights = np.polynomial.legendre.leggauss(2 * count)
    return nodes[count:], weights[count:]


def grouped(needed: Any, rules: Sequence[tuple[float, int]], kernel: Callable[..., Any], *rows: Any, size: int) -> Any:
    """Apply kernel(count, *rows) to flat arrays in groups of equal count, from the first rule with needed <= limit.

    A rule is a pair (limit, count). A call handles about `size` numbers, so that they stay in the processor's cache.

    int_0^1 x^k dx = 1/(k + 1) by the fewest nodes that are exact, m for k <= 2m - 1:

    >>> def power(count, k):
    ...     nodes, weights = legendre(count)
    ...     return nodes ** k[:, None] @ weights
    >>> k = np.array([1.0, 5.0, 3.0])
    >>> (grouped(k, [(1, 1), (3, 2), (5, 3)], power, k, size=100) * (k + 1)).round(14)
    array([1., 1., 1.])
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
