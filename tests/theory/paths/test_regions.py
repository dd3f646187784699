"""The division of the plane by gates, beside enumerated bit patterns with feasible inequalities and random points."""

import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import pytest
import sympy

from tests.theory.paths.half_planes import patterns
from tests.theory.paths.networks import drawn, outputs
from theory.paths.regions import LinearGates, ReluGates, division, pattern_at, switches
from theory.paths.regions.gating import MOST_UNITS
from theory.problem import InputError, OutOfReachError

KINDS = (LinearGates, ReluGates)
BOX = ((Fraction(-1), Fraction(2)), (Fraction(-2), Fraction(1)))


def euler(parts):
    """V - E + F with the outside of the rectangle, which is 2 for one connected drawing."""
    return len(parts.vertices) - parts.edges + parts.faces + 1


def inside(corners, point):
    """Whether a point is in the interior of a convex polygon with these corners, counterclockwise."""
    turned = (*corners[1:], *corners[:1])
    return all(
        (x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0) > 0
        for (x0, y0), (x1, y1) in zip(corners, turned, strict=True)
    )


@pytest.mark.parametrize("box", [None, BOX], ids=["plane", "box"])
@pytest.mark.parametrize(("widths", "biased"), [((3, 2), False), ((2, 2, 2), True)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_patterns_are_those_of_feasible_inequalities(kind, widths, biased, box):
    for seed in range(2):
        weights, biases = drawn(seed, widths, biased)
        plane = division(kind(weights, biases), box)
        assert set(plane.patterns) == patterns(weights, biases, kind is ReluGates, box), (seed, weights, biases)
        assert euler(plane.subdivision) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_faces_fill_the_box_and_have_the_pattern_of_their_points(kind):
    rng, (weights, biases) = random.Random(5), drawn(1, (3, 2), True)
    plane = division(kind(weights, biases), BOX)
    parts = plane.subdivision
    assert sum(parts.area(face) for face in range(1, parts.faces + 1)) == 9
    for _ in range(40):
        point = Fraction(rng.randint(-1000, 2000), 1009), Fraction(rng.randint(-2000, 1000), 1013)
        opened = tuple(tuple(q > 0 for q in drives) for drives in outputs(weights, biases, kind is ReluGates, point))
        assert pattern_at(plane.gates, point) == opened
        holding = [face for face in range(1, parts.faces + 1) if inside(parts.corners(face), point)]
        assert [plane.patterns[face - 1] for face in holding] == [opened]


@pytest.mark.parametrize(
    ("forms", "faces"),
    [
        ([(1, 0, 0), (1, 0, -1), (1, 0, -2)], 4),  # parallel
        ([(1, 0, 0), (2, 0, 0), (-1, 0, 0)], 2),  # coincident
        ([(1, 0, 0), (0, 1, 0), (1, 1, 0)], 6),  # three through a point
        ([(1, 0, 0), (0, 1, 0), (1, 1, -1)], 7),  # in general position
        ([(0, 0, 1), (0, 0, -1)], 1),  # pre-activations that are constants
    ],
)
def test_degenerate_lines(forms, faces):
    plane = division(LinearGates([[form[:2] for form in forms]], [[form[2] for form in forms]]))
    assert plane.subdivision.faces == faces
    assert euler(plane.subdivision) == 2


def test_lines_through_corners_and_along_sides_of_the_box():
    weights = [[(1, -1), (1, 1), (1, 0), (1, 0)]]
    plane = division(LinearGates(weights, [[0, -1, 0, -1]]), ((0, 1), (0, 1)))  # both diagonals, and two sides
    assert plane.subdivision.faces == 4
    assert [plane.subdivision.area(face) for face in range(1, 5)] == [Fraction(1, 4)] * 4
    assert len(plane.subdivision.vertices) == 5


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_regions_of_paths(kind):
    for seed in range(2):
        weights, biases = drawn(seed, (3, 2, 2), True)
        plane = division(kind(weights, biases))
        feasible = patterns(weights, biases, kind is ReluGates)
        counted = Counter()
        for path in product(range(3), range(2), range(2)):
            counted[path] = sum(all(layer[unit] for layer, unit in zip(b, path, strict=True)) for b in feasible)
        assert plane.of_paths() == +counted
        counts = plane.counts
        assert (counts.paths, counts.bits, counts.patterns) == (12, 2**7, len(feasible))
        assert (counts.active, counts.most) == (len(+counted), max(counted.values()))
        for path, number in counted.items():
            assert plane.region(path).patterns == number


def test_patterns_on_lines_and_points_alone():
    opposite = division(LinearGates([[[1, 0], [-1, 0]]]))  # both are closed where x = 0
    assert (opposite.counts.patterns, opposite.counts.thin) == (2, 1)
    star = division(LinearGates([[[1, 0], [-1, 1], [-1, -1]]]))  # at the origin alone all are closed
    assert (star.counts.patterns, star.counts.thin) == (6, 1)
    assert division(LinearGates([[[1, 0], [0, 1]]])).counts.thin == 0


def test_an_activation_pattern_of_relu_gates_may_have_two_faces():
    """The hidden sum relu(x) + relu(-x) vanishes on the line x = 0 alone, where it bends."""
    plane = division(ReluGates([[[1, 0], [-1, 0]], [[1, 1]]]), ((-1, 1), (0, 1)))
    region = plane.region((0, 0))
    assert region.components == (region.faces,)
    closed = division(ReluGates([[[1, 0], [-1, 0], [1, 1]], [[1, 1, 0]]]), ((-1, 1), (2, 3))).region((2, 0))
    assert (len(closed.faces), len(closed.components), closed.convex) == (2, 2, False)  # x = 0 is not in the region


def test_refusals_name_the_number(monkeypatch):
    for call, error, words in (
        (lambda: LinearGates([]), InputError, "without a hidden layer"),
        (lambda: LinearGates([[[1, 0]], [[1, 0]]]), InputError, "layer 2"),
        (lambda: LinearGates([[[1, 0, 0]]]), InputError, "coordinate of the plane"),
        (lambda: ReluGates([[[1, 0]] * (MOST_UNITS + 1)]), OutOfReachError, str(MOST_UNITS + 1)),
        (lambda: division(LinearGates([[[1, 0]]]), ((0, 0), (0, 1))), InputError, "no interior"),
        (lambda: division(LinearGates([[[1, 0]]]), "box"), InputError, "no rectangle"),
        (lambda: division(LinearGates([[[1, 0]]])).region((1,)), InputError, "no path"),
        (lambda: division(LinearGates([[[1, 0]]])).size((1,)), InputError, "no finite area"),
        (lambda: division(LinearGates([[[1, 0]] * 64] + [[[1] * 64] * 64] * 3)).counts, OutOfReachError, "16777216"),
    ):
        with pytest.raises(error, match=words):
            call()
    monkeypatch.setattr("theory.paths.regions.planar.MOST_FACES", 5)
    with pytest.raises(OutOfReachError, match="more than 5 faces"):
        division(LinearGates([[[1, 0], [0, 1], [1, 1]]]))


POINTS = ((Fraction(1), Fraction(1, 3)), (Fraction(-2, 5), Fraction(3, 7)))
STEPS = 50


def moved(start, end, time):
    """The weights and biases at a time, in nested lists."""
    mixed = [
        [[a + time * (b - a) for a, b in zip(*rows, strict=True)] for rows in zip(*layers, strict=True)]
        for layers in zip(start[0], end[0], strict=True)
    ]
    return mixed, [
        [a + time * (b - a) for a, b in zip(*shifts, strict=True)] for shifts in zip(start[1], end[1], strict=True)
    ]


def opened(start, end, rectified, point, time):
    """The gates of every unit at a time, by (layer, unit)."""
    layers = outputs(*moved(start, end, time), rectified, point)
    return {(n, unit): q > 0 for n, drives in enumerate(layers, start=1) for unit, q in enumerate(drives)}


def near(number, digits=12):
    """A fraction next to an algebraic number."""
    return Fraction(str(sympy.N(number, digits)))


@pytest.mark.parametrize(("kind", "seed"), [(LinearGates, 1), (ReluGates, 2)])
def test_gates_switch_at_these_times_and_at_no_others(kind, seed):
    start, end = drawn(seed, (2, 2, 2), True), drawn(seed + 50, (2, 2, 2), True)
    rectified = kind is ReluGates
    computed = switches(kind(*start), kind(*end), POINTS)
    for number, point in enumerate(POINTS):
        of_point = [switch for switch in computed if switch.input == number]
        times = [Fraction(0), *sorted({near(switch.time) for switch in of_point}), Fraction(1)]
        apart = min((b - a for a, b in pairwise(times)), default=Fraction(1)) / 4
        for switch in of_point:
            before, after = (
                opened(start, end, rectified, point, near(switch.time) + shift)[switch.layer, switch.unit]
                for shift in (-apart, apart)
            )
            assert (before, after) == (not switch.opens, switch.opens)
        for step in range(STEPS):  # gates at times on a grid, followed through the switches
            now = Fraction(2 * step + 1, 2 * STEPS)
            expected = opened(start, end, rectified, point, Fraction(1, 10**9))
            for switch in of_point:
                if near(switch.time) < now:
                    expected[switch.layer, switch.unit] = switch.opens
            assert opened(start, end, rectified, point, now) == expected
    assert computed


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


def test_switches_of_different_or_deep_gates_are_refused():
    one = LinearGates([[[1, 0]]])
    with pytest.raises(InputError, match="ReluGates"):
        switches(one, ReluGates([[[1, 0]]]), [(1, 0)])
    deep = LinearGates([[[1, 0]], *[[[1]]] * 6])
    with pytest.raises(OutOfReachError, match="7 hidden layers"):
        switches(deep, deep, [(1, 0)])
