"""`gdln moment` by its contract: JSON, text, arguments that begin with a minus, errors and exit codes."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from derivations.cli import main

HALF = "[[1, 1/2], [1/2, 1]]"


def answer(capsys, *arguments):
    """The exit code and the JSON object."""
    code = main(["moment", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_numeric_json(capsys):
    code, out = answer(capsys, "Heaviside(z1)*Heaviside(z2)", "--cov", HALF, "--digits", "40")
    assert code == 0
    assert out["schema"] == "gdln.moment/1"
    assert out["kind"] == "elementary"
    assert out["digits"] == 40
    assert abs(Fraction(out["value"]) - Fraction(1, 3)) <= Fraction(out["radius"])
    assert all(step["checked"] for step in out["derivation"])


def test_symbolic_json(capsys):
    code, out = answer(capsys, "Heaviside(z1)*erf(g*z2)", "--cov", "[[1, rho], [rho, 1]]", "--where", "g>0, -1<rho<1")
    assert code == 0
    assert out["value"] is None
    assert out["radius"] is None
    assert "asin" in out["expr"]
    assert "atan" in out["arctan"]
    assert r"\operatorname{asin}" in out["latex"]
    assert {"noisy-sign", "price", "density", "integrate", "arctan"} <= {step["rule"] for step in out["derivation"]}


def test_text_shows_the_proof(capsys):
    assert main(["moment", "erf(z1)*erf(z2)", "--cov", HALF]) == 0
    out = capsys.readouterr().out
    for word in ("arctan", "LaTeX", "value", "correct digits", "[price, checked]"):
        assert word in out
    assert "NOT CHECKED" not in out


def test_arguments_may_begin_with_a_minus(capsys):
    code, out = answer(capsys, "-erf(z1)*z2", "--cov", HALF)
    assert code == 0
    assert out["value"].startswith("-0.3257")
    assert main(["moment", "-1/2", "--cov", "[[1]]"]) == 0
    assert main(["moment", "z1", "--cov", "-1/2"]) == 2


@pytest.mark.parametrize(
    ("code", "arguments", "word"),
    [
        (2, ["z1^2", "--cov", "[[1]]"], "**"),
        (2, ["erff(z1)", "--cov", "[[1]]"], "erf"),
        (2, ["erf(g*z1)", "--cov", "[[1]]"], "--where"),
        (2, ["z1", "--cov", "[[1, 2]]"], "square"),
        (2, ["z1*z2", "--cov", "[[1, 2], [2, 1]]"], "semidefinite"),
        (2, ["z1", "--cov", "@no/such/file"], "no/such/file"),
        (2, ["z1", "--cov", "[[1]]", "--digits", "0"], "--digits"),
        (2, ["z1", "--cov", "[[1]]", "--digits", "1001"], "--digits"),
        (2, ["z1", "--cov", "[[1]]", "--digits", "many"], "digits"),
        (2, ["z1", "--cov", "[[1]]", "--dgits", "3"], "--dgits"),
        (2, ["--dgits=3", "--cov", "[[1]]"], "--dgits"),
        (2, ["z1", "--cov", "[[1]]", "--where", "g>0, g<-1"], "domain"),
        (2, ["__import__('os')", "--cov", "[[1]]"], "Code"),
        (2, ["z1"], "--cov"),
        (4, ["erf(z1*z1)", "--cov", "[[1]]"], "linear"),
        (4, ["atan(z1)", "--cov", "[[1]]"], "atan"),
        (4, ["erf(z1)**6", "--cov", "[[1]]"], "6 dependent steps"),
        (2, ["z1", "--cov", "[[1]]", "--mean", "[1, 2]"], "mean"),
    ],
    ids=str,
)
def test_errors(capsys, code, arguments, word):
    assert main(["moment", *arguments]) == code
    caught = capsys.readouterr()
    assert caught.out == ""
    assert word in caught.err
    assert "Traceback" not in caught.err


@pytest.mark.parametrize("option", ["--mean", "--where", "--cov"])
def test_an_empty_option_is_not_one_left_out(option, capsys):
    """Not silently taken for zero means, or for no parameters."""
    assert main(["moment", "z1", "--cov", "[[1]]", option, ""]) == 2
    assert "is empty" in capsys.readouterr().err


def test_an_error_in_json_is_one_object(capsys):
    code, out = answer(capsys, "z1^2", "--cov", "[[1]]")
    assert code == 2
    assert set(out) == {"error"}
    assert set(out["error"]) == {"kind", "message", "hint"}


def test_torch_is_not_loaded():
    program = (
        "import sys; from derivations.cli import main; main(['moment', 'z1', '--cov', '[[1]]']); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("expr", "cov", "where", "closed"),
    [
        ("Heaviside(z1)*erf(g*z2)", "[[1,rho],[rho,1]]", "g<0,-1<rho<1", "asin(sqrt(2)*g*rho/sqrt(2*g**2 + 1))/pi"),
        ("erf(g*z1)*z1", "[[1]]", "-2<g<-1", "2*g/(sqrt(pi)*sqrt(2*g**2 + 1))"),
        ("z1**2*Heaviside(z2)", "[[2,r],[r,1]]", "-1<r<1", "1"),
    ],
)
def test_negative_gains_and_parameters_that_drop_out(expr, cov, where, closed, capsys):
    assert main(["moment", expr, "--cov", cov, "--where", where, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["expr"] == closed
    assert all(step["checked"] for step in answer["derivation"])
    assert (answer["value"] == "1") == (closed == "1")


def test_a_domain_without_a_covariance_is_refused(capsys):
    arguments = ["Heaviside(z1)*Heaviside(z2)", "--cov", "[[1,rho],[rho,1]]", "--where", "rho>2"]
    assert main(["moment", *arguments]) == 2
    assert "positive semidefinite" in capsys.readouterr().err


def test_bounds_are_cut_to_those_of_the_matrix(capsys):
    arguments = ["sign(z1)*sign(z2)", "--cov", "[[1,rho],[rho,1]]", "--where", "-2<rho<2"]
    remark = "-2 < rho < 2 is cut to -1 <= rho <= 1: the covariance needs 1 - rho**2 >= 0."
    code, out = answer(capsys, *arguments)
    assert code == 0
    assert out["domain"] == {"bounds": ["-1 <= rho <= 1"], "conditions": [], "covariance": [], "remarks": [remark]}
    assert main(["moment", *arguments]) == 0
    assert f"domain  -1 <= rho <= 1\n        {remark}\n" in capsys.readouterr().out


def test_joint_conditions_are_taken(capsys):
    code, out = answer(capsys, "abs(z1)*sign(z2)", "--cov", "[[a,c],[c,b]]", "--where", "a>0, b>0, c**2<a*b")
    assert code == 0
    assert out["domain"]["conditions"] == ["c**2 < a*b"]
    assert all(step["checked"] for step in out["derivation"])


def test_a_sign_that_is_not_decided_is_out_of_reach_and_no_traceback(capsys):
    assert main(["moment", "z1**2", "--cov", "[[Phi2(1, 2, 1/3)]]"]) == 4
    assert "The sign of Phi2(1, 2, 1/3) is not decided." in capsys.readouterr().err
