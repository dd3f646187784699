"""Gates, as declarations: when a unit lets its input through."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact, exact_or_infinite, one_of, shown, whole

VARIABLES = ("latent", "input")


@dataclass(frozen=True)
class SiteGate:
    """g(x) = 1[lo <= v_site < hi] with v the latent z or the input x; sites count from 0.

    With a finite `sharpness` beta the gate is soft: g(x) = Phi(beta (v_site - lo)) - Phi(beta (v_site - hi)), Phi the
    standard normal distribution function, which is the probability that lo <= v_site + e/beta < hi, e ~ N(0, 1).
    beta -> inf is the hard gate, and gates of neighbouring intervals add up to that of their union for every beta.
    lo = 0, hi = inf is the half-space gate of the small-bump note, eq. (2); lo = -inf, hi = 0 its exact complement.
    """

    site: int
    lo: Fraction | float = -inf
    hi: Fraction | float = inf
    on: str = "latent"
    sharpness: Fraction | float = inf

    kind: ClassVar[str] = "site"

    def __post_init__(self) -> None:
        whole(self.site, "gate.site", least=0)
        _check_interval(self, f"gate at site {self.site}")

    @property
    def sites(self) -> tuple[int, ...]:
        """The sites that it looks at."""
        return (self.site,)


Entries = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class DirectionGate:
    """g(x) = 1[lo <= v . u < hi] with u the latent z or the input x: one layer of ReLU gates is 1[w . x >= 0].

    v is given as n numbers, or as a sparse table {site: number}; it is kept as its nonzero entries (site, number),
    exact and by site. `size` is the length of a vector that was given in full (None for a table) and is no part of
    the gate. With lo, hi in {0, +-inf} the scale of v does not matter, only its orientation. A finite `sharpness`
    makes the gate soft, as in SiteGate with v . u for v_site; there the scale of v matters.

    Raises InputError for a zero vector, entries that are no finite numbers, sites given twice, lo >= hi, or a
    sharpness <= 0.

    >>> DirectionGate([0, 1, "1/2"], lo=0) == DirectionGate({1: 1, 2: "1/2"}, lo=0)
    True
    """

    v: Entries
    lo: Fraction | float = -inf
    hi: Fraction | float = inf
    on: str = "latent"
    sharpness: Fraction | float = inf
    size: int | None = field(default=None, init=False, compare=False, repr=False)

    kind: ClassVar[str] = "direction"

    def __post_init__(self) -> None:
        entries, size = _entries(self.v)
        object.__setattr__(self, "v", entries)
        object.__setattr__(self, "size", size)
        if not entries:
            raise InputError(
                "gate.v is zero: v . u = 0 for every example, so the gate would never change.",
                'Give a vector with a nonzero entry, or kind = "always".',
            )
        _check_interval(self, "gate with a direction")

    @property
    def sites(self) -> tuple[int, ...]:
        """The sites that it looks at."""
        return tuple(site for site, _ in self.v)


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


Gate = SiteGate | DirectionGate | AlwaysGate | RepeatedGate | RecordedGate
PlainGate = SiteGate | DirectionGate | AlwaysGate
GATES: dict[str, type] = {gate.kind: gate for gate in (SiteGate, DirectionGate, AlwaysGate, RepeatedGate)}


def resolved(gates: tuple[Gate, ...]) -> tuple[PlainGate, ...]:
    """The gates with every repetition replaced by the gate it repeats. Raises OutOfReachError for a recorded gate.

    >>> resolved((AlwaysGate(), RepeatedGate(of=0)))[1]
    AlwaysGate()
    """
    plain: list[PlainGate] = []
    for gate in gates:
        if isinstance(gate, RecordedGate):
            raise OutOfReachError(
                f"The gate of unit {gate.unit} is a recorded one: it belongs to a run, not to the problem.",
                "Measure what the weights alone determine; the loss of a replay is sim.record.loss(run, gates).",
            )
        plain.append(plain[gate.of] if isinstance(gate, RepeatedGate) else gate)
    return tuple(plain)


def _check_interval(gate: SiteGate | DirectionGate, what: str) -> None:
    """Make lo, hi and the sharpness exact; InputError where no number lies between them."""
    one_of(gate.on, "gate.on", VARIABLES)
    object.__setattr__(gate, "lo", exact_or_infinite(gate.lo, "gate.lo"))
    object.__setattr__(gate, "hi", exact_or_infinite(gate.hi, "gate.hi"))
    if not gate.lo < gate.hi:
        raise InputError(
            f"{what}: lo = {gate.lo} is not below hi = {gate.hi}, so it would never open.",
            "Give lo < hi; leave one out for a half-space.",
        )
    object.__setattr__(gate, "sharpness", exact_or_infinite(gate.sharpness, "gate.sharpness"))
    if gate.sharpness <= 0:
        raise InputError(
            f"{what}: sharpness = {gate.sharpness} must be > 0: it is beta in Phi(beta (v - lo)).",
            "Give a positive number, or leave it out for a hard gate.",
        )


def _entries(v: Any) -> tuple[Entries, int | None]:
    """The nonzero entries of a vector, a table or pairs (site, number), and the length of a vector."""
    if isinstance(v, Mapping):
        pairs, size = list(v.items()), None
    elif isinstance(v, list | tuple) and v and all(isinstance(entry, tuple) and len(entry) == 2 for entry in v):
        pairs, size = list(v), None
    elif isinstance(v, list | tuple):
        pairs, size = list(enumerate(v)), len(v)
    else:
        raise InputError(
            f"gate.v = {shown(v)} is no direction.",
            'Give one number for each site, or a table { site = number } such as { 20 = 1, 22 = "1/2" }.',
        )
    numbers: dict[int, Fraction] = {}
    for key, value in pairs:
        site = whole(_site(key), "a site of gate.v", least=0)
        if site in numbers:
            raise InputError(f"gate.v names the site {site} twice.", "Give each site one number.")
        numbers[site] = exact(value, f"gate.v[{site}]")
    return tuple((site, numbers[site]) for site in sorted(numbers) if numbers[site]), size


def _site(key: Any) -> Any:
    """A key of a TOML table is text."""
    return int(key) if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 20 else key
