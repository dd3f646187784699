"""Gates in the moments of a law of finitely many inputs: the examples on which each gate is open.

Inputs are exact numbers, in arrays of objects, or float64. Soft gates have moments in float64 only.
"""

from functools import singledispatch
from math import inf
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped
from scipy.special import ndtr

from theory.moments.gate_signs import refuse_gate, require_hard
from theory.problem import AlwaysGate, ContextGate, DirectionGate, OutOfReachError, SiteGate

Inputs = Shaped[np.ndarray, "N n"]
Contexts = Int[np.ndarray, " N"] | None
Opened = Shaped[np.ndarray, " N"]  # bool; float64 where a gate is soft


@singledispatch
def open_on(gate: Any, x: Inputs, where: str, context: Contexts = None) -> Opened:
    """Return the value of a gate on each example, a row of x: open or closed, or between 0 and 1 for a soft gate.

    `context` is that of each example, None for data without contexts; `where` names the gate in errors. Raises
    OutOfReachError for soft gates on exact numbers, for a context gate on data without contexts and for a kind that is
    not registered.

    >>> from fractions import Fraction
    >>> x = np.array([[Fraction(0)], [Fraction(1, 2)], [Fraction(1)]])
    >>> open_on(SiteGate(0, lo="1/2", on="input"), x, "network.gates[0]").tolist()
    [False, True, True]
    """
    del x, context
    refuse_gate(gate, where, open_on.registry)


@open_on.register
def _(gate: AlwaysGate, x: Inputs, where: str, context: Contexts = None) -> Opened:
    del gate, where, context
    return np.ones(len(x), dtype=bool)


@open_on.register
def _(gate: ContextGate, x: Inputs, where: str, context: Contexts = None) -> Opened:
    del x
    if context is None:
        raise OutOfReachError(
            f"{where} opens in contexts, and these data have none.",
            "Give data.context, one whole number for each example, or use another gate.",
        )
    return np.isin(context, gate.open)


@open_on.register
def _(gate: SiteGate, x: Inputs, where: str, context: Contexts = None) -> Opened:
    del context
    return _between(gate, x[:, gate.site], where)


@open_on.register
def _(gate: DirectionGate, x: Inputs, where: str, context: Contexts = None) -> Opened:
    del context
    if x.dtype == object:
        return _between(gate, sum(number * x[:, site] for site, number in gate.v), where)
    return _between(gate, x[:, list(gate.sites)] @ np.array([float(number) for _, number in gate.v]), where)


def _between(gate: SiteGate | DirectionGate, values: Shaped[np.ndarray, " N"], where: str) -> Opened:
    if (gate.lo, gate.hi) == (-inf, inf):
        return np.ones(len(values), dtype=bool)
    if values.dtype == object:
        require_hard(gate, where)
    if gate.on != "input":
        raise OutOfReachError(
            f"{where} is on the {gate.on}, which examples do not have.", 'Leave `on` out or write on = "input".'
        )
    if values.dtype == object:
        return np.array([gate.lo <= value < gate.hi for value in values.tolist()], dtype=bool)
    lo, hi, beta = float(gate.lo), float(gate.hi), float(gate.sharpness)
    if beta == inf:
        return (values >= lo) & (values < hi)
    return ndtr(beta * (values - lo)) - ndtr(beta * (values - hi))
