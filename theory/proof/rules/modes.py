"""Rules that check steps on modes: projection on an eigenvector, the solution of a linear ODE, its limit."""

import sympy

from theory.expressions.relaxation import phi1
from theory.proof.derivation import Step, StepError, rule


def require_zero(expr: sympy.Expr, message: str) -> None:
    """Raise StepError unless `expr` cancels to zero exactly."""
    rest = sympy.cancel(sympy.expand(expr)) if expr.is_commutative else sympy.expand(expr)
    if rest != 0:
        raise StepError(f"{message}: {rest} remains")


def equations(statement: sympy.Basic) -> tuple[sympy.Eq, ...]:
    """Return the equations of a statement that is one equation or a tuple of them."""
    parts = tuple(statement) if isinstance(statement, sympy.Tuple) else (statement,)
    for part in parts:
        if not isinstance(part, sympy.Eq):
            raise StepError(f"the rule relates equations, not {part}")
    return parts


def paired(before: sympy.Basic, after: sympy.Basic) -> list[tuple[sympy.Eq, sympy.Eq]]:
    """Return the pairs (equation before, equation after) in their order."""
    old, new = equations(before), equations(after)
    if len(old) != len(new):
        raise StepError(f"{len(old)} equations became {len(new)}")
    return list(zip(old, new, strict=True))


@rule("rescale")
def rescale(before: sympy.Basic, step: Step) -> None:
    """Multiply both sides of an equation by the nonzero factor in `using`.

    >>> x, y, c = sympy.symbols("x y c", positive=True)
    >>> rescale(sympy.Eq(x, y), Step(sympy.Eq(c * x, c * y), "times c", "rescale", (c,)))
    """
    (factor,) = step.using
    if not factor.is_nonzero:
        raise StepError(f"the factor {factor} may vanish")
    for old, new in paired(before, step.expr):
        for side in ("lhs", "rhs"):
            require_zero(factor * getattr(old, side) - getattr(new, side), f"the {side} is not {factor} times the old")


@rule("stack")
def stack(before: sympy.Basic, step: Step) -> None:
    """The equation of one entry is written for vectors or for several entries.

    For each new equation, `using` holds the pairs (symbol of the entry, its replacement there).

    >>> u, b, u1, u2, b1, b2 = sympy.symbols("u b u1 u2 b1 b2")
    >>> both = sympy.Tuple(sympy.Eq(u1, b1), sympy.Eq(u2, b2))
    >>> readings = (sympy.Tuple((u, u1), (b, b1)), sympy.Tuple((u, u2), (b, b2)))
    >>> stack(sympy.Eq(u, b), Step(both, "entry by entry", "stack", readings))
    """
    if len(step.using) != len(equations(step.expr)):
        raise StepError("`using` must replace the entry's symbols once for each new equation")
    for new, reading in zip(equations(step.expr), step.using, strict=True):
        read = (before.lhs - before.rhs).subs(dict(tuple(pair) for pair in reading))
        require_zero(read - (new.lhs - new.rhs), f"{new} is not the entry's equation")


@rule("project")
def project(before: sympy.Basic, step: Step) -> None:
    """Multiply matrix ODEs from the left by v, where v A = lam v; the components v.w = u and v.b = c get names.

    `using` is v, (A, lam), then triples (w, w', u(t)) and pairs (b, c); v, A, w, w', b do not commute.

    >>> v, A, w, dw, b = sympy.symbols("v A w dw b", commutative=False)
    >>> lam, c, t = sympy.symbols("lam c t", real=True)
    >>> u = sympy.Function("u")(t)
    >>> names = (v, sympy.Tuple(A, lam), sympy.Tuple(w, dw, u), sympy.Tuple(b, c))
    >>> project(sympy.Eq(dw, b - A * w), Step(sympy.Eq(u.diff(t), c - lam * u), "along v", "project", names))
    """
    v, (matrix, eigenvalue), *named = step.using
    products = [(v * matrix, eigenvalue * v)]
    for group in named:
        vector, component = group[0], group[-1]
        products.append((v * vector, component))
        if len(group) == 3:
            products.append((v * group[1], component.diff(component.args[0])))
    for old, new in paired(before, step.expr):
        scalar = sympy.expand(v * (old.lhs - old.rhs))
        for product, value in products:
            scalar = sympy.expand(scalar.subs(product, value))
        if not scalar.is_commutative:
            raise StepError(f"{scalar} is not a scalar: `using` names no component for one of its vectors")
        require_zero(scalar - (new.lhs - new.rhs), "the projected equation differs")


