"""Tail bounds beside the exact distribution of K0 over all signs of the weights."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tests.theory.kernels.enumeration import every_weight, gradient
from theory.kernels import BernoulliGates, GatedNetwork, alike, mean, tail_bounds
from theory.problem import InputError


def distribution(widths: tuple[int, ...]) -> np.ndarray:
    """Return K0 for x = 1 and all gates open, for each choice of the signs."""
    sizes = [1, *widths, 1]
    weights = every_weight([(b, a) for a, b in itertools.pairwise(sizes)], (1, -1))
    return sum((part**2).sum((1, 2)) for part in gradient(weights, [1], [[1] * width for width in widths]))


def test_no_probability_exceeds_its_bounds():
    width, depth = 2, 3
    network = alike(width, depth)
    values = distribution((width,) * (depth - 1))
    middle = int(mean(network))
    assert int(values.sum()) == middle * len(values)
    for share in map(Fraction, ("1/10", "1/2", "1", "2", "3")):
        bounds = tail_bounds(network, share)
        away = share.denominator * (values - middle)
        both, one = (
            Fraction(int((part >= share.numerator * middle).sum()), len(values)) for part in (np.abs(away), away)
        )
        assert both <= bounds.two_sided <= 1
        assert one <= bounds.cantelli < 1


def test_two_values_attain_the_bounds():
    """At the depth 2 with one node K0 is 2 with probability mu and 0 otherwise; at mu = 1/2 all bounds are exact."""
    network = GatedNetwork([[1]], [BernoulliGates(1, "1/2")])
    bounds = tail_bounds(network, 1)
    assert (bounds.chebyshev, bounds.fourth_moment, bounds.cantelli) == (1, 1, Fraction(1, 2))


def test_refusals():
    with pytest.raises(InputError, match="is no distance"):
        tail_bounds(alike(3, 3), 0)
    with pytest.raises(InputError, match="is no distance"):
        tail_bounds(GatedNetwork([[1, 0], [0, 1]], []), 1, (0, 1))
