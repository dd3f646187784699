"""Oracles of the claims on tangent kernels: sums over all signs, and bounds that a stronger claim would break."""

from fractions import Fraction
from itertools import pairwise

from theory.claims.areas.kernel import _given, _networks, variance
from theory.claims.areas.kernel.overlap import largest_ratio
from theory.kernels import alike, moment


def test_a_smaller_bound_of_the_variance_has_exceptions():
    width, depth = 2, 3
    assert variance.above(width, depth, 2) == 0
    assert variance.above(width, depth, 1) > 0


def test_the_second_moment_with_given_gates_is_that_of_all_signs():
    one, other = (1, 1), (0, 1)
    total, choices = 0, 0
    for weights in _networks.signs((1, 2, 2, 1)):
        slopes = [_networks.by_weights(1, weights, [gates] * 2) for gates in (one, other)]
        total += sum(a * b for a, b in zip(*slopes, strict=True)) ** 2
        choices += 1
    assert Fraction(total, choices) == _given.second_moment(3, one, other)


def test_a_higher_power_of_the_overlap_is_no_bound():
    assert largest_ratio(3, 2, power=2) == 1
    assert largest_ratio(3, 2, power=3) == 2  # two of three nodes each, of which they share one


def test_off_the_diagonal_the_variance_falls_in_wide_networks_alone():
    """The numbers that `kernel.random_gates.cross_growth` and the page on whitening state."""
    half = Fraction(1, 2)
    for width, falls in ((10, []), (25, [6, 7]), (500, [5, 6, 7, 8, 9, 10, 11])):
        values = []
        for depth in range(2, 31):
            net, unit = alike(width, depth, half), (half * width) ** (2 * (depth - 1))
            values.append((moment(net, [(0, 1)] * 2) - moment(net, [(0, 1)]) ** 2) / unit)
        assert [depth for depth, (one, two) in enumerate(pairwise(values), start=3) if two <= one] == falls
        if falls:
            dip = 1 - values[falls[-1] - 2] / values[falls[0] - 3]
            assert round(float(dip), 3) == {25: 0.003, 500: 0.127}[width]
