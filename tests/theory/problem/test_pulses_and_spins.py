"""The declarations of pulses, bars and Ising models: what they hold and write, and the errors of bad ones."""

from fractions import Fraction
from math import atanh, exp, log, tanh

import pytest

from tests.theory.problem.refusals import not_refused
from tests.tolerances import UNIT_ROUNDOFF
from tests.tolerances_of_laws import PULSE_HEIGHTS
from theory.problem import (
    Bars,
    Pulses,
    SinglePulse,
)
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D

SINGLE = {"n": 8, "widths": [[1, 2], [3, 8]], "support": "zero-one", "flip": "none", "labels": ["1/2", -1]}


def test_bad_single_pulses_are_named():
    cases = [
        ("n", 20_000, "takes 3.2 GB of memory"),
        ("n", "8", "not a whole number"),
        ("widths", [[1, 2]], "data.widths has 1 entries, data.labels 2"),
        ("widths", [[1, 2], [3]], "data.widths[1] = [3] must be two whole numbers"),
        ("widths", [[0, 2], [3, 4]], "data.widths[0][0] = 0 must be at least 1"),
        ("widths", [[1, 2], [3, 9]], "data.widths[1][1] = 9 is more than 8: a pulse does not fit a ring of 8"),
        ("widths", [[1, 2], [4, 3]], "data.widths[1] = [4, 3] contains no width. Give the least width first"),
        ("support", "zeroone", "data.support = 'zeroone' is not known. Did you mean `zero-one`?"),
        ("flip", "both", "data.flip = 'both' is not known. Choose one of: none, sign, complement"),
    ]
    assert not_refused(lambda key, value: SinglePulse(**(SINGLE | {key: value})), cases) == []


CHAIN = {"n": 8, "boundary": "ring", "labels": (1, 0), "beta": ("1/2", -1)}
GRID = {"shape": (3, 4), "boundary": "torus", "labels": (1, 0), "couplings": ("1/2", (1, "-1/3"))}


def test_bad_chains_are_named():
    cases = [
        ({"n": 20_000}, "takes 3.2 GB of memory"),
        ({"boundary": "torus"}, "data.boundary = 'torus' is not known. Choose one of: open, ring"),
        ({"beta": ()}, "data has neither `beta` nor `xi`"),
        ({"xi": (1, 2)}, "data has both `beta` and `xi`"),
        ({"beta": (1, 21)}, "data.beta[1] = 21 is larger than 20"),
        ({"beta": (), "xi": (1, 0)}, "data.xi[1] = 0 must be > 0: it is the correlation length"),
        ({"beta": (), "xi": (1, "1e18")}, "data.xi[1] = 1e+18 is larger than 1e+17"),
        ({"labels": (1, 0, 1)}, "data.beta has 2 entries, data.labels 3"),
    ]
    assert not_refused(lambda changed: Ising(**(CHAIN | changed)), cases) == []


def test_bad_grids_of_spins_are_named():
    cases = [
        ({"shape": (3,)}, "data.shape = (3,) must be two whole numbers"),
        ({"shape": (101, 100)}, "has 10100 sites, more than 10000"),
        ({"boundary": "ring"}, "Choose one of: open, torus"),
        ({"couplings": (1, (1, 2, 3))}, "data.couplings[1] = (1, 2, 3) must be two couplings"),
        ({"couplings": (1, (1, 21))}, "data.couplings[1][1] = 21 is larger than 20"),
    ]
    assert not_refused(lambda changed: Ising2D(**(GRID | changed)), cases) == []


@pytest.mark.parametrize("xi", ["1/100", "1/2", 1, 40, 10**9, 10**17])
def test_a_length_gives_its_coupling(xi):
    """tanh beta = exp(-1/xi): by atanh where it does not lose digits, else by atanh(e^-u) = -log(tanh(u/2))/2."""
    law = Ising(4, "open", (1, 0), xi=(xi, 1))
    u = float(1 / Fraction(xi))
    expected = atanh(exp(-u)) if u > 1 else -log(tanh(u / 2)) / 2
    assert abs(law.coupling(0) - expected) <= 4 * UNIT_ROUNDOFF * expected


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
        ("widths", [[1, 2], [3, 9]], "data.widths[1][1] = 9 is more than 8: a pulse does not fit 8 sites"),
        ("counts", [[1, 1], [3, 2]], "data.counts[1] = [3, 2] contains no number. Give the least number first"),
        ("counts", [[0, 1], [2, 3]], "data.counts[0][0] = 0 must be at least 1"),
        ("counts", [[1, 101], [2, 3]], "is more than 100: its moments would have too many digits"),
        ("heights", 1, "data.heights = 1 must be 1 to 100 heights"),
        ("heights", [1, -1], "has -1: the largest of a negative pulse"),
    ]
    assert not_refused(lambda key, value: Pulses(**(PULSES | {key: value})), cases) == []


def test_bad_bars_are_named():
    cases = [
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
