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


GENERAL = "[[a, c], [c, b]]"


def test_conditions_of_user_and_matrix_are_in_the_answer(capsys):
    equation = "E[sign(z1)*sign(z2)] = 2*asin(c/sqrt(a*b))/pi"
    code, out = answer(capsys, equation, "--cov", GENERAL, "--where", "-1<a<4, b>0, c>0, c**3<a*b")
    # At a = 0 sign(z1) would be a convention, but a*b >= c**2 and c > 0 leave no such point.
    assert (code, out["verdict"]) == (0, "proved")
    assert out["domain"] == {
        "bounds": ["0 <= a < 4", "b > 0", "c > 0"],
        "conditions": ["c**3 < a*b"],
        "covariance": ["a*b - c**2 >= 0"],
        "remarks": ["-1 < a < 4 is cut to 0 <= a < 4: the covariance needs a >= 0."],
    }
    assert main(["check", "sign(b - a) = 1", "--where", "0<a<b"]) == 0
    assert "domain  a > 0, b > 0; a < b\n" in capsys.readouterr().out
    assert main(["check", "sign(b - a) = 1", "--where", "0<a<b+1"]) == 1
    assert "refuted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cov", "where", "word"),
    [
        (PAIR, "rho>3/2", "positive semidefinite"),
        (PAIR, "rho>=1", "Put in rho = 1"),
        (GENERAL, "a<b, b<a, c<1", "contradict each other"),
        (GENERAL, "a<b, c==1", "not by =="),
        (GENERAL, "a<b, c<d", "nowhere else"),
        (GENERAL, "a<b, z1<c", "Gaussian variable"),
        (PAIR, "inf<rho", "inf is no number"),
    ],
)
def test_domains_without_points_are_bad_input(capsys, cov, where, word):
    for verb, formula in (("check", "E[z1*z2] = 0"), ("moment", "z1*z2")):
        assert main([verb, formula, "--cov", cov, "--where", where, "--json"]) == 2
        caught = capsys.readouterr()
        error = json.loads(caught.out)["error"]
        assert (error["kind"], word in f"{error['message']} {error['hint']}") == ("input", True)
        assert "Traceback" not in caught.err


@pytest.mark.parametrize("word", ["nan", "inf"])
def test_what_is_no_number_is_no_mean(capsys, word):
    assert main(["check", "E[z1] = 0", "--cov", "[[1]]", "--mean", f"[{word}]"]) == 2
    assert f"{word} is no number, nor a name" in capsys.readouterr().err
