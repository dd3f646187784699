"""Sweeps of graphs: axes over nodes and weights, names in tables and datasets, and what cannot be measured."""

import pytest

from derivations.sweeps import cells
from derivations.sweeps.table import csv_text, mean_and_error
from tests.derivations.sweeps.cases import computed
from tests.paths import ROOT
from theory.problem import loads, loads_sweep

RACE = (ROOT / "derivations/experiments/problems/race.toml").read_text(encoding="utf-8")
HEAD = """
observables = ["loss", "weight-sizes", "path-strengths", "map-modes"]
store = "store"
base = "race.toml"
[axes]
"""
AXES = '"training.w0.scale" = [0.1, 0.5]\n"network.nodes.h.dimension" = [2, 3]\n'
PATHS = ("x -> h -> right -> y", "x -> h -> left -> y", "x -> h -> y")
WEIGHTS = ("encode", "R", "L", "decode", "always")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a short race as the base of sweeps."""
    place = tmp_path_factory.mktemp("graphs")
    short = RACE.replace("times = [0.0, 1.0, 4.0, 16.0]", "times = [0.0, 0.1]")
    (place / "race.toml").write_text(short.replace("samples = 4000", "samples = 40"))
    return place


@pytest.fixture(scope="module")
def stored(folder):
    """The sweep with all its cells, made in this process."""
    sweep = loads_sweep(HEAD + AXES, folder)
    return sweep, computed(folder / "store", sweep)


def arrays(stored, cell):
    sweep, store = stored
    return store.read(cells.question(cell.problem, sweep.observables).cell(cells.code_version()))[1]


def test_axes_reach_nodes_by_name_and_problem_files_travel(stored):
    sweep, _ = stored
    values = [(cell.problem.graph.node("h").dimension, float(cell.problem.training.w0.scale)) for cell in sweep.cells]
    assert values == [(2, 0.1), (3, 0.1), (2, 0.5), (3, 0.5)]
    for cell in sweep.cells:
        assert loads(cells.question(cell.problem, sweep.observables).problem) == cell.problem


def test_rows_name_weights_and_paths(stored):
    sweep, store = stored
    rows = store.table()
    assert len(rows) == len(sweep.cells) * 2 * (1 + len(WEIGHTS) + 2 * len(PATHS))  # a map of one path has one mode
    for row in rows:
        scale, dimension = row["training.w0.scale"], row["network.nodes.h.dimension"]
        cell = sweep.cells[[(0.1, 2), (0.1, 3), (0.5, 2), (0.5, 3)].index((scale, dimension))]
        numbers = arrays(stored, cell)
        mean, _ = mean_and_error(numbers[row["observable"]], numbers["diverged"])
        place = mean[numbers["times"].tolist().index(row["time"])]
        if row["observable"] == "weight-sizes":
            place = place[WEIGHTS.index(row["weight"])]
        if row["observable"] == "path-strengths":
            place = place[PATHS.index(row["path"])]
        if row["observable"] == "map-modes":
            place = place[PATHS.index(row["map_mode"])]
        assert row["mean"] == place
        assert (row["weight"] is None) == (row["observable"] != "weight-sizes")
        assert (row["path"] is None) == (row["observable"] != "path-strengths")
        assert (row["map_mode"] is None) == (row["observable"] != "map-modes")
    assert "x -> h -> left -> y" in csv_text(rows)


def test_bad_axes_are_their_cells_errors(folder):
    for axis, words, remedy in (
        ('"network.nodes.middle.dimension" = [2]', "no entry 'middle'", "x, h, right, left, y"),
        ('"network.nodes.right.dimension" = [2]', "decode has 1 x 2", "another weight name"),
        ('"training.w0" = [{ Q = { law = "normal", scale = 1, seed = 0 } }]', "w0 names Q", "encode"),
    ):
        (cell,) = loads_sweep(HEAD + axis, folder).cells
        assert cell.problem is None
        assert words in cell.error.message
        assert remedy in cell.error.hint


def test_fields_of_a_graph_and_paths_of_one_hidden_layer_cannot_be_measured(folder):
    for observable in ("weights", "participation-ratio", "gate-flips", "biases", "input-moment"):
        (cell,) = loads_sweep(HEAD.replace('"loss"', f'"{observable}"'), folder).cells
        assert "this network is a graph" in cell.error.message, observable
    (cell,) = loads_sweep(HEAD.replace("race.toml", "valid.toml"), ROOT / "tests/theory/problem").cells
    assert "is not a graph with paths" in cell.error.message
