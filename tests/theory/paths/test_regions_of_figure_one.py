"""Regions of ReLU paths that are disconnected, or jump with the weights (half-space paper, figure 1), exactly."""

from fractions import Fraction

import pytest

from tests.theory.paths.networks import outputs
from theory.paths.regions import ReluGates, division

SAW = ([[[1, 0]] * 4, [[2, -4, 4, -4]]], [[0, -1, -2, -3], [-1]])  # hidden relu(x - j); the second layer is a saw
STRIP = ((Fraction(-1), Fraction(5)), (Fraction(0), Fraction(1)))
SQUARE = ((Fraction(-1), Fraction(1)), (Fraction(-1), Fraction(1)))


def brown(epsilon):
    """First layer relu(x1), relu(x2), relu(-x2); the second has the pre-activation relu(x2) + epsilon relu(-x2)."""
    return [[[1, 0], [0, 1], [0, -1]], [[0, 1, epsilon]]], [[0, 0, 0], [0]]


def interval(made, component):
    """The ends of a component that is a strip x0 < x < x1."""
    xs = [x for face in component for x, _ in made.subdivision.corners(face)]
    return min(xs), max(xs)


def test_the_disconnected_region():
    made = division(ReluGates(*SAW), STRIP)
    region = made.region((0, 0))
    found = sorted(interval(made, component) for component in region.components)
    assert found == [(Fraction(1, 2), Fraction(3, 2)), (Fraction(5, 2), Fraction(7, 2))]
    assert [made.size(component) for component in region.components] == [1, 1]  # the strips are filled
    assert not region.convex
    for (left, right), middle in zip(
        found, (1, 3), strict=True
    ):  # roots of the last pre-activation, and a sign between
        at = [outputs(*SAW, True, (x, Fraction(1, 3)))[1][0] for x in (left, Fraction(middle), right)]
        assert at == [0, 1, 0]


@pytest.mark.parametrize("tiny", [Fraction(1, 2), Fraction(1, 10**6), Fraction(1, 10**12)])
def test_the_discontinuous_region(tiny):
    areas = {sign: None for sign in (-1, 0, 1)}
    for sign in areas:
        made = division(ReluGates(*brown(sign * tiny)), SQUARE)
        region = made.region((0, 0))
        areas[sign] = made.size(region.faces)
        corners = {corner for face in region.faces for corner in made.subdivision.corners(face)}
        assert {x for x, _ in corners} == {0, 1}
        assert min(y for _, y in corners) == (-1 if sign > 0 else 0)
    assert areas == {-1: 1, 0: 1, 1: 2}


def test_strict_gates_leave_out_the_line_between_both_quadrants():
    region = division(ReluGates(*brown(Fraction(1, 3))), SQUARE).region((0, 0))
    assert len(region.components) == 2
    assert outputs(*brown(Fraction(1, 3)), True, (Fraction(1), Fraction(0)))[1] == [0]
