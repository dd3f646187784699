"""The least-squares loss that a gated linear network reaches. Localization notes, eq. (13)-(16) and after.

Two components of the gated input x~ are written out; both classes have probability 1/2. The derivations are in
`_least_squares`, the samples of the oracles in `_samples`.
"""

import mpmath
from mpmath import mpf
from sympy import Eq, Integer, Interval

from theory.claims import reasons
from theory.claims.areas.ols._least_squares import (
    HALF,
    a11,
    a12,
    a22,
    apart,
    b1,
    b2,
    covariance,
    form,
    loss,
    loss_class_means,
    loss_intercept,
    loss_labels,
    loss_value,
    m0,
    m1,
    mean,
    s11,
    s12,
    s22,
    y0,
    y1,
)
from theory.claims.areas.ols._samples import (
    BALANCED,
    LABELS,
    MEAN_0,
    MEAN_1,
    SECOND_MOMENTS,
    by_minimisation,
    float64_loss,
    least_loss,
    two_classes,
)
from theory.claims.documents import NOTES
from theory.claims.finite_data import Sample
from theory.claims.float_flow import Number, float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import values
from theory.claims.sources import Reading, Says, Source

LOSS_VALUE = Claim(
    id="ols.loss.value",
    title="The least-squares loss from the moments of the gated input",
    kind=Kind.EQUATION,
    statement=Eq(
        loss,
        HALF - (a22 * b1**2 - 2 * a12 * b1 * b2 + a11 * b2**2) / (a11 * a22 - a12**2),
        evaluate=False,
    ),
    params=(
        Param(a11, Interval(2, 4), r"entry of $A = \langle \tilde x \tilde x^\top \rangle$"),
        Param(a12, Interval.open(-HALF, HALF), "entry of $A$", (Integer(0),)),
        Param(a22, Interval(2, 4), "entry of $A$"),
        Param(b1, Interval(-HALF, HALF), r"entry of $b = \langle \tilde x y \rangle$"),
        Param(b2, Interval(-HALF, HALF), "entry of $b$"),
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
            ("(15)", "the loss is without the factor 1/2; $A^+$ replaces $A^{-1}$ where $A$ is singular"),
        )
    ),
    oracle=by_minimisation,
    derive=loss_value,
    numeric=lambda a11, a12, a22, b1, b2: float64_flow([[a11, a12], [a12, a22]], [b1, b2], [[0.0, 0.0]], 1).mse,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

LOSS_CLASS_MEANS = Claim(
    id="ols.loss.class_means",
    title="The least-squares loss from class means and second moments, labels 1 and 0",
    kind=Kind.EQUATION,
    statement=Eq(loss, HALF - HALF * form((s11, s12, s22), m1), evaluate=False),
    params=(*SECOND_MOMENTS, *MEAN_1),
    assumptions=("labels 1 and 0", BALANCED),
    sources=(
        Source(
            NOTES,
            "(16)",
            printed=HALF
            - HALF * (s22 * m1[0] ** 2 - 2 * s12 * m1[0] * m1[1] + s11 * m1[1] ** 2) / (s11 * s22 - s12**2),
            note="$A^+$ replaces $A^{-1}$ where $A$ is singular",
        ),
    ),
    oracle=by_minimisation,
    derive=loss_class_means,
    numeric=lambda **at: float64_loss(at, (at["m11"], at["m12"])).mse,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

_PULL = (y1 * m1[0] + y0 * m0[0], y1 * m1[1] + y0 * m0[1])


def _labels_in_float64(y1: Number, y0: Number, **at: Number) -> float:
    pull = (y1 * at["m11"] + y0 * at["m01"], y1 * at["m12"] + y0 * at["m02"])
    return float(float64_loss(at, pull, (y1**2 + y0**2) / 2).mse)


LOSS_LABELS = Claim(
    id="ols.loss.labels",
    title="The least-squares loss for any two labels",
    protocol="The least-squares loss for any two labels $y_1$ and $y_0$ of balanced classes, without an output bias",
    kind=Kind.EQUATION,
    statement=Eq(
        loss,
        HALF * (y1**2 + y0**2) - HALF * form((s11, s12, s22), _PULL),
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
            printed=(y1 - y0) ** 2 * (HALF - HALF * form((s11, s12, s22), m1)),
            note="right, up to the scale of the loss, with an output bias as in (1) (`ols.loss.intercept`); without "
            "one, as in (3), only if the negative label is 0: labels such as 1 and -1 then give another loss, "
            "as the gated input has no constant",
            says=Says.READ_AS,
            words="we assumed (WLOG) that the negative class is $y = 0$ and the positive class is $y = 1$",
            readings=(Reading("there is an output bias, as in (1), or the negative label is 0", where=Eq(y0, 0)),),
        ),
    ),
    oracle=by_minimisation,
    derive=loss_labels,
    numeric=_labels_in_float64,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

v11, v12, v22 = covariance
_DISTANCE = form(covariance, apart)


def with_output_bias(point: Point, digits: int) -> mpf:
    """Return the least loss of eight samples whose third input is 1, with the means and the covariance of the point."""
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
    title="The least loss with an output bias, for any labels",
    protocol="With an output bias the labels are free: the least loss is $(y_1 - y_0)^2$ times a number of the "
    "inputs alone",
    kind=Kind.EQUATION,
    statement=Eq(loss, (y1 - y0) ** 2 / 4 * (1 - _DISTANCE / 4), evaluate=False),
    params=(
        Param(v11, Interval(2, 4), r"entry of $V$, the covariance of $\tilde x$"),
        Param(v12, Interval.open(-HALF, HALF), "entry of $V$", (Integer(0),)),
        Param(v22, Interval(2, 4), "entry of $V$"),
        *(
            Param(entry, Interval(-1, 1), r"entry of $d = \langle \tilde x \rangle_1 - \langle \tilde x \rangle_0$")
            for entry in apart
        ),
        *(
            Param(entry, Interval(-2, 2), r"entry of $\mu = \langle \tilde x \rangle$, which drops out")
            for entry in mean
        ),
        *LABELS,
    ),
    assumptions=(
        BALANCED,
        r"$\hat y = \beta \cdot \tilde x + b_{\text{out}}$; $\tilde x$ has the components $g_k x$ and, with hidden "
        "biases, $g_k$; two of them are written out",
    ),
    sources=(
        Source(
            NOTES,
            "after (16)",
            note="without loss of generality for any labels where the network has an output bias, as (1) has and (3) "
            "has not",
            says=Says.UNSTATED,
        ),
    ),
    oracle=with_output_bias,
    derive=loss_intercept,
    unchecked={
        Level.EXACT: reasons.SAMPLES_BY_ROOTS,
        Level.FLOATING: "the library has the loss with biases for data laws, and not for moments given as numbers",
    },
)

CLAIMS = (LOSS_VALUE, LOSS_CLASS_MEANS, LOSS_LABELS, LABELS_FREE)
