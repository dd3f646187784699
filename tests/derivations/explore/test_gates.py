"""The gates view: moments through gates, exact and measured, remarks, and the inspector of one gate."""

from csv import DictReader
from dataclasses import replace

import numpy as np
import pytest

from derivations.answers.compare import field_view
from derivations.experiments.folders import problem_named
from derivations.explore.fields import live
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
from derivations.explore.gates_page import gated, inspector_page
from derivations.explore.inspector import PRESETS, inspect, preset
from derivations.explore.problems import FIRST, carried
from sim.measure import measure
from tests.tolerances import STANDARD_ERRORS, UNIT_ROUNDOFF
from theory.flow import solve
from theory.moments import gated_moments
from theory.moments.relu_gates import exact_moment
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    InputError,
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


@pytest.fixture
def problem():
    return load(FIRST)


def test_the_gate_that_controls_declare():
    for kind, low, high, gate in (
        ("always", 0.0, 1.0, AlwaysGate()),
        ("site", -END, END, SiteGate(3)),
        ("site", -0.3, 1.0, SiteGate(3, lo="-3/10", hi=1)),
        (KEPT, 0.0, 1.0, RepeatedGate(0)),
    ):
        assert gate_of(kind, 3, low, high, "latent", RepeatedGate(0)) == gate


def test_exact_moments_are_the_library_s_and_measured_ones_agree(problem):
    view = gate_view(problem)
    sampled = replace(problem, simulation=Simulation("full-batch", EXAMPLES, 1, REPLICATES, 0))
    for shown, moment in (
        (view.measured, measure(InputOutputMoment(), sampled, "cpu").mean),
        (view.second_moments(0, 1)["measured"], measure(InputMoment(), sampled, "cpu").mean[0, 1]),
    ):
        assert (np.abs(shown - moment) <= EXAMPLES * UNIT_ROUNDOFF * np.abs(moment).max()).all()
    assert (view.exact == gated_moments(problem).sigma_yx).all()
    assert view.condition == solve(problem).condition
    assert (np.abs(view.exact - view.measured) <= STANDARD_ERRORS * view.errors).all()
    assert (view.second_moments(0, 1)["exact"] == gated_moments(problem).sigma_xx[0, 1]).all()
    assert [row["value"] for row in rows(view)] == [view.condition, 80, view.mse]
    written = list(DictReader(csv(view, 0, 1).splitlines()))
    for how, matrix in view.second_moments(0, 1).items():
        columns = [f"sigma_xx(0, 1) with site {site}, {how}" for site in range(40)]
        # Row k has <g_0 g_1 x_k x_l> in its column of site l; the matrix is symmetric.
        assert ([[float(row[name]) for name in columns] for row in written] == matrix.T).all()
    assert latex(view).count("&") == 3


@pytest.mark.parametrize("twice", [False, True])
def test_where_no_closed_form_is_known_the_conditioning_is_measured(problem, twice):
    slab = DirectionGate({20: 1, 21: 2}, lo=-1, hi=1, on="input")
    slabs = with_gates(problem, [slab, slab if twice else SiteGate(20, lo=1)])
    view = gate_view(slabs)
    assert (view.condition, view.exact) == (None, None)
    assert "is not Gaussian" in view.refused.message
    assert set(view.second_moments(0, 1)) == {"measured"}
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


def test_moments_on_a_grid_name_row_and_column_and_gates_on_the_input(problem):
    line = problem.data
    grid = NonlinearGP2D(line.xi, line.gain, "open", line.normaliser, line.labels, (3, 5))
    view = gate_view(with_gates(carried(problem, grid)[0], [AlwaysGate(), SiteGate(11, lo=0, on="input")]))
    assert csv(view, 1, 0).splitlines()[12].startswith("11,2,1,")
    place, drawn, outside = remarks(view, 1)
    assert "gate 1 at row 2, column 1" in place
    assert "drawn for unit 1 of the units 0 to 1" in drawn
    assert outside.startswith("Gate 1 is on the input x")
    assert remarks(gate_view(problem, measured=False), 0) == ()


