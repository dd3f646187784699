"""The gate inspector: formulas of the library beside samples, and weights that are none."""

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import inspector
from derivations.explore.gates_page import gated, inspector_page
from derivations.explore.inspector import PRESETS, inspect, preset
from derivations.explore.problems import FIRST
from tests.tolerances import STANDARD_ERRORS
from theory.moments.relu_gates import exact_moment
from theory.problem import AlwaysGate, InputError, SiteGate, load


@pytest.fixture
def law():
    return load(FIRST).data


@pytest.mark.parametrize("name", ["one site", "two sites"])
def test_the_exact_formula_agrees_with_samples(law, name):
    w = preset(name, law)
    view = inspect(law, 0, w)
    assert (view.moments["exact"].value == exact_moment(law, 0, w.tolist()).value).all()
    assert (np.abs(view.measured - view.moments["exact"].value) <= STANDARD_ERRORS * view.errors).all()


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


def test_the_samples_reject_an_approximation_outside_of_its_regime(law):
    view = inspect(law, 0, preset("one site", law))
    assert view.distances["large gain"][1] > STANDARD_ERRORS


def test_laws_without_a_formula_have_samples_alone():
    pulse = problem_named("single-pulse").data
    view = inspect(pulse, 0, preset("bump", pulse))
    assert view.moments == {}
    assert set(view.refused) == set(inspector.formulas())
    assert np.isfinite(view.measured).all()


@pytest.mark.parametrize("w", [np.zeros(40), np.ones(39), np.full(40, np.nan)])
def test_weights_that_are_none_are_refused(law, w):
    with pytest.raises(InputError):
        inspect(law, 0, w)


def test_drawn_weights_of_another_law_give_way_to_those_of_the_start():
    problem = load(FIRST)
    assert (inspector_page(problem, {"w": [1.0, 2.0]})["w"] == preset(PRESETS[0], problem.data)).all()
    drawn = [0.0] * 39 + [1.0]
    assert inspector_page(problem, {"w": drawn})["w"].tolist() == drawn


def test_a_moved_control_changes_its_gate_alone():
    problem = load(FIRST)
    moved = gated(problem, {"moved": {"unit": 0, "what": "lo", "value": "0.3"}})
    assert moved.network.gates == (SiteGate(20, lo="3/10"), problem.network.gates[1])
    more = gated(problem, {"moved": {"what": "units", "value": "3"}})
    assert more.network.gates == (*problem.network.gates, AlwaysGate())


def test_a_network_that_gates_itself_keeps_its_gates_until_it_is_made_gated_linear():
    relu = problem_named("relu-training")
    shown = gated(relu, {})
    assert set(shown.network.gates) == {AlwaysGate()}
    assert relu.network.model == "relu"
