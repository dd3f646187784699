"""The kinds of correlations, nonlinearities and scales as words, each with parameters that it accepts."""

from dataclasses import replace

import pytest

from derivations.explore.controls import Entry, controls, law_of
from derivations.explore.kinds import Kind
from derivations.explore.problems import law_values
from theory.problem import Elliptical, NonlinearGP
from theory.problem.correlations import CORRELATIONS
from theory.problem.nonlinearities import NONLINEARITIES
from theory.problem.scales import KINDS

LINE = NonlinearGP(12, (2, 1), 1, "open", "unit-variance", (1, 0))
CASES = [
    *(("correlation", word, LINE) for word in CORRELATIONS),
    ("correlation", "spectrum", replace(LINE, n=11, boundary="ring")),
    *(("nonlinearity", word, LINE) for word in NONLINEARITIES),
    *(("scale", word, Elliptical(12, (2, 1), "sphere", "open", "unit-variance", (1, 0))) for word in KINDS),
]


@pytest.mark.parametrize(("name", "word", "law"), CASES, ids=lambda case: getattr(case, "law", case))
def test_every_word_is_chosen_with_parameters_that_fit(name, word, law):
    control = controls(type(law), law_values(law))[name]
    other = law_of(type(law), {name: control.text(word, control.parameters)}, law_values(law))
    after = controls(type(law), law_values(other))[name]
    assert isinstance(after, Kind)
    assert after.word == word
    assert after.parameters == after.options[word]
    same = law_of(type(law), {name: after.text(word, after.parameters)}, law_values(other))
    assert same == other


def test_parameters_that_are_typed_are_those_of_the_law():
    law = replace(LINE, correlation={"kind": "matern", "smoothness": "5/2"})
    control = controls(NonlinearGP, law_values(law))["correlation"]
    assert (control.word, control.parameters) == ("matern", "smoothness = 2.5")
    typed = law_of(NonlinearGP, {"correlation": control.text("matern", "smoothness = 0.5")}, law_values(law))
    assert typed.correlation.smoothness * 2 == 1


def test_classes_of_different_kinds_have_an_entry():
    law = replace(LINE, correlation=("gaussian", "exponential"))
    control = controls(NonlinearGP, law_values(law))["correlation"]
    assert control == Entry(control.label, '["gaussian", "exponential"]')
    assert law_of(NonlinearGP, {"correlation": control.start}, law_values(law)) == law
