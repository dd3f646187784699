"""A derivation is refused at its start, at any step and at its end, and says where."""

import re

import pytest
import sympy

from theory.proof.derivation import RULES, Derivation, Step, StepError, rule

x = sympy.Symbol("x", real=True)
SQUARE = sympy.Eq((x + 1) ** 2, x**2 + 2 * x + 1, evaluate=False)


@pytest.fixture
def expands(monkeypatch):
    """One rule, `expands`: the expanded forms agree."""
    monkeypatch.setattr("theory.proof.derivation.RULES", {})

    @rule("expands")
    def expands(before, step):
        if sympy.expand(before - step.expr) != 0:
            raise StepError(f"{before} does not expand to {step.expr}")

    @rule("silent")
    def silent(before, step):
        raise StepError


def chain(*exprs, rules=None, proves=SQUARE):
    """A derivation through `exprs`."""
    names = rules or ["definition", *["expands"] * (len(exprs) - 1)]
    return Derivation("test.chain", proves, tuple(Step(e, "because", r) for e, r in zip(exprs, names, strict=True)))


EXPANDED = x**2 + 2 * x + 1
SHIFTED = sympy.Eq((x + 1) ** 2 - 1, x**2 + 2 * x, evaluate=False)
# A derivation that proves nothing, the index of each check that fails, and words of the first failure.
WRONG = [
    (Derivation("test.empty", SQUARE, ()), [0], "has no steps"),
    (chain(x * (x + 2) + 1, EXPANDED), [2], "the chain ends at x\\*\\*2 .*, not at Eq"),
    (chain(SQUARE), [0], "assumes what is to be proved"),
    (chain(SHIFTED, SQUARE, rules=["premise", "silent"]), [0, 1], "a premise must cite the claim"),
    (chain(SHIFTED, SQUARE, rules=["definition", "silent"]), [1], "does not follow by 'silent'"),
    (chain((x + 1) ** 2, EXPANDED, rules=["expands", "expands"]), [0], "must be a 'definition' or a 'premise'"),
    (chain((x + 1) ** 2, EXPANDED, rules=["definition", "obviously"]), [1], "no rule is called 'obviously'"),
    (chain((x + 1) ** 2, EXPANDED, rules=["definition", "definition"]), [1], "no rule is called 'definition'"),
    (chain((x + 1) ** 2, x * (x + 2) + 1), [2], "the chain ends at"),
    (chain((x + 1) ** 2, x**2 + x + 1, EXPANDED), [1, 2], "does not expand to"),
    (chain((x + 1) ** 2, x**2 + 2 * x - 1, EXPANDED), [1, 2], "does not expand to"),
]


@pytest.mark.usefixtures("expands")
def test_a_proof_passes_at_every_step():
    checks = chain((x + 1) ** 2, x * (x + 2) + 1, EXPANDED).check()
    assert [check.rule for check in checks] == ["definition", "expands", "expands", "conclusion"]
    assert all(check.passed for check in checks)


@pytest.mark.usefixtures("expands")
def test_what_proves_something_else_is_refused_where_it_fails():
    for derivation, places, words in WRONG:
        failing = [check for check in derivation.check() if not check.passed]
        assert [check.index for check in failing] == places, derivation
        assert re.search(words, failing[0].error), failing[0].error


def test_a_fault_in_a_rule_is_not_taken_for_a_verdict(monkeypatch):
    def broken(before, step):
        raise ZeroDivisionError

    monkeypatch.setitem(RULES, "broken", broken)
    with pytest.raises(ZeroDivisionError):
        chain(x, x, rules=["definition", "broken"]).check()


def test_a_rule_has_one_definition(monkeypatch):
    monkeypatch.setattr("theory.proof.derivation.RULES", {})
    rule("once")(lambda before, step: None)
    with pytest.raises(KeyError, match="'once' is already defined"):
        rule("once")(lambda before, step: None)
