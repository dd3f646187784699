"""Expectations given as text, and the names that `theory.gaussian` shows."""

import pydoc
import re
import subprocess
import sys

import pytest
import sympy

import theory.flow
import theory.gaussian
import theory.moments
from theory.expressions.symbols import g, rho, z
from theory.gaussian import expect
from theory.problem import InputError

STEP_ERF = expect(sympy.Heaviside(z(1)) * sympy.erf(g * z(2)), [[1, rho], [rho, 1]])
WHERE = "g>0, -1<rho<1"


@pytest.mark.parametrize(
    ("cov", "where"),
    [("[[1, rho], [rho, 1]]", WHERE), ([[1, rho], [rho, 1]], "g>0"), (sympy.Matrix([[1, rho], [rho, 1]]), "g>0")],
)
def test_text_means_the_expression(cov, where):
    moment = expect("Heaviside(z1)*erf(g*z2)", cov, where=where)
    assert str(moment.closed_form) == str(STEP_ERF.closed_form)
    assert moment.evaluate(10, g=1, rho="1/2") == STEP_ERF.evaluate(10, g=1, rho="1/2")


def test_an_expression_with_a_covariance_as_text():
    assert expect(sympy.sign(z(1)) * sympy.sign(z(2)), "[[1, 1/2], [1/2, 1]]").closed_form == sympy.Rational(1, 3)


def test_a_mean_as_text():
    assert expect("relu(z1)", "[[1]]", "[3/2]").closed_form == expect("relu(z1)", [[1]], ["3/2"]).closed_form
    assert expect("z1", "[[1]]", "[m]", where="m>0").closed_form.name == "m"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("__import__('os')", "[[1]]"), "__import__"),
        (("erf(z2)", "[[1]]"), "z2"),
        (("erf(g*z1)", "[[1]]"), "g"),
        (("erf(z1)", "[[1, 2]]"), "square"),
        (("erf(z1)", 3), "not a matrix"),
        ((sympy.erf(z(1)), [[1]], None, "g>0"), "the inputs are SymPy expressions"),
    ],
)
def test_what_is_no_expectation_is_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        expect(*arguments)


@pytest.mark.parametrize("module", [theory.gaussian, theory.moments, theory.flow])
def test_public_names_are_shown(module):
    shown = pydoc.plain(pydoc.render_doc(module))
    for name in module.__all__:
        assert name in dir(module)
        assert re.search(rf"^ *(\w+, )*{name}\b", module.__doc__, re.MULTILINE)
        assert f"{name}(" in shown or f"class {name}" in shown, name


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'expected'"):
        theory.gaussian.expected  # noqa: B018


def test_to_look_at_the_names_loads_no_sympy():
    program = "import sys, theory.gaussian; assert 'expect' in dir(theory.gaussian); assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
