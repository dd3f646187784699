"""The formula view without a browser, and in one."""

import numpy as np
import pytest

from derivations.explore import comparison
from derivations.explore.comparison import comparison_csv
from derivations.explore.formula import asked, csv
from derivations.explore.problems import attempt
from derivations.explore.questions import EXAMPLES
from tests.tolerances import STANDARD_ERRORS
from theory.problem import InputError, OutOfReachError

VALUE = "0.133860236400615005372616897971"  # asin(1/sqrt(6))/pi


def answers(view):
    return {row["what"]: row["answer"] for row in view.rows}


def test_an_expectation():
    view = asked("Heaviside(z1)*erf(z2)", "[[1,1/2],[1/2,1]]", "", "", 30)
    assert answers(view)["class"] == "elementary"
    assert answers(view)["value"].startswith(VALUE[:30])
    assert all(step["checked"] == "checked" for step in view.steps)
    assert len(csv(view).splitlines()) == len(view.steps) + 1


def test_an_equation_that_is_refuted_and_its_correction():
    view = asked(*EXAMPLES["a wrong factor"][:2], "", EXAMPLES["a wrong factor"][2], 30)
    found = answers(view)
    assert found["verdict"] == "refuted"
    assert found["left side"].startswith(VALUE[:30])
    assert found["it holds with the right side multiplied by 1/2"] == "asin(sqrt(2)*g*rho/sqrt(2*g**2 + 1))/pi"
    assert csv(view).startswith("what,answer")


def test_the_library_s_errors_come_through():
    with pytest.raises(InputError, match="foo is not known"):
        asked("foo(z1)", "[[1]]", "", "", 30)


@pytest.mark.parametrize(
    ("line", "cov", "where", "message", "hint"),
    [
        ("z1**2", "", "", "The covariance is empty.", "bracketed rows"),
        ("E[z1**2] = 1", " ", "", "The covariance is empty.", "bracketed rows"),
        ("E[z1**2] = 1", "", "", "needs the covariance", "Give one, such as [[1, rho], [rho, 1]] (--cov on the"),
        ("g*z1**2", "[[1]]", "", "The name g is not known.", "such as g>0 (--where on the command line)."),
        ("z1", "[[1]]", " ", "The list of domains is empty.", "g>0, -1<rho<1"),
    ],
)
def test_messages_name_the_box_that_is_meant(line, cov, where, message, hint):
    _, error = attempt(lambda: asked(line, cov, "", where, 30))
    assert message in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("line", "cov", "where", "against"),
    [
        (*EXAMPLES["a site gate"], "g"),
        (*EXAMPLES["a site gate"], "rho"),
        (*EXAMPLES["its value"], None),
        (*EXAMPLES["a threshold"], None),
        ("sign(z1)*erf(z2)*sign(z3)*erf(g*z2)", "[[1,rho,1/4],[rho,1,1/4],[1/4,1/4,1]]", "-1<rho<1,g>0", "rho"),
        ("z1**2+a", "[[2]]", "-oo<a<oo", "a"),
        ("E[erf(g*z1)**2]**2 = (2*asin(2*g**2/(1+2*g**2))/pi)**2", "[[1]]", "g>0", "g"),
    ],
)
def test_lines_and_marks_of_the_figure_agree(line, cov, where, against, monkeypatch):
    monkeypatch.setattr(comparison, "_POINTS", 25)  # of a line; the marks stay as they are
    view = asked(line, cov, "", where, 20).compare(against)
    assert np.isfinite([*view.sides.values()]).all()
    for name, (mean, error) in view.sampled.items():
        assert (np.abs(mean - view.expected[name]) <= STANDARD_ERRORS * error).all()
    points = sum(map(len, view.sides.values())) + len(view.at) * len(view.sampled)
    assert len(comparison_csv(view).splitlines()) == points + 1


def test_the_line_is_the_certified_value():
    view = asked(*EXAMPLES["its value"][:2], "", "", 30).compare()
    assert view.sides["certified value"].tolist() == [float(VALUE)] * 2
    wide, narrow = (view.sampled["certified value"][1][k] for k in (0, -1))
    assert narrow < wide
    assert view.running


def test_marks_and_counter_example_tell_the_sides_of_a_wrong_equation_apart():
    line, cov, where = EXAMPLES["a wrong factor"]
    view = asked(line, cov, "", where, 20).compare("rho")
    assert view.counterexample == (0.5, float(VALUE), 2 * float(VALUE))
    mean, error = view.sampled["left side"]
    assert (np.abs(mean - view.expected["left side"]) <= STANDARD_ERRORS * error).all()
    assert (np.abs(mean - view.expected["right side"]) > STANDARD_ERRORS * error).any()
    assert view.values == {"g": 1.0}
    assert "counter-example" in comparison_csv(view)


def test_values_that_are_no_covariance_are_not_drawn():
    view = asked("sign(z1)*sign(z2)", "[[1,rho],[rho,1/4]]", "", "-1<rho<1", 20).compare()
    assert np.abs(view.x).max() <= 0.5
    assert np.abs(view.at).max() <= 0.5


@pytest.mark.parametrize(
    ("line", "cov", "where"),
    [
        ("z1**2", "[[1e400]]", ""),
        ("z1**2", "[[1e-400]]", ""),
        ("z1**2+a", "[[1e400]]", "a>0"),
        ("a*z1**60", "[[1e5]]", "a>0"),
        ("E[z1**2] = a", "[[1e200]]", "a>0"),
    ],
)
def test_what_float64_cannot_hold_has_digits_and_no_figure(line, cov, where):
    view = asked(line, cov, "", where, 20)
    with pytest.raises(OutOfReachError, match="float64, which cannot hold"):
        view.compare()


def test_without_an_expectation_there_are_lines_alone():
    view = asked("asin(x) = atan(x/sqrt(1-x**2))", "", "", "-1<x<1", 20).compare()
    assert view.sampled == {}
    assert len(view.sides) == 2
