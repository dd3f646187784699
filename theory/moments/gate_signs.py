"""How a gate enters the moments of a process: by half-spaces. Each kind of gate is registered here."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import inf
from typing import Any

from theory.moments.directions import Direction, Entries, same_sign_on_latent, unit_of
from theory.moments.half_spaces import HalfSpace
from theory.moments.nonlinearities.edges import on_input as on_bound
from theory.problem import AlwaysGate, DirectionGate, Identity, NonlinearGP, OutOfReachError, SiteGate

# A gate as an exact combination of half-spaces; None is the function 1.
Combination = dict[HalfSpace | None, Fraction]
HALF, ONE = Fraction(1, 2), Fraction(1)


@dataclass(frozen=True)
class Looks:
    """The facts about a law that decide which half-spaces a gate on it has: a latent, classes without means, the law.

    `process` is the law where its inputs are a function of the latent that is not known to be an erf.

    The gate 1[x_3 >= 0] has the sign of z_3, unless a class mean moves its threshold:

    >>> gate = SiteGate(3, lo=0, on="input")
    >>> [half_spaces_of(gate, "gate", Looks(True, centred)).keys() == {None, HalfSpace(Direction(((3, ONE),)))}
    ...  for centred in (True, False)]
    [True, False]
    """

    latent: bool
    centred: bool
    process: NonlinearGP | None = None


def refuse_gate(gate: Any, where: str, exact_for: Mapping[type, Any]) -> None:
    """Raise OutOfReachError for a kind of gate without exact moments; the keys of `exact_for` are those with them.

    >>> refuse_gate("a gate that nobody wrote", "network.gates[0]", {SiteGate: None})
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: network.gates[0]: a gate of kind "str" has no exact moments here; ...
    """
    known = ", ".join(sorted(f'"{kind.kind}"' for kind in exact_for if hasattr(kind, "kind")))
    raise OutOfReachError(
        f'{where}: a gate of kind "{getattr(gate, "kind", type(gate).__name__)}" has no exact moments here; these have '
        f"them: {known}.",
        "Simulate it (gdln simulate), or register it in theory/moments/gate_signs.py, for laws of finitely many inputs "
        "in theory/moments/gate_events.py.",
    )


def require_hard(gate: SiteGate | DirectionGate, where: str) -> None:
    """Raise OutOfReachError for a soft gate; `where` names it.

    >>> require_hard(SiteGate(3, lo=0, sharpness=4), "network.gates[0]")
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: network.gates[0]: a soft gate, of sharpness 4, has no exact moments ...
    """
    if gate.sharpness != inf:
        raise OutOfReachError(
            f"{where}: a soft gate, of sharpness {gate.sharpness}, has no exact moments here; those are of hard gates.",
            "Simulate it (gdln simulate takes any sharpness), or leave the sharpness out.",
        )


@singledispatch
def half_spaces_of(gate: Any, where: str, law: Looks) -> Combination:
    """The gate as an exact combination of half-spaces; {None: 1} for a gate that is always open.

    `where` names the gate in errors. Raises OutOfReachError for gates whose half-spaces have no exact moments, and by
    name for a kind that is not registered.

    1[0 <= u < 2] is (1 + sign(u))/2 less the tail 1[u >= 2]:

    >>> combination = half_spaces_of(SiteGate(3, lo=0, hi=2), "network.gates[0]", Looks(latent=True, centred=True))
    >>> [str(number) for number in combination.values()]
    ['1/2', '1/2', '-1']
    """
    del law
    refuse_gate(gate, where, half_spaces_of.registry)


@half_spaces_of.register
def _(gate: AlwaysGate, where: str, law: Looks) -> Combination:
    del gate, where, law
    return {None: ONE}


@half_spaces_of.register
def _(gate: SiteGate, where: str, law: Looks) -> Combination:
    return _between(gate, ((gate.site, ONE),), where, f"at site {gate.site}", law)


@half_spaces_of.register
def _(gate: DirectionGate, where: str, law: Looks) -> Combination:
    return _between(gate, gate.v, where, f"along {len(gate.v)} sites", law)


def _between(gate: SiteGate | DirectionGate, entries: Entries, where: str, along: str, law: Looks) -> Combination:
    """1[v.u >= lo] - 1[v.u >= hi]."""
    if (gate.lo, gate.hi) == (-inf, inf):
        return {None: ONE}
    on_input = law.latent and gate.on == "input"
    judged = on_input and law.process is not None and gate.sharpness == inf and law.centred
    size = abs(unit_of(entries))  # v.u = +-size x, where the bounds judged are those of x; f is odd
    bounds = [
        (sign, size * on_bound(law.process, at / size) if judged else at) for sign, at in ((1, gate.lo), (-1, gate.hi))
    ]
    moved = not law.centred and (gate.on == "input" or not law.latent)
    if on_input:
        _require_on_latent(gate, entries, where, along, moved, law.process)
    total: Combination = {}
    for factor, bound in bounds:
        for function, number in _above(gate, entries, bound, on_input, moved).items():
            total[function] = total.get(function, Fraction(0)) + factor * number
    return {function: number for function, number in total.items() if number}


def _above(
    gate: SiteGate | DirectionGate, entries: Entries, bound: Fraction | float, on_input: bool, moved: bool
) -> Combination:
    """1[v.u >= bound], or for a soft gate Phi(beta (v.u - bound)), as a combination of half-spaces along v."""
    if bound in (-inf, inf):
        return {None: ONE} if bound < 0 else {}
    unit = unit_of(entries)
    sharpness = gate.sharpness * abs(unit)
    function = HalfSpace.at_threshold(Direction.of(entries), Fraction(bound) / unit, on_input, moved, sharpness)
    if not function.tail:
        return {None: HALF, function: HALF if unit > 0 else -HALF}
    return {function: ONE} if function.below != (unit > 0) else {None: ONE, function: -ONE}


def _require_on_latent(
    gate: SiteGate | DirectionGate, entries: Entries, where: str, along: str, moved: bool, process: NonlinearGP | None
) -> None:
    """Refuse gates on the input that are no half-spaces of the latent."""
    if len(entries) == 1 or (process is not None and isinstance(process.nonlinearity, Identity)):
        return
    hard_at_0 = {gate.lo, gate.hi} <= {0, inf, -inf} and gate.sharpness == inf
    if hard_at_0 and not moved and same_sign_on_latent(entries):
        return
    raise OutOfReachError(
        f"{where}: the gate on the input {along} has no exact moments, as x = f(gain z)/Z is not Gaussian: they are "
        "integrals over as many variables. Exact are one site, and for a hard gate at threshold 0 without class means "
        "two sites with weights of equal size.",
        'Simulate it (gdln simulate), or gate the latent instead (on = "latent"). For <g x> of one ReLU gate, the page '
        "on ReLU gates of the book has an integral for two sites and approximations for more.",
    )
