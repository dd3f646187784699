"""Blocks about claims: sentences on the levels of checking, quotations of sources, and steps that change no line."""

import pytest
import sympy

from derivations.publish import blocks
from derivations.publish.notation import Notation
from theory.claims import catalog

COMPARED = {"replicates": 64, "statistic": 1.0, "critical": 2.5}


def said(name, outcome="PASS", **numbers):
    """The sentence on one level of checking."""
    evidence = {"levels": [{"level": name, "outcome": outcome, **numbers}], "precise": []}
    return blocks.numbers(catalog()["gaussian.step_step.orthant"], evidence).removeprefix("*Numbers.* ").strip()


@pytest.mark.parametrize(
    ("level", "sentence"),
    [
        ({"name": "precise", "points": 9, "worst": 0.0}, "Formula and definition agree exactly at 9 points."),
        (
            {"name": "precise", "points": 9, "worst": 2e-40},
            "Formula and definition agree at 9 points: the largest relative difference is 2e-40.",
        ),
        (
            {"name": "precise", "points": 9, "worst": 0.5, "tolerance": 1e-30, "outcome": "FAIL"},
            "Formula and definition do NOT agree at 9 points: the largest relative difference is 0.5, and 1e-30 is "
            "allowed.",
        ),
        (
            {"name": "negative control", "killed": 51, "equal": 0},
            "All 51 altered formulas (a sign, a factor, a term) fail at these points.",
        ),
        (
            {"name": "negative control", "killed": 1, "equal": 2},
            "The one altered formula (a sign, a factor, a term) fails at these points. 2 more are the same function in "
            "another form.",
        ),
        ({"name": "floating", "worst": 0.0}, "The library in float64 agrees in every digit."),
        ({"name": "simulated", "outcome": "INCONCLUSIVE", "where": "few"}, "Trained networks do not decide it: few."),
        (
            {"name": "simulated", "outcome": "PASS", "where": "all", "networks": "Networks at initialisation"},
            "Networks at initialisation agree: all.",
        ),
        (
            {"name": "simulated"} | COMPARED | {"rejected_alternatives": {"no biases": True}},
            "Trained networks agree: over 64 replicates the largest deviation is 1.00 standard errors, and 2.50 are "
            "allowed. The wrong form “no biases” is rejected.",
        ),
        (
            {"name": "simulated", "outcome": "FAIL"} | COMPARED | {"rejected_alternatives": {"no biases": False}},
            "Trained networks do NOT agree: over 64 replicates the largest deviation is 1.00 standard errors, and 2.50 "
            "are allowed.",
        ),
    ],
)
def test_a_level_in_a_sentence(level, sentence):
    assert said(**level) == sentence


def test_indicators_and_sums_in_a_formula():
    notation, (a, b) = Notation(), sympy.symbols("a b", real=True)
    assert notation.tex(sympy.Piecewise((1, a >= 0), (0, True)) * b) == r"b \mathbf{1}[a \geq 0]"
    assert "cases" in notation.tex(sympy.Piecewise((1, a >= 0), (2, True)))
    assert "cases" in notation.tex(sympy.Piecewise((1, a >= 0), (0, b >= 0), (1, True)))


def test_a_product_of_two_long_sums_keeps_the_parentheses_of_both():
    letters = sympy.symbols("a:z", real=True)
    one = sum(letter**2 for letter in letters[:3])
    many = sum(first * second for first, second in zip(letters, sympy.symbols("A:Z", real=True), strict=True))
    tex, _ = Notation().display(sympy.Eq(sympy.Symbol("y"), one * many, evaluate=False))
    assert r"(a^{2} + b^{2} + c^{2}) [" in tex
