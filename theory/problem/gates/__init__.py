"""Declarations of gates, one file for each kind; a new file in this folder is found without being listed."""

from theory.problem.discovery import declared
from theory.problem.errors import OutOfReachError
from theory.problem.gates.base import Gate
from theory.problem.gates.recorded import RecordedGate
from theory.problem.gates.repeated import RepeatedGate

_FIRST = ("site", "direction", "always", "repeated", "context")
ALL_GATES: dict[str, type[Gate]] = declared(__name__, __path__, Gate, "kind", _FIRST)
GATES = {kind: gate for kind, gate in ALL_GATES.items() if gate.in_files}  # the kinds that problem files may name

__all__ = ["ALL_GATES", "GATES", "Gate", "resolved"]


def resolved(gates: tuple[Gate, ...]) -> tuple[Gate, ...]:
    """Return the gates, each repetition replaced by the gate it repeats. Raises OutOfReachError for a recorded gate.

    >>> from theory.problem import AlwaysGate, RepeatedGate
    >>> resolved((AlwaysGate(), RepeatedGate(of=0)))[1]
    AlwaysGate()
    """
    plain: list[Gate] = []
    for gate in gates:
        if isinstance(gate, RecordedGate):
            raise OutOfReachError(
                f"The gate of unit {gate.unit} is a recorded one: it belongs to a run, not to the problem.",
                "Measure what the weights alone determine; the loss of a replay is sim.record.loss(run, gates).",
            )
        plain.append(plain[gate.of] if isinstance(gate, RepeatedGate) else gate)
    return tuple(plain)
