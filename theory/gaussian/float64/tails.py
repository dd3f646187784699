"""Recompute values to which float64 leaves too few digits: where terms cancel in tails, and of nearly equal signs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from theory.expressions.arrays import namespace
from theory.gaussian.float64.differentiable import host
from theory.problem.errors import OutOfReachError

# Each term is right to some ten machine epsilons of its size: what is left of the digits of a sum of them.
ROUNDING = 10 * 2.0**-52
# The relative error from which on a value is recomputed...
LEAST_ACCURACY = 1e-6
# ... and how many may be, at about 20 ms each, nearly equal signs up to 1 s.
MOST_RECOMPUTED = 1000


def sharpened(
    exactly: Callable[[Mapping[str, float]], float],
    value: Any,
    size: Any,
    values: Mapping[str, Any],
    ill: Any = False,
) -> Any:
    """The `value` with entries that cancel replaced by `exactly` of their parameters; gradients stay the form's.

    `size` is that of the terms of each entry; entries where `ill` holds are replaced too. An entry of an expectation
    that is exactly zero has the float 0.0 only where its terms say so: it costs a certificate. Raises OutOfReachError
    where more than MOST_RECOMPUTED are to be replaced.

    >>> float(sharpened(lambda point: point["x"] / 2, np.array(0.1), np.array(1e15), {"x": 1.0}))
    0.5
    """
    plain = host(value)
    lost = ((ROUNDING * size > LEAST_ACCURACY * abs(plain)) & (size > 0)) | ill
    if not lost.any():
        return value
    require_few(
        lost,
        "are so much smaller than the terms of their closed form that float64 leaves them fewer than six digits, or "
        "come from nearly equal signs",
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
    """The array or tensor with the numbers `exact` in the places `where`; a tensor keeps its gradient."""
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
