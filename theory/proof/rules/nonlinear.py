"""Rules for changes of unknowns in equations, and for solutions of nonlinear ODEs checked by substitution."""

import sympy

from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.modes import equations, paired, require_zero, without_phi


@rule("change-of-unknowns")
def change_of_unknowns(before: sympy.Basic, step: Step) -> None:
    """Equations in new unknowns, which `using` defines by pairs (new, function of the old); all may depend on time.

    The new equations must follow when the new unknowns are written in the old ones and the old equations are used. The
    functions are assumed to be differentiable along the solution.

    >>> t = sympy.Symbol("t", real=True)
    >>> b, a = (sympy.Function(name, positive=True)(t) for name in "ba")
    >>> old, new = sympy.Eq(b.diff(t), b - b**3), sympy.Eq(a.diff(t), 2 * a - 2 * a**2)
    >>> change_of_unknowns(old, Step(new, "a = b^2", "change-of-unknowns", (sympy.Tuple(a, b**2),)))
    """
    definitions = dict(tuple(pair) for pair in step.using)
    known = {}
    for old in equations(before):
        scale, unknown = _leading(old.lhs)
        known[unknown] = old.rhs / scale
    for new in equations(step.expr):
        moving = {item: definitions[item.expr].diff(*item.variables) for item in _derivatives(new, definitions)}
        left, right = (side.xreplace(moving).xreplace(definitions).xreplace(known) for side in (new.lhs, new.rhs))
        residual = left - right
        require_zero(sympy.powsimp(sympy.expand(residual)), f"{new} does not follow in the new unknowns")


def _leading(side: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Return (m, q) for a left side m q, where q is a derivative or an applied function and m has none."""
    unknowns = side.atoms(sympy.Derivative) or side.atoms(sympy.core.function.AppliedUndef)
    unknown = next(iter(unknowns), None)
    if len(unknowns) != 1 or (scale := sympy.cancel(side / unknown)).has(sympy.core.function.AppliedUndef):
        raise StepError(f"{side} is not a multiple of one unknown")
    return scale, unknown


def _derivatives(expr: sympy.Basic, definitions: dict) -> list[sympy.Derivative]:
    return [item for item in expr.atoms(sympy.Derivative) if item.expr in definitions]


@rule("initial-value")
def initial_value(before: sympy.Basic, step: Step) -> None:
    """Substitute solutions into a system of ODEs, m u' = a polynomial in all unknowns, and their initial values.

    `using` is t, then a pair (u(t), u(0)) for each ODE. A polynomial is locally Lipschitz, so that one solution passes
    through each start; functions that satisfy the equations are this solution while they are finite. The residual is a
    fraction of polynomials in square roots, each with r^2 = its radicand, and in one exponential. A residual of 0 is a
    proof where the rates of the exponentials are not 0, and elsewhere by continuity.

    >>> t, a0 = sympy.symbols("t a0", positive=True)
    >>> a = sympy.Function("a")(t)
    >>> solution = sympy.Eq(a, a0 / (1 + a0 * t))
    >>> initial_value(sympy.Eq(a.diff(t), -(a**2)), Step(solution, "decay", "initial-value", (t, sympy.Tuple(a, a0))))
    """
    time, *unknowns = step.using
    if len(unknowns) != len(equations(before)):
        raise StepError("each ODE needs its own unknown, with its start")
    explicit = {}
    for (ode, solution), (unknown, _) in zip(paired(before, step.expr), unknowns, strict=True):
        if solution.lhs != unknown or solution.rhs.atoms(sympy.core.function.AppliedUndef):
            raise StepError(f"{solution} does not solve for {unknown}")
        if _leading(ode.lhs)[1] != unknown.diff(time):
            raise StepError(f"{ode} is not an equation for the derivative of {unknown}")
        explicit[unknown] = without_phi(solution.rhs)
    for (ode, solution), (unknown, initial) in zip(paired(before, step.expr), unknowns, strict=True):
        if not sympy.expand(ode.rhs).is_polynomial(*explicit):
            raise StepError(f"the right side of {ode} is not a polynomial in the unknowns")
        velocity = _leading(ode.lhs)[0] * explicit[unknown].diff(time)
        _require_no_rest(velocity - ode.rhs.xreplace(explicit), f"the ODE of {unknown} is not satisfied")
        _require_no_rest(solution.rhs.subs(time, 0) - initial, f"the initial value of {unknown} is wrong")


def _require_no_rest(expr: sympy.Expr, message: str) -> None:
    """Raise unless the numerator vanishes as a polynomial in one exponential and in square roots."""
    replacements: dict[sympy.Expr, sympy.Expr] = {}
    exponentials = sorted(expr.atoms(sympy.exp), key=sympy.default_sort_key)
    if exponentials:
        shares = [sympy.cancel(item.args[0] / exponentials[0].args[0]) for item in exponentials]
        if not all(share.is_Rational for share in shares):
            raise StepError(f"{message}: the exponents of {exponentials} are not rational multiples of one exponent")
        whole, base = sympy.ilcm(1, *(share.q for share in shares)), sympy.Dummy("X", positive=True)
        replacements |= {item: base ** (share * whole) for item, share in zip(exponentials, shares, strict=True)}
    roots = {}
    for power in expr.atoms(sympy.Pow):
        if power.exp.is_Rational and power.exp.q == 2:
            root = roots.setdefault(power.base, sympy.Dummy("r", positive=True))
            replacements[power] = root ** (2 * power.exp)
    numerator = sympy.expand(sympy.fraction(sympy.together(expr.xreplace(replacements)))[0])
    for radicand, root in roots.items():
        numerator = sympy.expand(sympy.rem(numerator, root**2 - radicand, root))
    if numerator != 0:
        raise StepError(f"{message}: {numerator} remains")
