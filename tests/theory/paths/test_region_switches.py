"""Switches of gates while the weights move, beside gates that are evaluated at times around them."""

from fractions import Fraction
from itertools import pairwise

import pytest
import sympy

from tests.theory.paths.networks import drawn, outputs
from theory.paths.regions import LinearGates, ReluGates, switches
from theory.problem import InputError, OutOfReachError

POINTS = ((Fraction(1), Fraction(1, 3)), (Fraction(-2, 5), Fraction(3, 7)))
STEPS = 50


def moved(start, end, time):
    """The weights and biases at a time, in nested lists."""
    mixed = [
        [[a + time * (b - a) for a, b in zip(*rows, strict=True)] for rows in zip(*layers, strict=True)]
        for layers in zip(start[0], end[0], strict=True)
    ]
    return mixed, [
        [a + time * (b - a) for a, b in zip(*own, strict=True)] for own in zip(start[1], end[1], strict=True)
    ]


def opened(start, end, rectified, point, time):
    """The gates of every unit at a time, by (layer, unit)."""
    layers = outputs(*moved(start, end, time), rectified, point)
    return {(n, unit): q > 0 for n, own in enumerate(layers, start=1) for unit, q in enumerate(own)}


def near(number, digits=12):
    """A fraction next to an algebraic number."""
    return Fraction(str(sympy.N(number, digits)))


@pytest.mark.parametrize(("kind", "seed"), [(LinearGates, 1), (ReluGates, 2)])
def test_gates_switch_at_these_times_and_at_no_others(kind, seed):
    start, end = drawn(seed, (2, 2, 2), True), drawn(seed + 50, (2, 2, 2), True)
    rectified = kind is ReluGates
    found = switches(kind(*start), kind(*end), POINTS)
    for number, point in enumerate(POINTS):
        own = [switch for switch in found if switch.input == number]
        times = [Fraction(0), *sorted({near(switch.time) for switch in own}), Fraction(1)]
        apart = min((b - a for a, b in pairwise(times)), default=Fraction(1)) / 4
        for switch in own:
            before, after = (
                opened(start, end, rectified, point, near(switch.time) + shift)[switch.layer, switch.unit]
                for shift in (-apart, apart)
            )
            assert (before, after) == (not switch.opens, switch.opens)
        for step in range(STEPS):  # gates at times on a grid, followed through the switches
            now = Fraction(2 * step + 1, 2 * STEPS)
            expected = opened(start, end, rectified, point, Fraction(1, 10**9))
            for switch in own:
                if near(switch.time) < now:
                    expected[switch.layer, switch.unit] = switch.opens
            assert opened(start, end, rectified, point, now) == expected
    assert found


def test_times_are_exact():
    turned = switches(LinearGates([[[1, 0]], [[1]]]), LinearGates([[[-1, 0]], [[-1]]]), [(1, 0)])
    assert [(s.time, s.layer, s.opens) for s in turned] == [(sympy.Rational(1, 2), 1, False)]  # (1 - 2 t)^2 touches 0
    (quadratic,) = switches(
        LinearGates([[[1, 0]], [[0]]], [[0], [-1]]), LinearGates([[[2, 0]], [[1]]], [[0], [-1]]), [(1, 0)]
    )
    assert sympy.expand(quadratic.time**2 + quadratic.time - 1).equals(0)  # (1 + t) t - 1
    assert quadratic.opens


def test_a_unit_behind_a_closed_gate_moves_by_its_bias_alone():
    start, end = ReluGates([[[-1, 0]], [[5]]], [[0], [-1]]), ReluGates([[[-1, 0]], [[9]]], [[0], [3]])
    assert [(s.time, s.layer) for s in switches(start, end, [(1, 0)])] == [(sympy.Rational(1, 4), 2)]


def test_errors():
    one = LinearGates([[[1, 0]]])
    with pytest.raises(InputError, match="ReluGates"):
        switches(one, ReluGates([[[1, 0]]]), [(1, 0)])
    deep = LinearGates([[[1, 0]], *[[[1]]] * 6])
    with pytest.raises(OutOfReachError, match="7 hidden layers"):
        switches(deep, deep, [(1, 0)])
