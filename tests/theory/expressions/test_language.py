"""The parser builds exactly what is said, and answers everything else with an error that helps."""

import contextlib

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory.expressions.domains import parse_domains
from theory.expressions.language import Names, parse, parse_list, parse_rows
from theory.expressions.symbols import z
from theory.problem.errors import WorkbenchError

g = sympy.Symbol("g", positive=True)
NAMES = Names(variables=3, parameters={"g": g})

SAID = [
    ("0.7", sympy.Rational(7, 10)),
    ("1e-3", sympy.Rational(1, 1000)),
    (".5*z1", z(1) / 2),
    ("-erf(g*z2)", -sympy.erf(g * z(2))),
    ("2**-3", sympy.Rational(1, 8)),
    ("-2**2", sympy.Integer(-4)),
    ("z1 - z2 - z3", z(1) - z(2) - z(3)),
    ("1/2/2", sympy.Rational(1, 4)),
    ("Heaviside(z1)*sign(-z2)", -sympy.Heaviside(z(1)) * sympy.sign(z(2))),
    ("hermite(2, z1)", z(1) ** 2 - 1),
    ("+".join(["z1"] * 500), 500 * z(1)),
    ("max(z1, 0)", sympy.Max(z(1), 0)),
    ("abs(z1) - Abs(z1)", sympy.Integer(0)),
]
OF_ONE_ARGUMENT = (
    "Heaviside",
    "step",
    "sign",
    "erf",
    "erfc",
    "Phi",
    "relu",
    "ReLU",
    "Abs",
    "abs",
    "sqrt",
    "exp",
    "log",
)
OF_ONE_ARGUMENT += ("sin", "cos", "asin", "acos", "atan")
REFUSED = {
    "asin(2)": "not real",
    "acos(1 + 1e-30)": "not real",
    "log(-1)": "not real",
    "Phi2(0, 0, 2)": "between -1 and 1",
    "": "empty",
    "z1^2": "**",
    "z4": "3 variables",
    "rho": "--where",
    "erff(z1)": "erf",
    "erf": "needs arguments",
    "Phi2(z1, z2)": "takes 3 arguments",
    "hermite(2)": "takes 2 arguments",
    **{f"{name}(z1, z2)": "takes 1 argument" for name in OF_ONE_ARGUMENT},
    **{f"{name}(z1)": "takes" for name in ("min", "max", "atan2", "owens_t", "hermite", "Phi2")},
    "erf(x=z1)": "",
    "9**9**9": "exponent",
    "((9**64)**64)**64": "bits",
    "exp(exp(exp(9)))": "bits",
    "10**1000": "exponent",
    "1e999999999": "exponent",
    "1" * 201: "digits",
    "-" * 61 + "z1": "nested",
    "(" * 61 + "z1" + ")" * 61: "nested",
    "z1+" * 1500 + "z1": "characters",
    "1/0": "divides by zero",
    "z1/(1-1)": "divides by zero",
    "log(0)": "",
    "sqrt(-1)": "real",
    "(x := 1)": "Code",
    "z1.real": "Code",
    "'z1'": "Code",
    'f"{z1}"': "Code",
    "[z for z in z1]": "Code",
    "z1 < z2": "Code",
    "z1 if 1 else z2": "Code",
    "~z1": "Code",
    "z1 if": "not a formula",
    "erf(g*(z1 + 1)": "it lacks a ).",
    "E[erf(z1": "it lacks a ) and a ].",
    "__import__(z1)": "not known",
    "tanhh(z1)": "not known. Did you mean tanh?",
    "tan(z1)": "tan is not offered here. Functions: ",
    "elu(z1)": "elu is not offered here. Functions: ",
    "(erf)(z1)(z2)": "Code",
    "True": "not a number",
    "nan*z1": "nan is no number, nor a name",
    "z1 + Infinity": "an infinite bound is oo",
    "...": "not a number",
    "1,2": "Code",
    "z1\0": "Code",
    "z1 # comment": "Code",
    "E[z1]": "not used here",
    "hermite(99, z1)": "order",
}


def test_a_formula_means_what_it_says():
    assert [(text, expr) for text, expr in SAID if parse(text, NAMES) != expr] == []


def test_anything_else_is_an_error_that_helps():
    for text, word in REFUSED.items():
        with pytest.raises(WorkbenchError) as caught:
            parse(text, NAMES)
        assert word in f"{caught.value.message} {caught.value.hint}", text
        assert caught.value.hint or "z1 if" in text, text


def test_an_expectation_is_parsed_where_it_is_wanted():
    names = Names(variables=1, expectation=sympy.Function("mean"))
    assert parse("2*E[z1]", names) == 2 * sympy.Function("mean")(z(1))


def test_matrices_and_lists(tmp_path):
    half = sympy.Rational(1, 2)
    assert parse_rows("[[1, 1/2], [0.5, 1]]") == [[1, half], [half, 1]]
    file = tmp_path / "cov.txt"
    file.write_text("[[1, 1/2],\n [1/2, 1]]\n", encoding="utf-8")
    assert parse_rows(f"@{file}") == [[1, half], [half, 1]]
    assert parse_list("[0, -1/2]") == [0, -half]
    for text in ("1", "[1, 2]", "[[]]", "[]", "[[1], 2]", "[[[1]]]", "@/dev/zero"):
        with pytest.raises(WorkbenchError):
            parse_rows(text)
    with pytest.raises(WorkbenchError, match="rows of 1, 2 and 3 entries"):
        parse_rows("[[1, 0, 0], [1], [0, 1]]")
    file.write_bytes(b"[[1, 1/2], [1/2, 1\xff]]")
    with pytest.raises(WorkbenchError, match="not UTF-8"):
        parse_rows(f"@{file}")


def test_domains_become_assumptions():
    domains = parse_domains("g>0, -1<rho<1, 0<=s, 2>=u, m<0")
    names = domains.names
    assert names["g"].is_positive
    assert names["rho"] == sympy.Symbol("rho", real=True)
    assert domains.intervals[names["rho"]] == sympy.Interval.open(-1, 1)
    assert names["s"].is_nonnegative
    assert domains.intervals[names["u"]] == sympy.Interval(-sympy.oo, 2)
    assert names["m"].is_negative


def test_domains_that_say_nothing_are_refused():
    texts = ("g", "g>0, g<-1", "1<g<1", "0<1", "g==1", "g!=0", "z1>0", "erf>0", "E>0", "pi>0", "g>1j", "g in [1]")
    for text in texts:
        with pytest.raises(WorkbenchError):
            parse_domains(text)


WORDS = ["z1", "g", "erf", "sign", *"()+-*/,[].E", "**", "9", "64", "1e9", "exp", "pi", "oo"]


def survives(text):
    """Parse or refuse; anything but a WorkbenchError is a fault."""
    with contextlib.suppress(WorkbenchError):
        parse(text, NAMES)


@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_random_words_are_parsed_or_refused(words):
    survives("".join(words))
