"""A gate that a trained network had, as a declaration."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.gates.base import Gate
from theory.problem.numbers import whole


@dataclass(frozen=True)
class RecordedGate(Gate):
    """The gate that unit `unit` of a trained network had, replayed: each replicate has its own, kept beside the run.

    It has no place in problem files, and nothing but the replay can evaluate it.

    >>> from theory.problem import GATES
    >>> RecordedGate(0).kind in GATES
    False
    """

    unit: int

    kind: ClassVar[str] = "recorded"
    in_files: ClassVar[bool] = False

    def __post_init__(self) -> None:
        whole(self.unit, "gate.unit", least=0)
