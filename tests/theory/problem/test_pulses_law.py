"""The declarations of several pulses and of bars: what they hold, and the errors of bad ones."""

from fractions import Fraction

import pytest

from tests.theory.problem.refusals import not_refused
from tests.tolerances_of_laws import PULSE_HEIGHTS
from theory.problem import (
    AlwaysGate,
    Bars,
    Network,
    NormalInitialisation,
    Problem,
    Pulses,
    Training,
    dumps,
    loads,
)

PULSES = {
    "n": 8,
    "boundary": "ring",
    "form": "block",
    "widths": [[1, 2], [3, 4]],
    "counts": [[1, 1], [2, 3]],
    "heights": [1, 2],
    "overlap": "max",
    "labels": [1, 0],
}
BARS = {
    "shape": [3, 4],
    "boundary": "torus",
    "rows": [[1, 1], [2, 3]],
    "columns": [[3, 4], [1, 1]],
    "support": "zero-one",
    "flip": "none",
    "labels": [1, 0],
}


def test_bad_pulses_are_named():
    cases = [
        ("n", 1, "data.n = 1 must be at least 2"),
        ("boundary", "torus", "data.boundary = 'torus' is not known"),
        ("form", "cosine", "data.form = 'cosine' is not known"),
        ("widths", [[1, 2]], "data.widths has 1 entries, data.labels 2"),
        ("widths", [[1, 2], [3, 9]], "data.widths[1][1] = 9 is more than 8: a pulse does not fit 8 sites"),
        ("counts", [[1, 1], [3, 2]], "data.counts[1] = [3, 2] contains no number. Give the least number first"),
        ("counts", [[0, 1], [2, 3]], "data.counts[0][0] = 0 must be at least 1"),
        ("counts", [[1, 101], [2, 3]], "is more than 100: its moments would have too many digits"),
        ("heights", [], "data.heights = [] must be 1 to 100 heights"),
        ("heights", 1, "data.heights = 1 must be 1 to 100 heights"),
        ("heights", [1, -1], "has -1: the largest of a negative pulse"),
        ("overlap", "union", "data.overlap = 'union' is not known"),
    ]
    assert not_refused(lambda key, value: Pulses(**(PULSES | {key: value})), cases) == []


def test_bad_bars_are_named():
    cases = [
        ("shape", [3, 1], "data.shape[1] = 1 must be at least 2"),
        ("shape", [200, 200], "has 40000 sites, more than 10000"),
        ("shape", 4, "data.shape = 4 must be two whole numbers"),
        ("boundary", "ring", "data.boundary = 'ring' is not known"),
        ("rows", [[1, 4], [1, 1]], "data.rows[0][1] = 4 is more than 3: the grid has 3 rows"),
        ("columns", [[1, 5], [1, 1]], "data.columns[0][1] = 5 is more than 4: the grid has 4 columns"),
        ("support", "signs", "is not known"),
        ("flip", "both", "is not known"),
    ]
    assert not_refused(lambda key, value: Bars(**(BARS | {key: value})), cases) == []


def test_forms_are_symmetric_and_exact():
    """sin^2 at 1/4, 1/2 and 3/4 of a half-turn; the Gaussian has its middle at 1 and s = W/6."""
    assert Pulses(**(PULSES | {"form": "raised-cosine"})).profile(3) == (Fraction(1, 2), Fraction(1), Fraction(1, 2))
    bump = Pulses(**(PULSES | {"form": "gaussian"})).profile(3)
    assert (bump[0], bump[1]) == (bump[2], 1)
    assert abs(float(bump[0]) - 2.718281828459045**-2) <= PULSE_HEIGHTS
    assert all(2**20 % height.denominator == 0 for height in bump)


@pytest.mark.parametrize(
    "law",
    [
        Pulses(**PULSES),
        Pulses(**(PULSES | {"heights": ["1/3", -1], "overlap": "sum", "form": "gaussian", "boundary": "open"})),
        Bars(**BARS),
        Bars(**BARS, priors=["1/4", "3/4"], means=[1, "1/3"]),
    ],
)
def test_problem_files_keep_them(law):
    training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    problem = Problem(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)), training)
    assert loads(dumps(problem)) == problem
