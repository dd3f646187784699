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
        own = active(middle(flat))
        assert counted["value"][number] == len(own)
        assert region["value"][number] == ((0, 2) in own)
        assert overlap["value"][number] == len(own & active(POINT))
    assert overlap["dot"] == [1.0, -0.5]
