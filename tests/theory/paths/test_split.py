"""Gates that learn: both kernels from the gradient of a network in dual numbers, and delta over all paths."""

import random
from fractions import Fraction
from itertools import product

import pytest

from tests.theory.paths.enumerated import drawn
from theory.paths import activities, adaptation_kernel, output_over_paths, paths, sensitivity_overlap, weighted
from theory.problem import InputError


def slopes_of(net, weights, seed):
    rng = random.Random(seed)
    return [
        [[[Fraction(rng.randint(-5, 5), 3) for _ in range(w)] for w in net.widths[1:]] for _ in range(weights)]
        for _ in net.inputs
    ]


def stepped(net, slopes, m, step):
    """The network with its gates moved along the slopes by the weight m."""
    levels = [
        [
            [g + step * slope for g, slope in zip(net.gates(s)[k], slopes[s][m][k], strict=True)]
            for s in range(len(net.inputs))
        ]
        for k in range(len(net.widths) - 1)
    ]
    return weighted(net.inputs, levels, net.weights)


def derivative(function):
    """The slope at 0 of a polynomial of degree four at most; the output has the number of hidden levels as degree."""
    one, two = function(1) - function(-1), function(2) - function(-2)
    return Fraction(8 * one - two, 12)


@pytest.mark.parametrize(("d_in", "widths", "soft"), [(1, (2, 2, 2), True), (2, (3, 1, 2), False)])
def test_both_from_steps_of_the_gates(d_in, widths, soft):
    net = drawn(d_in, widths, 7, soft=soft, count=2)
    slopes = slopes_of(net, 2, 8)
    moved = [
        [derivative(lambda e, s=s, m=m: output_over_paths(stepped(net, slopes, m, e), s)) for m in range(2)]
        for s in range(2)
    ]
    of_paths = [
        [
            [
                derivative(lambda e, s=s, m=m, k=k: activities(stepped(net, slopes, m, e), s)[k])
                for k in range(len(paths(net)))
            ]
            for m in range(2)
        ]
        for s in range(2)
    ]
    start = [k for k, path in enumerate(paths(net)) if path[0] == 0]
    for s, t in product(range(2), repeat=2):
        assert adaptation_kernel(net, slopes)[s][t] == sum(a * b for a, b in zip(moved[s], moved[t], strict=True))
        delta = sum(of_paths[s][m][k] * of_paths[t][m][k] for m in range(2) for k in start)
        assert sensitivity_overlap(net, slopes)[s][t] == delta


def test_slopes_of_another_shape_are_named():
    net = drawn(2, (2, 3), 0, count=2)
    slopes = slopes_of(net, 2, 1)
    with pytest.raises(InputError, match="for 1 inputs"):
        adaptation_kernel(net, slopes[:1])
    with pytest.raises(InputError, match=r"\[2, 1\] weights each"):
        sensitivity_overlap(net, [slopes[0], slopes[1][:1]])
    with pytest.raises(InputError, match=r"levels of \[2\] nodes, not \[2, 3\]"):
        sensitivity_overlap(net, [[levels[:1] for levels in row] for row in slopes])