@rule("block")
def block(before: sympy.Basic, step: Step) -> None:
    """Remove the vanishing blocks of A that `using` lists.

    >>> A12, w1, w2 = sympy.symbols("A12 w1 w2", commutative=False)
    >>> block(sympy.Eq(w1, w2 - A12 * w2), Step(sympy.Eq(w1, w2), "exclusive gates", "block", (A12,)))
    """
    for old, new in paired(before, step.expr):
        for vanishing in step.using:
            if not before.has(vanishing):
                raise StepError(f"the block {vanishing} does not occur")
        struck = (old.lhs - old.rhs).subs(dict.fromkeys(step.using, sympy.S.Zero))
        require_zero(struck - (new.lhs - new.rhs), "the equation without these blocks differs")


@rule("select")
def select(before: sympy.Basic, step: Step) -> None:
    """Keep one of several equations.

    >>> x, y = sympy.symbols("x y")
    >>> select(sympy.Tuple(sympy.Eq(x, 1), sympy.Eq(y, 2)), Step(sympy.Eq(y, 2), "the second", "select"))
    """
    if step.expr not in equations(before):
        raise StepError(f"{step.expr} is not among the equations of the previous step")


@rule("solve-ode")
def solve_ode(before: sympy.Basic, step: Step) -> None:
    """Substitute solutions into first-order linear ODEs, one for each unknown, and their initial conditions.

    `using` is t, then a pair (u(t), u(0)) for each ODE. An ODE that is affine in u has one solution through u(0), so
    that a function that satisfies both is the solution. The case of each parameter that may vanish is checked too.

    >>> t, a, u0 = sympy.symbols("t a u0", real=True)
    >>> u = sympy.Function("u")(t)
    >>> solution = sympy.Eq(u, u0 * sympy.exp(-a * t))
    >>> solve_ode(sympy.Eq(u.diff(t), -a * u), Step(solution, "decay", "solve-ode", (t, sympy.Tuple(u, u0))))
    """
    time, *unknowns = step.using
    if len(unknowns) != len(equations(before)):
        raise StepError("each ODE needs its own unknown, with its start")
    for (ode, solution), (unknown, initial) in zip(paired(before, step.expr), unknowns, strict=True):
        if solution.lhs != unknown or solution.rhs.has(unknown.func):
            raise StepError(f"{solution} does not solve for {unknown}")
        rate, value = sympy.Dummy("rate"), sympy.Dummy("value")
        affine = sympy.expand(ode.lhs - ode.rhs).subs(unknown.diff(time), rate).subs(unknown, value)
        if affine.atoms(sympy.core.function.AppliedUndef) or sympy.Poly(affine, rate, value).total_degree() != 1:
            raise StepError(f"{ode} is not affine in {unknown} and its derivative alone")
        for case in _cases(solution.rhs, time):
            explicit = without_phi(solution.rhs.xreplace(case))
            residual = affine.xreplace(case).subs({rate: explicit.diff(time), value: explicit})
            require_zero(residual, f"the ODE of {unknown} is not satisfied{_where(case)}")
        require_zero(solution.rhs.subs(time, 0) - initial, f"the initial value of {unknown} is wrong")


