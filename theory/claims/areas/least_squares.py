"""Claims on the least-squares loss that a gated linear network reaches (localization notes, eq. 13-18).

Two components of the gated input x~ are written out; both classes have probability 1/2. The oracles build eight
samples with the stated means and second moments, minimise their loss numerically, and average the squared residuals.
"""

from collections.abc import Mapping

import mpmath
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational

from theory.claims import finite_data, reasons
from theory.claims.areas.flow import NOTES, values
from theory.claims.finite_data import Sample, Vector
from theory.claims.float_flow import Number, UnitFlow, float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.flow.derive import least_squares

m1, m0 = least_squares.m1, least_squares.m0
s11, s12, s22 = least_squares.s11, least_squares.s12, least_squares.s22
y1, y0 = least_squares.y1, least_squares.y0
a11, a12, a22, b1, b2 = (least_squares.a11, least_squares.a12, least_squares.a22, least_squares.b1, least_squares.b2)
HALF = Rational(1, 2)


def two_classes(means: tuple[Vector, Vector], total: tuple[mpf, mpf, mpf], labels: tuple[mpf, mpf]) -> list[Sample]:
    """Four equally likely samples a class, of given mean; the second moments of the two classes add up to `total`.

    What remains of `total` beyond the means is shared equally: with V = l1 l1^T + l2 l2^T the samples of a class are
    mean +- sqrt(2) l1 and mean +- sqrt(2) l2, whose covariance is V.
    """
    rest = [
        (entry - sum(mean[i] * mean[j] for mean in means)) / 2
        for entry, (i, j) in zip(total, ((0, 0), (0, 1), (1, 1)), strict=True)
    ]
    spread = finite_data.square_root(*rest)
    scale = mpmath.sqrt(2)
    return [
        Sample(mpf(1) / 8, (1,), (mean[0] + sign * scale * step[0], mean[1] + sign * scale * step[1]), label)
        for mean, label in zip(means, labels, strict=True)
        for step in spread
        for sign in (1, -1)
    ]


def least_loss(samples: list[Sample], digits: int) -> mpf:
    """min over beta of <(y - beta.x~)^2>, twice the half-mse at its minimiser."""
    loss = finite_data.half_mse(samples, mpf(1))
    return 2 * loss(finite_data.minimiser(loss, len(samples[0].x), digits))


def _by_minimisation(point: Point, digits: int) -> mpf:
    """The least loss of eight samples that have the moments of the point."""
    with mpmath.workdps(digits + 30):
        return least_loss(_samples_of(values(point)), digits)


def _objective_by_minimisation(point: Point, digits: int) -> mpf:
    """L* = 1 - 2 min <(y - beta.x~)^2>, the definition that makes (16) least where L* is largest."""
    with mpmath.workdps(digits + 30):
        return 1 - 2 * least_loss(_samples_of(values(point)), digits)


def _samples_of(at: dict[str, mpf]) -> list[Sample]:
    labels = (at.get("y1", mpf(1)), at.get("y0", mpf(0)))
    mean_0 = [at.get("m01", mpf(1) / 4), at.get("m02", mpf(-1) / 8)]
    if "a11" in at:  # A = S/2 and b = m_1/2
        mean_1 = [2 * at["b1"], 2 * at["b2"]]
        total = (2 * at["a11"], 2 * at["a12"], 2 * at["a22"])
    else:
        mean_1 = [at["m11"], at["m12"]]
        total = (at["s11"], at["s12"], at["s22"])
    return two_classes((mean_1, mean_0), total, labels)


def _in_float64(at: Mapping[str, Number], pull: tuple[Number, Number], y2: float = 0.5) -> UnitFlow:
    """The library's flow with A = S/2, b = pull/2 and a readout of one unit."""
    second = [[at["s11"] / 2, at["s12"] / 2], [at["s12"] / 2, at["s22"] / 2]]
    return float64_flow(second, [entry / 2 for entry in pull], [[0, 0]], 1, y2=y2)


def _labels_in_float64(y1: Number, y0: Number, **at: Number) -> float:
    pull = (y1 * at["m11"] + y0 * at["m01"], y1 * at["m12"] + y0 * at["m02"])
    return float(_in_float64(at, pull, (y1**2 + y0**2) / 2).mse)


def _objective_in_float64(**at: Number) -> float:
    """m_1.beta for the library's beta = S^-1 m_1: 1 - 2 loss would lose digits where L* is small."""
    beta = _in_float64(at, (at["m11"], at["m12"])).fixed_point[0]
    return at["m11"] * beta[0] + at["m12"] * beta[1]


# The domains make S - m_1 m_1^T - m_0 m_0^T positive definite (diagonal >= 3, off-diagonal < 3), so that data exist.
SECOND_MOMENTS = (
    Param(s11, Interval(5, 9), "entry of S = <x~ x~^T>_1 + <x~ x~^T>_0"),
    Param(s12, Interval.open(-1, 1), "entry of S", (Integer(0),)),
    Param(s22, Interval(5, 9), "entry of S"),
)
MEAN_1 = tuple(Param(entry, Interval(-1, 1), "entry of <x~>_1") for entry in m1)
MEAN_0 = tuple(Param(entry, Interval(-1, 1), "entry of <x~>_0") for entry in m0)
BALANCED = "both classes have probability 1/2"


