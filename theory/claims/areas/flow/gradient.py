"""The gradient flow of one weight and of one bias.

Localization notes, eq. (5), (8), (19), (20), (27)-(30); small-bump note, eq. (4). The network is
yhat = (1/K) sum_k g_k(x) w_k.x, with biases yhat = (1/K) sum_k g_k(x) (w_k.x + b_k) + b_out; the gates do not depend on
what is learned, and L = <(y - yhat)^2>/2. The derivations are in `_weight_gradient` and `_bias_gradient`.
"""

from collections.abc import Mapping
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, exp, log

from theory.claims import finite_data, reasons
from theory.claims.areas.flow._bias_gradient import (
    gate_label,
    gate_share,
    gate_sum,
    hidden_bias_flow,
    hidden_velocity,
    mean_label,
    mean_sum,
    output_bias,
    output_bias_flow,
    output_velocity,
    outside_the_gates,
    precise_velocity,
    scaled_output,
    velocity_of,
    without_biases,
)
from theory.claims.areas.flow._weight_gradient import GENERAL, general_flow, mean_readout_flow, two_unit_flow
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.finite_data import Number
from theory.claims.gradient_flow import drive, force, loss_factor, readout, velocity
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration
from theory.claims.parameters import TIME_CONSTANT, UNITS
from theory.claims.points import exact_values, values
from theory.claims.slips import BUMP_READOUT, READOUT, under_sum_readout
from theory.claims.sources import Reading, Says, Source
from theory.expressions.symbols import K, tau
from theory.flow.linear.descent import discrete
from theory.problem import BiasesAtTimes, WeightsAtTimes
from theory.proof.derivation import Derivation, Step


def _velocity_by_differences(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 30):
        return _velocity(values(point), mpf(1))


def _exact_velocity(point: Point) -> Fraction:
    return _velocity(exact_values(point), Fraction(1))


def _velocity(at: Mapping[str, Number], one: Number) -> Number:
    """-dL/dw_11 / tau on four samples with overlapping gates, whose labels and weights are scaled to the moments.

    The scales make <g_1 x_1 y> = b_ki and <g_1 x_1 sum_l g_l w_l.x> = h_ki. `one` sets the kind of number. Where the
    point names neither K nor s there are two units; s is 1/K, and ell is 1, where it does not name them.
    """
    units = int(at.get("K", 2))
    gates = [tuple(int(unit == 0 or (row * unit) % 3 != 1) for unit in range(units)) for row in range(4)]
    inputs = [(one * (1 + row) / 3, one * (5 - row) / 7) for row in range(4)]
    shares = [one * (1 + row) / 10 for row in range(4)]
    weights = [one * (1 + index) / 5 for index in range(2 * units)]
    outputs = [
        sum(gate * (weights[2 * unit] * x[0] + weights[2 * unit + 1] * x[1]) for unit, gate in enumerate(open_))
        for x, open_ in zip(inputs, gates, strict=True)
    ]
    label_scale = at["b_ki"] / sum(p * x[0] for p, x in zip(shares, inputs, strict=True))
    weight_scale = at["h_ki"] / sum(p * x[0] * out for p, x, out in zip(shares, inputs, outputs, strict=True))
    samples = [finite_data.Sample(p, open_, x, label_scale) for p, open_, x in zip(shares, gates, inputs, strict=True)]
    half, scale = finite_data.half_mse(samples, at.get("s", one / units)), at.get("ell", one)
    start = [weight_scale * weight for weight in weights]
    return -finite_data.gradient(lambda w: scale * half(w), start)[0] / at["tau"]


_MOMENTS = (
    Param(force, Interval(-3, 3), r"$b_{ki} = \langle g_k x_i y \rangle$", (Integer(0),)),
    Param(
        drive,
        Interval(-3, 3),
        r"$h_{ki} = \langle g_k x_i \sum_l g_l w_l \cdot x \rangle = \sum_{lj} A_{kilj} w_{lj}$",
        (Integer(0),),
    ),
)

_IN_PATHS = (
    r"for path weights $w_k/K$, with $\tau$ read as $K \tau$, (5) is right; the notes leave $\tau$ undefined, but "
    "(3) writes $w_k/K$ out"
)
_PRINTED = (force - drive) / (K * tau)
_READINGS = (
    Reading("the loss is the mean square, without the half", (force - drive) / (2 * K * tau)),
    Reading(
        r"$w_k$ stands for the weight $w_k/K$ of a whole path on both sides, with the same $\tau$",
        (force - drive / K) / tau,
    ),
)
_SHARED_BY_TWO = "$K = 2$, or every other gate is exclusive of these two"

