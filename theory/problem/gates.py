"""Gates, as declarations: when a unit lets its input through."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import ClassVar

from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact_or_infinite, one_of, whole

VARIABLES = ("latent", "input")


@dataclass(frozen=True)
class SiteGate:
    """g(x) = 1[lo <= v_site < hi] with v the latent z or the input x; sites count from 0.

    lo = 0, hi = inf is the half-space gate of the small-bump note, eq. (2); lo = -inf, hi = 0 its exact complement.
    """

    site: int
    lo: Fraction | float = -inf
    hi: Fraction | float = inf
    on: str = "latent"

    kind: ClassVar[str] = "site"

    def __post_init__(self) -> None:
        whole(self.site, "gate.site", least=0)
        one_of(self.on, "gate.on", VARIABLES)
        object.__setattr__(self, "lo", exact_or_infinite(self.lo, "gate.lo"))
        object.__setattr__(self, "hi", exact_or_infinite(self.hi, "gate.hi"))
        if not self.lo < self.hi:
            raise InputError(
                f"gate at site {self.site}: lo = {self.lo} is not below hi = {self.hi}, so it would never open.",
                "Give lo < hi; leave one out for a half-space.",
            )


@dataclass(frozen=True)
class AlwaysGate:
    """g(x) = 1: the unit is linear."""

    kind: ClassVar[str] = "always"


@dataclass(frozen=True)
class RepeatedGate:
    """The same gate as that of the earlier unit `of` (counted from 0): a redundant unit."""

    of: int

    kind: ClassVar[str] = "repeated"

    def __post_init__(self) -> None:
        whole(self.of, "gate.of", least=0)


@dataclass(frozen=True)
class RecordedGate:
    """The gate that unit `unit` of a trained network had, replayed: each replicate has its own, kept beside the run.

    It has no place in problem files, and nothing but the replay can evaluate it.
    """

    unit: int

    kind: ClassVar[str] = "recorded"

    def __post_init__(self) -> None:
        whole(self.unit, "gate.unit", least=0)


Gate = SiteGate | AlwaysGate | RepeatedGate | RecordedGate
GATES: dict[str, type] = {gate.kind: gate for gate in (SiteGate, AlwaysGate, RepeatedGate)}


def resolved(gates: tuple[Gate, ...]) -> tuple[SiteGate | AlwaysGate, ...]:
    """The gates with every repetition replaced by the gate it repeats. Raises OutOfReachError for a recorded gate.

    >>> resolved((AlwaysGate(), RepeatedGate(of=0)))[1]
    AlwaysGate()
    """
    plain: list[SiteGate | AlwaysGate] = []
    for gate in gates:
        if isinstance(gate, RecordedGate):
            raise OutOfReachError(
                f"The gate of unit {gate.unit} is a recorded one: it belongs to a run, not to the problem.",
                "Measure what the weights alone determine; the loss of a replay is sim.record.loss(run, gates).",
            )
        plain.append(plain[gate.of] if isinstance(gate, RepeatedGate) else gate)
    return tuple(plain)
