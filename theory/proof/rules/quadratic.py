"""Rules that check steps on quadratic losses: fixed points, least squares, the completed square in any dimension."""

import sympy

from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.modes import equations, paired, require_zero


@rule("solve-linear")
def solve_linear(before: sympy.Basic, step: Step) -> None:
    """Solve a linear system; `using` holds pairs (unknown, its value), and the step states some of them.

    The values are substituted into every equation, and the matrix of the system must be regular.

    >>> x, y = sympy.symbols("x y")
    >>> system = sympy.Tuple(sympy.Eq(x + y, 3), sympy.Eq(x - y, 1))
    >>> values = (sympy.Tuple(x, 2), sympy.Tuple(y, 1))
    >>> solve_linear(system, Step(sympy.Eq(y, 1), "by elimination", "solve-linear", values))
    """
    solution = dict(tuple(pair) for pair in step.using)
    system = equations(before)
    for equation in system:
        require_zero((equation.lhs - equation.rhs).xreplace(solution), f"{equation} is not satisfied")
    matrix = sympy.Matrix([[sympy.diff(eq.lhs - eq.rhs, name) for name in solution] for eq in system])
    if matrix.shape[0] != matrix.shape[1] or sympy.cancel(matrix.det()) == 0:
        raise StepError("the system does not determine its unknowns")
    for stated in equations(step.expr):
        require_zero(solution.get(stated.lhs, sympy.nan) - stated.rhs, f"{stated} is not the solution")


@rule("rest")
def rest(before: sympy.Basic, step: Step) -> None:
    """The velocities of a linear flow vanish in its limit t -> oo.

    `using` holds pairs (u(t), u(oo)), then assumptions minor > 0. The flow converges because its matrix is symmetric
    and positive definite: each leading minor is positive by its symbols' assumptions or by `using` (Sylvester).

    >>> t, a, b = sympy.symbols("t a b", positive=True)
    >>> u, end = sympy.Function("u")(t), sympy.Symbol("u_oo")
    >>> rest(sympy.Eq(u.diff(t), b - a * u), Step(sympy.Eq(0, b - a * end), "at rest", "rest", (sympy.Tuple(u, end),)))
    """
    names = [tuple(item) for item in step.using if isinstance(item, sympy.Tuple)]
    positive = [item.gts - item.lts for item in step.using if isinstance(item, sympy.core.relational.Relational)]
    velocities = [moving.diff(*moving.args) for moving, _ in names]
    system = [sympy.expand(eq.lhs - eq.rhs) for eq in equations(before)]
    matrix = sympy.Matrix([[one.coeff(moving) for moving, _ in names] for one in system])
    masses = sympy.Matrix([[one.coeff(velocity) for velocity in velocities] for one in system])
    if not masses.is_diagonal() or not all(mass.is_positive for mass in masses.diagonal()):
        raise StepError("each equation must contain one velocity, with a positive coefficient")
    if sympy.cancel(masses.det() / masses[0, 0] ** len(names)) != 1 or not matrix.is_symmetric():
        raise StepError("the matrix of the flow is not symmetric")
    for size in range(1, len(names) + 1):
        minor = sympy.factor(matrix[:size, :size].det())
        if not (minor.is_positive or any(sympy.cancel(minor / known).is_positive for known in positive)):
            raise StepError(f"the leading minor {minor} need not be positive")
    for old, (_, new) in zip(system, paired(before, step.expr), strict=True):
        still = old.subs(dict.fromkeys(velocities, 0)).xreplace(dict(names))
        require_zero(still - (new.lhs - new.rhs), "the equation at rest differs")


