"""Three and four signs with a bound on their error: float64 where the bound is small, else certified balls.

The derivative of E[prod_k sign(z_k + h_k)] by a correlation r is 4 phi2 times a mean of signs, at most
(2/pi)/sqrt(1 - r^2) for all thresholds. This bounds the effect of rounding a correlation. That the error of the
quadrature stays below this bound plus a floor is measured, not proved.
"""

from math import comb
from typing import Any, NamedTuple

import numpy as np

from theory.expressions.balls.precision import precision
from theory.gaussian.float64.differentiable import floats, host
from theory.gaussian.float64.signs import four_signs, three_signs
from theory.gaussian.float64.tails import require_few, with_exact
from theory.problem.errors import InputError, OutOfReachError

# The error for correlations far from +-1, and the bound above which values are certified.
FLOOR, MOST_ERROR = 1e-13, 1e-11
EPS = 2.0**-52
# A certified value is enclosed to 2^-RADIUS_BITS and rounded.
RADIUS_BITS, PRECISIONS = 60, (96, 192, 384, 768)
TRIPLE = 3


class Bounded(NamedTuple):
    """Values and a bound on the absolute error of each."""

    value: Any
    bound: Any


def error_bound(gaps: list[Any]) -> Any:
    """Return the error bound for signs with these gaps 1 - r^2; variables with a gap of exactly 0 are merged exactly.

    >>> float(error_bound([np.array(1.0)] * 6)) < 2e-13
    True
    """
    with np.errstate(divide="ignore"):
        return FLOOR + EPS * sum(np.where(gap > 0, 1 / np.sqrt(gap), 0.0) for gap in gaps)


def bounded_signs(correlations: tuple[Any, ...], thresholds: tuple[Any, ...] | None = None) -> Bounded:
    """Return E[prod sign(z_k + h_k)] of three or four unit Gaussians and an error bound, never above MOST_ERROR.

    Arguments are those of `three_signs` (with thresholds) and `four_signs`, correlations in the order r12, r13, ...
    They are taken as exact. Values whose bound in float64 would be larger are certified, 0.05 to 1 s each; a tensor
    keeps the gradient of float64. Raises InputError for correlations that are not positive semidefinite, and
    OutOfReachError where more than MOST_RECOMPUTED values, or one that takes too much work, would have to be certified.

    >>> value, bound = bounded_signs((1 - 1e-13,) * 6)
    >>> round(float(value), 7), float(bound) < 1e-15
    (0.9999996, True)
    """
    m = next((m for m in (3, 4) if comb(m, 2) == len(correlations)), None)
    if m is None or (thresholds is None and m == TRIPLE) or len(thresholds or range(m)) != m:
        raise InputError(
            f"{len(correlations)} correlations and {len(thresholds or ())} thresholds are not those of 3 or 4 signs.",
            "Give 3 of each, or 6 correlations and 4 thresholds or none.",
        )
    _, rows = floats(*correlations, *(thresholds or ()))
    r, h = rows[: len(correlations)], rows[len(correlations) :]
    try:
        value = four_signs(*r, thresholds=h or None) if m > TRIPLE else three_signs(*r, h)
    except ValueError as error:
        raise InputError(str(error), "Correct the correlations.") from error
    plain = [host(x) for x in rows]
    bound = np.array(error_bound([(1 - x) * (1 + x) for x in plain[: len(r)]]))
    wanted = bound > MOST_ERROR
    require_few(wanted, f"are nearly collinear: float64 leaves them an error above {MOST_ERROR:g}")
    exact = [_certified(m, [float(x[wanted][k]) for x in plain]) for k in range(int(wanted.sum()))]
    bound[wanted] = 2.0**-53 + 2.0**-RADIUS_BITS
    return Bounded(with_exact(value, wanted, exact), bound)


def _certified(m: int, numbers: list[float]) -> float:
    """Return the certified value at exact numbers: the correlations, followed by the thresholds."""
    from flint import arb

    from theory.expressions.balls.closed_form import NotCertified
    from theory.gaussian.certified import signs

    pairs = comb(m, 2)
    function = signs.four_signs if m > TRIPLE else signs.three_signs
    for bits in PRECISIONS:
        with precision(bits):
            balls = [arb(x) for x in numbers]
            try:
                ball = function(*balls[:pairs], tuple(balls[pairs:]) or None)
            except NotCertified as error:
                raise OutOfReachError(
                    f"Signs of correlations {numbers[:pairs]}: {error}.", "Move the correlations apart."
                ) from error
            except ValueError as error:
                raise InputError(str(error), "Correct the correlations, or give more digits of them.") from error
            if ball.rad() < arb(2) ** -RADIUS_BITS:
                return float(ball.mid())
    raise OutOfReachError(
        f"Signs of correlations {numbers[:pairs]}: {PRECISIONS[-1]} bits do not enclose the value.",
        "Move the correlations apart.",
    )
