"""Samples of two classes with given means and second moments, and their least loss, an oracle of claims.

Eight samples have the moments of a point; their loss is minimised numerically. Beside it the library's float64 flow.
"""

from collections.abc import Mapping

import mpmath
from mpmath import mpf
from sympy import Integer, Interval

from theory.claims import finite_data
from theory.claims.areas.ols._least_squares import m0, m1, s11, s12, s22, y0, y1
from theory.claims.finite_data import Sample, Vector
from theory.claims.float_flow import Number, UnitFlow, float64_flow
from theory.claims.model import Param, Point
from theory.claims.points import values

# The domains make S - m_1 m_1^T - m_0 m_0^T positive definite (diagonal >= 3, off-diagonal < 3), so that data exist.
SECOND_MOMENTS = (
    Param(
        s11,
        Interval(5, 9),
        r"entry of $S = \langle \tilde x \tilde x^\top \rangle_1 + \langle \tilde x \tilde x^\top \rangle_0$",
    ),
    Param(s12, Interval.open(-1, 1), "entry of $S$", (Integer(0),)),
    Param(s22, Interval(5, 9), "entry of $S$"),
)

MEAN_1 = tuple(Param(entry, Interval(-1, 1), r"entry of $\langle \tilde x \rangle_1$") for entry in m1)
MEAN_0 = tuple(Param(entry, Interval(-1, 1), r"entry of $\langle \tilde x \rangle_0$") for entry in m0)

LABELS = (
    Param(y1, Interval(-2, 2), "label of the first class", (Integer(1),)),
    Param(y0, Interval(-2, 2), "label of the second class", (Integer(-1), Integer(0))),
)

BALANCED = "both classes have probability 1/2"


def two_classes(means: tuple[Vector, Vector], total: tuple[mpf, mpf, mpf], labels: tuple[mpf, mpf]) -> list[Sample]:
    """Return four equally likely samples a class, of given mean, whose second moments add up to `total`.

    The classes have equal covariances, half of `total` minus the squares of the means: with V = l1 l1^T + l2 l2^T the
    samples of a class are mean +- sqrt(2) l1 and mean +- sqrt(2) l2, whose covariance is V.
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
    """Return min over beta of <(y - beta.x~)^2>, twice the half-mse at its minimiser."""
    loss = finite_data.half_mse(samples, mpf(1))
    return 2 * loss(finite_data.minimiser(loss, len(samples[0].x), digits))


def by_minimisation(point: Point, digits: int) -> mpf:
    """Return the least loss of eight samples that have the moments of the point."""
    with mpmath.workdps(digits + 30):
        return least_loss(samples_of(values(point)), digits)


def samples_of(at: dict[str, mpf]) -> list[Sample]:
    """Return samples with the moments of a point, given as A and b or as class means and S; free values are fixed."""
    labels = (at.get("y1", mpf(1)), at.get("y0", mpf(0)))
    mean_0 = [at.get("m01", mpf(1) / 4), at.get("m02", mpf(-1) / 8)]
    if "a11" in at:  # A = S/2 and b = m_1/2
        mean_1 = [2 * at["b1"], 2 * at["b2"]]
        total = (2 * at["a11"], 2 * at["a12"], 2 * at["a22"])
    else:
        mean_1 = [at["m11"], at["m12"]]
        total = (at["s11"], at["s12"], at["s22"])
    return two_classes((mean_1, mean_0), total, labels)


def float64_loss(at: Mapping[str, Number], pull: tuple[Number, Number], y2: float = 0.5) -> UnitFlow:
    """Return the library's flow with A = S/2, b = pull/2 and a readout of one unit."""
    second = [[at["s11"] / 2, at["s12"] / 2], [at["s12"] / 2, at["s22"] / 2]]
    return float64_flow(second, [entry / 2 for entry in pull], [[0, 0]], 1, y2=y2)
