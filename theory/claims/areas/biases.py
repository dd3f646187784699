"""Claims on networks with biases: how they move, and that an output bias makes the choice of labels free.

yhat(x) = (1/K) sum_k g_k(x) (w_k.x + b_k) + b_out with fixed gates (localization notes, eq. 1 with the units of eq. 3).
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational

from theory.claims import finite_data, reasons
from theory.claims.areas.flow import NOTES, TIME_CONSTANT, UNITS, exact_values, values
from theory.claims.areas.least_squares import BALANCED, LABELS, least_loss, two_classes
from theory.claims.finite_data import Number, Sample
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration, Source
from theory.expressions.symbols import K, tau
from theory.flow.derive import bias_gradient, least_squares
from theory.flow.linear.descent import discrete, gradient_descent
from theory.flow.linear.parameters import Parameters, initial
from theory.moments import gated_moments
from theory.moments.basis import Vector
from theory.problem import BiasesAtTimes, Problem, WeightsAtTimes

HALF = Rational(1, 2)
v11, v12, v22 = least_squares.covariance
y1, y0 = least_squares.y1, least_squares.y0
_DISTANCE = least_squares.form(least_squares.covariance, least_squares.apart)


def _by_minimisation(point: Point, digits: int) -> mpf:
    """The least loss of eight samples whose third input is 1, with the means and the covariance of the point."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        mean, apart = [at["mu1"], at["mu2"]], [at["d1"], at["d2"]]
        means = tuple([m + sign * d / 2 for m, d in zip(mean, apart, strict=True)] for sign in (1, -1))
        pairs = (("v11", 0, 0), ("v12", 0, 1), ("v22", 1, 1))
        total = tuple(2 * (at[entry] + mean[i] * mean[j]) for entry, i, j in pairs)
        samples = two_classes(means, total, (at["y1"], at["y0"]))
        return least_loss([Sample(s.probability, s.gates, (*s.x, mpf(1)), s.y) for s in samples], digits)


LABELS_FREE = Claim(
    id="ols.loss.intercept",
    title="With an output bias the labels are free: the least loss is (y1 - y0)^2 times a number of the inputs alone",
    kind=Kind.EQUATION,
    statement=Eq(least_squares.loss, (y1 - y0) ** 2 / 4 * (1 - _DISTANCE / 4), evaluate=False),
    params=(
        Param(v11, Interval(2, 4), "entry of V, the covariance of x~"),
        Param(v12, Interval.open(-HALF, HALF), "entry of V", (Integer(0),)),
        Param(v22, Interval(2, 4), "entry of V"),
        *(Param(entry, Interval(-1, 1), "entry of d = <x~>_1 - <x~>_0") for entry in least_squares.apart),
        *(Param(entry, Interval(-2, 2), "entry of mu = <x~>, which drops out") for entry in least_squares.mean),
        *LABELS,
    ),
    assumptions=(
        BALANCED,
        "yhat = beta.x~ + b_out; x~ has the components g_k x and, with hidden biases, g_k; two of them are written out",
    ),
    sources=(
        Source(
            NOTES,
            "after (16)",
            printed=(y1 - y0) ** 2 * (Rational(1, 4) - _DISTANCE / 16),
            note="'without loss of generality' labels 0 and 1: right with an output bias, and not without one "
            "(ols.loss.labels)",
        ),
    ),
    oracle=_by_minimisation,
    derive=least_squares.loss_intercept,
    unchecked={
        Level.EXACT: reasons.SAMPLES_BY_ROOTS,
        Level.FLOATING: "the library has the loss with biases for data laws, and not for moments given as numbers",
    },
)


def _velocity(at: Mapping[str, Number], one: Number, hidden: bool) -> Number:
    """-dL/db_1 / tau, or -dL/db_out / tau, on four samples of overlapping gates scaled to the moments of the point.

    Gate 1 is open on the first two samples, of probability q_k together. Labels are scaled to <g_1 y> = m_k or
    <y> = m, weights and hidden biases to <g_1 sum_l g_l (w_l.x + b_l)> = r_k or the same without g_1 = r.
    """
    units, share = int(at["K"]), at.get("q_k", one / 3)
    gates = [tuple(int(row < 2 if unit == 0 else (row * unit) % 3 != 1) for unit in range(units)) for row in range(4)]
    shares = [share / 3, 2 * share / 3, (1 - share) / 4, 3 * (1 - share) / 4]
    inputs = [(one * (1 + row) / 3, one * (5 - row) / 7) for row in range(4)]
    start = [one * (1 + index) / 5 for index in range(3 * units)]

    def field(theta: finite_data.Vector, row: int) -> Number:
        parts = zip(gates[row], theta[::3], theta[1::3], theta[2::3], strict=True)
        return sum(
            gate * (first * inputs[row][0] + second * inputs[row][1] + bias) for gate, first, second, bias in parts
        )

    seen = [gates[row][0] if hidden else 1 for row in range(4)]
    reach = sum(p * g * field(start, row) for row, (p, g) in enumerate(zip(shares, seen, strict=True)))
    scale = at["r_k" if hidden else "r"] / reach
    label = at["m_k" if hidden else "m"] / sum(p * g for p, g in zip(shares, seen, strict=True))

    def loss(theta: finite_data.Vector) -> Number:
        errors = [label - field(theta[:-1], row) / units - theta[-1] for row in range(4)]
        return sum(p * error**2 for p, error in zip(shares, errors, strict=True)) / 2

    slopes = finite_data.gradient(loss, [*(scale * entry for entry in start), at["b_out"]])
    return -slopes[2 if hidden else -1] / at["tau"]