LOSS_VALUE = Claim(
    id="ols.loss.value",
    title="The least-squares loss from the moments of the gated input",
    kind=Kind.EQUATION,
    statement=Eq(
        least_squares.loss,
        HALF - (a22 * b1**2 - 2 * a12 * b1 * b2 + a11 * b2**2) / (a11 * a22 - a12**2),
        evaluate=False,
    ),
    params=(
        Param(a11, Interval(2, 4), "entry of A = <x~ x~^T>"),
        Param(a12, Interval.open(-HALF, HALF), "entry of A", (Integer(0),)),
        Param(a22, Interval(2, 4), "entry of A"),
        Param(b1, Interval(-HALF, HALF), "entry of b = <x~ y>"),
        Param(b2, Interval(-HALF, HALF), "entry of b"),
    ),
    assumptions=("labels 1 and 0", BALANCED),
    sources=tuple(
        Source(
            NOTES,
            label,
            printed=HALF - (a22 * b1**2 - 2 * a12 * b1 * b2 + a11 * b2**2) / (a11 * a22 - a12**2),
            note=note,
        )
        for label, note in (
            ("(13)", "the definition; its value by (15)"),
            ("(14)", "the square expanded; its value by (15)"),
            ("(15)", "the loss is without the factor 1/2; A^+ replaces A^-1 where A is singular"),
        )
    ),
    oracle=_by_minimisation,
    derive=least_squares.loss_value,
    numeric=lambda a11, a12, a22, b1, b2: float64_flow([[a11, a12], [a12, a22]], [b1, b2], [[0.0, 0.0]], 1).mse,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

LOSS_CLASS_MEANS = Claim(
    id="ols.loss.class_means",
    title="The least-squares loss from class means and second moments, labels 1 and 0",
    kind=Kind.EQUATION,
    statement=Eq(least_squares.loss, HALF - HALF * least_squares.form((s11, s12, s22), m1), evaluate=False),
    params=(*SECOND_MOMENTS, *MEAN_1),
    assumptions=("labels 1 and 0", BALANCED),
    sources=(
        Source(
            NOTES,
            "(16)",
            printed=HALF
            - HALF * (s22 * m1[0] ** 2 - 2 * s12 * m1[0] * m1[1] + s11 * m1[1] ** 2) / (s11 * s22 - s12**2),
            note="agrees; A^+ replaces A^-1 where A is singular",
        ),
    ),
    oracle=_by_minimisation,
    derive=least_squares.loss_class_means,
    numeric=lambda **at: _in_float64(at, (at["m11"], at["m12"])).mse,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

LABELS = (
    Param(y1, Interval(-2, 2), "label of the first class", (Integer(1),)),
    Param(y0, Interval(-2, 2), "label of the second class", (Integer(-1),)),
)
_PULL = (y1 * m1[0] + y0 * m0[0], y1 * m1[1] + y0 * m0[1])

LOSS_LABELS = Claim(
    id="ols.loss.labels",
    title="The least-squares loss for any two labels: the gated input has no constant, so labels are not exchangeable",
    kind=Kind.EQUATION,
    statement=Eq(
        least_squares.loss,
        HALF * (y1**2 + y0**2) - HALF * least_squares.form((s11, s12, s22), _PULL),
        evaluate=False,
    ),
    params=(
        *SECOND_MOMENTS,
        *MEAN_1,
        *MEAN_0,
        *LABELS,
    ),
    assumptions=(BALANCED,),
    sources=(
        Source(
            NOTES,
            "after (16)",
            printed=(y1 - y0) ** 2 * (HALF - HALF * least_squares.form((s11, s12, s22), m1)),
            note="'without loss of generality' labels 0 and 1: a shift of the labels would cost nothing",
        ),
    ),
    oracle=_by_minimisation,
    derive=least_squares.loss_labels,
    numeric=_labels_in_float64,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

GATE_OBJECTIVE = Claim(
    id="ols.gates.objective",
    title="What the best gates maximise: L* = m_1^T S^-1 m_1, so that the loss is (1 - L*)/2",
    kind=Kind.EQUATION,
    statement=Eq(least_squares.objective, least_squares.form((s11, s12, s22), m1), evaluate=False),
    params=(*SECOND_MOMENTS, *MEAN_1, *MEAN_0),
    assumptions=("labels 1 and 0", BALANCED),
    sources=(
        Source(
            NOTES,
            "(18)",
            printed=least_squares.printed_objective(),
            note="outer products of means in place of second moments: 1 for every gate (ols.gates.printed_objective)",
        ),
    ),
    oracle=_objective_by_minimisation,
    derive=least_squares.gate_objective,
    numeric=_objective_in_float64,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

CLAIMS = (LOSS_VALUE, LOSS_CLASS_MEANS, LOSS_LABELS, GATE_OBJECTIVE)
