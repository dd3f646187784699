"""Overlaps of sub-networks and the spectrum of the mean kernel beside the enumeration of all gates."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from tests.tolerances_of_kernels import EIGENVALUES
from theory.kernels import (
    BernoulliGates,
    GatedNetwork,
    equal_inputs_spectrum,
    mean,
    mean_matrix,
    mean_spectrum,
    overlap_moment,
)
from theory.problem import InputError, OutOfReachError

PAIRS = ([(0, 0)], [(0, 1)], [(0, 0), (0, 0)], [(0, 1), (0, 1)], [(0, 0), (0, 1), (1, 1)])


def paths(gates):
    """Return the product of the gates of each path from an input node."""
    return [
        np.prod([level[node] for level, node in zip(gates, path, strict=True)])
        for path in product(*map(range, map(len, gates)))
    ]


def enumerated(widths, mu, pairs):
    """Return E prod_f lambda_0 over all gates of two inputs, path by path."""
    total = Fraction(0)
    for bits in product((0, 1), repeat=2 * sum(widths)):
        share = mu ** sum(bits) * (1 - mu) ** (len(bits) - sum(bits))
        cuts = np.cumsum([0, *widths, *widths])
        levels = [bits[a:b] for a, b in pairwise(cuts)]
        open_ = paths(levels[: len(widths)]), paths(levels[len(widths) :])
        overlaps = [sum(int(a * b) for a, b in zip(open_[s], open_[t], strict=True)) for s, t in pairs]
        total += share * int(np.prod(overlaps))
    return total


@pytest.mark.parametrize(
    ("widths", "mu"), [((3,), Fraction(2, 7)), ((1, 3), Fraction(1, 2)), ((2, 1, 1), Fraction(1, 3))]
)
def test_moments_are_those_of_all_gates(widths, mu):
    network = GatedNetwork([[1], [1]], [BernoulliGates(width, mu) for width in widths])
    for pairs in PAIRS:
        assert overlap_moment(network, pairs) == enumerated(widths, mu, pairs)


def test_mean_matrix_has_the_means_of_the_entries():
    network = GatedNetwork([[1, 2], [0, 1], [2, -1]], [BernoulliGates(3, "1/3"), BernoulliGates(2, "1/2")])
    matrix = mean_matrix(network)
    assert matrix == tuple(tuple(mean(network, (s, t)) for t in range(3)) for s in range(3))
    assert matrix[0][2] == 0  # orthogonal inputs


def test_inputs_of_equal_norm_keep_the_eigenvectors():
    rng = np.random.default_rng(3)
    rows = [[Fraction(3, 5), Fraction(4, 5)], [1, 0], [Fraction(5, 13), Fraction(12, 13)], [0, -1]]
    mu, depth, width = Fraction(1, 2), 3, 4
    network = GatedNetwork(rows, [BernoulliGates(width, mu)] * (depth - 1))
    values, vectors = mean_spectrum(network, 1 / (mu * width))
    gram = np.array([[float(sum(a * b for a, b in zip(one, other, strict=True))) for other in rows] for one in rows])
    shared = float(mu) ** (depth - 1)
    assert np.abs(values - (shared * np.linalg.eigvalsh(gram) + 1 - shared)).max() < EIGENVALUES
    direction = vectors @ rng.normal(size=4)
    matrix = shared * gram + (1 - shared) * np.eye(4)
    assert np.abs(matrix @ direction - vectors @ (values * (vectors.T @ direction))).max() < EIGENVALUES


def test_refusals():
    with pytest.raises(InputError, match="mu = '0' opens no gates"):
        equal_inputs_spectrum(3, 2, 0)
    with pytest.raises(InputError, match="inputs = 0 must be at least 1"):
        equal_inputs_spectrum(0, 2, 1)
    with pytest.raises(OutOfReachError, match="501 inputs are more than 500"):
        mean_matrix(GatedNetwork([[1]] * 501, []))
    with pytest.raises(InputError, match="names an input that does not exist"):
        overlap_moment(GatedNetwork([[1]], []), [(0, 1)])
