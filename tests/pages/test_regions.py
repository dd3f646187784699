"""The tables of the page on half-spaces: regions of the networks whose weights it states, and their switches."""

from fractions import Fraction
from itertools import product

import numpy as np

from tests.pages.evidence import printed_as
from tests.pages.reading import cells, see, tables
from tests.pages.regions import on_a_path, patterns

PAGE = "half-spaces"
INPUT = (Fraction(1), Fraction(-1, 2))
GRID = 20_000


def network(units: int, layers: int, biased: bool) -> tuple[list, list]:
    """The weights and biases that the page states."""
    before = [2, *[units] * (layers - 2)]
    weights = [
        [[(i * (4 * i + 5 * j + 3 * layer)) % 11 - 5 for j in range(before[layer - 1])] for i in range(units)]
        for layer in range(1, layers)
    ]
    return weights, [[((6 * i + 4 * layer) % 5 - 2) * biased for i in range(units)] for layer in range(1, layers)]


def named(head: str) -> list[list[str]]:
    """The rows of the table with this head."""
    return [cells(unit.text) for unit in next(t for t in tables(PAGE) if head in cells(t[0].text))[2:]]


def test_numbers_of_regions():
    rows = named("activation regions")
    assert len(rows) == 12
    for title, *numbers in rows:
        units, layers, *counted = map(int, numbers)
        found = patterns(*network(units, layers, "no biases" not in title), relu=title == "ReLU")
        of_paths = [on_a_path(found, path) for path in product(range(units), repeat=layers - 1)]
        hidden = units * (layers - 1)
        assert counted == [
            2**hidden,
            len(found),
            len(of_paths),
            sum(number > 0 for number in of_paths),
            2 ** (hidden - layers + 1),
            max(of_paths),
        ], (title, units, layers)


def test_more_path_regions_than_activation_regions():
    central = [list(map(int, numbers)) for title, *numbers in named("activation regions") if "no biases" in title]
    assert [row[0:2] for row in central if row[5] > row[3]] == [[3, 4], [4, 4]]


def gates(times: np.ndarray, relu: bool) -> dict[tuple[int, int], np.ndarray]:
    """Whether each gate is open on the input at these times, by hidden layer and unit, both from 1."""
    weights, biases = network(3, 3, True)
    values, found = np.array([[float(part)] * len(times) for part in INPUT]), {}
    for layer, (rows, shifts) in enumerate(zip(weights, biases, strict=True), start=1):
        own = (1 - 2 * times) * (np.array(rows, float) @ values) + np.array(shifts, float)[:, None]
        found |= {(layer, unit): q > 0 for unit, q in enumerate(own, start=1)}
        values = np.maximum(own, 0) if relu else own
    return found


def test_switches():
    """Signs on both sides of each time, and as many changes on a grid as the table has rows."""
    rows = named("hidden layer")
    for kind in ("linear", "ReLU"):
        own = [row[1:] for row in rows if row[0] == kind]
        grid = (np.arange(GRID) + 0.5) / GRID
        changes = {key: np.flatnonzero(np.diff(is_open)) for key, is_open in gates(grid, kind == "ReLU").items()}
        assert sum(map(len, changes.values())) == len(own) > 0
        for shown, layer, unit, change in own:
            near = min(changes[int(layer), int(unit)], key=lambda step: abs(grid[step] - float(shown)))
            low, high = grid[near], grid[near + 1]
            assert gates(np.array([high]), kind == "ReLU")[int(layer), int(unit)][0] == (change == "opens")
            for _ in range(60):
                middle = (low + high) / 2
                is_open = gates(np.array([middle]), kind == "ReLU")[int(layer), int(unit)][0]
                low, high = (low, middle) if is_open == (change == "opens") else (middle, high)
            assert printed_as(shown, high), (kind, shown, high)


def mark() -> None:
    """Mark the tables of numbers."""
    for head in ("activation regions", "hidden layer"):
        for unit in next(t for t in tables(PAGE) if head in cells(t[0].text)):
            see(unit)
