"""One eigenmode of the gradient flow: its symbols, its ODE from the flow of one weight, the solution of a linear ODE.

The vectors w, b and the matrix A of all units stacked are non-commuting symbols, so nothing depends on K or n.
"""

from functools import cache

import sympy
from sympy import Eq, Interval, Tuple

from theory.claims.gradient_flow import entry, reading
from theory.claims.model import Param
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import Step

u = sympy.Function("u")  # v.w(t), the component of the weights along an eigenvector v of A
u0 = sympy.Symbol("u0", real=True)
c = sympy.Symbol("c", real=True)  # v.b
lam = sympy.Symbol("lambda", nonnegative=True)  # A v = lam v; A is a Gram matrix, so lam >= 0
positive_lam = sympy.Symbol("lambda", positive=True)  # where the statement needs a mode that decays

# Stacked weights, their velocity, input-output moments, gated second moments, and an eigenvector (as a row).
w, w_dot, b, A, v = sympy.symbols(r"w \dot{w} b A v", commutative=False)
MODE_ODE = Eq(K * tau * u(t).diff(t), c - lam * u(t) / K, evaluate=False)
FORCE = Param(c, Interval(-3, 3), "component of $b$ along the eigenvector")


def relax(ode: sympy.Eq, unknown: sympy.Expr, initial: sympy.Expr) -> sympy.Expr:
    """Solve a linear ODE with constant coefficients, m unknown' = f - a unknown with a >= 0, from `initial`."""
    mass = ode.lhs.coeff(unknown.diff(t))
    rate = sympy.factor(-ode.rhs.expand().coeff(unknown) / mass)
    force = sympy.factor(ode.rhs.expand().coeff(unknown, 0) / mass)
    positive, memory = _memory()
    return sympy.exp(-rate * t) * initial + memory.xreplace({positive: rate}) * force


@cache
def _memory() -> tuple[sympy.Symbol, sympy.Expr]:
    """Return a > 0 and the integral of exp(-a r) over r from 0 to t; exp(-z) = 1 - z phi(z) removes the division by a.

    Several claims need this integral, and SymPy is slow to find it.
    """
    r = sympy.Dummy("r", nonnegative=True)
    positive = sympy.Dummy("a", positive=True)
    memory = sympy.integrate(sympy.exp(-positive * r), (r, 0, t))
    return positive, sympy.cancel(memory.subs(sympy.exp(-positive * t), 1 - positive * t * phi1(positive * t)))


def projected_flow() -> tuple[Step, ...]:
    """Return the steps from the flow of one weight to K tau du/dt = c - lam u/K, the ODE of a mode."""
    return (
        *entry(K, "flow.gradient.entry"),
        Step(
            Eq(K * tau * w_dot, b - A * w / K, evaluate=False),
            "all weights stacked; $h = A w$",
            "stack",
            (reading(w_dot, b, A * w),),
        ),
        Step(
            MODE_ODE,
            r"project on an eigenvector: $A$ is symmetric, so $v A = \lambda v$; $u = v \cdot w$ and $c = v \cdot b$",
            "project",
            (v, Tuple(A, lam), Tuple(w, w_dot, u(t)), Tuple(b, c)),
        ),
    )
