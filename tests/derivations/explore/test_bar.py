"""The problem bar: a moved control changes its field alone, whatever the law; a refused one changes nothing."""

import re
from dataclasses import replace

import pytest

from derivations.explore.bar import bar, changed, marked, summary
from derivations.explore.problems import FIRST
from tests.tolerances_of_explorer import SLIDER_DIGITS
from theory.problem import LAWS, InputError, Network, OutOfReachError, SiteGate, dumps, load, loads
from theory.problem.network import MODELS
from theory.problem.toml import tables_of

THIRD = "1/3"  # a length that no decimal of twelve digits is
CHOSEN = [name for name in LAWS if name not in ("own",)]


@pytest.fixture
def problem():
    given = load(FIRST)
    return replace(given, data=replace(given.data, xi=(THIRD, 1)))


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


def test_a_typed_value_is_exact(problem):
    assert changed(problem, {"data.gain": "1.2345"})[0].data.gain * 10000 == 12345
    assert changed(problem, {"data.gain": "5/7"})[0].data.gain * 7 == 5


def test_controls_that_fit_together_only_are_taken_together(problem):
    long = replace(problem, data=replace(problem.data, xi=("15", 1)))
    with pytest.raises(InputError, match="not positive semidefinite") as refused:
        changed(long, {"data.boundary": "ring"})
    assert refused.value.kind == "data.boundary"
    moved, _ = changed(long, {"data.boundary": "ring", "data.xi.0": "2"})
    assert (moved.data.boundary, moved.data.xi[0]) == ("ring", 2)


@pytest.mark.parametrize("name", CHOSEN)
def test_every_law_is_chosen_and_described(problem, name):
    moved, _ = changed(problem, {"data.law": name})
    assert moved.data.law == name
    found = bar(moved)
    assert loads(found["toml"]) == moved
    assert len(found["summary"]["classes"]) == moved.data.classes
    assert "$" not in found["summary"]["definition"]
    names = [control["name"] for control in found["controls"]]
    assert len(set(names)) == len(names)
    for control in found["controls"]:
        assert control["label"]
        if control["kind"] == "slider":
            assert control["value"] in control["values"]
        if control["kind"] == "choice":
            assert control["value"] in [value for value, _ in control["options"]]


@pytest.mark.parametrize("name", CHOSEN)
def test_every_control_of_a_law_takes_its_own_value(problem, name):
    """A control that is handed back as it is leaves the law as it is, but for decimals of twelve digits."""
    law = changed(replace(problem, data=load(FIRST).data), {"data.law": name})[0]
    for control, value in values_of(law).items():
        if control.startswith("data.") and control != "data.law":
            assert changed(law, {control: value})[0] == law, control


def test_a_law_of_one_s_own_is_not_chosen(problem):
    with pytest.raises(InputError, match="comes from a problem file"):
        changed(problem, {"data.law": "own"})


def test_gates_follow_the_law_with_a_note(problem):
    moved, notes = changed(problem, {"data.law": "gaussian-clone"})
    assert {gate.on for gate in moved.network.gates} == {"input"}
    assert any("no latent" in note for note in notes)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_chosen(problem, model):
    moved, _ = changed(problem, {"network.model": model})
    assert (moved.network.model, moved.network.units) == (model, problem.network.units)
    assert (moved.network.gates == problem.network.gates) == (model == Network.gated)
    assert loads(dumps(moved)) == moved
    back, _ = changed(moved, {"network.model": "gated-linear", "network.units": "3"})
    assert len(back.network.gates) == back.network.units == 3


def test_more_units_have_open_gates_and_fewer_keep_the_first(problem):
    more = changed(problem, {"network.units": "3"})[0].network.gates
    assert more[:2] == problem.network.gates
    assert more[2].kind == "always"
    assert changed(problem, {"network.units": "1"})[0].network.gates == (SiteGate(20, lo=0),)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"data.gain": "-1"}, "gain"),
        ({"data.gain": "x"}, "not a number"),
        ({"data.gain": ""}, "not a number"),
        ({"data.gain": "nan"}, "not a number"),
        ({"data.gain": "1e999999999"}, "not a number"),
        ({"data.gain": "1/0"}, "gain"),
        ({"data.n": "2.5"}, "n"),
        ({"data.none": "1"}, "no control"),
        ({"none": "1"}, "no control"),
        ({"data.law": "none"}, "no law"),
        ({"data.labels": "[1.0"}, "not valid TOML"),
        ({"network.units": "0"}, "units"),
        ({"network.units": "many"}, "whole number"),
        ({"network.model": "none"}, "model"),
    ],
)
def test_a_wrong_value_is_refused_by_name(problem, values, says):
    with pytest.raises(InputError) as refused:
        changed(problem, values)
    assert says in refused.value.message
    assert refused.value.kind == next(iter(values))


def test_an_unreachable_value_stays_out_of_reach(problem, monkeypatch):
    def refuse(*_given):
        raise OutOfReachError("Too far.", "Nearer.")

    monkeypatch.setattr("derivations.explore.bar.law_of", refuse)
    with pytest.raises(OutOfReachError, match="Too far") as refused:
        changed(problem, {"data.gain": "2"})
    assert refused.value.kind == "data.gain"


def test_classes_have_the_name_of_their_label_never_a_number(problem):
    assert summary(problem)["classes"] == ["y = 1, ξ = 0.333", "y = 0, ξ = 1"]
    lengths = [control for control in bar(problem)["controls"] if control["name"].startswith("data.xi.")]
    assert [control["part"] for control in lengths] == ["y = 1", "y = 0"]
    assert not re.search(r"class \d", str(bar(problem)))


def test_a_text_of_markdown_is_html_and_nothing_else_is():
    assert marked("`a<b` <b> & $x$").startswith("<code>a&lt;b</code> &lt;b&gt; &amp; <math")


def test_the_values_of_the_bar_are_those_of_the_problem(problem):
    values = values_of(problem)
    table = tables_of(dumps(problem), "problem")["data"]
    assert float(values["data.gain"]) == table["gain"]
    assert int(values["data.n"]) == table["n"]
    assert values["network.units"] == "2"
