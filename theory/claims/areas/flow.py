"""Claims on the gradient flow of a gated linear network: the ODE, its solution by modes, its fixed points.

Localization notes, eq. (5), (8)-(11), (19)-(32); small-bump note, eq. (4). Unless said otherwise the network is
yhat = (1/K) sum_k g_k(x) w_k.x and the loss is L = <(y - yhat)^2>/2, so that K tau dw/dt = b - (1/K) A w.
"""

from collections.abc import Mapping
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Range, Rational, oo

from theory.claims import finite_data, reasons
from theory.claims.finite_data import Number
from theory.claims.float_flow import float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.flow.derive import gradient, modes, singular

NOTES = "localization-with-gated-linear-networks"
BUMP_NOTE = "small-bump-gate"

c, lam, u, u0 = modes.c, modes.lam, modes.u, modes.u0

UNITS = Param(K, Range(1, 8), "number of units", (Integer(1), Integer(2), Integer(7)))
TIME_CONSTANT = Param(tau, Interval.open(0, oo), "time constant", (Rational(1, 64), Integer(50)))
TIME = Param(t, Interval(0, oo), "time", (Integer(0), Rational(1, 2**30), Integer(100)))
EIGENVALUE = Param(lam, Interval(0, oo), "eigenvalue of A", (Integer(0), Rational(1, 2**40), Integer(1), Integer(1000)))
FORCE = Param(c, Interval(-3, 3), "component of b along the eigenvector")
START = Param(u0, Interval(-3, 3), "component of w(0) along the eigenvector")


def values(point: Point) -> dict[str, mpf]:
    """The point's exact rationals at the working precision, by symbol name."""
    return {symbol.name: mpf(value.p) / value.q for symbol, value in point.items()}


def exact_values(point: Point) -> dict[str, Fraction]:
    """The point's exact rationals as fractions, by symbol name."""
    return {symbol.name: Fraction(int(value.p), int(value.q)) for symbol, value in point.items()}


def _velocity_by_differences(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 30):
        return _velocity(values(point), mpf(1))


def _exact_velocity(point: Point) -> Fraction:
    return _velocity(exact_values(point), Fraction(1))


def _velocity(at: Mapping[str, Number], one: Number) -> Number:
    """-dL/dw_11 / tau on four samples with overlapping gates, whose labels and weights are scaled to the moments.

    The scales make <g_1 x_1 y> = b_ki and <g_1 x_1 sum_l g_l w_l.x> = h_ki. `one` sets the kind of number.
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
    loss = finite_data.half_mse(samples, one / units)
    return -finite_data.gradient(loss, [weight_scale * weight for weight in weights])[0] / at["tau"]


def _mode_by_series(point: Point, digits: int) -> mpf:
    """Gradient flow of the loss restricted to w = u v: L(u) = <y^2>/2 - c u/K + lam (u/K)^2/2."""
    with mpmath.workdps(digits + 30):
        at = values(point)

        def loss(weights: finite_data.Vector) -> mpf:
            output = weights[0] / at["K"]
            return -at["c"] * output + at["lambda"] * output**2 / 2

        return finite_data.flow(loss, [at["u0"]], at["tau"], at["t"], digits)[0]


def _mode_in_float64(**at: int | float) -> float:
    time = at["t"] / at["tau"]
    return float64_flow([[at["lambda"]]], [at["c"]], [[at["u0"]]], at["K"], time).weights[0, 0, 0]


def _mode_at_rest(point: Point, digits: int) -> mpf:
    """The flow run to its end on one sample: x = sqrt(lam), y = c/sqrt(lam), one of K units open, w(0) = 1."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        x = mpmath.sqrt(at["lambda"])
        sample = finite_data.Sample(mpf(1), (1,), (x,), at["c"] / x)
        return finite_data.flow_limit(finite_data.half_mse([sample], 1 / at["K"]), [mpf(1)], digits)[0]


def _one_sample_at_rest(point: Point, digits: int) -> mpf:
    """The flow run to its end on one sample (x1, x2) with label y, one of K units open."""
    with mpmath.workdps(digits + 30):
        at = values(point)
        sample = finite_data.Sample(mpf(1), (1,), (at["x1"], at["x2"]), at["y"])
        return finite_data.flow_limit(finite_data.half_mse([sample], 1 / at["K"]), [at["w10"], at["w20"]], digits)[0]


_b, _h = gradient.force, gradient.drive
_MOMENTS = (
    Param(_b, Interval(-3, 3), "b_ki = <g_k x_i y>", (Integer(0),)),
    Param(_h, Interval(-3, 3), "h_ki = <g_k x_i sum_l g_l w_l.x> = sum_lj A_kilj w_lj", (Integer(0),)),
)
_LACKS_K = "the exponent lacks a factor 1/K, the limit a factor K, and lambda = 0 is excluded"
_LACKS_A_FACTOR = "the term in the weights lacks a factor 1/K"