GRADIENT_GENERAL = Claim(
    id="flow.gradient.general",
    title="The gradient flow of one weight under any readout and any scale of the loss",
    kind=Kind.EQUATION,
    statement=GENERAL,
    params=(
        Param(readout, Interval.open(0, 3), "factor of the readout: $1/K$ (mean) or 1 (sum)", (Integer(1),)),
        Param(
            loss_factor, Interval.open(0, 3), "factor of the loss: 1 (half-mse) or 2 (mse)", (Integer(1), Integer(2))
        ),
        TIME_CONSTANT,
        *_MOMENTS,
    ),
    assumptions=(
        r"$\hat y = s \sum_k g_k w_k \cdot x$ and $L = (\ell/2) \langle (y - \hat y)^2 \rangle$; the gates do not "
        "depend on the weights",
    ),
    oracle=_velocity_by_differences,
    exact=_exact_velocity,
    derive=general_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
)

logit, target = sympy.symbols("h y", real=True)
_CROSS_ENTROPY = target * log(1 + exp(-logit)) + (1 - target) * log(1 + exp(logit))
_LOGIT_FORCE = Eq(sympy.Symbol(r"\partial_h L", real=True), 1 / (1 + exp(-logit)) - target, evaluate=False)


def _cross_entropy() -> Derivation:
    steps = (
        Step(
            Eq(_LOGIT_FORCE.lhs, _CROSS_ENTROPY.diff(logit), evaluate=False),
            r"the slope of $L = -y \log \sigma(h) - (1 - y) \log \sigma(-h)$, $\sigma(h) = 1/(1 + e^{-h})$",
            "definition",
        ),
        Step(_LOGIT_FORCE, r"$\sigma(-h) = 1 - \sigma(h)$", "identity"),
    )
    return Derivation("flow.gradient.cross_entropy", _LOGIT_FORCE, steps)


def _logit_force_by_differences(point: Point, digits: int) -> mpmath.mpf:
    """The slope of the loss, by mpmath's differences."""
    with mpmath.workdps(2 * digits + 20):
        h, y = (mpmath.mpf(int(point[own].p)) / int(point[own].q) for own in (logit, target))
        return mpmath.diff(lambda u: y * mpmath.log1p(mpmath.exp(-u)) + (1 - y) * mpmath.log1p(mpmath.exp(u)), h)


CROSS_ENTROPY = Claim(
    id="flow.gradient.cross_entropy",
    title="The slope of the cross-entropy by the logit",
    kind=Kind.EQUATION,
    statement=_LOGIT_FORCE,
    params=(
        Param(logit, Interval(-8, 8), "the output as a logit", (Integer(0),)),
        Param(target, Interval(0, 1), "label", (Integer(0), Integer(1))),
    ),
    assumptions=("one example; the output of the network is the logit of $y = 1$",),
    sources=(
        Source(
            NOTES,
            "section 1",
            says=Says.UNSTATED,
            words="We can train using either mean-squared error or cross-entropy loss, though we primarily consider "
            "the former.",
            note="claims and experiments have the squared error, as the notes' equations. Where $h$ is small the slope "
            "is $1/2 + h/4 - y$, linear in the output as that of the squared error; elsewhere no flow is linear",
        ),
    ),
    oracle=_logit_force_by_differences,
    derive=_cross_entropy,
    unchecked={
        Level.EXACT: "exponentials of rational numbers are not rational",
        Level.FLOATING: reasons.NO_VELOCITY,
    },
)

GRADIENT_ENTRY = Claim(
    id="flow.gradient.entry",
    title="The gradient flow of one weight under the mean readout",
    kind=Kind.EQUATION,
    statement=Eq(velocity, (force - drive / K) / (K * tau), evaluate=False),
    params=(UNITS, TIME_CONSTANT, *_MOMENTS),
    assumptions=(
        r"$\hat y = (1/K) \sum_k g_k w_k \cdot x$ and $L = \langle (y - \hat y)^2 \rangle/2$; the gates do not "
        "depend on the weights",
    ),
    sources=(
        Source(NOTES, "(5)", printed=_PRINTED, note=_IN_PATHS, readings=_READINGS, slip=READOUT),
        *(
            Source(
                NOTES,
                label,
                _PRINTED,
                note,
                slip=READOUT,
                repaired=under_sum_readout(_PRINTED, (drive,), condition=condition),
            )
            for label, note, condition in (
                ("(8)", "all weights together: $h = A w$", ""),
                ("(19)", "exclusive gates: $h = A_{11} w_1$", ""),
                ("(20)", r"exclusive gates: $h = \lambda u_1$", ""),
                ("(27)", f"redundant gates, {_SHARED_BY_TWO}: $h = A_{{11}} (w_1 + w_2)$", _SHARED_BY_TWO),
                ("(28)", f"redundant gates, {_SHARED_BY_TWO}: $h = A_{{11}} (w_1 + w_2)$", _SHARED_BY_TWO),
                ("(29)", f"the mean of (27) and (28), {_SHARED_BY_TWO}", _SHARED_BY_TWO),
                ("(30)", r"(29) for $w_1 - \Delta$, the half sum of the weights, " + _SHARED_BY_TWO, _SHARED_BY_TWO),
            )
        ),
    ),
    oracle=_velocity_by_differences,
    exact=_exact_velocity,
    derive=mean_readout_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
)

