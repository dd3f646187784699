"""The gates view without a browser, and in one."""

from csv import DictReader
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from derivations.explore.gates import (
    END,
    EXAMPLES,
    KEPT,
    REPLICATES,
    csv,
    gate_of,
    gate_view,
    latex,
    never_open,
    remarks,
    rows,
    with_gates,
)
from derivations.explore.problems import FIRST, carried
from sim.measure import measure
from tests.tolerances import STANDARD_ERRORS, UNIT_ROUNDOFF
from theory.flow import solve
from theory.moments import gated_moments
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    InputMoment,
    InputOutputMoment,
    NonlinearGP2D,
    OutOfReachError,
    RepeatedGate,
    Simulation,
    SinglePulse,
    SiteGate,
    load,
)

CONDITION = 0  # row of the table


@pytest.fixture
def problem():
    return load(FIRST)


@pytest.mark.parametrize(
    ("kind", "low", "high", "gate"),
    [
        ("always", 0.0, 1.0, AlwaysGate()),
        ("site", -END, END, SiteGate(3)),
        ("site", 0.0, END, SiteGate(3, lo=0)),
        ("site", -0.3, 1.0, SiteGate(3, lo="-3/10", hi=1)),
        (KEPT, 0.0, 1.0, RepeatedGate(0)),
    ],
)
def test_the_gate_that_controls_declare(kind, low, high, gate):
    assert gate_of(kind, 3, low, high, "latent", RepeatedGate(0)) == gate


def test_exact_moments_are_the_library_s_and_measured_ones_agree(problem):
    view = gate_view(problem)
    assert (view.exact == gated_moments(problem).sigma_yx).all()
    assert view.condition == solve(problem).condition
    assert (np.abs(view.exact - view.measured) <= STANDARD_ERRORS * view.errors).all()
    assert (view.second_moments(0, 1)["exact"] == gated_moments(problem).sigma_xx[0, 1]).all()
    assert [row["value"] for row in rows(view)] == [view.condition, 80, view.mse]
    assert len(csv(view, 0, 1).splitlines()) == 41
    assert "Sigma" in latex(view)


@pytest.mark.parametrize("twice", [False, True])
def test_where_no_closed_form_is_known_the_conditioning_is_measured(problem, twice):
    slab = DirectionGate({20: 1, 21: 2}, lo=-1, hi=1, on="input")
    slabs = with_gates(problem, [slab, slab if twice else SiteGate(20, lo=1)])
    view = gate_view(slabs)
    assert view.condition is None
    assert "is not Gaussian" in view.refused.message
    condition, rank, loss = rows(view)
    assert condition["quantity"] == f"condition of A, measured on {REPLICATES * EXAMPLES} examples"
    sampled = replace(slabs, simulation=Simulation("full-batch", EXAMPLES, 1, REPLICATES, 0))
    xx = measure(InputMoment(), sampled, "cpu").mean
    lam = np.linalg.eigvalsh(xx[0, 0] if twice else xx.transpose(0, 2, 1, 3).reshape(80, 80))
    # Sums of EXAMPLES terms in another order move an eigenvalue by that share of the largest.
    ratio = lam[-1] / lam[0]
    assert abs(condition["value"] - ratio) <= EXAMPLES * ratio**2 * UNIT_ROUNDOFF
    assert rank["value"] == (40 if twice else 80)
    assert loss["value"] is None


def test_what_is_measured_is_what_the_simulator_measures(problem):
    view = gate_view(problem)
    sampled = replace(problem, simulation=Simulation("full-batch", EXAMPLES, 1, REPLICATES, 0))
    yx, xx = (measure(moment, sampled, "cpu") for moment in (InputOutputMoment(), InputMoment()))
    rounding = EXAMPLES * UNIT_ROUNDOFF
    assert (np.abs(view.measured - yx.mean) <= rounding * np.abs(yx.mean).max()).all()
    assert (np.abs(view.errors - yx.standard_error) <= rounding * np.abs(yx.mean).max()).all()
    for p, q in ((0, 0), (0, 1)):
        off = np.abs(view.second_moments(p, q)["measured"] - xx.mean[p, q])
        assert (off <= rounding * np.abs(xx.mean).max()).all()


@pytest.mark.parametrize("units", [1, 4])
def test_a_gate_is_measured_where_it_has_no_closed_form(problem, units):
    slabs = with_gates(problem, [DirectionGate({k: 1, k + 1: 2}, lo=-1, hi=1, on="input") for k in range(units)])
    view = gate_view(slabs)
    assert isinstance(view.refused, OutOfReachError)
    assert view.exact is None
    assert view.measured.shape == (units, 40)
    assert set(view.second_moments(0, units - 1)) == {"measured"}
    assert latex(view).count("&") == 2


def test_moments_on_a_grid_name_row_and_column(problem):
    line = problem.data
    grid = NonlinearGP2D(line.xi, line.gain, "open", line.normaliser, line.labels, (3, 5))
    there = with_gates(carried(problem, grid)[0], [AlwaysGate(), SiteGate(11, lo=0)])
    view = gate_view(there)
    lines = csv(view, 1, 0).splitlines()
    assert lines[0].startswith('"site","row","column"')
    assert lines[12].startswith("11,2,1,")
    assert any("gate 1 at row 2, column 1" in note for note in remarks(view, 1))
    assert any("drawn for unit 1 of the units 0 to 1" in note for note in remarks(view, 1))


def test_the_file_has_the_whole_of_what_is_drawn(problem):
    view = gate_view(problem)
    rows = list(DictReader(csv(view, 0, 1).splitlines()))
    for how, matrix in view.second_moments(0, 1).items():
        columns = [f"sigma_xx(0, 1) with site {site}, {how}" for site in range(40)]
        # Row k has <g_0 g_1 x_k x_l> in its column of site l; the matrix is symmetric.
        assert ([[float(row[name]) for name in columns] for row in rows] == matrix.T).all()


def test_what_the_figure_does_not_show_is_said(problem):
    assert remarks(gate_view(problem, measured=False), 0) == ()
    many = with_gates(problem, [SiteGate(site, lo=0) for site in range(4)])
    (note,) = remarks(gate_view(many, measured=False), 3)
    assert note == "Σyx is drawn for units 1 to 3 of the units 0 to 3; choose p to see others."
    outside = with_gates(problem, [AlwaysGate(), SiteGate(3, lo=0, on="input")])
    (note,) = remarks(gate_view(outside, measured=False), 0)
    assert note.startswith("Gate 1 is on the input x, although the law nlgp has a latent")


@pytest.mark.parametrize(("support", "shut"), [("zero-one", [0]), ("plus-minus", [])])
def test_gates_that_never_open_are_named(problem, support, shut):
    law = SinglePulse(12, ((3, 4), (5, 6)), support, "none", (1, 0))
    gates = [SiteGate(3, hi=0, on="input"), SiteGate(3, lo=0, on="input")]
    view = gate_view(with_gates(carried(problem, law)[0], gates), measured=False)
    assert never_open(view) == shut
    assert remarks(view, 0) == (("Gate 0 is closed for every input of this law.",) if shut else ())


def test_without_bounds_a_site_gate_is_open(problem):
    assert gate_of("site", 0, -END, END, "latent", None).lo == -inf
    assert with_gates(problem, [AlwaysGate()]).network.units == 1
