"""The gradient flow of the biases: their features are the gates themselves, and the constant at the output.

yhat = s sum_l g_l (w_l.x + b_l) + b_out (notes, eq. 1, with fixed gates), L = (ell/2) <(y - yhat)^2>.
"""

import sympy
from sympy import Derivative, Eq, Expr, IndexedBase, Sum, Symbol, Tuple

import theory.rules  # noqa: F401 - it registers the rules that rooms share
from theory.derivation import Derivation, Step
from theory.flow.derive import rules_modes, rules_sums  # noqa: F401 - they register the rules named below
from theory.flow.derive.gradient import g, j, k, l, loss_factor, mu, p, readout, samples, w, x, y
from theory.symbols import K, n, tau

biases = IndexedBase("b")
output_bias = Symbol("b_out", real=True)
hidden_velocity = Symbol(r"\dot{b}_k", real=True)  # db_k/dt
output_velocity = Symbol(r"\dot{b}_{out}", real=True)  # db_out/dt
gate_label = Symbol("m_k", real=True)  # <g_k y>
gate_sum = Symbol("r_k", real=True)  # <g_k sum_l g_l (w_l.x + b_l)>
gate_share = Symbol("q_k", positive=True)  # <g_k>
mean_label = Symbol("m", real=True)  # <y>
mean_sum = Symbol("r", real=True)  # <sum_l g_l (w_l.x + b_l)>

_fields = Sum(g[mu, l] * (biases[l] + Sum(x[mu, j] * w[l, j], (j, 1, n))), (l, 1, K))
LOSS = loss_factor / 2 * Sum(p[mu] * (y[mu] - readout * _fields - output_bias) ** 2, (mu, 1, samples))
M, R, Q = (IndexedBase(name) for name in ("M", "R", "Q"))


def _mean(weight: Expr, value: Expr) -> Expr:
    """<weight value> over the samples."""
    return Sum(p[mu] * weight * value, (mu, 1, samples))


def hidden_bias_flow() -> Derivation:
    """db_k/dt = (m_k - r_k/K - q_k b_out)/(K tau), m_k = <g_k y>, r_k = <g_k sum_l g_l (w_l.x + b_l)>, q_k = <g_k>."""
    gate = g[mu, k]
    averages = (
        Tuple(M[k], _mean(gate, y[mu])),
        Tuple(R[k], _mean(gate, _fields)),
        Tuple(Q[k], _mean(gate, sympy.S.One)),
    )
    pull = readout * (M[k] - readout * R[k] - Q[k] * output_bias)
    names = (Tuple(M[k], gate_label), Tuple(R[k], gate_sum), Tuple(Q[k], gate_share))
    slope = loss_factor * readout * _mean(gate, y[mu] - readout * _fields - output_bias)
    force = (gate_label - gate_sum / K - gate_share * output_bias) / K
    return _flow("flow.gradient.hidden_bias", hidden_velocity, biases[k], slope, averages, pull, names, force)


def output_bias_flow() -> Derivation:
    """db_out/dt = (m - r/K - b_out)/tau with m = <y>, r = <sum_l g_l (w_l.x + b_l)>: no factor of the readout."""
    one = sympy.S.One
    averages = (Tuple(M[k], _mean(one, y[mu])), Tuple(R[k], _mean(one, _fields)), Tuple(Q[k], _mean(one, one)))
    pull = M[k] - readout * R[k] - Q[k] * output_bias
    names = (Tuple(M[k], mean_label), Tuple(R[k], mean_sum), Tuple(Q[k], one))
    slope = loss_factor * _mean(one, y[mu] - readout * _fields - output_bias)
    force = mean_label - mean_sum / K - output_bias
    return _flow("flow.gradient.output_bias", output_velocity, output_bias, slope, averages, pull, names, force)


def _flow(
    name: str,
    velocity: Symbol,
    bias: Expr,
    slope: Expr,
    averages: tuple[Tuple, ...],
    pull: Expr,
    names: tuple[Tuple, ...],
    force: Expr,
) -> Derivation:
    averaged = loss_factor * pull
    named = averaged.xreplace(dict(tuple(pair) for pair in names))
    solved = Eq(velocity, force / tau, evaluate=False)
    steps = (
        Step(
            Eq(tau * velocity, -Derivative(LOSS, bias), evaluate=False),
            "gradient flow of the loss with time constant tau",
            "definition",
        ),
        Step(Eq(tau * velocity, slope, evaluate=False), "chain rule", "gradient", (bias,)),
        Step(Eq(tau * velocity, averaged, evaluate=False), "names for the averages over the data", "average", averages),
        Step(Eq(tau * velocity, named, evaluate=False), "as symbols", "name", names),
        Step(
            Eq(tau * velocity, force, evaluate=False),
            "mean readout, s = 1/K, and the half-mse, ell = 1",
            "substitute",
            (Tuple(readout, 1 / K), Tuple(loss_factor, sympy.S.One)),
        ),
        Step(solved, "divide by tau > 0", "rescale", (1 / tau,)),
    )
    return Derivation(name, solved, steps)
