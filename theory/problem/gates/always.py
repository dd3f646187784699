"""A gate that is always open, as a declaration."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.gates.base import Gate


@dataclass(frozen=True)
class AlwaysGate(Gate):
    """g(x) = 1: the unit is linear."""

    kind: ClassVar[str] = "always"
