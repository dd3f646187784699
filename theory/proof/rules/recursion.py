"""Rules that check steps on gradient descent: a step from an ODE, and the solution of a recursion by induction."""

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.symbols import t, tau
from theory.proof.derivation import Step, StepError, rule


@rule("euler-step")
def euler_step(before: sympy.Basic, step: Step) -> None:
    """An ODE mass u'(t) = f(u) becomes u(m + 1) = u(m) + tau eta f(u(m))/mass; `using` is (m, eta).

    du/dt = -u becomes u(m + 1) = (1 - tau eta) u(m):

    >>> m, eta = sympy.Symbol("m", integer=True, nonnegative=True), sympy.Symbol("eta", positive=True)
    >>> u = sympy.Function("u")
    >>> after = sympy.Eq(u(m + 1), (1 - tau * eta) * u(m))
    >>> euler_step(sympy.Eq(u(t).diff(t), -u(t)), Step(after, "an Euler step", "euler-step", (m, eta)))
    """
    count, size = step.using
    derivatives = before.lhs.atoms(sympy.Derivative)
    if len(derivatives) != 1:
        raise StepError(f"{before} is not the ODE of one unknown")
    (rate,) = derivatives
    u = rate.expr.func
    velocity = before.rhs / before.lhs.coeff(rate)
    expected = u(count) + tau * size * velocity.xreplace({u(t): u(count)})
    if step.expr.lhs != u(count + 1) or is_zero(step.expr.rhs - expected) is not True:
        raise StepError(f"an Euler step of the ODE is u(m + 1) = {expected}, not {step.expr}")


@rule("induction")
def induction(before: sympy.Basic, step: Step) -> None:
    """u(m) solves u(m + 1) = F(u(m)) if it has the value u(0) at m = 0 and F maps its value at m to that at m + 1.

    `using` is (m, (u(0), start)). The power x^(m + 1) is written as x x^m, with one symbol for x^m.

    u(m + 1) = x u(m) has the solution u(0) x^m:

    >>> m, x = sympy.Symbol("m", integer=True, nonnegative=True), sympy.Symbol("x", positive=True)
    >>> u = sympy.Function("u")
    >>> solved = Step(sympy.Eq(u(m), 3 * x**m), "geometric", "induction", (m, sympy.Tuple(u(0), 3)))
    >>> induction(sympy.Eq(u(m + 1), x * u(m)), solved)
    """
    count, (origin, start) = step.using
    formula = step.expr.rhs
    if step.expr.lhs.xreplace({count: sympy.S.Zero}) != origin:
        raise StepError(f"the start is given as {origin}, which is not {step.expr.lhs} at 0")
    if is_zero(formula.xreplace({count: sympy.S.Zero}) - start) is not True:
        raise StepError(f"at 0 the formula is {formula.xreplace({count: sympy.S.Zero})}, not {start}")
    following = formula.xreplace({count: count + 1})
    mapped = before.rhs.xreplace({before.lhs.xreplace({count: count - 1}): formula})
    power = sympy.Dummy("power", real=True)
    difference = (following - mapped).replace(
        lambda node: node.is_Pow and node.exp in (count, count + 1),
        lambda node: power * node.base if node.exp == count + 1 else power,
    )
    if difference.has(count) or is_zero(difference) is not True:
        raise StepError(f"the recursion does not map the formula at m to the formula at m + 1: {step.expr}")
