"""The problem bar: a moved control changes its field alone, whatever the law; a refused one changes nothing."""

from dataclasses import replace
from fractions import Fraction

import pytest

from derivations.experiments.folders import problem_named
from derivations.explore.bar import bar, changed
from derivations.explore.problems import FIRST
from tests.tolerances_of_explorer import SLIDER_DIGITS
from theory.problem import LAWS, InputError, Network, SiteGate, load, loads
from theory.problem.network import MODELS

THIRD = "1/3"  # a length that no decimal of twelve digits is
CHOSEN = [name for name in LAWS if name not in ("own",)]


@pytest.fixture
def problem():
    first = load(FIRST)
    return replace(first, data=replace(first.data, xi=(THIRD, 1)))


def values_of(problem):
    return {control["name"]: control["value"] for control in bar(problem)["controls"]}


def test_a_moved_control_changes_its_field_alone(problem):
    moved, notes = changed(problem, {"data.gain": "2"})
    assert moved == replace(problem, data=replace(problem.data, gain=2))
    assert str(moved.data.xi[0]) == THIRD
    assert notes == ()
    assert changed(moved, {"data.gain": "1"})[0] == problem


def test_one_number_of_several_is_moved(problem):
    moved, _ = changed(problem, {"data.xi.1": "3"})
    assert moved.data.xi[1] == 3
    assert abs(float(moved.data.xi[0]) * 3 - 1) < SLIDER_DIGITS


def test_controls_that_fit_together_only_are_taken_together(problem):
    long = replace(problem, data=replace(problem.data, xi=("15", 1)))
    with pytest.raises(InputError, match="not positive semidefinite") as refused:
        changed(long, {"data.boundary": "ring"})
    assert refused.value.kind == "data.boundary"
    moved, _ = changed(long, {"data.boundary": "ring", "data.xi.0": "2"})
    assert (moved.data.boundary, moved.data.xi[0]) == ("ring", 2)


def test_every_law_is_chosen_described_and_keeps_its_own_values(problem):
    """A control that is handed back as it is leaves the law as it is, but for decimals of twelve digits."""
    start = replace(problem, data=load(FIRST).data)
    for name in CHOSEN:
        law, _ = changed(start, {"data.law": name})
        shown = bar(law)
        assert law.data.law == name
        assert loads(shown["toml"]) == law
        assert len(shown["summary"]["classes"]) == law.data.classes
        assert "$" not in shown["summary"]["definition"]
        for control in shown["controls"]:
            assert control["label"]
            if control["kind"] != "text":
                options = control.get("values") or [value for value, _ in control["options"]]
                assert control["value"] in options
            if control["name"].startswith("data.") and control["name"] != "data.law":
                assert changed(law, {control["name"]: control["value"]})[0] == law, control["name"]


def test_each_model_is_chosen_with_gates_where_it_needs_them(problem):
    for model in MODELS:
        moved, _ = changed(problem, {"network.model": model})
        assert (moved.network.model, moved.network.units) == (model, problem.network.units)
        assert moved.network.gates == (problem.network.gates if model == Network.gated else ())
        assert moved.network.slope == (Fraction(1, 100) if model == "leaky-relu" else None)
        back, _ = changed(moved, {"network.model": "gated-linear", "network.units": "3"})
        assert len(back.network.gates) == back.network.units == 3


def test_a_graph_has_no_controls_of_units():
    shown = bar(problem_named("race"))
    assert (shown["summary"]["model"], shown["summary"]["units"]) == ("graph", 0)
    assert {control["name"].partition(".")[0] for control in shown["controls"]} == {"data"}


def test_more_units_have_open_gates_and_fewer_keep_the_first(problem):
    more = changed(problem, {"network.units": "3"})[0].network.gates
    assert more[:2] == problem.network.gates
    assert more[2].kind == "always"
    assert changed(problem, {"network.units": "1"})[0].network.gates == (SiteGate(20, lo=0),)


def test_a_wrong_value_is_refused_by_name(problem):
    for name, value, says in (
        ("data.gain", "-1", "gain"),
        ("data.gain", "x", "not a number"),
        ("data.gain", "", "not a number"),
        ("data.gain", "nan", "not a number"),
        ("data.gain", "1e999999999", "not a number"),
        ("data.gain", "1/0", "gain"),
        ("data.n", "2.5", "n"),
        ("data.none", "1", "no control"),
        ("none", "1", "no control"),
        ("data.law", "none", "no law"),
        ("data.law", "own", "comes from a problem file"),
        ("data.labels", "[1.0", "not valid TOML"),
        ("network.units", "0", "units"),
        ("network.units", "many", "whole number"),
        ("network.model", "none", "model"),
    ):
        with pytest.raises(InputError) as refused:
            changed(problem, {name: value})
        assert says in refused.value.message
        assert refused.value.kind == name
