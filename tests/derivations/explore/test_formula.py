"""The formula view without a browser: answers, the figure of both sides, claims of the book, and the copied text."""

from collections import namedtuple
from functools import cache
from math import asin, log10, pi, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
import sympy

from derivations.explore import book, comparison
from derivations.explore.comparison import EXAMPLES as DRAWN
from derivations.explore.comparison import comparison_csv
from derivations.explore.formula import csv, formula_view
from derivations.explore.formula_page import answered
from derivations.explore.questions import EXAMPLES, question_of
from tests.tolerances import STANDARD_ERRORS, UNIT_ROUNDOFF
from theory.expressions.symbols import z
from theory.gaussian.expectation import Expectation
from theory.problem import InputError, OutOfReachError

Param = namedtuple("Param", ("symbol", "domain"))

VALUE = "0.133860236400615005372616897971"  # asin(1/sqrt(6))/pi
WRONG = EXAMPLES["a wrong factor"]  # in g > 0 and -1 < rho < 1


@cache
def view_of(line, cov, where, digits=20):
    return formula_view(line, cov, "", where, digits)


def answers(view):
    return {row["what"]: row["answer"] for row in view.rows}


def test_an_expectation_and_an_equation_that_is_refuted():
    view = view_of("Heaviside(z1)*erf(z2)", "[[1,1/2],[1/2,1]]", "", 30)
    assert answers(view)["class"] == "elementary"
    assert answers(view)["value"].startswith(VALUE[:30])
    assert all(step["checked"] == "checked" for step in view.steps)
    assert len(csv(view).splitlines()) == len(view.steps) + 1
    rows = answers(view_of(*WRONG))
    assert rows["verdict"] == "refuted"
    assert rows["left side"].startswith(VALUE[:20])
    assert rows["it holds with the right side multiplied by 1/2"] == "asin(sqrt(2)*g*rho/sqrt(2*g**2 + 1))/pi"
    assert csv(view_of(*WRONG)).startswith("what,answer")


def test_the_page_has_a_formula_for_each_step_and_says_whether_it_holds():
    line, cov, where = EXAMPLES["an equation of the notes"]
    page, texts = answered(line, cov, "", where, 20, "g")
    assert (page["verdict"], page["holds"], page["missing"]) == ("proved", True, [])
    assert all(step["checked"] and step["why"] for step in page["steps"])
    assert sum(step["formula"] is not None for step in page["steps"]) > 3
    assert page["formula"].startswith("<math")
    assert page["figure"]["axis"] == "log₁₀ g"
    assert texts["csv"].startswith("curve,")
    page, _ = answered("E[z1**2] = 1", "[[2]]", "", "", 20, None)
    assert (page["verdict"], page["holds"]) == ("refuted", False)
    page, texts = answered("z1**2", "[[1e400]]", "", "", 20, None)
    assert (page["verdict"], page["holds"], page["figure"], texts["csv"]) == (None, None, None, "")
    assert "rescale" in page["missing"][0]


def test_questions_that_cannot_be_read_are_refused():
    with pytest.raises(InputError, match="foo is not known"):
        view_of("foo(z1)", "[[1]]", "")
    for cov, where, message in (("", "", "The covariance is empty"), ("[[1]]", "", "The name g is not known")):
        with pytest.raises(InputError, match=message):
            view_of("g*z1**2", cov, where)
    for settings in ({"digits": "x"}, {"digits": 0}, {"digits": 101}):
        with pytest.raises(InputError) as error:
            question_of(settings)
        assert [error.value.kind] == list(settings)
    assert question_of({"digits": "100"})[-2] == 100


@pytest.mark.parametrize(
    ("line", "cov", "where", "against"),
    [
        (*EXAMPLES["a site gate"], "rho"),
        ("z1**2+a", "[[2]]", "-oo<a<oo", "a"),
        ("E[erf(g*z1)**2]**2 = (2*asin(2*g**2/(1+2*g**2))/pi)**2", "[[1]]", "g>0", "g"),
    ],
)
def test_lines_and_marks_of_the_figure_agree(line, cov, where, against, monkeypatch):
    monkeypatch.setattr(comparison, "_POINTS", 25)  # of a line; the marks stay as they are
    view = view_of(line, cov, where).compare(against)
    assert np.isfinite([*view.sides.values()]).all()
    assert view.counterexample is None
    for name, (mean, error) in view.sampled.items():
        assert (np.abs(mean - view.expected[name]) <= STANDARD_ERRORS * error).all()
    points = sum(map(len, view.sides.values())) + len(view.at) * len(view.sampled)
    assert len(comparison_csv(view).splitlines()) == points + 1


