"""Blocks about claims: sentences on the levels of checking, quotations of sources, and steps that change no line."""

import sympy

from derivations.publish import blocks
from derivations.publish.notation import Notation
from theory.claims import catalog
from theory.claims.sources import Source
from theory.expressions.symbols import z
from theory.gaussian import Expectation

COMPARED = {"replicates": 64, "statistic": 1.0, "critical": 2.5}


def said(name, outcome="PASS", **numbers):
    """The sentence on one level of checking."""
    evidence = {"levels": [{"level": name, "outcome": outcome, **numbers}], "precise": []}
    return blocks.numbers(catalog()["gaussian.step_step.orthant"], evidence).removeprefix("*Numbers.* ").strip()


def test_a_level_in_a_sentence():
    assert said("precise", points=9, worst=0.0) == "Formula and definition agree exactly at 9 points."
    assert "agree at 9 points: the largest relative difference is 2e-40." in said("precise", points=9, worst=2e-40)
    failed = said("precise", "FAIL", points=9, worst=0.5, tolerance=1e-30)
    assert "do NOT agree at 9 points: the largest relative difference is 0.5, and 1e-30 is allowed." in failed
    assert said("negative control", killed=1, equal=2).startswith("The one altered formula")
    assert said("simulated", "INCONCLUSIVE", where="few") == "Trained networks do not decide it: few."
    rejected, survives = ({"rejected_alternatives": {"no biases": one}} for one in (True, False))
    assert "The wrong form “no biases” is rejected." in said("simulated", **COMPARED, **rejected)
    failed = said("simulated", "FAIL", **COMPARED, **survives)
    assert "do NOT agree: over 64 replicates the largest deviation is 1.00 standard errors, and 2.50 are" in failed
    assert "rejected" not in failed


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


def test_a_printed_form_is_quoted_with_what_its_letters_stand_for():
    claim = catalog()["gaussian.step_step.orthant"]
    (rho,) = (param.symbol for param in claim.params)
    printed = Expectation(sympy.sign(z(1)) * sympy.sign(z(2)), sympy.Matrix([[1, rho], [rho, 2]]))
    finding = {"at": {"rho": "1/2"}, "printed": "0.7", "definition": "0.3"}
    text = blocks.parting(claim, Source("small-bump-gate", "(1)", printed=printed), finding)
    assert r"$\mathbb{E}_{2}$ is over Gaussians of covariance" in text
    assert text.endswith("\n\nAt $\\rho = 1/2$ this gives $0.7$, and the true value is $0.3$.\n")
