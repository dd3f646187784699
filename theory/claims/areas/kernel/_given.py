"""The second moment of K0(x, x') for given gates of two inputs: the tensors of `_layers`, gate by gate."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod

from theory.claims.areas.kernel._layers import SIGNS, Tensor, added, norm_first, norms, through

Gates = Sequence[int]


def second_moment(depth: int, one: Gates, other: Gates) -> Fraction | int:
    """Return E K0(x, x')^2 for x = x' = 1 and weights +-1, with the same gates at each hidden level.

    >>> second_moment(2, (1, 1), (1, 1))  # two layers: K0 is 4 for all signs
    16
    """
    h4: Tensor = {(0, 0, 0, 0): 1}
    dh: Tensor = {}
    dd: Tensor = {}
    both = (one, other, one, other)
    for level, (nodes, following) in enumerate(pairwise((1, *[len(one)] * (depth - 1), 1)), start=1):
        h4, dh, dd = (
            through(h4, nodes, following, SIGNS),
            added(through(dh, nodes, following, SIGNS), norm_first(h4, nodes, following)),
            added(through(dd, nodes, following, SIGNS), *norms(h4, dh, nodes, following)),
        )
        if level < depth:
            h4, dh, dd = (
                {
                    place: value
                    for place, value in tensor.items()
                    if prod(gates[node] for gates, node in zip(both, place, strict=True))
                }
                for tensor in (h4, dh, dd)
            )
    return dd[0, 0, 0, 0]
