"""Expectations given as text, and the names that `theory.gaussian` shows."""

import subprocess
import sys

import pytest
import sympy

import theory.gaussian
from theory.expressions.symbols import g, rho, z
from theory.gaussian import expect
from theory.problem import InputError

WHERE = "g>0, -1<rho<1"


@pytest.mark.parametrize(
    ("cov", "where"),
    [("[[1, rho], [rho, 1]]", WHERE), ([[1, rho], [rho, 1]], "g>0"), (sympy.Matrix([[1, rho], [rho, 1]]), "g>0")],
)
def test_text_means_the_expression(cov, where):
    moment = expect("Heaviside(z1)*erf(g*z2)", cov, where=where)
    wanted = expect(sympy.Heaviside(z(1)) * sympy.erf(g * z(2)), [[1, rho], [rho, 1]])
    assert str(moment.closed_form) == str(wanted.closed_form)
    assert moment.evaluate(10, g=1, rho="1/2") == wanted.evaluate(10, g=1, rho="1/2")


def test_an_expression_with_a_covariance_as_text():
    assert expect(sympy.sign(z(1)) * sympy.sign(z(2)), "[[1, 1/2], [1/2, 1]]").closed_form == sympy.Rational(1, 3)


def test_a_mean_as_text():
    assert expect("relu(z1)", "[[1]]", "[3/2]").closed_form == expect("relu(z1)", [[1]], ["3/2"]).closed_form
    assert expect("z1", "[[1]]", "[m]", where="m>0").closed_form.name == "m"


def test_what_is_no_expectation_is_refused():
    for arguments, words in (
        (("__import__('os')", "[[1]]"), "__import__"),
        (("erf(z2)", "[[1]]"), "z2"),
        (("erf(g*z1)", "[[1]]"), "g"),
        (("erf(z1)", "[[1, 2]]"), "square"),
        (("erf(z1)", 3), "not a matrix"),
        ((sympy.erf(z(1)), [[1]], None, "g>0"), "the inputs are SymPy expressions"),
    ):
        with pytest.raises(InputError, match=words):
            expect(*arguments)


def test_the_names_of_a_module_are_shown_without_loading_sympy():
    program = "import sys, theory.gaussian; assert 'expect' in dir(theory.gaussian); assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'expected'"):
        theory.gaussian.expected  # noqa: B018
