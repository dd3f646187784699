"""The rule that checks a step on half spaces of a symmetric law."""

import sympy

from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.modes import paired


@rule("half-spaces")
def half_spaces(before: sympy.Basic, step: Step) -> None:
    """Simplify blocks for a gate g and its complement 1 - g, which x -> -x exchanges, under a law symmetric in x -> -x.

    `using` is A_11, A_22, S, b_1, b_2 with S = <x x^T>. The reflection gives A_22 = A_11 and b_2 = -b_1, and
    g + (1 - g) = 1 gives A_11 + A_22 = S, so that both blocks are S/2.

    >>> A11, A22, S, b1, b2, w1, w2 = sympy.symbols("A11 A22 S b1 b2 w1 w2", commutative=False)
    >>> before = sympy.Tuple(sympy.Eq(b1, A11 * w1), sympy.Eq(b2, A22 * w2))
    >>> after = sympy.Tuple(sympy.Eq(b1, S * w1 / 2), sympy.Eq(-b1, S * w2 / 2))
    >>> half_spaces(before, Step(after, "reflection", "half-spaces", (A11, A22, S, b1, b2)))
    """
    first, second, whole, force, other = step.using
    for old, new in paired(before, step.expr):
        read = (old.lhs - old.rhs).subs({first: whole / 2, second: whole / 2, other: -force})
        if sympy.expand(read - (new.lhs - new.rhs)) != 0:
            raise StepError(f"with both blocks {whole}/2 and opposite forces the equation differs from {new}")
