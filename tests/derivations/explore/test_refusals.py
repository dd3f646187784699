"""The explorer with a law, gate, model or label that nobody wrote for it: an answer, or a named refusal."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import pytest

from derivations.answers.compare import field_view
from derivations.explore.closed_forms import closed_form
from derivations.explore.controls import controls
from derivations.explore.data import theory_of
from derivations.explore.data_page import page
from derivations.explore.fields import live
from derivations.explore.gates import gate_view
from derivations.explore.problems import FIRST, attempt, law_values
from derivations.explore.views import data as data_view
from derivations.explore.wire import packed
from theory.problem import Law, OutOfReachError, SiteGate, WorkbenchError, load
from theory.problem.gates import Gate


@dataclass(frozen=True)
class StudentT(Law):
    """A law of the tests: independent Student-t numbers at every site."""

    n: int
    freedom: Fraction
    labels: tuple = (Fraction(1), Fraction(0))
    law: ClassVar[str] = "student-t"
    boundary: ClassVar[str] = "open"

    def __post_init__(self):
        self.check_classes()


@dataclass(frozen=True)
class ParityGate(Gate):
    """A gate of the tests: open where an even number of sites is positive."""

    kind: ClassVar[str] = "parity"


def first():
    return load(FIRST)


def on(law, *gates):
    """The first problem of the explorer on another law; its gates look at the input."""
    problem = first()
    gates = gates or (SiteGate(1, lo=0, on="input"), SiteGate(1, hi=0, on="input"))
    network = replace(problem.network, gates=gates, units=len(gates))
    return replace(problem, data=law, network=network)


STUDENT = StudentT(40, Fraction(3))


def test_the_data_view_names_a_law_it_does_not_know():
    with pytest.raises(OutOfReachError, match="The law StudentT has no exact statistics of its inputs"):
        theory_of(STUDENT)
    with pytest.raises(OutOfReachError, match="The law StudentT has no exact statistics"):
        data_view.answer(on(STUDENT), {})
    assert closed_form(STUDENT) == ""


@pytest.mark.parametrize("ask", [gate_view, lambda problem: field_view(live(problem, 32, 4))], ids=["gates", "fields"])
@pytest.mark.parametrize(
    "problem", [on(STUDENT), on(first().data, ParityGate(), ParityGate())], ids=["student-t", "parity"]
)
def test_gates_and_fields_views_refuse_by_name(ask, problem):
    answer, refused = attempt(lambda: ask(problem))
    assert answer is None
    assert isinstance(refused, WorkbenchError)
    said = refused.message + refused.hint
    assert any(word in said for word in ("student-t", "StudentT", "parity", "ParityGate")), said


@pytest.mark.parametrize("classes", [1, 3])
def test_any_number_of_classes_is_drawn(classes):
    law = replace(first().data, xi=(2, 1, 3)[:classes], labels=(1, 0, -1)[:classes])
    theory = theory_of(law)
    assert len(page(theory, None)["covariances"]) == min(classes, 2)
    assert theory.covariance.shape == (classes, 40, 40)
    shown = page(theory, None)
    assert len(shown["spectrum"]["exact"]) == classes
    names = tuple(f"y = {y}" for y in ("1", "0", "−1")[:classes])
    assert [name.split(",")[0] for name in shown["classes"]] == list(names)
    assert controls(type(law), law_values(law))["xi"].parts == names


@pytest.mark.parametrize(("asked", "drawn"), [(1, [1, 2]), (5, [1, 2]), (-1, [0, 1])])
def test_the_classes_whose_covariances_are_drawn_are_chosen(asked, drawn):
    law = replace(first().data, xi=(2, 1, 3), labels=(1, 0, -1))
    shown = page(theory_of(law), None, asked)["covariances"]
    assert [one["class"] for one in shown] == drawn
    assert [one["matrix"] for one in shown] == [packed(theory_of(law).covariance[c]) for c in drawn]


def test_labels_of_several_numbers_are_refused_by_the_views_of_networks():
    vectors = replace(first(), data=replace(first().data, labels=((1, 0), (0, 1))))
    for ask in (gate_view, lambda problem: field_view(live(problem, 32, 4))):
        with pytest.raises(OutOfReachError, match="labels have 2 numbers each"):
            ask(vectors)
