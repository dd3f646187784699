"""The library's float64 gradient flow at moments given as numbers, which the floating level checks."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float

from theory.flow.linear.convention import Convention
from theory.flow.linear.parameters import Parameters
from theory.flow.linear.relaxation import relax
from theory.moments.arithmetic import FLOAT64
from theory.moments.basis import GateBasis
from theory.moments.directions import Direction
from theory.moments.half_spaces import HalfSpace
from theory.moments.sign_features import SignFeatures, SignMoments
from theory.moments.symmetric import Dense

HALF = Fraction(1, 2)
Number = int | float  # a whole coordinate of a point is passed as int


@dataclass(frozen=True)
class UnitFlow:
    """Weights of the units at the time, with one leading axis, at infinity, the optimum of the loss and the rates.

    >>> flow = float64_flow([[0.5]], [0.5], [[0.0]], 1, 2.0)
    >>> flow.weights.shape, flow.rates.round(12).tolist()
    ((1, 1, 1), [0.5])
    """

    weights: Float[np.ndarray, "1 K n"]
    fixed_point: Float[np.ndarray, "K n"]
    mse: float
    rates: Float[np.ndarray, " P"]


def float64_flow(
    second: Sequence[Sequence[Number]],
    force: Sequence[Number],
    start: Sequence[Sequence[Number]],
    units: int,
    time: Number = 0,
    y2: float = 0.5,
) -> UnitFlow:
    """Return the flow in units of tau of units that share one half-space gate, with A_11 = second and b_1 = force.

    `start` has a row for each unit that shares the gate; `units` is the K of the readout; y2 is <y^2>.

    A_11 = 1/2 and b_1 = 1/2: w = 1 - exp(-t/2)

    >>> float64_flow([[0.5]], [0.5], [[0.0]], 1, 2.0).weights.round(6).tolist()
    [[[0.632121]]]
    """
    whole = 2 * np.array(second, dtype=float)  # a half space sees half of <x x^T>, and half of <s y x>
    gates = GateBasis((HalfSpace(Direction(((0, Fraction(1)),))),), tuple((HALF, HALF) for _ in start))
    absent = {}.get  # without biases no other moment is used
    moments = SignFeatures(
        gates,
        SignMoments(
            n=len(whole),
            arithmetic=FLOAT64,
            second={(): Dense(whole)}.get,
            first=absent,
            zeroth=absent,
            output={(0,): 2 * np.array(force, dtype=float)}.get,
            label=absent,
            y2=y2,
        ),
    )
    rules = Convention(Fraction(1, int(units)), Fraction(1))
    numbers = relax(moments, np.array(start, dtype=float).ravel(), rules, [float(time)])
    weights, end = (Parameters.of(theta, len(start), len(whole)).weights for theta in (numbers.path, numbers.end))
    return UnitFlow(weights, end, numbers.mse.item(), numbers.rates)
