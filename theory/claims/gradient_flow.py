"""The loss of a gated linear network, averages over its data, and first steps of derivations from its gradient flow.

Localization notes, eq. (5)-(8); small-bump note, eq. (4)-(6): under the readout (1/K) sum_k the weights enter the
gradient with a second factor 1/K, which the printed equations lack.
"""

import sympy
from sympy import Eq, IndexedBase, Sum, Tuple

from theory.expressions.symbols import K, n, tau
from theory.proof.derivation import Step

readout = sympy.Symbol("s", positive=True)  # yhat = s sum_k g_k w_k.x; s = 1/K (mean) or 1 (sum)
loss_factor = sympy.Symbol("ell", positive=True)  # L = (ell/2) <(y - yhat)^2>; ell = 1 (half-mse) or 2 (mse)
velocity = sympy.Symbol(r"\dot{w}_{ki}", real=True)  # dw_ki/dt
force = sympy.Symbol("b_ki", real=True)  # <g_k x_i y>
drive = sympy.Symbol("h_ki", real=True)  # <g_k x_i sum_l g_l w_l.x> = sum_lj A_kilj w_lj
w_first, w_second = sympy.Function("w_11"), sympy.Function("w_12")  # the two weights of unit 1, for two inputs

k, l, i, j, mu = sympy.symbols("k l i j mu", integer=True, positive=True)
samples = sympy.Symbol("N", integer=True, positive=True)
p, g, x, y, w, b, A = (IndexedBase(name) for name in ("p", "g", "x", "y", "w", "b", "A"))

_output = Sum(g[mu, l] * x[mu, j] * w[l, j], (l, 1, K), (j, 1, n))  # sum_l g_l w_l.x at sample mu
LOSS = loss_factor / 2 * Sum(p[mu] * (y[mu] - readout * _output) ** 2, (mu, 1, samples))
INPUT_OUTPUT = Tuple(b[k, i], Sum(p[mu] * g[mu, k] * x[mu, i] * y[mu], (mu, 1, samples)))
SECOND_MOMENT = Tuple(A[k, i, l, j], Sum(p[mu] * g[mu, k] * x[mu, i] * g[mu, l] * x[mu, j], (mu, 1, samples)))
stacked = Sum(A[k, i, l, j] * w[l, j], (l, 1, K), (j, 1, n))  # h_ki, the entry (k, i) of A w


def entry(units: sympy.Expr, claim: str) -> tuple[Step, Step]:
    """Return the steps with which derivations from the gradient flow begin: what `claim` states, times units x tau."""
    stated = Eq(velocity, (force - drive / units) / (units * tau), evaluate=False)
    cleared = Eq(units * tau * velocity, force - drive / units, evaluate=False)
    return (
        Step(stated, "the gradient flow of one weight", "premise", (stated,), (claim,)),
        Step(cleared, rf"times ${units} \tau$", "rescale", (units * tau,)),
    )


def reading(dot: sympy.Expr, moment: sympy.Expr, product: sympy.Expr) -> Tuple:
    """Return the definitions of the symbols in the equation of one entry: dw/dt, b and A w."""
    return Tuple(Tuple(velocity, dot), Tuple(force, moment), Tuple(drive, product))
