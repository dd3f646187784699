"""Equations given linear observations: verdicts, the steps of a proof, the domain, and what is refused."""

import json

import pytest

from derivations.answers import check
from derivations.cli import main
from theory.conjecture import read
from theory.problem import InputError, OutOfReachError

PAIR, INSIDE = "[[1, r], [r, 1]]", "-1<r<1"
RELU = "r*b*(1 + erf(r*b/sqrt(2*(1 - r**2))))/2 + sqrt((1 - r**2)/(2*pi))*exp(-r**2*b**2/(2*(1 - r**2)))"
TRUE = [
    ("E[z1] = b*r", "z2 = b"),
    ("E[z1**2] = 1 - r**2 + b**2*r**2", "z2 = b"),
    (f"E[relu(z1)] = {RELU}", "z2 = b"),
    ("E[cos(z1)] = exp(-(1 - r)/4)*cos(b/2)", "z1 + z2 = b"),
    ("E[erf(z1)] = erf(b)", "z1 = b, z2 = c"),
]
FALSE = [
    ("E[z1**2] = 1 - r**2 + b**2", "z2 = b"),
    (f"E[relu(z1)] = {RELU.replace('1 + erf', '1 - erf')}", "z2 = b"),
    ("E[z1*z2] = b**2/4 + (1 - r)/2", "z1 + z2 = b"),
]


def test_true_equations_are_proved_by_checked_steps():
    for equation, observations in TRUE:
        answer = check.answer(equation, PAIR, where=INSIDE, digits=20, given=observations)
        steps = answer.json()["steps"]
        assert (answer.verdict, [step["rule"] for step in steps].count("observations")) == ("proved", 1), equation
        assert all(step["checked"] for step in steps)


def test_false_equations_are_refuted():
    for equation, observations in FALSE:
        assert check.answer(equation, PAIR, where=INSIDE, digits=20, given=observations).verdict == "refuted", equation


def test_means_are_taken_off_the_observed_values():
    equation = "E[z1] = m + r*(b - k)"
    assert check.answer(equation, PAIR, "[m, k]", INSIDE, 20, "z2 = b").verdict == "proved"
    assert check.answer("E[z1] = m + r*b", PAIR, "[m, k]", INSIDE, 20, "z2 = b").verdict == "refuted"


def test_questions_with_one_average_are_proved_each():
    """Where z1 = z2 is observed, both are the same variable, by different regressions."""
    answer = check.answer("E[z1**2] = E[z2**2]", PAIR, where=INSIDE, digits=20, given="z1 - z2 = 0")
    assert answer.verdict == "proved"
    assert [step["rule"] for step in answer.json()["steps"]].count("observations") == 2


def test_an_observation_that_may_say_nothing_limits_the_domain():
    """At r = -1 the sum has no variance, and no value but 0 can be observed."""
    closed = read("E[z1] = b/2", PAIR, where="-1<=r<=1", given="z1 + z2 = b")
    assert [str(condition) for condition in closed.conditions] == ["2*(r + 1) > 0"]
    assert read("E[z1] = b/2", PAIR, where=INSIDE, given="z1 + z2 = b").conditions == ()
    scaled = read("E[z1] = b*r/s", PAIR, where="-1<r<1, -1<s<1", given="s*z2 = b")
    assert [str(condition) for condition in scaled.conditions] == ["s**2 > 0"]
    answer = check.answer("E[z1] = b*r/s", PAIR, where="-1<r<1, 0<=s, s<b", digits=20, given="s*z2 = b")
    assert answer.json()["needs"] == ["s**2 > 0"]
    assert "only where s**2 > 0: elsewhere an observation has no variance" in answer.text()


def test_observations_that_say_nothing_are_refused():
    for cov, observations, error in (
        (None, "z1 = b", InputError),
        (PAIR, "z1*z2 = b", OutOfReachError),
        (PAIR, "z3 = b", InputError),
        (PAIR, "z1 = 1, z1 = 2", InputError),
        (PAIR, "z1", InputError),
    ):
        with pytest.raises(error):
            read("E[z1] = b", cov, where=None if cov is None else f"{INSIDE}, b>0", given=observations)


def test_the_command(capsys):
    words = ["check", "E[z1] = b*r", "--cov", PAIR, "--where", INSIDE, "--given", "z2 = b"]
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["given"]) == ("proved", "z2 = b")
