"""Gates that never open, or are always open, on the inputs that a law can draw."""

from collections.abc import Mapping
from functools import singledispatch
from math import inf

import numpy as np
from jaxtyping import Shaped

from theory.moments.feature_moments import exactly
from theory.moments.finite import contexts_of
from theory.moments.gate_events import Contexts, open_on
from theory.moments.inputs import Density, input_statistics, input_statistics_of
from theory.moments.lit_sites import flips
from theory.problem import (
    AlwaysGate,
    Bars,
    DirectionGate,
    FiniteData,
    Gate,
    Law,
    Network,
    OutOfReachError,
    Pulses,
    SinglePulse,
    SiteGate,
)
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D
from theory.problem.distributions.rows import RowsLaw
from theory.problem.gates import resolved
from theory.problem.gates.base import looks_on

MOST_ENTRIES = 10**6  # the most numbers in the inputs that are checked one by one


def constant_gates(law: Law, network: Network) -> dict[int, bool]:
    """Return the units whose hard gate is the same for every input of `law`: True where always open, False for never.

    Only certain results are returned: none for laws of unknown support, for class means, for soft gates and for laws of
    more than 10^6 numbers. A gate that is declared as always open is left out.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))  # |x| < 1
    >>> gates = (SiteGate(0, lo=2, on="input"), SiteGate(0, lo=-2, on="input"), SiteGate(0, lo=0))
    >>> constant_gates(law, Network("gated-linear", "mean", 3, gates))
    {0: False, 1: True}
    """
    found = {}
    for unit, gate in enumerate(resolved(network.gates)):
        states = set() if isinstance(gate, AlwaysGate) or getattr(gate, "sharpness", inf) != inf else _states(law, gate)
        if len(states) == 1:
            (found[unit],) = states
    return found


def remarks(constant: Mapping[int, bool]) -> tuple[str, ...]:
    """Return a sentence for each gate of the result of `constant_gates`.

    >>> print(*remarks({0: False}))
    the gate of unit 0 is closed for every input of this law: the unit never learns and adds nothing to yhat.
    """
    said = {
        False: "is closed for every input of this law: the unit never learns and adds nothing to yhat",
        True: "is open for every input of this law: the unit is linear",
    }
    return tuple(f"the gate of unit {unit} {said[state]}." for unit, state in constant.items())


@singledispatch
def _states(law: Law, gate: Gate) -> set[bool]:
    """Return the states of a hard gate over the law's inputs; empty where they are not known.

    A continuous law whose sites fill an interval, and a latent on the whole line: v . u fills the sum of v_j times it.
    """
    if not isinstance(gate, SiteGate | DirectionGate):
        return set()
    low, high = -inf, inf
    if looks_on(gate) == "input":
        ends = _ends(law)
        if ends is None:
            return set()
        along = [1.0] if isinstance(gate, SiteGate) else [float(number) for _, number in gate.v]
        low = sum(min(v * end for end in ends) for v in along)
        high = sum(max(v * end for end in ends) for v in along)
    if gate.lo >= high or gate.hi <= low:
        return {False}
    return {True} if gate.lo <= low and gate.hi >= high else {True, False}


def _ends(law: Law) -> tuple[float, float] | None:
    """Return the ends of the support of a site over all classes; None where they are not known or differ by site."""
    if exactly(input_statistics_of, law) is input_statistics_of.registry[object]:
        return None
    try:
        found = [input_statistics(law, c) for c in range(law.classes)]
        if not all(one.alike for one in found):
            return None
        marginals = [one.marginal(0) for one in found]
    except OutOfReachError:  # as of a mixture of a law with a density and one of finitely many values
        return None
    if not all(isinstance(own, Density) for own in marginals):
        return None
    return min(own.low for own in marginals), max(own.high for own in marginals)


@_states.register
def _(law: FiniteData, gate: Gate) -> set[bool]:
    return _on_examples(np.array(law.x, dtype=object), gate, contexts_of(law))


@_states.register
def _(law: RowsLaw, gate: Gate) -> set[bool]:
    return _on_examples(law.rows.x, gate, law.rows.context)


@_states.register
def _(law: SinglePulse, gate: Gate) -> set[bool]:
    widths = sorted({width for a, b in law.widths for width in range(a, b + 1)})
    if law.means or 2 * len(widths) * law.n**2 > MOST_ENTRIES:
        return set()
    pulses = [np.roll(np.arange(law.n) < width, start) for width in widths for start in range(law.n)]
    inputs = [np.where(pulse, high, low) for low, high in flips(law) for pulse in pulses]
    return _on_examples(np.array(inputs).astype(object), gate)


@_states.register(Bars)
@_states.register(Pulses)
def _(law: Bars | Pulses, gate: Gate) -> set[bool]:
    del law, gate
    return set()  # their inputs are too many to be listed before each training


@_states.register
def _(law: Ising | Ising2D, gate: Gate) -> set[bool]:
    if law.means or not isinstance(gate, SiteGate):
        return set()
    return _on_examples(np.array([[-1] * law.n, [1] * law.n], dtype=object), gate)


def _on_examples(x: Shaped[np.ndarray, "N n"], gate: Gate, context: Contexts = None) -> set[bool]:
    if isinstance(gate, SiteGate | DirectionGate) and looks_on(gate) != "input":
        return set()  # refused by name where it is used
    return set(open_on(gate, x, "the gate", context).tolist())
