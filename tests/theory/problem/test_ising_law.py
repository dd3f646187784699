"""The declarations of Ising models: what is refused, and with which words."""

from fractions import Fraction
from math import atanh, exp, log, tanh

import pytest

from tests.paths import PROBLEMS
from tests.theory.problem.refusals import not_refused
from tests.tolerances import UNIT_ROUNDOFF
from theory.problem import dumps, load, loads
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D

GOOD = {"n": 8, "boundary": "ring", "labels": (1, 0), "beta": ("1/2", -1)}
GRID = {"shape": (3, 4), "boundary": "torus", "labels": (1, 0), "couplings": ("1/2", (1, "-1/3"))}


def test_bad_chains_are_named():
    cases = [
        ({"n": 1}, "data.n = 1 must be at least 2"),
        ({"n": 20_000}, "takes 3.2 GB of memory"),
        ({"boundary": "torus"}, "data.boundary = 'torus' is not known. Choose one of: open, ring"),
        ({"beta": ()}, "data has neither `beta` nor `xi`"),
        ({"xi": (1, 2)}, "data has both `beta` and `xi`"),
        ({"beta": (1,)}, "data.beta has 1 entries, data.labels 2"),
        ({"beta": (1, 21)}, "data.beta[1] = 21 is larger than 20"),
        ({"beta": 1}, "data.beta = 1 must be a list of numbers"),
        ({"beta": (), "xi": (1, 0)}, "data.xi[1] = 0 must be > 0: it is the correlation length"),
        ({"beta": (), "xi": (1, "1e18")}, "data.xi[1] = 1e+18 is larger than 1e+17"),
        ({"h": (0, -21)}, "data.h[1] = -21 is larger than 20"),
        ({"h": (0,)}, "data.h has 1 entries"),
        ({"labels": (1, 0, 1)}, "data.beta has 2 entries, data.labels 3"),
    ]
    assert not_refused(lambda changed: Ising(**(GOOD | changed)), cases) == []


def test_bad_grids_are_named():
    cases = [
        ({"shape": (3,)}, "data.shape = (3,) must be two whole numbers"),
        ({"shape": (1, 3)}, "data.shape[0] = 1 must be at least 2"),
        ({"shape": (101, 100)}, "has 10100 sites, more than 10000"),
        ({"boundary": "ring"}, "Choose one of: open, torus"),
        ({"couplings": (1,)}, "data.couplings has 1 entries"),
        ({"couplings": (1, (1, 2, 3))}, "data.couplings[1] = (1, 2, 3) must be two couplings"),
        ({"couplings": (1, (1, 21))}, "data.couplings[1][1] = 21 is larger than 20"),
        ({"h": (0, 21)}, "data.h[1] = 21 is larger than 20"),
    ]
    assert not_refused(lambda changed: Ising2D(**(GRID | changed)), cases) == []


@pytest.mark.parametrize("xi", ["1/100", "1/2", 1, 40, 10**9, 10**17])
def test_a_length_gives_its_coupling(xi):
    """tanh beta = exp(-1/xi): by atanh where it does not lose digits, else by atanh(e^-u) = -log(tanh(u/2))/2."""
    law = Ising(4, "open", (1, 0), xi=(xi, 1))
    u = float(1 / Fraction(xi))
    expected = atanh(exp(-u)) if u > 1 else -log(tanh(u / 2)) / 2
    assert abs(law.coupling(0) - expected) <= 4 * UNIT_ROUNDOFF * expected


def test_fields_are_zero_where_none_are_given():
    assert Ising(**GOOD) == Ising(**GOOD, h=(0, 0))
    assert Ising(**GOOD) != Ising(**GOOD, h=(0, 1))
    assert Ising2D(**GRID) == Ising2D(**GRID, h=[0, 0])
    assert Ising2D(**GRID).couplings[0] == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize("law", [Ising(**GOOD, h=(1, 0)), Ising(9, "open", (1, 0), xi=(2, 1)), Ising2D(**GRID)])
def test_a_law_is_written_and_read_again(law):
    problem = load(PROBLEMS / "ising.toml")
    object.__setattr__(problem, "data", law)
    assert loads(dumps(problem)).data == law
