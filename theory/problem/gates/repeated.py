"""Declaration of the gate of a redundant unit."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.gates.base import Gate
from theory.problem.numbers import whole


@dataclass(frozen=True)
class RepeatedGate(Gate):
    """The same gate as that of the earlier unit `of` (counted from 0): a redundant unit. Raises InputError for of < 0.

    >>> from theory.problem import SiteGate, resolved
    >>> gate = SiteGate(20, lo=0)
    >>> resolved((gate, RepeatedGate(of=0))) == (gate, gate)
    True
    """

    of: int

    kind: ClassVar[str] = "repeated"

    def __post_init__(self) -> None:
        whole(self.of, "gate.of", least=0)
