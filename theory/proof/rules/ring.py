"""Rules that check steps on rings of sites: sums over a circulant row, and half spaces of a symmetric law."""

import sympy

from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.modes import equations


@rule("cyclic-shift")
def cyclic_shift(before: sympy.Basic, step: Step) -> None:
    """sum_{k=0}^{n-1} f(k) = factor sum_{d=0}^{n-1} h(d), where k = shift(d) mod n and f has period n.

    `using` is a pair (k, shift(d)) with shift(d) = j - d or j + d, and the factor. As d runs over the residues mod n,
    so does the shift; Mod(d, n) = d within the range of the sum.

    >>> k, d, j, n = sympy.symbols("k d j n", integer=True, positive=True)
    >>> g = sympy.Function("g")
    >>> before = sympy.Sum(g(sympy.Mod(k - j, n)), (k, 0, n - 1))
    >>> after = sympy.Sum(g(d), (d, 0, n - 1))
    >>> cyclic_shift(before, Step(after, "k = j + d", "cyclic-shift", (sympy.Tuple(k, j + d), sympy.S.One)))
    """
    (old, shift), factor = step.using
    ((index, low, high),) = before.limits
    rest = sympy.cancel(step.expr / factor)
    if not isinstance(rest, sympy.Sum):
        raise StepError(f"{step.expr} is not {factor} times a sum")
    ((new, new_low, new_high),) = rest.limits
    if (
        index != old
        or (low, new_low) != (0, 0)
        or high != new_high
        or shift.diff(new) ** 2 != 1
        or not shift.is_integer
    ):
        raise StepError("the sums do not run over the same residues, shifted by one of them")
    period = high + 1
    if sympy.expand(before.function.subs(index, index + period) - before.function) != 0:
        raise StepError(f"{before.function} does not have period {period}")
    shifted = before.function.subs(index, shift).subs(sympy.Mod(new, period), new)
    quotient = sympy.powsimp(sympy.expand(shifted / (factor * rest.function), power_exp=True))
    if sympy.cancel(quotient) != 1:
        raise StepError(f"the shifted summand is {shifted}, not {factor * rest.function}")


@rule("half-spaces")
def half_spaces(before: sympy.Basic, step: Step) -> None:
    """A gate g and its complement 1 - g, exchanged by x -> -x, under a law that x -> -x leaves alone.

    `using` is A_11, A_22, S, b_1, b_2 with S = <x x^T>. The reflection gives A_22 = A_11 and b_2 = -b_1, and
    g + (1 - g) = 1 gives A_11 + A_22 = S; so both blocks are S/2.

    >>> A11, A22, S, b1, b2, w1, w2 = sympy.symbols("A11 A22 S b1 b2 w1 w2", commutative=False)
    >>> before = sympy.Tuple(sympy.Eq(b1, A11 * w1), sympy.Eq(b2, A22 * w2))
    >>> after = sympy.Tuple(sympy.Eq(b1, S * w1 / 2), sympy.Eq(-b1, S * w2 / 2))
    >>> half_spaces(before, Step(after, "reflection", "half-spaces", (A11, A22, S, b1, b2)))
    """
    first, second, whole, force, other = step.using
    for old, new in zip(equations(before), equations(step.expr), strict=True):
        read = (old.lhs - old.rhs).subs({first: whole / 2, second: whole / 2, other: -force})
        if sympy.expand(read - (new.lhs - new.rhs)) != 0:
            raise StepError(f"with both blocks {whole}/2 and opposite forces the equation is another one than {new}")
