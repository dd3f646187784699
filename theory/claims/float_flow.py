"""The library's float64 gradient flow at moments given as numbers: the path that the floating level judges."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from theory.flow.linear.convention import Convention
from theory.flow.linear.relaxation import FlowNumbers, relax
from theory.moments.arithmetic import FLOAT64
from theory.moments.basis import GateBasis
from theory.moments.directions import Direction
from theory.moments.gated import GatedMoments

HALF = Fraction(1, 2)
Number = int | float  # a point with a whole coordinate passes it as int


def float64_flow(
    second: Sequence[Sequence[Number]],
    force: Sequence[Number],
    start: Sequence[Sequence[Number]],
    units: int,
    time: Number = 0,
    y2: float = 0.5,
) -> FlowNumbers:
    """Return the flow in units of tau of units that share one half-space gate, with A_11 = second and b_1 = force.

    `start` has a row for each unit that shares the gate; `units` is the K of the readout; y2 is <y^2>.
    """
    whole = 2 * np.array(second, dtype=float)  # a half space sees half of <x x^T>, and half of <s y x>
    gates = GateBasis((Direction(((0, Fraction(1)),)),), tuple((HALF, HALF) for _ in start))
    moments = GatedMoments(
        gates,
        covariances=np.stack([whole, whole]),
        even=whole,
        odd=whole[None, None],
        output=2 * np.array(force, dtype=float)[None],
        signs=np.ones((1, 1)),
        inputs=np.zeros((1, len(whole))),
        y1=0.5,
        y2=y2,
        arithmetic=FLOAT64,
    )
    rules = Convention(Fraction(1, int(units)), Fraction(1))
    return relax(moments, np.array(start, dtype=float).ravel(), rules, [float(time)], "open")
