"""The condition that the start of an exact solution is known well enough in each of its modes."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

from theory.flow.graph.conditions import Condition
from theory.flow.graph.integrate import RELATIVE

Part = tuple[np.ndarray, np.ndarray, np.ndarray]


def resolved(strengths: Float[np.ndarray, " n"], parts: Iterable[Part], beside: float = 0.0) -> Condition:
    """The condition that the exact solution follows each mode at least as well as the integrator would.

    Rounding of the strongest mode may be a large part of a weak one. strengths: of each mode. parts: for each weight
    the rest that the modes leave, and their directions before and behind it. beside: an error of another origin.

    >>> rest, frame = np.array([[0.0, 1e-13], [0.0, 0.0]]), np.eye(2)
    >>> resolved(np.array([1.0, 1e-6]), [(rest, frame, frame)]).off
    '1e-07, where the weakest mode is 1e-06 of the strongest: float64 cannot decide its directions'
    >>> resolved(np.array([1.0, 1e-2]), [(rest, frame, frame)]).holds
    True
    """
    off, sizes = beside, np.where(strengths > 0, strengths, np.inf)
    for rest, before, behind in parts:
        for moved in (np.linalg.norm(rest @ before, axis=0), np.linalg.norm(rest.T @ behind, axis=0)):
            off = max(off, float((moved / sizes).max(initial=0.0)))
    holds = off <= RELATIVE
    text = "0"
    if off:
        text = f"{off:.2g}, where the weakest mode is {strengths.min() / strengths.max():.0e} of the strongest"
    text += "" if holds else ": float64 cannot decide its directions"
    return Condition(
        f"every mode at the start is known to {RELATIVE:.0e} of its own strength", holds, text, exact=False
    )
