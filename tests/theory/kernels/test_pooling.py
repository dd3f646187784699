"""Means of circular convolutions before and after pooling beside the enumeration of all signs of the kernels."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from theory.kernels import circular_means
from theory.problem import InputError, OutOfReachError

SIZES = [(3, 2, 3), (4, 3, 2)]


def forward(x, gates, weights):
    """Return the entries after the last layer; each layer has one kernel."""
    z = list(x)
    for open_, kernel in zip(gates, weights, strict=True):
        z = [g * sum(w * z[(i + j) % len(z)] for j, w in enumerate(kernel)) for i, g in enumerate(open_)]
    return z


def enumerated(x, other, gates, other_gates, kernel):
    before, pooled, choices = Fraction(0), Fraction(0), 0
    for signs in product((1, -1), repeat=kernel * len(gates)):
        weights = np.array(signs).reshape(len(gates), kernel).tolist()
        one, two = forward(x, gates, weights), forward(other, other_gates, weights)
        before += sum(a * b for a, b in zip(one, two, strict=True))
        pooled += Fraction(sum(one), len(x)) * Fraction(sum(two), len(x))
        choices += 1
    return before / choices, pooled / choices


def drawn(size, layers, seed):
    rng = np.random.default_rng(seed)
    x, other = rng.integers(-3, 4, (2, size)).tolist()
    return x, other, *rng.integers(-1, 3, (2, layers, size)).tolist()


@pytest.mark.parametrize(("size", "kernel", "layers"), SIZES)
def test_all_signs(size, kernel, layers):
    question = drawn(size, layers, size + 10 * kernel)
    means = circular_means(*question, kernel)
    assert (means.before, means.pooled) == enumerated(*question, kernel)


def test_refusals():
    with pytest.raises(InputError, match="kernel = 4"):
        circular_means([1, 2, 3], [1, 2, 3], [], [], 4)
    with pytest.raises(InputError, match="must have 3 entries"):
        circular_means([1, 2, 3], [1, 2, 3], [[1, 1]], [[1, 1, 1]], 2)
    with pytest.raises(InputError, match="the same number of layers"):
        circular_means([1, 2], [1, 2], [[1, 1]], [], 2)
    with pytest.raises(OutOfReachError, match="multiplications, more than"):
        circular_means([1] * 2000, [1] * 2000, [[1] * 2000] * 2, [[1] * 2000] * 2, 2)
