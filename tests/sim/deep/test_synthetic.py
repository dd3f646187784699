"""The circle by its formula, point by point."""

import cmath
import math

import torch

from sim import deep
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
