"""A view writes back to the shared problem its own changes, merged into what other views have made of it."""

from dataclasses import replace

import pytest

from derivations.explore.gates import END, KEPT
from derivations.explore.shell.controls import controls
from derivations.explore.shell.session import Session, with_law, with_moved_gates
from derivations.explore.shell.shared_problem import FIRST, SharedProblem, law_values
from theory.problem import LAWS, AlwaysGate, InputError, Network, NonlinearGP, SiteGate, dumps, load

BUILT = object()  # stands for the widgets that a view has built
THIRD = "1/3"  # a length that no decimal of twelve digits is
GATES = {"units": 2} | {
    f"{name}.{unit}": value
    for unit, ends in enumerate(((0.0, END), (-END, 0.0)))
    for name, value in (("kind", "site"), ("site", 20), ("range", ends))
}


@pytest.fixture
def shared():
    problem = load(FIRST)
    return SharedProblem(replace(problem, data=replace(problem.data, xi=(THIRD, 1))))


def starts(problem):
    return {name: control.start for name, control in controls(type(problem.data), law_values(problem.data)).items()}


def test_a_view_that_opens_writes_nothing(shared):
    before = shared.problem
    session = Session(shared)
    problem, notes = with_law(session, BUILT, NonlinearGP, starts(before))
    assert problem is before is shared.problem
    assert notes == ()
    assert with_moved_gates(Session(shared), BUILT, GATES) is before is shared.problem


def test_a_moved_control_changes_its_field_alone(shared):
    session, values = Session(shared), starts(shared.problem)
    with_law(session, BUILT, NonlinearGP, values)
    with_law(session, BUILT, NonlinearGP, values | {"gain": "2"})
    assert shared.problem.data.gain == 2
    assert str(shared.problem.data.xi[0]) == THIRD
    with_law(session, BUILT, NonlinearGP, values)
    assert shared.problem.data.gain == 1


def test_views_that_overtake_each_other_keep_both_changes(shared):
    first, second, values = Session(shared), Session(shared), starts(shared.problem)
    for session in (first, second):
        with_law(session, session, NonlinearGP, values)
    with_law(second, second, NonlinearGP, values | {"n": "30"})
    assert first.stale
    assert not second.stale
    with_law(first, first, NonlinearGP, values | {"gain": "2"})
    assert (shared.problem.data.n, shared.problem.data.gain) == (30, 2)
    assert second.stale
    assert second.read() is shared.problem


def test_a_law_that_another_view_chose_stays(shared):
    session, other, values = Session(shared), Session(shared), starts(shared.problem)
    with_law(session, session, NonlinearGP, values)
    with_law(other, other, NonlinearGP, values)
    with_law(other, other, LAWS["gaussian-clone"], values)
    with_law(session, session, NonlinearGP, values | {"gain": "2"})
    assert shared.problem.data.law == "gaussian-clone"
    assert shared.problem.data.gain == 1


def test_a_refused_change_is_made_once_the_rest_allows_it(shared):
    session, values = Session(shared), starts(shared.problem)
    with_law(session, BUILT, NonlinearGP, values)
    wrong = values | {"boundary": "ring", "xi": ("15", "1")}
    with pytest.raises(InputError, match="not positive semidefinite"):
        with_law(session, BUILT, NonlinearGP, wrong)
    assert shared.problem.data.boundary == "open"
    with_law(session, BUILT, NonlinearGP, wrong | {"xi": ("2", "1")})
    assert shared.problem.data.boundary == "ring"


def test_gates_that_no_control_moved_stay_as_they_are(shared):
    network = replace(shared.problem.network, gates=(SiteGate(20, lo=5), SiteGate(20, hi=0)))
    shared.put(replace(shared.problem, network=network))
    session = Session(shared)
    values = GATES | {"range.0": (END, END)}  # the slider ends before the bound
    with_moved_gates(session, BUILT, values)
    with_moved_gates(session, BUILT, values | {"site.1": 3})
    assert shared.problem.network.gates == (SiteGate(20, lo=5), SiteGate(3, hi=0))
    fewer = {name: value for name, value in values.items() if not name.endswith(".1")} | {"units": 1}
    with_moved_gates(session, BUILT, fewer)
    assert shared.problem.network.gates == (SiteGate(20, lo=5),)


def test_a_network_that_gates_itself_keeps_its_model(shared):
    relu = replace(shared.problem, network=Network("relu", "mean", 3))
    shared.put(relu)
    session = Session(shared)
    values = {"units": 1, "kind.0": "always", "site.0": 20, "range.0": (0.0, END)}
    assert with_moved_gates(session, BUILT, values).network.gates == (AlwaysGate(),)
    shown = with_moved_gates(session, BUILT, values | {"kind.0": "site"})
    assert shown.network.gates == (SiteGate(20, lo=0),)
    assert shared.problem is relu
    with_moved_gates(session, BUILT, values | {"kind.0": "site"}, adopt=True)
    assert shared.problem == shown


def test_a_gate_without_a_control_is_kept(shared):
    values = GATES | {"kind.1": KEPT}
    session = Session(shared)
    with_moved_gates(session, BUILT, values)
    with_moved_gates(session, BUILT, values | {"site.0": 7})
    assert shared.problem.network.gates == (SiteGate(7, lo=0), SiteGate(20, hi=0))


def test_a_text_that_another_view_has_overtaken_is_refused(shared):
    session, text = Session(shared), dumps(load(FIRST))
    changed = shared.put(replace(shared.problem, data=replace(shared.problem.data, gain=3)))
    with pytest.raises(InputError, match="Another view has changed"):
        session.replace(text)
    assert shared.problem is changed
    session.read()
    assert session.replace(text) == shared.problem == load(FIRST)