def _cases(solution: sympy.Expr, time: sympy.Symbol) -> list[dict[sympy.Symbol, sympy.Integer]]:
    """Return the generic case, and one for every parameter that may vanish: there phi(0) = 1 or a division by zero."""
    symbols = sorted(solution.free_symbols - {time}, key=str)
    return [{}, *({symbol: sympy.S.Zero} for symbol in symbols if not symbol.is_nonzero)]


def without_phi(expr: sympy.Expr) -> sympy.Expr:
    """Return `expr` with (1 - exp(-z))/z in place of phi(z), for arguments that do not vanish."""
    return expr.replace(phi1, lambda z: (1 - sympy.exp(-z)) / z)


def _where(case: dict) -> str:
    zeros = [f"{s} = 0" for s, value in case.items() if value == 0]
    return f" at {', '.join(zeros)}" if zeros else ""


@rule("limit")
def limit(before: sympy.Basic, step: Step) -> None:
    """Take t -> oo in solutions; `using` is t. Every exponential must certainly decay, and all else be free of t.

    >>> t, a = sympy.symbols("t a", positive=True)
    >>> u = sympy.Function("u")
    >>> settled = sympy.Eq(u(sympy.oo), 1)
    >>> limit(sympy.Eq(u(t), 1 - sympy.exp(-a * t)), Step(settled, "t -> oo", "limit", (t,)))
    """
    (time,) = step.using
    for old, new in paired(before, step.expr):
        if old.lhs.subs(time, sympy.oo) != new.lhs:
            raise StepError(f"{new.lhs} is not the limit of {old.lhs}")
        decayed = without_phi(old.rhs).replace(sympy.exp, lambda exponent: _decayed(exponent, time))
        remaining = sympy.cancel(decayed)
        if remaining.has(time):
            raise StepError(f"{remaining} still depends on {time} and does not settle")
        require_zero(remaining - new.rhs, "the limit differs")


def _decayed(exponent: sympy.Expr, time: sympy.Symbol) -> sympy.Expr:
    rate = sympy.cancel(-exponent / time)
    if rate.has(time) or not rate.is_positive:
        raise StepError(f"exp({exponent}) need not decay: the sign of its rate {rate} is not known")
    return sympy.S.Zero


@rule("separate")
def separate(before: sympy.Basic, step: Step) -> None:
    """m u'(t) = f(u(t)) becomes t = m times the integral of 1/f(x) over x from u(0) to u; m is free of t.

    `using` is t, (u(t), u(0), u, x). The step is valid as long as f does not vanish between the ends, which the claim
    must state among its conditions.

    >>> t, u0, u1, x = sympy.symbols("t u0 u1 x", positive=True)
    >>> u = sympy.Function("u")(t)
    >>> time = sympy.Eq(t, 3 * sympy.Integral(1 / x**2, (x, u0, u1)), evaluate=False)
    >>> separate(sympy.Eq(3 * u.diff(t), u**2), Step(time, "dt = du/u^2", "separate", (t, sympy.Tuple(u, u0, u1, x))))
    """
    time, (unknown, start, end, variable) = step.using
    integrals = step.expr.rhs.atoms(sympy.Integral)
    if step.expr.lhs != time or [integral.limits for integral in integrals] != [((variable, start, end),)]:
        raise StepError(f"{step.expr} is not {time} by one integral over {variable} from {start} to {end}")
    (integral,) = integrals
    factor = sympy.cancel(step.expr.rhs / integral)
    if before.has(variable) or any(part.has(time, variable) for part in (start, end, factor)):
        raise StepError(f"{variable} already occurs, or an end or the factor depends on {time}")
    rate = sympy.Dummy("rate")
    autonomous = (before.lhs - before.rhs).subs(unknown.diff(time), rate).subs(unknown, variable)
    if autonomous.has(time) or sympy.Poly(autonomous, rate).degree() != 1:
        raise StepError(f"{before} is not of the form m u' = f(u) with u = {unknown}")
    require_zero(autonomous.subs(rate, 1 / (factor * integral.function)), f"{integral.function} is not dt/d{variable}")