GRADIENT_SMALL_BUMP = Claim(
    id="flow.gradient.small_bump",
    title="The gradient flow of one weight of the two-unit network",
    kind=Kind.EQUATION,
    statement=Eq(velocity, (force - drive / 2) / (2 * tau), evaluate=False),
    params=(TIME_CONSTANT, *_MOMENTS),
    assumptions=(r"$\hat y = (g_1 W_1 + g_2 W_2) x/2$ and $L = \langle (y - \hat y)^2 \rangle/2$",),
    sources=(
        Source(
            BUMP_NOTE,
            "(4)",
            printed=(force - drive) / (2 * tau),
            note="with $W/2$ in place of $W$ and the loss without the half (4) is right, but then (1) and (4) use "
            "$W$ in two senses",
            slip=BUMP_READOUT,
        ),
    ),
    oracle=_velocity_by_differences,
    exact=_exact_velocity,
    derive=two_unit_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
)

_PROBLEMS = ("biases", "biases-clone")
_OUTPUT_BIAS = Param(output_bias, Interval(-2, 2), "the output bias", (Integer(0),))

_WITH_BIASES = (
    r"$\hat y = (1/K) \sum_k g_k (w_k \cdot x + b_k) + b_{\text{out}}$ and $L = \langle (y - \hat y)^2 \rangle/2$; "
    "the gates do not depend on what is learned",
    "simulated: plain gradient descent on fresh data, whose mean over runs takes steps of this gradient exactly",
)

HIDDEN_BIAS = Claim(
    id="flow.gradient.hidden_bias",
    title="The gradient flow of a hidden bias: its feature is the gate",
    kind=Kind.EQUATION,
    statement=Eq(
        hidden_velocity,
        (gate_label - gate_sum / K - gate_share * output_bias) / (K * tau),
        evaluate=False,
    ),
    params=(
        UNITS,
        TIME_CONSTANT,
        Param(gate_label, Interval(-3, 3), r"$m_k = \langle g_k y \rangle$", (Integer(0),)),
        Param(gate_sum, Interval(-3, 3), r"$r_k = \langle g_k \sum_l g_l (w_l \cdot x + b_l) \rangle$", (Integer(0),)),
        Param(gate_share, Interval.open(0, 1), r"$q_k = \langle g_k \rangle$", (Rational(1, 2),)),
        _OUTPUT_BIAS,
    ),
    assumptions=_WITH_BIASES,
    oracle=lambda point, digits: precise_velocity(True, point, digits),
    exact=lambda point: velocity_of(exact_values(point), Fraction(1), True),
    derive=hidden_bias_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
    registration=Registration(
        problems=_PROBLEMS,
        observable=WeightsAtTimes(),
        predict=lambda problem: discrete(problem).weights,
        alternatives=(Alternative("no biases", without_biases),),
    ),
)

OUTPUT_BIAS = Claim(
    id="flow.gradient.output_bias",
    title="The gradient flow of the output bias: no factor $1/K$ before its pull",
    kind=Kind.EQUATION,
    statement=Eq(
        output_velocity,
        (mean_label - mean_sum / K - output_bias) / tau,
        evaluate=False,
    ),
    params=(
        UNITS,
        TIME_CONSTANT,
        Param(mean_label, Interval(-3, 3), r"$m = \langle y \rangle$", (Integer(0),)),
        Param(mean_sum, Interval(-3, 3), r"$r = \langle \sum_l g_l (w_l \cdot x + b_l) \rangle$", (Integer(0),)),
        _OUTPUT_BIAS,
    ),
    assumptions=_WITH_BIASES,
    oracle=lambda point, digits: precise_velocity(False, point, digits),
    exact=lambda point: velocity_of(exact_values(point), Fraction(1), False),
    derive=output_bias_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
    registration=Registration(
        problems=_PROBLEMS,
        observable=BiasesAtTimes(),
        predict=lambda problem: discrete(problem).biases,
        alternatives=(
            Alternative("output bias inside the readout", scaled_output),
            Alternative("hidden biases outside the gates", outside_the_gates),
        ),
    ),
)

CLAIMS = (GRADIENT_GENERAL, CROSS_ENTROPY, GRADIENT_ENTRY, GRADIENT_SMALL_BUMP, HIDDEN_BIAS, OUTPUT_BIAS)