def _precisely(hidden: bool, point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 30):
        return _velocity(values(point), mpf(1), hidden)


def _with_constants(problem: Problem, constants: tuple[Vector, ...]) -> Parameters:
    """Gradient descent of a network whose biases have other features than g_k and 1/s, given over the gate basis."""
    features = gated_moments(problem).features
    wrong = replace(features, gates=replace(features.gates, constants=constants))
    eta, s = float(problem.simulated().learning_rate), float(problem.network.scale)
    steps = [round(float(elapsed) / eta) for elapsed in problem.training.elapsed]
    theta = gradient_descent(wrong.A.dense(), wrong.b, initial(problem)[None], eta, s, 1.0, steps)[:, 0]
    return Parameters.of(theta, problem.network.units, problem.data.n)


def _scaled_output(problem: Problem) -> np.ndarray:
    """b_out inside the readout: yhat = (1/K) (sum_k f_k + b_out)."""
    *hidden, output = gated_moments(problem).features.gates.constants
    return _with_constants(problem, (*hidden, tuple(entry * problem.network.scale for entry in output))).biases


def _outside_the_gates(problem: Problem) -> np.ndarray:
    """Hidden biases that no gate closes: f_k = g_k w_k.x + b_k."""
    *hidden, output = gated_moments(problem).features.gates.constants
    always = tuple(entry * problem.network.scale for entry in output)
    return _with_constants(problem, (*(always for _ in hidden), output)).biases


def _without_biases(problem: Problem) -> np.ndarray:
    """The weights of the same network without biases."""
    network = replace(problem.network, biases="none")
    training = replace(problem.training, hidden_bias0=None, output_bias0=None)
    return discrete(replace(problem, network=network, training=training)).weights


_PROBLEMS = ("biases", "biases-clone")
_OUTPUT_BIAS = Param(bias_gradient.output_bias, Interval(-2, 2), "the output bias", (Integer(0),))
_ASSUMPTIONS = (
    "yhat = (1/K) sum_k g_k (w_k.x + b_k) + b_out and L = <(y - yhat)^2>/2; the gates do not depend on what is learned",
    "simulated: plain gradient descent on fresh data, whose mean over runs takes steps of this gradient exactly",
)

HIDDEN_BIAS = Claim(
    id="flow.gradient.hidden_bias",
    title="The gradient flow of a hidden bias: its feature is the gate",
    kind=Kind.EQUATION,
    statement=Eq(
        bias_gradient.hidden_velocity,
        (bias_gradient.gate_label - bias_gradient.gate_sum / K - bias_gradient.gate_share * bias_gradient.output_bias)
        / (K * tau),
        evaluate=False,
    ),
    params=(
        UNITS,
        TIME_CONSTANT,
        Param(bias_gradient.gate_label, Interval(-3, 3), "m_k = <g_k y>", (Integer(0),)),
        Param(bias_gradient.gate_sum, Interval(-3, 3), "r_k = <g_k sum_l g_l (w_l.x + b_l)>", (Integer(0),)),
        Param(bias_gradient.gate_share, Interval.open(0, 1), "q_k = <g_k>", (HALF,)),
        _OUTPUT_BIAS,
    ),
    assumptions=_ASSUMPTIONS,
    oracle=lambda point, digits: _precisely(True, point, digits),
    exact=lambda point: _velocity(exact_values(point), Fraction(1), True),
    derive=bias_gradient.hidden_bias_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
    registration=Registration(
        problems=_PROBLEMS,
        observable=WeightsAtTimes(),
        predict=lambda problem: discrete(problem).weights,
        alternatives=(Alternative("no biases", _without_biases),),
    ),
)

OUTPUT_BIAS = Claim(
    id="flow.gradient.output_bias",
    title="The gradient flow of the output bias: no factor 1/K before its pull",
    kind=Kind.EQUATION,
    statement=Eq(
        bias_gradient.output_velocity,
        (bias_gradient.mean_label - bias_gradient.mean_sum / K - bias_gradient.output_bias) / tau,
        evaluate=False,
    ),
    params=(
        UNITS,
        TIME_CONSTANT,
        Param(bias_gradient.mean_label, Interval(-3, 3), "m = <y>", (Integer(0),)),
        Param(bias_gradient.mean_sum, Interval(-3, 3), "r = <sum_l g_l (w_l.x + b_l)>", (Integer(0),)),
        _OUTPUT_BIAS,
    ),
    assumptions=_ASSUMPTIONS,
    oracle=lambda point, digits: _precisely(False, point, digits),
    exact=lambda point: _velocity(exact_values(point), Fraction(1), False),
    derive=bias_gradient.output_bias_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
    registration=Registration(
        problems=_PROBLEMS,
        observable=BiasesAtTimes(),
        predict=lambda problem: discrete(problem).biases,
        alternatives=(
            Alternative("output bias inside the readout", _scaled_output),
            Alternative("hidden biases outside the gates", _outside_the_gates),
        ),
    ),
)

CLAIMS = (LABELS_FREE, HIDDEN_BIAS, OUTPUT_BIAS)
