"""A gate on two sites at once, as a declaration."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.gates.base import VARIABLES, Gate
from theory.problem.numbers import one_of, shown, whole


@dataclass(frozen=True)
class BothGate(Gate):
    """g(x) = 1[v_i >= 0 and v_j >= 0] for the sites i, j, with v the latent z or the input x.

    >>> BothGate([3, 5]) == BothGate((3, 5), on="latent")
    True
    """

    sites: tuple[int, int]
    on: str = "latent"

    kind: ClassVar[str] = "both"

    def __post_init__(self) -> None:
        one_of(self.on, "gate.on", VARIABLES)
        if not isinstance(self.sites, list | tuple) or len(self.sites) != 2:
            raise InputError(f"gate.sites = {shown(self.sites)} must be two sites.", "Write for example [3, 5].")
        object.__setattr__(self, "sites", tuple(whole(site, "gate.sites", least=0) for site in self.sites))
