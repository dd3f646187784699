"""Numbers of paths that are open, over all gates of a small network: polynomials in the probability of an open gate."""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

Counts = tuple[int, ...]  # by the number of open gates


@lru_cache(maxsize=128)
def overlaps(width: int, levels: int, cross: bool, power: int = 1) -> Counts:
    """Return the sums of lambda_0^power over all gates with 0, 1, 2, ... of them open.

    lambda_0 is the number of paths from an input node that the gates of x open, or those of x and of x' if `cross`.
    """
    inputs = 2 if cross else 1
    paths = tuple(product(range(width), repeat=levels))
    found = [0] * (inputs * width * levels + 1)
    for gates in product((0, 1), repeat=inputs * width * levels):
        own = [gates[k * width * levels : (k + 1) * width * levels] for k in range(inputs)]
        open_ = sum(prod(one[level * width + node] for one in own for level, node in enumerate(path)) for path in paths)
        found[sum(gates)] += open_**power
    return tuple(found)


def mean(counts: Counts, mu: Fraction) -> Fraction:
    """Return the mean over gates that are open with probability mu.

    >>> mean(overlaps(2, 1, False), Fraction(1, 2))  # two gates, half of them open
    Fraction(1, 1)
    """
    most = len(counts) - 1
    return sum((value * mu**k * (1 - mu) ** (most - k) for k, value in enumerate(counts)), Fraction(0))
