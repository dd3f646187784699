"""Sets without files: the circle by its formula, point by point, and uniform numbers."""

import cmath
import math

import torch

from sim import deep
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_deep_training import CIRCLE

LOW, HIGH, SIZE = 2, 20, 96


def test_the_circle_point_by_point():
    data = deep.Circle(SIZE, LOW, HIGH).load(torch.float64)
    for x, y in zip(data.x.tolist(), data.y.flatten().tolist(), strict=True):
        point = complex(*x)
        assert abs(abs(point) - 1) <= CIRCLE
        # sin(k t) is the imaginary part of x^k, for x as a complex number on the circle.
        expected = (point ** (LOW if x[1] > 0 else HIGH)).imag
        assert abs(y - expected) <= CIRCLE
    angles = [cmath.phase(complex(*x)) % (2 * math.pi) for x in data.x.tolist()]
    assert angles == sorted(angles)


def test_uniform_targets():
    size = 4000
    data = deep.UniformTargets("square", size, seed=1).load(torch.float64)
    assert (data.x.shape, data.y.shape) == ((size, 2), (size, 1))
    assert bool((deep.UniformTargets("one", 3, seed=1).load(torch.float64).x == 1).all())
    columns = [data.y[:, 0], data.x[:, 0], data.x[:, 1]]
    for number, column in enumerate(columns):
        assert float(column.abs().max()) < 1
        # The share of numbers below a bound p has the variance p (1 - p)/size, at most 1/(4 size).
        shares = (column.sort().values + 1) / 2
        steps = torch.arange(1, size + 1) / size
        assert float((shares - steps).abs().max()) < STANDARD_ERRORS / 2 / size**0.5
        for other in columns[:number]:
            # A product of two independent numbers has the variance 1/9.
            assert abs(float((column * other).mean())) < STANDARD_ERRORS / 3 / size**0.5


def test_a_seed_names_one_set_and_smaller_ones_are_its_beginning():
    small, large, other = (deep.UniformTargets("square", *own) for own in ((5, 1), (9, 1), (5, 2)))
    assert torch.equal(small.load().x, large.load().x[:5])
    assert torch.equal(small.load().y, large.load().y[:5])
    assert not torch.equal(small.load().y, other.load().y)
