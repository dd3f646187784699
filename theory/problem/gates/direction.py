"""Declaration of a gate along a direction of several sites."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, ClassVar

from theory.problem.errors import InputError
from theory.problem.gates.base import Gate, check_interval
from theory.problem.numbers import exact, shown, whole

Entries = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class DirectionGate(Gate):
    """g(x) = 1[lo <= v . u < hi] with u the latent z or the input x: one layer of ReLU gates is 1[w . x >= 0].

    v is given as n numbers, or as a sparse table {site: number}; it is kept as its nonzero entries (site, number),
    exact and by site. `size` is the length of a vector that was given in full (None for a table); it does not enter
    comparisons of gates. With lo, hi in {0, +-inf} the scale of v does not matter, only its orientation. A finite
    `sharpness` makes the gate soft, as in SiteGate with v . u for v_site; there the scale of v matters.

    Raises InputError for a zero vector, entries that are not finite numbers, sites given twice, lo >= hi, or a
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
        check_interval(self, "gate with a direction")

    @property
    def sites(self) -> tuple[int, ...]:
        """The sites on which the gate depends."""
        return tuple(site for site, _ in self.v)


def _entries(v: Any) -> tuple[Entries, int | None]:
    """Return the nonzero entries of a vector, a table or pairs (site, number), and the length of a vector."""
    if isinstance(v, Mapping):
        pairs, size = list(v.items()), None
    elif isinstance(v, list | tuple) and v and all(isinstance(entry, tuple) and len(entry) == 2 for entry in v):
        pairs, size = list(v), None
    elif isinstance(v, list | tuple):
        pairs, size = list(enumerate(v)), len(v)
    else:
        raise InputError(
            f"gate.v = {shown(v)} is not a direction.",
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
    """Return a site number; a key of a TOML table is text and is converted."""
    return int(key) if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 20 else key
