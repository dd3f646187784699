"""The formula view without a browser, and in one."""

import subprocess
import sys

import pytest

from derivations.explore.formula import EXAMPLES, asked, csv
from tests.derivations.explore.browser import explorer, needs_a_browser
from theory.gaussian import expect
from theory.problem import InputError

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
    view = asked(*EXAMPLES["an equation"][:2], "", EXAMPLES["an equation"][2], 30)
    found = answers(view)
    assert found["verdict"] == "refuted"
    assert found["left side"].startswith(VALUE[:30])
    assert found["it holds with the right side multiplied by 1/2"] == "asin(sqrt(2)*g*rho/sqrt(2*g**2 + 1))/pi"
    assert csv(view).startswith("what,answer")


def test_the_library_s_errors_come_through():
    with pytest.raises(InputError, match="foo is not known"):
        asked("foo(z1)", "[[1]]", "", "", 30)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_python_that_is_copied_runs(name):
    line, cov, where = EXAMPLES[name]
    code = asked(line, cov, "", where, 20).python
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@needs_a_browser
def test_the_formula_view(tmp_path):
    with explorer() as shown:
        page, side = shown.page, shown.side
        shown.open("formula")
        page.locator("#numbers").get_by_text("asin(sqrt(2)*g*rho/sqrt(2*g**2 + 1))/pi").wait_for()
        assert shown.fits()
        side.get_by_label("expectation, or equation with E[…]").fill("foo(z1)")
        side.get_by_role("button", name="Answer").click()
        page.get_by_role("alert").get_by_text("foo is not known").wait_for()
        side.get_by_label("expectation, or equation with E[…]").fill("relu(z1)**2")
        side.get_by_label("covariance of z1, z2, …").fill("[[3]]")
        side.get_by_label("domains of the parameters").fill("")
        side.get_by_role("button", name="Answer").click()
        page.locator("#numbers").get_by_text("3/2", exact=True).wait_for()
        assert str(expect_square()) == "3/2"

        side.get_by_label("begin with").select_option("an equation")
        page.locator("#numbers").get_by_text("refuted").wait_for()
        page.screenshot(path=tmp_path / "formula.png")
        page.get_by_role("tab", name="LaTeX").click()
        page.get_by_text("operatorname").first.wait_for()
        side.get_by_label("begin with").select_option("its value")
        page.get_by_role("tab", name="Steps").click()
        page.locator("#steps").get_by_text("linearity").first.wait_for()
        shown.nothing_went_wrong()


def expect_square():
    import sympy

    from theory.symbols import z

    return expect(sympy.Max(z(1), 0) ** 2, [[3]]).closed_form
