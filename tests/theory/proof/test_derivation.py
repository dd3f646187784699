"""A derivation is refused at its start, at any step and at its end, and says where."""

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


def failures(derivation):
    """(index, rule, error) of what fails."""
    return [(check.index, check.rule, check.error) for check in derivation.check() if not check.passed]


@pytest.mark.usefixtures("expands")
class TestChain:
    def test_a_proof(self):
        checks = chain((x + 1) ** 2, x * (x + 2) + 1, x**2 + 2 * x + 1).check()
        assert [check.rule for check in checks] == ["definition", "expands", "expands", "conclusion"]
        assert all(check.passed for check in checks)

    def test_a_proof_of_equations(self):
        shifted = sympy.Eq((x + 1) ** 2 - 1, x**2 + 2 * x, evaluate=False)
        assert failures(chain(shifted, SQUARE, rules=["definition", "silent"])) == [
            (1, "silent", "does not follow by 'silent'")
        ]

    def test_no_steps(self):
        assert failures(Derivation("test.empty", SQUARE, ())) == [(0, "start", "the derivation has no steps")]

    def test_wrong_start(self):
        """Whoever starts from something else than the left side has proved something else."""
        ((index, name, error),) = failures(chain(x * (x + 2) + 1, x**2 + 2 * x + 1))
        assert (index, name) == (2, "conclusion")
        assert "the chain ends at x**2 + 2*x + 1, not at Eq" in error

    def test_a_start_that_assumes_the_goal(self):
        ((index, _, error),) = failures(chain(SQUARE))
        assert index == 0
        assert "assumes what is to be proved" in error

    def test_a_premise_without_a_claim_that_proves_it(self):
        shifted = sympy.Eq((x + 1) ** 2 - 1, x**2 + 2 * x, evaluate=False)
        (first, _) = failures(chain(shifted, SQUARE, rules=["premise", "silent"]))
        assert "a premise must cite the claim" in first[2]

    def test_start_that_is_not_given(self):
        ((index, _, error),) = failures(chain((x + 1) ** 2, x**2 + 2 * x + 1, rules=["expands", "expands"]))
        assert index == 0
        assert "must be a 'definition' or a 'premise'; its rule is 'expands'" in error

    def test_unknown_rule(self):
        ((index, _, error),) = failures(chain((x + 1) ** 2, x**2 + 2 * x + 1, rules=["definition", "obviously"]))
        assert index == 1
        assert error == "no rule is called 'obviously'; known: expands, silent"

    @pytest.mark.parametrize("given", ["definition", "premise"])
    def test_nothing_is_given_on_the_way(self, given):
        ((index, _, error),) = failures(chain((x + 1) ** 2, x**2 + 2 * x + 1, rules=["definition", given]))
        assert index == 1
        assert f"no rule is called '{given}'" in error

    def test_wrong_end(self):
        ((index, name, error),) = failures(chain((x + 1) ** 2, x * (x + 2) + 1))
        assert (index, name) == (2, "conclusion")
        assert error == "the chain ends at x*(x + 2) + 1, not at x**2 + 2*x + 1"

    @pytest.mark.parametrize("wrong", [x**2 + x + 1, x**2 + 2 * x - 1, 2 * (x + 1) ** 2])
    def test_planted_wrong_step(self, wrong):
        found = failures(chain((x + 1) ** 2, wrong, x**2 + 2 * x + 1))
        assert [index for index, _, _ in found] == [1, 2]
        assert all("does not expand to" in error for _, _, error in found)


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


def test_steps_are_frozen():
    with pytest.raises(AttributeError):
        Step(x, "because", "identity").rule = "premise"
