"""`gdln check` by its contract: verdicts, JSON, text, exit codes, errors."""

import json

import pytest

from derivations.cli import main

PAIR = "[[1, rho], [rho, 1]]"
SMALL_BUMP = "E[Heaviside(z1)*erf(g*z2)] = atan(sqrt(rho**2/(1/(2*g**2) + 1 - rho**2)))/pi"


def answer(capsys, *arguments):
    """The exit code and the JSON object."""
    code = main(["check", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_proved_json(capsys):
    code, out = answer(capsys, SMALL_BUMP, "--cov", PAIR, "--where", "g>0, 0<rho<1")
    assert code == 0
    assert out["schema"] == "gdln.check/1"
    assert (out["verdict"], out["counterexample"], out["suggestion"]) == ("proved", None, None)
    assert out["rule"] == "identity on cells"
    assert {"noisy-sign", "price", "integrate", "identity on cells"} <= {step["rule"] for step in out["steps"]}
    assert all(step["checked"] for step in out["steps"])
    assert "asin" in out["lhs"]
    assert "atan" in out["rhs"]


def test_refuted_json(capsys):
    code, out = answer(capsys, SMALL_BUMP, "--cov", PAIR, "--where", "g>0, -1<rho<1", "--digits", "20")
    assert code == 1
    assert out["verdict"] == "refuted"
    found = out["counterexample"]
    assert found["values"] == {"g": "1", "rho": "-1/2"}
    assert found["lhs"] == "-0.13386023640061500537"
    assert found["rhs"] == "0.13386023640061500537"
    assert out["suggestion"]["verdict"] == "proved"
    assert "sign(rho)" in out["suggestion"]["change"]


def test_supported_exits_0_and_says_that_it_is_no_proof(capsys):
    equation = "asin(sin(x)) = x"
    code, out = answer(capsys, equation, "--where", "-1<x<1", "--digits", "25")
    assert (code, out["verdict"], out["digits"], out["rule"]) == (0, "supported", 25, None)
    assert main(["check", equation, "--where", "-1<x<1"]) == 0
    assert "this is no proof" in capsys.readouterr().out


def test_undecided_exits_3(capsys):
    code, out = answer(capsys, "asin(2 + x) = 1", "--where", "0<x<1")
    assert (code, out["verdict"]) == (3, "undecided")
    assert out["points"]["undefined"][0]["lhs"] is None


def test_text_shows_the_proof_and_the_counterexample(capsys):
    assert main(["check", "E[sign(z1)*sign(z2)] = 2*asin(rho)/pi", "--cov", PAIR, "--where", "-1<rho<1"]) == 0
    out = capsys.readouterr().out
    assert "proved" in out
    assert "[price, checked]" in out
    assert main(["check", "-E[sign(z1)*sign(z2)] = asin(rho)/pi", "--cov", PAIR, "--where", "-1<rho<1"]) == 1
    out = capsys.readouterr().out
    assert "refuted at rho = 1/2" in out
    assert "It holds with the right side multiplied by -2 (proved)" in out


@pytest.mark.parametrize(
    ("code", "arguments", "word"),
    [
        (2, ["x = 1"], "--where"),
        (2, ["x <= 1", "--where", "x>0"], "<="),
        (2, ["E[z1] = 0"], "--cov"),
        (2, ["E[z1] = 0", "--mean", "[0]"], "--cov"),
        (2, ["1 = 1", "--digits", "0"], "digits"),
        (2, ["1 = 1", "--digits", "201"], "digits"),
        (2, ["--digts=3"], "--digts"),
        (2, ["E[z1*z2] = rho", "--cov", PAIR, "--where", "rho>2"], "covariance"),
        (2, ["max(Phi(1), 1) = 1"], "compare"),
        (4, ["E[erf(z1)**6] = 1", "--cov", "[[1]]"], "dependent steps"),
        (2, ["E[z1] = 1", "--cov", "[[1]]", "--mean", "[1, 1]"], "mean"),
    ],
    ids=str,
)
def test_errors(capsys, code, arguments, word):
    assert main(["check", *arguments]) == code
    caught = capsys.readouterr()
    assert caught.out == ""
    assert word in caught.err
    assert "Traceback" not in caught.err
