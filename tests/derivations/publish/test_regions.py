"""The figures and tables of the page on path regions, beside enumerated paths at points of each face."""

from fractions import Fraction
from itertools import product

import pytest

from derivations.publish import region_figure
from derivations.publish.region_table import example
from tests.theory.paths.networks import outputs
from theory.paths.regions import LinearGates, ReluGates

BOX = ((Fraction(-2), Fraction(2)),) * 2
POINT = (Fraction(1), Fraction(-1, 2))


def middle(flat):
    """The mean of the corners of a drawn polygon."""
    return tuple(sum(map(Fraction, flat[start::2])) / (len(flat) // 2) for start in (0, 1))


@pytest.mark.parametrize("kind", [LinearGates, ReluGates])
def test_panels_count_paths(kind):
    gates = example(kind, 3, 3, biased=True)

    def active(point):
        layers = outputs(gates.weights, gates.biases, kind is ReluGates, point)
        return {path for path in product(range(3), repeat=2) if layers[0][path[0]] > 0 and layers[1][path[1]] > 0}

    counted, region, overlap = region_figure.panels_of(gates, BOX, (0, 2), POINT).values()
    assert len(counted["value"]) == len(counted["corners"]) > 9
    for number, flat in enumerate(counted["corners"]):
        each = active(middle(flat))
        assert counted["value"][number] == len(each)
        assert region["value"][number] == ((0, 2) in each)
        assert overlap["value"][number] == len(each & active(POINT))
    assert overlap["dot"] == [1.0, -0.5]


def test_the_area_and_the_centre_of_mass_of_a_face():
    """A triangle with the sides 3 and 6, moved by (1, -2)."""
    assert region_figure._size_and_middle([(1, -2), (4, -2), (1, 4)]) == (9, (2, 0))
