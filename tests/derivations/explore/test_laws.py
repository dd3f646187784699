"""Every law in the data view: its controls, its definition, exact numbers beside samples; what it lacks is named."""

import re
from dataclasses import replace

import numpy as np
import pytest

from derivations.explore.data import latex, numbers, sampled, theory_of
from derivations.explore.figures.data import data_figure
from derivations.explore.laws import says
from derivations.explore.shell.controls import controls, law_of, same_widgets
from derivations.explore.shell.session import Session, with_law
from derivations.explore.shell.shared_problem import FIRST, SharedProblem, attempt, law_values, starting_values
from derivations.publish.html import mathml
from tests.tolerances import EXPLORER_EXAMPLES, STANDARD_ERRORS
from theory.problem import LAWS, InputError, StudentT, load
from theory.problem.datasets.folder import VARIABLE
from theory.problem.distributions.own import OwnLaw

BUILT = object()  # stands for the menu of laws
FORMULA = re.compile(r"\$([^$]*)\$")


def chosen(session, name, **changed):
    """The shared problem after a view chose a law, whose controls then have other values."""
    kind = LAWS[name]
    found = controls(kind, starting_values(kind, session.shared.data))
    values = {field: control.start for field, control in found.items()}
    return with_law(session, BUILT, kind, values | changed)[0]


@pytest.fixture
def session():
    """A view that shows the first problem, and has been drawn once."""
    made = Session(SharedProblem(load(FIRST)))
    chosen(made, "nlgp")
    return made


@pytest.mark.parametrize("name", [name for name in LAWS if name != "own"])
def test_every_law_is_chosen_and_shown(session, name):
    law = chosen(session, name).data if name != "nlgp" else session.shared.data
    assert law.law == name
    theory, sample = theory_of(law), sampled(law, rows=2048)
    for row in numbers(theory, sample):
        error = np.hypot(row["standard error"], row.get("its standard error", 0.0))
        rounding = law.n * np.finfo(float).eps * np.abs(theory.mean).max()  # a class of one input has no error
        assert abs(row[theory.how] - row["sampled"]) <= STANDARD_ERRORS * error + rounding
    figure = data_figure(theory, sample)
    assert figure.grid[1][2].get_title().startswith(("examples", "3 examples"))
    assert bool(figure.grid[1][2].images) == (getattr(law, "shape", None) is not None)  # images on a grid
    assert "tabular" in latex(theory)
    definition, seen = says(type(law))
    assert seen.endswith(".")
    for tex in FORMULA.findall(definition):
        mathml(tex)


def test_a_law_that_nobody_described_has_its_docstring():
    class Coins(StudentT):
        """x_i = 0 or 1."""

        law = "coins"

    assert says(Coins) == ("`x_i = 0 or 1.`", "")


def test_a_law_of_the_user_comes_from_a_file(session):
    _, refused = attempt(lambda: chosen(session, "own"))
    assert "comes from a problem file" in refused.message
    assert "gdln explore FILE" in refused.hint


def test_a_missing_data_set_is_named_with_the_command_that_gets_it(session, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    _, refused = attempt(lambda: theory_of(chosen(session, "fashion-mnist", downsample="4").data))
    assert "gdln data get fashion-mnist" in refused.message + refused.hint


def test_without_a_kurtosis_the_rest_is_shown():
    law = StudentT(6, (2, 1), "open", "unit-variance", (1, 0), (4, 9))
    theory = theory_of(law)
    infinite, finite = theory.kurtosis
    assert infinite is None
    assert abs(finite - 6 / (9 - 4)) <= EXPLORER_EXAMPLES
    assert len(theory.missing) == 1
    assert "no finite fourth moments" in theory.missing[0]
    rows = [(row["statistic"], row["class"]) for row in numbers(theory, sampled(law))]
    assert rows[-1] == ("excess kurtosis", 1)
    assert len(rows) == 5
    assert theory.variance.tolist() == [1, 1]
    assert data_figure(theory, None).grid[1][1].get_title().startswith("marginal")


def test_a_chain_given_by_its_couplings_leaves_lengths_to_the_next_law(session):
    law = chosen(session, "ising", beta="[0.5, 0.25]").data
    assert (law.xi, [str(beta) for beta in law.beta]) == ((), ["1/2", "1/4"])
    assert controls(LAWS["ising"], law_values(law))["xi"].parts == ()
    back = law_of(LAWS["ising"], {"beta": "[]"}, law_values(law))
    assert (back.beta, back.xi) == ((), (2, 1))
    assert chosen(session, "nlgp").data.xi == (2, 1)


def test_a_correlation_without_a_length_hides_the_sliders_of_lengths(session):
    kind, before = LAWS["nlgp"], controls(LAWS["nlgp"], law_values(session.shared.data))
    table = before["correlation"].text("table", "")
    law = law_of(kind, {"correlation": table}, law_values(session.shared.data))
    after = controls(kind, law_values(law))
    assert law.xi == ()
    assert after["xi"].parts == ()
    assert not same_widgets(before, after)
    again = law_of(kind, {"correlation": after["correlation"].text("exponential", "")}, law_values(law))
    assert again.xi == (2, 1)


def test_fields_of_another_number_of_classes_are_not_carried():
    three = replace(load(FIRST).data, xi=(2, 1, 3), labels=(1, 0, -1))
    assert starting_values(LAWS["ising"], three) == {}
    assert starting_values(type(three), three) == law_values(three)


def test_means_are_carried_to_laws_with_the_same_sites():
    moved = replace(load(FIRST).data, means=(1, 0))
    assert "means" in starting_values(LAWS["ising"], moved)
    assert "means" not in starting_values(LAWS["ising-2d"], moved)


def test_the_first_own_law_keeps_its_fields(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((200, 3)))
    np.save(tmp_path / "y.npy", np.arange(200) % 2)
    law = OwnLaw(folder=str(tmp_path), estimate={"examples": 1000})
    assert starting_values(OwnLaw, law)["folder"] == law.folder


def test_an_unknown_word_of_a_kind_is_the_library_s_own_error():
    with pytest.raises(InputError, match="smoothness"):
        law_of(LAWS["nlgp"], {"correlation": '"matern"'}, law_values(load(FIRST).data))
