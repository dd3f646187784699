"""The figures and tables of the page on path regions, beside enumerated paths at points of each face."""

from fractions import Fraction
from itertools import product

import pytest

from derivations.publish import region_figure
from derivations.publish.region_table import example, region_table
from tests.theory.paths.networks import outputs
from theory.paths.regions import LinearGates, ReluGates
from theory.problem import InputError

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


def test_the_figures_are_drawn(tmp_path):
    for data in (region_figure.paths_data, region_figure.relu_data, region_figure.kinds_data):
        panels = data()
        region_figure.draw(panels, tmp_path / "figure.png", "mark")
        assert (tmp_path / "figure.png").read_bytes().count(b"mark") == 1
        assert len(panels) == 3
        assert all(len(set(panel["value"])) > 1 for panel in panels.values())


def test_regions_of_relu_paths_that_are_drawn():
    """Two strips of length 1; the right half of the square, and its upper quarter."""
    strips, half, quarter = region_figure.relu_data().values()

    def filled(panel):
        faces = [flat for flat, value in zip(panel["corners"], panel["value"], strict=True) if value]
        return sorted({x for flat in faces for x in flat[::2]}), sorted({y for flat in faces for y in flat[1::2]})

    assert filled(strips)[0] == [0.5, 1.0, 1.5, 2.5, 3.0, 3.5]
    assert filled(half) == ([0.0, 1.0], [-1.0, 0.0, 1.0])
    assert filled(quarter) == ([0.0, 1.0], [0.0, 1.0])


def test_an_unknown_table_is_named():
    with pytest.raises(InputError, match=r"half-spaces.md, line 3: there is no table 'sizes' of regions"):
        region_table("sizes", "half-spaces.md, line 3")
