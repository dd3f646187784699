"""The gradient flow of the biases: their features are the gates themselves, and the constant at the output.

yhat = s sum_l g_l (w_l.x + b_l) + b_out (notes, eq. 1, with fixed gates), L = (ell/2) <(y - yhat)^2>.
"""

import sympy
from sympy import Derivative, Eq, Expr, IndexedBase, Sum, Symbol, Tuple

import theory.proof.rules.shared  # noqa: F401 - it registers the rules that rooms share
from theory.expressions.symbols import K, n, tau
from theory.flow.derive.gradient import g, j, k, l, loss_factor, mu, p, readout, samples, w, x, y
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import sums as rules_sums  # noqa: F401 - they register the rules named below

biases = IndexedBase("b")
output_bias = Symbol("b_out", real=True)
hidden_velocity = Symbol(r"\dot{b}_k", real=True)  # db_k/dt
output_velocity = Symbol(r"\dot{b}_{out}", real=True)  # db_out/dt
gate_label = Symbol("m_k", real=True)  # <g_k y>
gate_sum = Symbol("r_k", real=True)  # <g_k sum_l g_l (w_l.x + b_l)>
gate_share = Symbol("q_k", positive=True)  # <g_k>
mean_label = Symbol("m", real=True)  # <y>
mean_sum = Symbol("r", real=True)  # <sum_l g_l (w_l.x + b_l)>
whole = Symbol("P", positive=True)  # <1>
one = sympy.S.One

_fields = Sum(g[mu, l] * (biases[l] + Sum(x[mu, j] * w[l, j], (j, 1, n))), (l, 1, K))
_residual = y[mu] - readout * _fields - output_bias
LOSS = loss_factor / 2 * Sum(p[mu] * _residual**2, (mu, 1, samples))
M, R, Q = (IndexedBase(name) for name in ("M", "R", "Q"))


def _mean(weight: Expr, value: Expr) -> Expr:
    """<weight value> over the samples."""
    return Sum(p[mu] * weight * value, (mu, 1, samples))


def hidden_bias_flow() -> Derivation:
    """db_k/dt = (m_k - r_k/K - q_k b_out)/(K tau), m_k = <g_k y>, r_k = <g_k sum_l g_l (w_l.x + b_l)>, q_k = <g_k>."""
    gate = g[mu, k]
    averages = (Tuple(M[k], _mean(gate, y[mu])), Tuple(R[k], _mean(gate, _fields)), Tuple(Q[k], _mean(gate, one)))
    names = (Tuple(M[k], gate_label), Tuple(R[k], gate_sum), Tuple(Q[k], gate_share))
    averaged = loss_factor * readout * (M[k] - readout * R[k] - Q[k] * output_bias)
    named = Eq(tau * hidden_velocity, averaged.xreplace(dict(tuple(pair) for pair in names)), evaluate=False)
    steps = (
        *_from_loss(hidden_velocity, biases[k], loss_factor * readout * _mean(gate, _residual)),
        _averaged(hidden_velocity, averaged, averages),
        Step(named, "as symbols, the unit being given", "name", names),
        *_chosen(hidden_velocity, (gate_label - gate_sum / K - gate_share * output_bias) / K),
    )
    return Derivation("flow.gradient.hidden_bias", steps[-1].expr, steps)


def output_bias_flow() -> Derivation:
    """db_out/dt = (m - r/K - b_out)/tau with m = <y>, r = <sum_l g_l (w_l.x + b_l)>: no factor of the readout."""
    averages = (
        Tuple(mean_label, _mean(one, y[mu])),
        Tuple(mean_sum, _mean(one, _fields)),
        Tuple(whole, _mean(one, one)),
    )
    averaged = loss_factor * (mean_label - readout * mean_sum - whole * output_bias)
    certain = Eq(tau * output_velocity, averaged.xreplace({whole: one}), evaluate=False)
    steps = (
        *_from_loss(output_velocity, output_bias, loss_factor * _mean(one, _residual)),
        _averaged(output_velocity, averaged, averages),
        Step(certain, "the probabilities of the samples add up to 1", "substitute", (Tuple(whole, one),)),
        *_chosen(output_velocity, mean_label - mean_sum / K - output_bias),
    )
    return Derivation("flow.gradient.output_bias", steps[-1].expr, steps)


def _from_loss(velocity: Symbol, bias: Expr, slope: Expr) -> tuple[Step, Step]:
    descent = Eq(tau * velocity, -Derivative(LOSS, bias), evaluate=False)
    return (
        Step(descent, "gradient flow of the loss with time constant tau", "definition"),
        Step(Eq(tau * velocity, slope, evaluate=False), "chain rule", "gradient", (bias,)),
    )


def _averaged(velocity: Symbol, pull: Expr, averages: tuple[Tuple, ...]) -> Step:
    named = Eq(tau * velocity, pull, evaluate=False)
    return Step(named, "names for the averages over the data", "average", averages)


def _chosen(velocity: Symbol, force: Expr) -> tuple[Step, Step]:
    """The mean readout and the half-mse, and the velocity by itself."""
    conventions = (Tuple(readout, 1 / K), Tuple(loss_factor, one))
    chosen = Eq(tau * velocity, force, evaluate=False)
    return (
        Step(chosen, "mean readout, s = 1/K, and the half-mse, ell = 1", "substitute", conventions),
        Step(Eq(velocity, force / tau, evaluate=False), "divide by tau > 0", "rescale", (1 / tau,)),
    )