GRADIENT_ENTRY = Claim(
    id="flow.gradient.entry",
    title="The gradient flow of one weight under the mean readout",
    kind=Kind.EQUATION,
    statement=Eq(gradient.velocity, (_b - _h / K) / (K * tau), evaluate=False),
    params=(UNITS, TIME_CONSTANT, *_MOMENTS),
    assumptions=("yhat = (1/K) sum_k g_k w_k.x and L = <(y - yhat)^2>/2; the gates do not depend on the weights",),
    sources=tuple(
        Source(NOTES, label, printed=(_b - _h) / (K * tau), note=_LACKS_A_FACTOR + more)
        for label, more in (
            ("(5)", ""),
            ("(8)", ""),
            ("(19)", "; exclusive gates: h = A_11 w_1"),
            ("(20)", "; exclusive gates: h = lambda u_1"),
            ("(27)", "; redundant gates: h = A_11 (w_1 + w_2)"),
            ("(28)", "; redundant gates: h = A_11 (w_1 + w_2)"),
            ("(29)", "; follows from (27), (28) as printed"),
            ("(30)", "; follows from (27), (28) as printed"),
        )
    ),
    oracle=_velocity_by_differences,
    exact=_exact_velocity,
    derive=gradient.mean_readout_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
)

GRADIENT_SMALL_BUMP = Claim(
    id="flow.gradient.small_bump",
    title="The gradient flow of one weight of the two-unit network",
    kind=Kind.EQUATION,
    statement=Eq(gradient.velocity, (_b - _h / 2) / (2 * tau), evaluate=False),
    params=(TIME_CONSTANT, *_MOMENTS),
    assumptions=("yhat = (g_1 W_1 + g_2 W_2) x/2 and L = <(y - yhat)^2>/2",),
    sources=(
        Source(BUMP_NOTE, "(4)", printed=(_b - _h) / (2 * tau), note="the terms in the weights lack a factor 1/2"),
    ),
    oracle=_velocity_by_differences,
    exact=_exact_velocity,
    derive=gradient.two_unit_flow,
    unchecked={Level.FLOATING: reasons.NO_VELOCITY},
)

MODE_SOLUTION = Claim(
    id="flow.mode.solution",
    title="A mode of the gradient flow at time t, zero eigenvalues included",
    kind=Kind.EQUATION,
    statement=Eq(
        u(t), sympy.exp(-lam * t / (K**2 * tau)) * u0 + t / (K * tau) * phi1(lam * t / (K**2 * tau)) * c, evaluate=False
    ),
    params=(UNITS, TIME_CONSTANT, TIME, EIGENVALUE, FORCE, START),
    assumptions=("u = v.w and c = v.b for a unit eigenvector v of A",),
    sources=tuple(
        Source(NOTES, label, printed=(u0 - c / lam) * sympy.exp(-lam * t / (K * tau)) + c / lam, note=note)
        for label, note in (
            ("(9)", f"{_LACKS_K}; C is set by u(0), and is real only where lambda u(0) > c"),
            ("(10)", _LACKS_K),
            ("(11)", _LACKS_K),
        )
    ),
    oracle=_mode_by_series,
    derive=modes.mode_solution,
    numeric=_mode_in_float64,
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

FIXED_POINT_MODE = Claim(
    id="flow.fixed_point.mode",
    title="Where a mode of the gradient flow comes to rest",
    kind=Kind.EQUATION,
    statement=Eq(u(oo), K * c / modes.positive_lam, evaluate=False),
    params=(
        UNITS,
        Param(
            modes.positive_lam,
            Interval.open(0, oo),
            "positive eigenvalue of A",
            (Rational(1, 2**40), Integer(1), Integer(1000)),
        ),
        FORCE,
    ),
    assumptions=("u = v.w and c = v.b for a unit eigenvector v of A",),
    sources=(Source(NOTES, "after (11)", printed=c / modes.positive_lam, note="w(oo) = A^-1 b lacks the factor K"),),
    oracle=_mode_at_rest,
    derive=modes.mode_fixed_point,
    numeric=lambda **at: float64_flow([[at["lambda"]]], [at["c"]], [[0.0]], at["K"]).fixed_point[0, 0],
    unchecked={Level.EXACT: reasons.A_LIMIT},
)

_SQUARE = singular.x1**2 + singular.x2**2

FIXED_POINT_SINGULAR = Claim(
    id="flow.fixed_point.singular",
    title="Where the gradient flow comes to rest when A is singular: K A^+ b + (I - A A^+) w(0)",
    kind=Kind.EQUATION,
    statement=Eq(
        singular.w_first(oo),
        K * singular.y * singular.x1 / _SQUARE
        + singular.x2 * (singular.x2 * singular.w10 - singular.x1 * singular.w20) / _SQUARE,
        evaluate=False,
    ),
    params=(
        UNITS,
        Param(singular.x1, Interval.open(0, 3), "first entry of the only input", (Rational(1, 2**20),)),
        Param(singular.x2, Interval(-3, 3), "second entry", (Integer(0),)),
        Param(singular.y, Interval(-3, 3), "its label"),
        Param(singular.w10, Interval(-3, 3), "first weight at t = 0"),
        Param(singular.w20, Interval(-3, 3), "second weight at t = 0"),
    ),
    assumptions=("n = 2, one unit open, one input: A = x x^T and b = y x",),
    oracle=_one_sample_at_rest,
    derive=singular.singular_fixed_point,
    unchecked={
        Level.EXACT: reasons.A_LIMIT,
        Level.FLOATING: "float64 removes dependent gates by their exact rank and takes <x x^T> to be regular",
    },
)

CLAIMS = (GRADIENT_ENTRY, GRADIENT_SMALL_BUMP, MODE_SOLUTION, FIXED_POINT_MODE, FIXED_POINT_SINGULAR)
