"""Derivations as data: a chain of statements in which a named rule checks every step.

A chain has one of two shapes. Either it is a chain of equal expressions e0 = e1 = ... = em, which proves
Eq(e0, em), or its statements are equations (an ODE, then its solution), of which the last one is proved.
A rule is a function `rule(before, step)` that raises `StepError` unless `step.expr` follows from `before`.
Rules decide by their own calculation, without the code that produced the step.
"""

from collections.abc import Callable
from dataclasses import dataclass

import sympy


class StepError(ValueError):
    """A step does not follow by the rule it names.

    >>> from theory.proof.rules.shared import identity
    >>> x = sympy.Symbol("x", positive=True)
    >>> identity(sympy.log(x**2), Step(sympy.log(x), "a factor is lost", "identity"))
    Traceback (most recent call last):
    ...
    theory.proof.derivation.StepError: identity: log(x**2) = log(x) is false
    """


@dataclass(frozen=True)
class Step:
    """One statement of a derivation: `expr`, the reason in words, the rule, the rule's inputs, the claims cited.

    A step is valid only if its rule accepts it. The rule rejects this one, which squares a sum term by term:

    >>> import theory.proof.rules.shared
    >>> x, y = sympy.symbols("x y", real=True)
    >>> steps = (Step((x + y) ** 2, "given", "definition"), Step(x**2 + y**2, "squared", "identity"))
    >>> wrong = Derivation("example", sympy.Eq((x + y) ** 2, x**2 + y**2, evaluate=False), steps)
    >>> [check.passed for check in wrong.check()]
    [True, False, True]
    """

    expr: sympy.Basic
    why: str
    rule: str
    using: tuple[sympy.Basic, ...] = ()
    cites: tuple[str, ...] = ()


Rule = Callable[[sympy.Basic, Step], None]
RULES: dict[str, Rule] = {}


def rule(name: str) -> Callable[[Rule], Rule]:
    """Register a checker under `name`; KeyError for a name that is already defined.

    >>> @rule("double")
    ... def double(before, step):
    ...     if step.expr != 2 * before:
    ...         raise StepError(f"{step.expr} is not twice {before}")
    >>> x = sympy.Symbol("x")
    >>> double(x, Step(3 * x, "doubled", "double"))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: 3*x is not twice x
    >>> _ = RULES.pop("double")
    """

    def register(checker: Rule) -> Rule:
        if name in RULES:
            raise KeyError(f"the rule {name!r} is already defined in {RULES[name].__module__}")
        RULES[name] = checker
        return checker

    return register


@dataclass(frozen=True)
class StepCheck:
    """The result of checking one step; `error` is empty when the step follows.

    >>> StepCheck(1, "identity").passed, StepCheck(2, "identity", "x = 2*x is false").passed
    (True, False)
    """

    index: int
    rule: str
    error: str = ""

    @property
    def passed(self) -> bool:
        """Whether the step has no error."""
        return not self.error


@dataclass(frozen=True)
class Derivation:
    """A proof of `proves` (an equation) as a sequence of checked steps; `id` is readable and permanent."""

    id: str
    proves: sympy.Basic
    steps: tuple[Step, ...]

    def check(self) -> tuple[StepCheck, ...]:
        """Check the first statement, every step by its rule, and that the chain ends at `proves`.

        >>> import theory.proof.rules.shared
        >>> x = sympy.Symbol("x", real=True)
        >>> steps = (Step(x + x, "given", "definition"), Step(2 * x, "collected", "identity"))
        >>> claim = Derivation("example", sympy.Eq(x + x, 2 * x, evaluate=False), steps)
        >>> [check.passed for check in claim.check()]
        [True, True, True]
        """
        if not self.steps:
            return (StepCheck(0, "start", "the derivation has no steps"),)
        checks = [StepCheck(0, self.steps[0].rule, self._start_error())]
        for index in range(1, len(self.steps)):
            before, step = self.steps[index - 1].expr, self.steps[index]
            checks.append(StepCheck(index, step.rule, _rule_error(before, step)))
        checks.append(StepCheck(len(self.steps), "conclusion", self._end_error()))
        return tuple(checks)

    def _chain_of_equals(self) -> bool:
        return isinstance(self.proves, sympy.Eq) and self.steps[0].expr == self.proves.lhs

    def _start_error(self) -> str:
        first = self.steps[0]
        if first.rule not in ("definition", "premise"):
            return f"the first step must be a 'definition' or a 'premise'; its rule is {first.rule!r}"
        if first.rule == "premise" and not first.cites:
            return "a premise must cite the claim that proves it; a statement true by definition is a 'definition'"
        if first.expr == self.proves:
            return "the first step assumes what is to be proved"
        return ""

    def _end_error(self) -> str:
        last = self.steps[-1].expr
        goal = self.proves.rhs if self._chain_of_equals() else self.proves
        return "" if last == goal else f"the chain ends at {last}, not at {goal}"


def _rule_error(before: sympy.Basic, step: Step) -> str:
    checker = RULES.get(step.rule)
    if checker is None:
        return f"no rule is called {step.rule!r}; known: {', '.join(sorted(RULES))}"
    try:
        checker(before, step)
    except StepError as error:
        return str(error) or f"does not follow by {step.rule!r}"
    return ""