@pytest.mark.parametrize(("support", "shut"), [("zero-one", [0]), ("plus-minus", [])])
def test_gates_that_never_open_are_named(problem, support, shut):
    law = SinglePulse(12, ((3, 4), (5, 6)), support, "none", (1, 0))
    gates = [SiteGate(3, hi=0, on="input"), SiteGate(3, lo=0, on="input")]
    view = gate_view(with_gates(carried(problem, law)[0], gates), measured=False)
    assert never_open(view) == shut
    assert remarks(view, 0) == (("Gate 0 is closed for every input of this law.",) if shut else ())


@pytest.fixture
def law():
    return load(FIRST).data


def test_the_exact_formula_agrees_with_samples(law):
    w = preset("two sites", law)
    view = inspect(law, 0, w)
    assert (view.moments["exact"].value == exact_moment(law, 0, w.tolist()).value).all()
    assert (np.abs(view.measured - view.moments["exact"].value) <= STANDARD_ERRORS * view.errors).all()


def test_weights_of_a_bump_fall_from_the_middle_to_both_sides(law):
    w = preset("bump", law)
    middle = int(w.argmax())
    assert w[middle] == 1
    assert (np.diff(w[: middle + 1]) >= 0).all()
    assert (np.diff(w[middle:]) <= 0).all()
    assert w.min() < 1 / 2


def test_the_share_of_open_gates_has_an_interval(law):
    """The law is even, so that every gate without a threshold is open for half of the inputs."""
    share, low, high = inspect(law, 0, preset("bump", law)).opened
    assert low < share < high
    assert low < 1 / 2 < high
    page = inspector_page(load(FIRST), {"preset": "bump", "sample": True})
    assert page["opened"] == (share, low, high)
    pulse = problem_named("single-pulse").data
    share, low, high = inspect(pulse, 0, -np.ones(pulse.n)).opened  # a pulse covers less than half of the ring
    assert share == high == 1
    assert 0.99 < low < 1


def test_an_approximation_outside_of_its_regime_differs_from_the_samples_and_some_laws_have_none(law):
    view = inspect(law, 0, preset("one site", law))
    assert view.distances["large gain"][1] > STANDARD_ERRORS >= view.distances["exact"][1]
    pulse = problem_named("single-pulse").data
    view = inspect(pulse, 0, preset("bump", pulse))
    assert (view.moments, len(view.refused)) == ({}, 4)
    assert np.isfinite(view.measured).all()


def test_drawn_weights_stay_as_long_as_they_fit_the_law(problem):
    drawn = [0.0] * 39 + [1.0]
    assert inspector_page(problem, {"w": drawn})["w"].tolist() == drawn
    assert (inspector_page(problem, {"w": [1.0, 2.0]})["w"] == preset(PRESETS[0], problem.data)).all()
    for w in (np.zeros(40), np.ones(39), np.full(40, np.nan)):
        with pytest.raises(InputError):
            inspect(problem.data, 0, w)


def test_a_moved_control_changes_its_gate_alone(problem):
    moved = gated(problem, {"moved": {"unit": 0, "what": "lo", "value": "0.3"}})
    assert moved.network.gates == (SiteGate(20, lo="3/10"), problem.network.gates[1])
    more = gated(problem, {"moved": {"what": "units", "value": "3"}})
    assert more.network.gates == (*problem.network.gates, AlwaysGate())
    assert set(gated(problem_named("relu-training"), {}).network.gates) == {AlwaysGate()}


def test_labels_of_several_numbers_are_refused_by_the_views_of_networks(problem):
    vectors = replace(problem, data=replace(problem.data, labels=((1, 0), (0, 1))))
    for ask in (gate_view, lambda problem: field_view(live(problem, 32, 4))):
        with pytest.raises(OutOfReachError, match="labels have 2 numbers each"):
            ask(vectors)
