"""Every law in the data view: its controls, its definition, exact numbers beside samples; what it lacks is named."""

import re
from dataclasses import replace

import numpy as np
import pytest

from derivations.explore.bar import bar, changed
from derivations.explore.controls import Entry, controls, law_of
from derivations.explore.data import latex, numbers, sampled, theory_of
from derivations.explore.data_page import page
from derivations.explore.kinds import Kind
from derivations.explore.laws import legends, says
from derivations.explore.problems import FIRST, law_values, starting_values
from derivations.publish.mathml import mathml
from tests.tolerances import EXPLORER_EXAMPLES, STANDARD_ERRORS
from theory.problem import LAWS, Elliptical, NonlinearGP, SinglePulse, StudentT, load
from theory.problem.correlations import CORRELATIONS
from theory.problem.nonlinearities import NONLINEARITIES
from theory.problem.scales import KINDS

FORMULA = re.compile(r"\$([^$]*)\$")


def chosen(name, **typed):
    """The first problem after its law was chosen, and then other values were given to its controls."""
    problem = load(FIRST)
    if name != problem.data.law:
        problem, _ = changed(problem, {"data.law": name})
    return changed(problem, {f"data.{field}": value for field, value in typed.items()})[0]


@pytest.mark.parametrize("name", [name for name in LAWS if name != "own"])
def test_every_law_is_chosen_and_shown(name):
    law = chosen(name).data
    assert law.law == name
    theory, sample = theory_of(law), sampled(law, rows=2048)
    for row in numbers(theory, sample):
        error = np.hypot(row["standard error"], row.get("its standard error", 0.0))
        rounding = law.n * np.finfo(float).eps * np.abs(theory.mean).max()  # a class of one input has no error
        assert abs(row[theory.how] - row["sampled"]) <= STANDARD_ERRORS * error + rounding
    shown = page(theory, sample)
    assert (shown["shape"] is None) == (getattr(law, "shape", None) is None)  # images on a grid
    assert len(shown["examples"]) == len(shown["classes"]) == law.classes
    assert (shown["marginal"] is None) != (shown["means"] is None)
    assert "tabular" in latex(theory)
    definition, seen = says(type(law))
    assert seen.endswith(".")
    for tex in FORMULA.findall(definition):
        mathml(tex)


def test_without_a_kurtosis_the_rest_is_shown():
    law = StudentT(6, (2, 1), "open", "unit-variance", (1, 0), (4, 9))
    theory = theory_of(law)
    infinite, finite = theory.kurtosis
    assert infinite is None
    assert abs(finite - 6 / (9 - 4)) <= EXPLORER_EXAMPLES
    assert "no finite fourth moments" in theory.missing[0]
    rows = [(row["statistic"], row["class"]) for row in numbers(theory, sampled(law))]
    assert (len(rows), rows[-1]) == (5, ("excess kurtosis", 1))


def test_a_chain_given_by_its_couplings_leaves_lengths_to_the_next_law():
    chain = chosen("ising", beta="[0.5, 0.25]")
    law = chain.data
    assert (law.xi, [str(beta) for beta in law.beta]) == ((), ["1/2", "1/4"])
    assert controls(LAWS["ising"], law_values(law))["xi"].parts == ()
    back = law_of(LAWS["ising"], {"beta": "[]"}, law_values(law))
    assert (back.beta, back.xi) == ((), (2, 1))
    assert changed(chain, {"data.law": "nlgp"})[0].data.xi == (2, 1)


def test_a_correlation_without_a_length_hides_the_sliders_of_lengths():
    table = chosen("nlgp", correlation="table")
    assert table.data.xi == ()
    before, after = ({control["name"] for control in bar(problem)["controls"]} for problem in (load(FIRST), table))
    assert "data.xi.0" in before - after
    assert "data.correlation.parameters" in after
    assert changed(table, {"data.correlation": "exponential"})[0].data.xi == (2, 1)


def test_the_fields_that_fit_another_law_are_carried_to_it():
    first = load(FIRST).data
    moved, three = replace(first, means=(1, 0)), replace(first, xi=(2, 1, 3), labels=(1, 0, -1))
    assert ["means" in starting_values(LAWS[law], moved) for law in ("ising", "ising-2d")] == [True, False]
    assert starting_values(LAWS["ising"], three) == {}
    assert starting_values(type(three), three) == law_values(three)


LINE = NonlinearGP(12, (2, 1), 1, "open", "unit-variance", (1, 0))
CASES = [
    *(("correlation", word, LINE) for word in CORRELATIONS),
    ("correlation", "spectrum", replace(LINE, n=11, boundary="ring")),
    *(("nonlinearity", word, LINE) for word in NONLINEARITIES),
    *(("scale", word, Elliptical(12, (2, 1), "sphere", "open", "unit-variance", (1, 0))) for word in KINDS),
]


def test_every_word_is_chosen_with_parameters_that_fit():
    for name, word, law in CASES:
        control = controls(type(law), law_values(law))[name]
        other = law_of(type(law), {name: control.text(word, control.parameters)}, law_values(law))
        after = controls(type(law), law_values(other))[name]
        assert isinstance(after, Kind)
        assert (after.word, after.parameters) == (word, after.options[word])
        same = law_of(type(law), {name: after.text(word, after.parameters)}, law_values(other))
        assert same == other, (name, word)


def test_classes_are_named_by_the_numbers_in_which_they_differ():
    widths = SinglePulse(12, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    assert legends(widths) == ("y = 1, width = 2", "y = 0, width = 3–4")
    assert legends(replace(LINE, xi=(2, 2), gain=(1, 3))) == ("y = 1, g = 1", "y = 0, g = 3")


def test_parameters_are_typed_and_classes_of_different_kinds_have_an_entry():
    law = replace(LINE, correlation={"kind": "matern", "smoothness": "5/2"})
    control = controls(NonlinearGP, law_values(law))["correlation"]
    assert (control.word, control.parameters) == ("matern", "smoothness = 2.5")
    typed = law_of(NonlinearGP, {"correlation": control.text("matern", "smoothness = 0.5")}, law_values(law))
    assert typed.correlation.smoothness * 2 == 1
    law = replace(LINE, correlation=("gaussian", "exponential"))
    control = controls(NonlinearGP, law_values(law))["correlation"]
    assert control == Entry(control.label, '["gaussian", "exponential"]')
    assert law_of(NonlinearGP, {"correlation": control.start}, law_values(law)) == law
