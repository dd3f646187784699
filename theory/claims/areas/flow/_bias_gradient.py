"""The gradient flow of biases: from the loss, by finite data, and as trained.

yhat = s sum_l g_l (w_l.x + b_l) + b_out (localization notes, eq. 1, with fixed gates), L = (ell/2) <(y - yhat)^2>.
"""

from collections.abc import Mapping
from dataclasses import replace

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from sympy import Derivative, Eq, Expr, IndexedBase, Sum, Symbol, Tuple

from theory.claims import finite_data
from theory.claims.finite_data import Number
from theory.claims.gradient_flow import g, j, k, l, loss_factor, mu, p, readout, samples, w, x, y
from theory.claims.model import Point
from theory.claims.points import values
from theory.expressions.symbols import K, n, tau
from theory.flow.linear.descent import discrete, gradient_descent
from theory.flow.linear.parameters import Parameters, initial
from theory.moments import gated_moments
from theory.moments.basis import Vector
from theory.problem import Problem
from theory.proof.derivation import Derivation, Step

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

_gated_sum = Sum(g[mu, l] * (biases[l] + Sum(x[mu, j] * w[l, j], (j, 1, n))), (l, 1, K))
_residual = y[mu] - readout * _gated_sum - output_bias
LOSS = loss_factor / 2 * Sum(p[mu] * _residual**2, (mu, 1, samples))
M, R, Q = (IndexedBase(name) for name in ("M", "R", "Q"))


def _mean(weight: Expr, value: Expr) -> Expr:
    """<weight value> over the samples."""
    return Sum(p[mu] * weight * value, (mu, 1, samples))


def hidden_bias_flow() -> Derivation:
    """Derive db_k/dt = (m_k - r_k/K - q_k b_out)/(K tau).

    m_k = <g_k y>, r_k = <g_k sum_l g_l (w_l.x + b_l)>, q_k = <g_k>.
    """
    gate = g[mu, k]
    averages = (Tuple(M[k], _mean(gate, y[mu])), Tuple(R[k], _mean(gate, _gated_sum)), Tuple(Q[k], _mean(gate, one)))
    names = (Tuple(M[k], gate_label), Tuple(R[k], gate_sum), Tuple(Q[k], gate_share))
    averaged = loss_factor * readout * (M[k] - readout * R[k] - Q[k] * output_bias)
    named = Eq(tau * hidden_velocity, averaged.xreplace(dict(tuple(pair) for pair in names)), evaluate=False)
    steps = (
        *_from_loss(hidden_velocity, biases[k], loss_factor * readout * _mean(gate, _residual)),
        _averaged(hidden_velocity, averaged, averages),
        Step(named, "write the averages of the given unit as $m_k$, $q_k$ and $r_k$", "name", names),
        *_chosen(hidden_velocity, (gate_label - gate_sum / K - gate_share * output_bias) / K),
    )
    return Derivation("flow.gradient.hidden_bias", steps[-1].expr, steps)


