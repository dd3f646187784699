"""The gate inspector: formulas of the library beside samples, and weights that are none."""

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import inspector
from derivations.explore.gates_page import gated, inspector_page
from derivations.explore.inspector import PRESETS, inspect, preset
from derivations.explore.problems import FIRST
from tests.tolerances import EXPLORER_SHARE, STANDARD_ERRORS
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


def test_the_samples_reject_an_approximation_outside_of_its_regime(law):
    view = inspect(law, 0, preset("one site", law))
    assert view.distances["large gain"][1] > STANDARD_ERRORS


def test_laws_without_a_formula_have_samples_alone():
    pulse = problem_named("single-pulse").data
    view = inspect(pulse, 0, preset("bump", pulse))
    assert view.moments == {}
    assert set(view.refused) == set(inspector.formulas())
    assert np.isfinite(view.measured).all()


def test_a_share_of_open_gates_has_its_standard_error(law):
    """An input and its negative are equally likely, so that the gate is open half of the time."""
    opened = inspect(law, 0, preset("bump", law)).opened
    assert abs(opened.share - 0.5) <= STANDARD_ERRORS * opened.error
    assert opened.count * opened.share == round(opened.count * opened.share)
    variance = opened.share * (1 - opened.share) / (opened.count - 1)
    assert abs(opened.error**2 - variance) <= EXPLORER_SHARE * variance
    assert inspect(law, 0, preset("bump", law), sample=False).opened is None


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
