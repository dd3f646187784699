"""Recompute values with too few digits in float64: sums that cancel in tails, expectations of nearly equal signs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import host
from theory.problem.errors import OutOfReachError

# The rounding error of a sum relative to the size of its terms: some ten machine epsilons for each term.
ROUNDING = 10 * 2.0**-52
# Values with a larger relative error are recomputed.
LEAST_ACCURACY = 1e-6
# The most values recomputed in a call, at about 20 ms each, or up to 1 s for nearly equal signs.
MOST_RECOMPUTED = 1000


def sharpened(
    exactly: Callable[[Mapping[str, float]], float],
    value: Any,
    size: Any,
    values: Mapping[str, Any],
    ill: Any = False,
) -> Any:
    """Return `value` with entries that lost digits replaced by `exactly` of their parameters; gradients are kept.

    `size` is the size of the terms of each entry; entries where `ill` holds are replaced too. An entry whose exact
    value is zero is also recomputed, unless its terms are all zero. Raises OutOfReachError where more than
    MOST_RECOMPUTED entries would have to be replaced.

    >>> float(sharpened(lambda point: point["x"] / 2, np.array(0.1), np.array(1e15), {"x": 1.0}))
    0.5
    """
    plain = host(value)
    lost = ((ROUNDING * size > LEAST_ACCURACY * abs(plain)) & (size > 0)) | ill
    if not lost.any():
        return value
    require_few(
        lost,
        "have fewer than six correct digits in float64, because the terms of their closed form nearly cancel or "
        "because they are expectations of nearly equal signs",
    )
    rows = {name: np.broadcast_to(host(x), plain.shape)[lost] for name, x in values.items()}
    exact = [exactly({name: float(row[k]) for name, row in rows.items()}) for k in range(int(lost.sum()))]
    return with_exact(value, lost, exact)


def require_few(lost: Any, why: str) -> None:
    """Raise OutOfReachError where more than MOST_RECOMPUTED values are lost; `why` completes the sentence."""
    count = int(np.count_nonzero(lost))
    if count > MOST_RECOMPUTED:
        raise OutOfReachError(
            f"{count} of {lost.size} values {why}; more than {MOST_RECOMPUTED} certified values would take minutes.",
            "Ask for fewer points, or move them out of the tail and the correlations apart.",
        )


def with_exact(value: Any, where: Any, exact: Sequence[float]) -> Any:
    """Return the array or tensor with the numbers `exact` at the places `where`; a tensor keeps its gradient."""
    if not len(exact):
        return value
    xp = namespace(value)
    if xp is np:
        replaced = np.array(value)
        replaced[where] = exact
        return replaced
    # The gradient is that of the form; the value is exact.
    places = xp.as_tensor(where, device=value.device)
    target = value.detach().clone()
    target[places] = xp.as_tensor(np.array(exact), dtype=value.dtype, device=value.device)
    return (value - value.detach()) + target
