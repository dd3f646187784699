"""Plain gradient descent on one eigenmode: the recursion and its solution, proved by induction on the step.

A step of size eta moves w by -eta dL/dw where the flow has tau dw/dt = -dL/dw, so t = tau eta m after m steps.
"""

import sympy
from sympy import Eq, Tuple

import theory.proof.rules.shared  # noqa: F401 - it registers the rules that rooms share
from theory.expressions.algebra import is_zero
from theory.expressions.symbols import K, t, tau
from theory.flow.derive.modes import MODE_ODE, c, positive_lam, projected_flow, u, u0
from theory.flow.derive.modes import lam as any_lam
from theory.proof.derivation import Derivation, Step, StepError, rule

m = sympy.Symbol("m", integer=True, nonnegative=True)  # number of steps
eta = sympy.Symbol("eta", positive=True)  # learning rate

MODE_STEP = Eq(u(m + 1), u(m) + eta / K * (c - positive_lam * u(m) / K), evaluate=False)
SOLUTION = Eq(
    u(m),
    K * c / positive_lam + (1 - eta * positive_lam / K**2) ** m * (u0 - K * c / positive_lam),
    evaluate=False,
)


@rule("euler-step")
def euler_step(before: sympy.Basic, step: Step) -> None:
    """From an ODE mass u'(t) = f(u) to u(m + 1) = u(m) + tau eta f(u(m))/mass; `using` is (m, eta)."""
    count, size = step.using
    velocity = before.rhs / before.lhs.coeff(u(t).diff(t))
    expected = u(count) + tau * size * velocity.xreplace({u(t): u(count)})
    if step.expr.lhs != u(count + 1) or is_zero(step.expr.rhs - expected) is not True:
        raise StepError(f"an Euler step of the ODE is u(m + 1) = {expected}, not {step.expr}")


@rule("induction")
def induction(before: sympy.Basic, step: Step) -> None:
    """u(m) solves u(m + 1) = F(u(m)) when it starts at u(0) and F takes its value at m to that at m + 1.

    `using` is (m, (u(0), start)). The power x^(m + 1) is split as x x^m, and x^m is a symbol of its own.
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
        raise StepError(f"the formula at m + 1 is not what the recursion makes of it at m: {step.expr}")


def mode_descent() -> Derivation:
    """u(m) = K c/lam + (1 - eta lam/K^2)^m (u0 - K c/lam), lam > 0, at any step size (design, rule 6 of validation)."""
    return Derivation(
        "flow.descent.weights",
        SOLUTION,
        (
            *projected_flow(),
            Step(
                MODE_ODE.xreplace({any_lam: positive_lam}),
                "a mode that decays, lam > 0",
                "substitute",
                (Tuple(any_lam, positive_lam),),
            ),
            Step(MODE_STEP, "a step of gradient descent is an Euler step of size tau eta", "euler-step", (m, eta)),
            Step(SOLUTION, "true at m = 0, and the step takes it from m to m + 1", "induction", (m, Tuple(u(0), u0))),
        ),
    )
