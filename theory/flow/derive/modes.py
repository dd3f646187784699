"""One eigenmode of the gradient flow: the projection of the flow, its solution, its limit (notes, eq. 8-11).

The vectors w, b and the matrix A of all units stacked are non-commuting symbols, so nothing depends on K or n.
"""

import sympy
from sympy import Eq, Tuple, oo

import theory.proof.rules.shared  # noqa: F401 - it registers the rules that rooms share
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.flow.derive.gradient import entry, reading
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import modes as rules_modes  # noqa: F401 - it registers the rules named below

u = sympy.Function("u")  # v.w(t), the component of the weights along an eigenvector v of A
u0 = sympy.Symbol("u0", real=True)
c = sympy.Symbol("c", real=True)  # v.b
lam = sympy.Symbol("lambda", nonnegative=True)  # A v = lam v; A is a Gram matrix, so lam >= 0
positive_lam = sympy.Symbol("lambda", positive=True)  # where the statement needs a mode that decays

# Stacked weights, their velocity, input-output moments, gated second moments, and an eigenvector (as a row).
w, w_dot, b, A, v = sympy.symbols(r"w \dot{w} b A v", commutative=False)

MODE_ODE = Eq(K * tau * u(t).diff(t), c - lam * u(t) / K, evaluate=False)


def mode_solution() -> Derivation:
    """u(t) = exp(-lam t/(K^2 tau)) u0 + (t/(K tau)) phi(lam t/(K^2 tau)) c, zero eigenvalues included.

    Notes, eq. (9)-(11), corrected: the printed exponent lacks a factor 1/K, and the printed form divides by lam.
    """
    solution = Eq(u(t), relax(MODE_ODE, u(t), u0), evaluate=False)
    return Derivation("flow.mode.solution", solution, (*projected_flow(), _solved(solution)))


def relax(ode: sympy.Eq, unknown: sympy.Expr, initial: sympy.Expr) -> sympy.Expr:
    """Solve a linear ODE with constant coefficients, m unknown' = f - a unknown with a >= 0, from `initial`.

    SymPy solves it for a > 0; exp(-z) = 1 - z phi(z) then removes the division by a.
    """
    mass = ode.lhs.coeff(unknown.diff(t))
    rate = sympy.factor(-ode.rhs.expand().coeff(unknown) / mass)
    force = sympy.factor(ode.rhs.expand().coeff(unknown, 0) / mass)
    r = sympy.Dummy("r", nonnegative=True)
    positive = sympy.Dummy("a", positive=True)
    memory = sympy.integrate(sympy.exp(-positive * r), (r, 0, t))
    entire = memory.subs(sympy.exp(-positive * t), 1 - positive * t * phi1(positive * t))
    return sympy.exp(-rate * t) * initial + sympy.cancel(entire).xreplace({positive: rate}) * force


def mode_fixed_point() -> Derivation:
    """u(oo) = K c/lam for lam > 0, so that w(oo) = K A^-1 b where A is invertible.

    Notes, after eq. (11), corrected: the printed A^-1 b lacks the factor K.
    """
    moving = Eq(u(t), relax(MODE_ODE, u(t), u0), evaluate=False)
    decaying = Eq(u(t), relax(MODE_ODE, u(t), u0).xreplace({lam: positive_lam}), evaluate=False)
    settled = Eq(u(oo), sympy.limit(decaying.rhs.rewrite(sympy.exp), t, oo), evaluate=False)
    steps = (
        Step(moving, "the mode at time t", "premise", (moving,), ("flow.mode.solution",)),
        Step(decaying, "a mode that decays, lam > 0", "substitute", (Tuple(lam, positive_lam),)),
        Step(settled, "the transient decays", "limit", (t,)),
    )
    return Derivation("flow.fixed_point.mode", settled, steps)


def null_mode_fixed_point() -> Derivation:
    """u(oo) = u(0) for lam = 0: no force acts, because A v = 0 gives <(v.x~)^2> = 0, hence c = <v.x~ y> = 0.

    With `mode_fixed_point`: w(oo) = K A^+ b + (I - A A^+) w(0).
    """
    moving = Eq(u(t), relax(MODE_ODE, u(t), u0), evaluate=False)
    resting = Eq(u(t), u0, evaluate=False)
    settled = Eq(u(oo), u0, evaluate=False)
    steps = (
        Step(moving, "the mode at time t", "premise", (moving,), ("flow.mode.solution",)),
        Step(
            resting,
            "A v = 0 gives <(v.x~)^2> = 0, so v.x~ = 0 almost surely and c = <v.x~ y> = 0",
            "substitute",
            (Tuple(lam, sympy.S.Zero), Tuple(c, sympy.S.Zero)),
        ),
        Step(settled, "nothing moves", "limit", (t,)),
    )
    return Derivation("flow.fixed_point.null_mode", settled, steps)


def projected_flow() -> tuple[Step, ...]:
    """The steps from the flow of one weight to K tau du/dt = c - lam u/K, the ODE of a mode."""
    return (
        *entry(K, "flow.gradient.entry"),
        Step(
            Eq(K * tau * w_dot, b - A * w / K, evaluate=False),
            "all weights stacked; h = A w",
            "stack",
            (reading(w_dot, b, A * w),),
        ),
        Step(
            MODE_ODE,
            "project on an eigenvector: A is symmetric, so v A = lam v; u = v.w and c = v.b",
            "project",
            (v, Tuple(A, lam), Tuple(w, w_dot, u(t)), Tuple(b, c)),
        ),
    )


def _solved(solution: sympy.Eq) -> Step:
    return Step(
        solution,
        "variation of constants; (1 - exp(-z))/z is entire, so lam = 0 is included",
        "solve-ode",
        (t, Tuple(u(t), u0)),
    )
