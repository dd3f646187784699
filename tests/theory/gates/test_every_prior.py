"""The best two gates on single pulses of three sites, at every prior: each pair of gates decided on whole intervals.

With t = (1 - p)/p the loss of a pair over p is N(t)/D(t), polynomials with rational coefficients and D > 0. Minimise
over the prediction v on the one input of class -1: the loss on the other six is alpha + gamma (v - v0)^2, or alpha
where v is free, and that on the one is (1 + v)^2.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from flint import fmpq_mat

from theory.gates import separable

ONES = [[int((site - at) % 3 < width) for site in range(3)] for width in (1, 2) for at in range(3)]
EVERY = range(2**7)
HALF_SPACES = [int(cut) for cut in np.flatnonzero(separable(np.array([*ONES, [1, 1, 1]])))]

Polynomial = tuple[Fraction, ...]  # coefficients from the constant on
Quotient = tuple[Polynomial, Polynomial]


def opened(gate: int, at: int) -> int:
    return gate >> at & 1


@cache
def loss(one: int, other: int) -> Quotient:
    """Return N and D of the loss of two gates over p."""
    rows = [[opened(gate, at) * value for gate in (one, other) for value in x] for at, x in enumerate(ONES)]
    last = [opened(gate, 6) for gate in (one, other) for _ in range(3)]
    x = fmpq_mat(6, 6, [entry for row in rows for entry in row])
    label, edge = fmpq_mat(6, 1, [1] * 6), fmpq_mat(6, 1, last)
    gram, target = x.transpose() * x / 6, x.transpose() * label / 6
    weights = solved(gram, target)
    alpha = 1 - inner(target, weights)
    if not any(last):
        return (alpha, Fraction(1)), (Fraction(1),)
    along = solved(gram, edge)
    if along is None:
        return (alpha,), (Fraction(1),)
    gamma = 1 / inner(edge, along)
    delta = gamma * (1 + inner(edge, weights)) ** 2
    return (alpha * gamma, alpha + delta), (gamma, Fraction(1))


def solved(matrix: fmpq_mat, right: fmpq_mat) -> fmpq_mat | None:
    """Return a solution, or None where there is none."""
    bordered = fmpq_mat(6, 7, [entry for i in range(6) for entry in (*(matrix[i, j] for j in range(6)), right[i, 0])])
    reduced, rank = bordered.rref()
    solution = [0] * 6
    for row in range(rank):
        pivot = next(column for column in range(7) if reduced[row, column])
        if pivot == 6:
            return None
        solution[pivot] = reduced[row, 6]
    return fmpq_mat(6, 1, solution)


def inner(a: fmpq_mat, b: fmpq_mat) -> Fraction:
    value = (a.transpose() * b)[0, 0]
    return Fraction(int(value.p), int(value.q))


def product(a: Polynomial, b: Polynomial) -> list[Fraction]:
    coefficients = [Fraction(0)] * 3
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            coefficients[i + j] += one * other
    return coefficients


def more(loss: Quotient, least: Quotient) -> Polynomial:
    """Return the numerator of the difference of two quotients, of degree 2 at most."""
    left, right = product(loss[0], least[1]), product(least[0], loss[1])
    return tuple(a - b for a, b in zip(left, right, strict=True))


def nonnegative(polynomial: Polynomial, start: Fraction) -> bool:
    """Whether a + b t + c t^2 >= 0 for all t > start."""
    a, b, c = polynomial
    a, b = a + b * start + c * start**2, b + 2 * c * start  # the coefficients at t = start + s
    return a >= 0 and c >= 0 and (b >= 0 or b * b <= 4 * a * c)


def pairs(gates: Sequence[int], exclusive: bool) -> Iterator[tuple[int, int]]:
    return (pair for pair in combinations_with_replacement(gates, 2) if not exclusive or not pair[0] & pair[1])


BEST: Quotient = (Fraction(0), Fraction(1)), (Fraction(4), Fraction(90))  # p (1 - p)/(90 - 86 p) over p


def share(value: Fraction) -> Quotient:
    return (value,), (Fraction(1),)


@pytest.mark.parametrize(
    ("gates", "exclusive", "least", "end", "count"),
    [
        (EVERY, False, BEST, Fraction(1), 1),
        (EVERY, True, share(Fraction(1, 42)), Fraction(42, 43), 3),
        (HALF_SPACES, True, share(Fraction(1, 18)), Fraction(108, 109), 12),
    ],
)
def test_no_pair_of_gates_loses_less_at_any_prior(gates, exclusive, least, end, count):
    start = 1 / end - 1
    differences = [more(loss(*pair), least) for pair in pairs(gates, exclusive)]
    assert all(nonnegative(difference, start) for difference in differences)
    assert sum(not any(difference) for difference in differences) == count


@pytest.mark.parametrize(
    ("gates", "least", "end"),
    [(EVERY, Fraction(1, 42), Fraction(42, 43)), (HALF_SPACES, Fraction(1, 18), Fraction(108, 109))],
)
def test_beyond_the_interval_another_exclusive_pair_loses_less(gates, least, end):
    """So the ends of the intervals are sharp."""
    start = (1 / end - 1) / 2
    assert not all(nonnegative(more(loss(*pair), share(least)), start) for pair in pairs(gates, True))
