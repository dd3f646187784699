"""Declaration of a gate recorded from a trained network."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.gates.base import Gate
from theory.problem.numbers import whole


@dataclass(frozen=True)
class RecordedGate(Gate):
    """The recorded gate of unit `unit` of a trained network; each replicate has its own, stored with the run.

    Problem files cannot declare it, and only a replay of the run can evaluate it.

    >>> from theory.problem import GATES
    >>> RecordedGate(0).kind in GATES
    False
    """

    unit: int

    kind: ClassVar[str] = "recorded"
    in_files: ClassVar[bool] = False

    def __post_init__(self) -> None:
        whole(self.unit, "gate.unit", least=0)