def output_bias_flow() -> Derivation:
    """Derive db_out/dt = (m - r/K - b_out)/tau, m = <y>, r = <sum_l g_l (w_l.x + b_l)>: no factor of the readout."""
    averages = (
        Tuple(mean_label, _mean(one, y[mu])),
        Tuple(mean_sum, _mean(one, _gated_sum)),
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


def _from_loss(velocity: Symbol, bias: Expr, derivative: Expr) -> tuple[Step, Step]:
    descent = Eq(tau * velocity, -Derivative(LOSS, bias), evaluate=False)
    return (
        Step(descent, r"gradient flow of the loss with time constant $\tau$", "definition"),
        Step(Eq(tau * velocity, derivative, evaluate=False), "chain rule", "gradient", (bias,)),
    )


def _averaged(velocity: Symbol, pull: Expr, averages: tuple[Tuple, ...]) -> Step:
    named = Eq(tau * velocity, pull, evaluate=False)
    return Step(named, "write the averages over the data as letters", "average", averages)


def _chosen(velocity: Symbol, force: Expr) -> tuple[Step, Step]:
    """Steps that insert the mean readout and the half-mse and solve for the velocity."""
    conventions = (Tuple(readout, 1 / K), Tuple(loss_factor, one))
    chosen = Eq(tau * velocity, force, evaluate=False)
    return (
        Step(chosen, r"mean readout, $s = 1/K$, and the half-mse, $\ell = 1$", "substitute", conventions),
        Step(Eq(velocity, force / tau, evaluate=False), r"divide by $\tau > 0$", "rescale", (1 / tau,)),
    )


def velocity_of(at: Mapping[str, Number], one: Number, hidden: bool) -> Number:
    """Return -dL/db_1 / tau, or -dL/db_out / tau, on four samples of overlapping gates with the moments of a point.

    Gate 1 is open on the first two samples, of probability q_k together. Labels are scaled to <g_1 y> = m_k or
    <y> = m, weights and hidden biases to <g_1 sum_l g_l (w_l.x + b_l)> = r_k or the same without g_1 = r.
    """
    units, share = int(at["K"]), at.get("q_k", one / 3)
    gates = [tuple(int(row < 2 if unit == 0 else (row * unit) % 3 != 1) for unit in range(units)) for row in range(4)]
    shares = [share / 3, 2 * share / 3, (1 - share) / 4, 3 * (1 - share) / 4]
    inputs = [(one * (1 + row) / 3, one * (5 - row) / 7) for row in range(4)]
    start = [one * (1 + index) / 5 for index in range(3 * units)]

    def output(theta: finite_data.Vector, row: int) -> Number:
        parts = zip(gates[row], theta[::3], theta[1::3], theta[2::3], strict=True)
        return sum(
            gate * (first * inputs[row][0] + second * inputs[row][1] + bias) for gate, first, second, bias in parts
        )

    seen = [gates[row][0] if hidden else 1 for row in range(4)]
    reach = sum(p * g * output(start, row) for row, (p, g) in enumerate(zip(shares, seen, strict=True)))
    scale = at["r_k" if hidden else "r"] / reach
    label = at["m_k" if hidden else "m"] / sum(p * g for p, g in zip(shares, seen, strict=True))

    def loss(theta: finite_data.Vector) -> Number:
        errors = [label - output(theta[:-1], row) / units - theta[-1] for row in range(4)]
        return sum(p * error**2 for p, error in zip(shares, errors, strict=True)) / 2

    gradient = finite_data.gradient(loss, [*(scale * entry for entry in start), at["b_out"]])
    return -gradient[2 if hidden else -1] / at["tau"]


def precise_velocity(hidden: bool, point: Point, digits: int) -> mpf:
    """Return `velocity_of` at the precision of the oracles."""
    with mpmath.workdps(digits + 30):
        return velocity_of(values(point), mpf(1), hidden)


def _with_constants(problem: Problem, constants: tuple[Vector, ...]) -> Parameters:
    """Gradient descent of a network whose biases multiply other features than g_k and 1/s, given in the gate basis."""
    features = gated_moments(problem).features
    wrong = replace(features, gates=replace(features.gates, constants=constants))
    eta, s = float(problem.simulated().learning_rate), float(problem.network.scale)
    steps = [round(float(elapsed) / eta) for elapsed in problem.training.elapsed]
    theta = gradient_descent(wrong.A.dense(), wrong.b, initial(problem)[None], eta, s, 1.0, steps)[:, 0]
    return Parameters.of(theta, problem.network.units, problem.data.n)


def scaled_output(problem: Problem) -> np.ndarray:
    """Return the biases of a network with b_out inside the readout: yhat = (1/K) (sum_k f_k + b_out)."""
    *hidden, output = gated_moments(problem).features.gates.constants
    return _with_constants(problem, (*hidden, tuple(entry * problem.network.scale for entry in output))).biases


def outside_the_gates(problem: Problem) -> np.ndarray:
    """Return the biases of a network whose hidden biases no gate closes: f_k = g_k w_k.x + b_k."""
    *hidden, output = gated_moments(problem).features.gates.constants
    always = tuple(entry * problem.network.scale for entry in output)
    return _with_constants(problem, (*(always for _ in hidden), output)).biases


def without_biases(problem: Problem) -> np.ndarray:
    """Return the weights of the network without biases."""
    network = replace(problem.network, biases="none")
    training = replace(problem.training, hidden_bias0=None, output_bias0=None)
    return discrete(replace(problem, network=network, training=training)).weights
