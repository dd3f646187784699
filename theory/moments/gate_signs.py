"""Gates in the moments of a process: the sign of a direction for each kind of gate, by registered functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import inf
from typing import Any

from theory.moments.directions import Direction, Entries, same_sign_on_latent, side
from theory.problem import AlwaysGate, DirectionGate, OutOfReachError, SiteGate

Sign = tuple[int, Direction]


@dataclass(frozen=True)
class Signs:
    """The properties of a law that decide whether a gate is a sign: whether it has a latent and centred classes.

    The gate 1[x_3 >= 0] has the sign of z_3, unless a class mean moves its threshold:

    >>> sign_of(SiteGate(3, lo=0, on="input"), "gate", Signs(latent=True, centred=True))[0]
    1
    >>> sign_of(SiteGate(3, lo=0, on="input"), "gate", Signs(latent=True, centred=False))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: gate: the gate on the input at site 3 has no exact moments where the ...
    """

    latent: bool
    centred: bool


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
def sign_of(gate: Any, where: str, law: Signs) -> Sign | None:
    """Return the direction v and +1 for the gate 1[v.u >= 0], -1 for 1[v.u < 0]; None for a gate that is always open.

    `where` names the gate in errors. Raises OutOfReachError for a gate that is no half-space at 0, and for a kind that
    is not registered.

    >>> sign_of(SiteGate(3, hi=0), "network.gates[0]", Signs(latent=True, centred=True))
    (-1, Direction(entries=((3, Fraction(1, 1)),)))
    """
    del law
    refuse_gate(gate, where, sign_of.registry)


@sign_of.register
def _(gate: AlwaysGate, where: str, law: Signs) -> Sign | None:
    del gate, where, law
    return None


@sign_of.register
def _(gate: SiteGate, where: str, law: Signs) -> Sign | None:
    return _half_space(gate, ((gate.site, Fraction(1)),), f"{where}: ", f"at site {gate.site}", law)


@sign_of.register
def _(gate: DirectionGate, where: str, law: Signs) -> Sign | None:
    return _half_space(gate, gate.v, f"{where}: ", f"along {len(gate.v)} sites", law)


def _half_space(gate: SiteGate | DirectionGate, entries: Entries, where: str, along: str, law: Signs) -> Sign | None:
    if (gate.lo, gate.hi) == (-inf, inf):
        return None
    require_hard(gate, where.removesuffix(": "))
    if (gate.lo, gate.hi) not in ((0, inf), (-inf, 0)):
        raise OutOfReachError(
            f"{where}1[{gate.lo} <= v < {gate.hi}] {along} is not a half-space at threshold 0, and "
            "the exact moments here are those of half-spaces at 0.",
            "Simulate it (gdln simulate takes any lo and hi), or use lo = 0 or hi = 0 alone.",
        )
    if not law.centred and (gate.on == "input" or not law.latent):
        raise OutOfReachError(
            f"{where}the gate on the input {along} has no exact moments where the classes have means: they move its "
            "threshold in every class.",
            'Simulate it (gdln simulate), gate the latent instead (on = "latent"), or leave data.means out.',
        )
    if law.latent and gate.on == "input" and not same_sign_on_latent(entries):
        raise OutOfReachError(
            f"{where}the ReLU gate on the input along {len(entries)} sites has no exact moments, as "
            "x = erf(gain z)/Z is not Gaussian; exact are one site, and two with weights of equal size.",
            'Simulate it (gdln simulate), gate the latent instead (on = "latent"), or take <g x> alone from '
            "theory.moments.relu_gates: an integral for two sites, labelled approximations for more.",
        )
    return (1 if gate.lo == 0 else -1) * side(entries), Direction.of(entries)