def test_sides_without_a_parameter_run_with_the_number_of_examples():
    view = view_of(*EXAMPLES["its value"]).compare()
    assert view.sides["certified value"].tolist() == [float(VALUE)] * 2
    wide, narrow = (view.sampled["certified value"][1][k] for k in (0, -1))
    assert (narrow < wide, view.running) == (True, True)
    assert view.x.tolist() == view.at[[0, -1]].tolist() == [log10(DRAWN // 64), log10(8 * DRAWN)]
    view = view_of("E[Heaviside(z1)*erf(z2)] = 1/5", "[[1,1/2],[1/2,1]]", "").compare()
    left, right = (view.sides[name] for name in ("left side", "right side"))
    assert right.tolist() == [0.2, 0.2]
    assert np.abs(left - asin(1 / sqrt(6)) / pi).max() <= UNIT_ROUNDOFF
    assert view.counterexample == (log10(8 * DRAWN), float(VALUE), 0.2)


def test_marks_and_counterexample_tell_the_sides_of_a_wrong_equation_apart():
    view = view_of(*WRONG).compare("rho")
    assert view.counterexample == (0.5, float(VALUE), 2 * float(VALUE))
    mean, error = view.sampled["left side"]
    assert (np.abs(mean - view.expected["left side"]) <= STANDARD_ERRORS * error).all()
    assert (np.abs(mean - view.expected["right side"]) > STANDARD_ERRORS * error).any()
    assert view.values == {"g": 1.0}
    assert "counter-example" in comparison_csv(view)
    assert view_of(*WRONG).compare("g").counterexample[0] == 0.0  # log10 of g = 1


INSET = 1e-3  # the distance of the axis from an open end, relative to its length


def test_the_axis_is_widened_to_hold_a_counterexample_far_away():
    far = {"values": {"a": "12345"}, "lhs": "2", "rhs": "12345"}
    line = view_of("E[z1**2] = a", "[[2]]", "a>=1")
    view = comparison.compared(line.statement, line.sides, None, far)
    assert view.x[0] == view.at[0] == 1
    assert abs(view.x[-1] - 12345) <= INSET * 12345
    assert abs(view.at[-1] - 5) <= INSET * 5
    assert view.counterexample == (12345.0, 2.0, 12345.0)
    positive = view_of("E[z1**2] = a", "[[2]]", "a>0")
    view = comparison.compared(positive.statement, positive.sides, None, far)
    assert (view.axis, view.x[0]) == ("log₁₀ a", -2.0)
    assert view.x[-1] == view.counterexample[0] == log10(12345)
    unrefuted = comparison.compared(positive.statement, positive.sides)
    assert (unrefuted.x[0], unrefuted.x[-1], unrefuted.counterexample) == (-2.0, 2.0, None)


@pytest.mark.parametrize(
    ("where", "low", "high", "insets"),
    [("-oo<a<oo", -4, 4, (0, 0)), ("a<=-1", -5, -1, (0, 0)), ("-2<a<=1", -2, 1, (1, 0))],
)
def test_the_axis_of_a_parameter_follows_its_domain(where, low, high, insets):
    view, gap = view_of("z1**2+a", "[[2]]", where).compare(), INSET * (high - low)
    assert abs(view.x[0] - low - insets[0] * gap) <= 4 * UNIT_ROUNDOFF
    assert abs(view.x[-1] - high + insets[1] * gap) <= 4 * UNIT_ROUNDOFF


def test_values_that_are_no_covariance_or_break_a_condition_are_not_drawn():
    view = view_of("sign(z1)*sign(z2)", "[[1,rho],[rho,1/4]]", "-1<rho<1").compare()
    assert 0.4 < np.abs(view.x).max() <= 0.5
    assert np.abs(view.at).max() <= 0.5
    joint = view_of("a*b*z1**2", "[[1]]", "0<a<1,0<b<1,a+b<1")
    view = joint.compare("a")
    assert 1 - view.values["b"] - 0.02 < view.x.max() < 1 - view.values["b"]


@pytest.mark.parametrize(("line", "cov", "where"), [("z1**2", "[[1e-400]]", ""), ("E[z1**2] = a", "[[1e200]]", "a>0")])
def test_a_number_that_float64_cannot_hold_has_digits_and_no_figure(line, cov, where):
    view = view_of(line, cov, where)
    with pytest.raises(OutOfReachError, match="float64, which cannot hold"):
        view.compare()


def test_a_claim_of_the_book_is_recognised_by_its_average_whatever_its_parameters_are_called(monkeypatch):
    c, k = sympy.symbols("c k", real=True)
    steps = Expectation(sympy.Heaviside(z(1)) * sympy.Heaviside(z(2)), sympy.Matrix([[1, c], [c, 1]]))
    cubic = Expectation((z(1) + k * z(1) ** 3) ** 4, sympy.Matrix([[1]]))
    claims = {
        "steps": _claim(steps, Param(c, sympy.Interval.open(-1, 1))),
        "cubic": _claim(cubic, Param(k, sympy.Interval(1, sympy.oo))),
    }
    monkeypatch.setattr(book, "catalog", lambda: claims)
    monkeypatch.setattr(book, "placed", lambda claims, _: {name: SimpleNamespace(page=name) for name in claims})
    line = "Heaviside(z1)*Heaviside(z2)"
    for question, cov, where, names in (
        (line, "[[1, -1/5], [-1/5, 1]]", "", ["steps"]),
        (f"E[{line}] = 1/4 + asin(r)/(2*pi)", "[[1, r], [r, 1]]", "-1<r<1", ["steps"]),
        (line, "[[1, 1], [1, 2]]", "", []),
        ("z1**7*exp(z2)", "[[1, 1/2], [1/2, 1]]", "", []),
        ("(z1 + 2*z1**3)**4", "[[1]]", "", ["cubic"]),
        ("z1**4", "[[1]]", "", []),  # its coefficient 0 is outside of the domain
    ):
        expected = [{"id": name, "title": "<code>a</code>", "page": name} for name in names]
        assert book.claims_on(question, cov, "", where) == expected


def _claim(average, parameter):
    return SimpleNamespace(title="`a`", statement=sympy.Eq(average, 0), params=[parameter])