@rule("least-squares")
def least_squares(before: sympy.Basic, step: Step) -> None:
    """Eq(L, quadratic in beta) becomes Eq(min L, value); `using` holds pairs (beta_i, minimiser_i).

    The gradient must vanish at the minimiser, and L must have the value there. That the point is a minimum rests on a
    premise: L is a mean of squares, so that its matrix of second derivatives is positive semidefinite, and positive
    definite if regular. The rule rejects a matrix with a minor that is known not to be positive.

    >>> beta, L, least = sympy.symbols("beta L min_L", real=True)
    >>> best = sympy.Tuple(beta, 3)
    >>> least_squares(sympy.Eq(L, (beta - 3) ** 2 + 1), Step(sympy.Eq(least, 1), "at 3", "least-squares", (best,)))
    """
    minimiser = dict(tuple(pair) for pair in step.using)
    loss, value = before.rhs, step.expr.rhs
    for variable in minimiser:
        require_zero(loss.diff(variable).xreplace(minimiser), f"the derivative by {variable} does not vanish")
    require_zero(loss.xreplace(minimiser) - value, "the loss at the minimiser has another value")
    curvature = sympy.hessian(loss, list(minimiser))
    if curvature.free_symbols.intersection(minimiser) or sympy.cancel(curvature.det()) == 0:
        raise StepError("the loss is not a regular quadratic")
    for size in range(1, len(minimiser) + 1):
        minor = sympy.factor(curvature[:size, :size].det())
        if minor.is_nonpositive:
            raise StepError(f"the minor {minor} of the second derivatives is not positive, so L is no mean of squares")


@rule("complete-square")
def complete_square(before: sympy.Basic, step: Step) -> None:
    """Eq(L(beta), Y - 2 b'beta + beta'A beta) becomes Eq(L(beta), m + (beta - A+ b)'A (beta - A+ b)), any dimension.

    `using` is (A, A+), (b, b'), (beta, beta'), non-commuting. The rule uses A A+ A = A and A+ A A+ = A+, that b lies in
    the range of A (A A+ b = b), and that a number equals its transpose.

    >>> names = "A A_plus b b_row beta beta_row"
    >>> A, A_plus, b, b_row, beta, beta_row = sympy.symbols(names, commutative=False)
    >>> using = (sympy.Tuple(A, A_plus), sympy.Tuple(b, b_row), sympy.Tuple(beta, beta_row))
    >>> L, Y = sympy.symbols("L Y")
    >>> square = (beta_row - b_row * A_plus) * A * (beta - A_plus * b)
    >>> after = sympy.Eq(L, Y - b_row * A_plus * b + square)
    >>> before = sympy.Eq(L, Y - 2 * b_row * beta + beta_row * A * beta)
    >>> complete_square(before, Step(after, "the square", "complete-square", using))
    """
    (matrix, inverse), (force, force_row), (weights, weights_row) = step.using
    difference = sympy.expand(before.rhs - step.expr.rhs)
    for product, value in (
        (matrix * inverse * matrix, matrix),
        (inverse * matrix * inverse, inverse),
        (matrix * inverse * force, force),
        (force_row * inverse * matrix, force_row),
        (weights_row * force, force_row * weights),
    ):
        difference = sympy.expand(difference.subs(product, value))
    if difference != 0 or before.lhs != step.expr.lhs:
        raise StepError(f"the square is not complete: {difference} remains")


@rule("minimum")
def minimum(before: sympy.Basic, step: Step) -> None:
    """Eq(L(beta), m + q'A q) becomes Eq(min L, m), for a Gram matrix A and q = beta - A+ b, which vanishes at A+ b.

    `using` is (A, A+), (b, b'), (beta, beta') as in "complete-square".

    >>> names = "A A_plus b b_row beta beta_row"
    >>> A, A_plus, b, b_row, beta, beta_row = sympy.symbols(names, commutative=False)
    >>> using = (sympy.Tuple(A, A_plus), sympy.Tuple(b, b_row), sympy.Tuple(beta, beta_row))
    >>> L, Y = sympy.symbols("L Y")
    >>> square = (beta_row - b_row * A_plus) * A * (beta - A_plus * b)
    >>> least = sympy.Eq(sympy.Symbol("min_L"), Y - b_row * A_plus * b)
    >>> minimum(sympy.Eq(L, least.rhs + square), Step(least, "the square vanishes", "minimum", using))
    """
    (matrix, inverse), (force, force_row), (weights, weights_row) = step.using
    column = weights - inverse * force
    row = weights_row - force_row * inverse
    if sympy.expand(before.rhs - row * matrix * column - step.expr.rhs) != 0:
        raise StepError("the loss is not the stated minimum plus (beta - A+ b)'A (beta - A+ b)")
    if step.expr.rhs.has(weights, weights_row):
        raise StepError(f"the minimum {step.expr.rhs} still depends on {weights}")
