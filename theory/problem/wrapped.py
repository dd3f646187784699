"""The length at which a wrapped correlation loses positivity, in decimals of as many digits as it takes.

On a ring of n sites that of a Gaussian correlation is near sqrt(n/pi): the smallest eigenvalue is there of the order
exp(-pi n/4), far below rounding. The eigenvalues are lambda_q = sum_d R(d) prod_i cos(2 pi q_i d_i/n_i) over the sites
d of a ring or torus of n_1 x n_2 x ... sites.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal, getcontext, localcontext
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from theory.problem.correlations import Correlation
from theory.problem.lags import Shape

MOST_SITES = 512  # some seconds
_FIRST_DIGITS, _MOST_DIGITS = 40, 1280
_GUARD = 10  # digits for the rounding of some thousand terms of size one
_HALVINGS = 36

Mode = tuple[int, ...]


def threshold(kernel: Correlation, shape: Shape, low: float, high: float) -> tuple[float, float] | None:
    """Return lengths between which the smallest eigenvalue becomes negative, 36 bisections apart.

    It is positive at `low` and negative at `high`. None for a kernel that is defined for floats only, and for more than
    512 sites.

    >>> from theory.problem.correlations import GAUSSIAN
    >>> [round(length, 4) for length in threshold(GAUSSIAN, (100,), 1.0, 9.0)]
    [5.6977, 5.6977]
    """
    if prod(shape) > MOST_SITES:
        return None
    every = list(product(*(range(side // 2, -1, -1) for side in shape)))
    signs, among = _Signs(kernel, shape), every[:1]
    try:
        while True:
            low, high = halved(lambda xi, among=among: not signs.negative(xi, among), low, high)
            lower = signs.negative(low, every)
            if not lower:
                return low, high
            among, low, high = [*among, *lower], low / 2, low
            while signs.negative(low, among):
                low /= 2
    except TypeError:
        return None


def halved(valid: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Return the ends of an interval in which `valid` changes from True to False, after 36 bisections.

    >>> [round(end, 9) for end in halved(lambda x: x * x < 2, 0.0, 2.0)]
    [1.414213562, 1.414213562]
    """
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if valid(middle) else (low, middle)
    return low, high


class _Signs:
    """The signs of eigenvalues, in as many digits as the last one took, or more."""

    def __init__(self, kernel: Correlation, shape: Shape) -> None:
        self.kernel, self.shape, self.digits = kernel, shape, _FIRST_DIGITS

    def negative(self, xi: float, among: Sequence[Mode]) -> list[Mode]:
        """Return the modes with a negative eigenvalue; one that has no sign in 1280 digits counts as zero."""
        undecided, negative = list(among), []
        while True:
            with localcontext() as context:
                context.prec = self.digits + _GUARD
                values = dict(zip(undecided, _eigenvalues(self.kernel, self.shape, xi, undecided), strict=True))
            bound = Decimal(10) ** -self.digits
            negative += [mode for mode, value in values.items() if value < -bound]
            undecided = [mode for mode, value in values.items() if abs(value) <= bound]
            if not undecided or self.digits >= _MOST_DIGITS:
                return negative
            self.digits *= 2


def _eigenvalues(kernel: Correlation, shape: Shape, xi: float, among: Sequence[Mode]) -> list[Decimal]:
    """Return the eigenvalues of the modes in the precision of the context."""
    lags = list(product(*(range(side // 2 + 1) for side in shape)))
    squared = np.array([Decimal(sum(d * d for d in lag)) for lag in lags], dtype=object)
    # The lags d and n - d are one distance.
    counts = (prod(1 if 2 * d % side == 0 else 2 for d, side in zip(lag, shape, strict=True)) for lag in lags)
    weights = [count * R for count, R in zip(counts, kernel.at(squared, Decimal(xi)), strict=True)]
    tables = [_cosines(side, getcontext().prec) for side in shape]
    if len(shape) == 1:
        (table,) = tables
        return [sum(w * table[q * d % len(table)] for w, (d,) in zip(weights, lags, strict=True)) for (q,) in among]
    return [
        sum(
            w * prod(table[q * d % len(table)] for table, q, d in zip(tables, mode, lag, strict=True))
            for w, lag in zip(weights, lags, strict=True)
        )
        for mode in among
    ]


@lru_cache(maxsize=4)
def _cosines(n: int, digits: int) -> list[Decimal]:
    """Return cos(2 pi k/n) for k = 0, ..., n - 1 to the digits of the context, as real parts of powers of a root."""
    x = 2 * _pi() / n
    powers = [(Decimal(1), Decimal(0))]
    cosine, sine, term, order = Decimal(0), Decimal(0), Decimal(1), 0
    while abs(term) > Decimal(10) ** -digits:
        cosine += term * (1, 0, -1, 0)[order % 4]
        sine += term * (0, 1, 0, -1)[order % 4]
        order += 1
        term = term * x / order
    while len(powers) < n:
        a, b = powers[-1]
        powers.append((a * cosine - b * sine, a * sine + b * cosine))
    return [a for a, _ in powers]


def _pi() -> Decimal:
    """Return pi = 16 atan(1/5) - 4 atan(1/239) (Machin)."""

    def atan_inverse(m: int) -> Decimal:
        power, total, k = Decimal(1) / m, Decimal(0), 0
        while power > Decimal(10) ** -getcontext().prec:
            total += power / (2 * k + 1) * (-1) ** k
            power, k = power / (m * m), k + 1
        return total

    return 16 * atan_inverse(5) - 4 * atan_inverse(239)
