"""Obstacles to the compiled back end: dispatches on law and gate, which reject unregistered types.

An obstacle is a reason that completes "The compiled back end ...", or None.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import singledispatch
from math import inf
from typing import TYPE_CHECKING

from sim.training.backends.names import numba_is_installed
from theory.problem import (
    AlwaysGate,
    DeepNetwork,
    DirectionGate,
    Erf,
    GaussianClone,
    NonlinearGP,
    NonlinearGP2D,
    Problem,
    SiteGate,
    resolved,
)

if TYPE_CHECKING:
    import torch

MODELS = ("gated-linear", "relu", "leaky-relu", "erf", "sigmoid")
LOSSES = ("half-mse", "mse", "cross-entropy")
_REFERENCE = 'Use backend="reference".'
_FAIR = (Fraction(1, 2), Fraction(1, 2))


def obstacle(problem: Problem, device: "torch.device") -> tuple[str, str] | None:
    """Return why the compiled back end cannot train the problem, and what to do; None where it can."""
    return obstacle_on(device.type, problem)


def obstacle_on(kind: str, problem: Problem) -> tuple[str, str] | None:
    """Return the result of `obstacle` for a kind of device, "cpu" or "cuda", for callers without torch."""
    return _first(kind, (_mode(problem), of_law(problem.data), _network(problem), *_of_gates(problem)))


def data_obstacle(problem: Problem, device: "torch.device") -> tuple[str, str] | None:
    """Return why compiled loops cannot draw the examples of the problem, and what to do; None where they can."""
    return _first(device.type, (of_law(problem.data), *_of_gates(problem)))


def draw_obstacle(problem: Problem, device: "torch.device") -> tuple[str, str] | None:
    """Return why compiled loops cannot draw the batches of an online run, and what to do; None where they can."""
    return draw_obstacle_on(device.type, problem)


def draw_obstacle_on(kind: str, problem: Problem) -> tuple[str, str] | None:
    """Return the same for a kind of device, "cpu" or "cuda", for callers without torch."""
    return _first(kind, (_mode(problem), of_law(problem.data), *_of_gates(problem)))


def _first(kind: str, reasons: Iterable[str | None]) -> tuple[str, str] | None:
    if kind != "cpu":
        return f"runs on the CPU, not on {kind}", _REFERENCE
    for reason in reasons:
        if reason is not None:
            return reason, _REFERENCE
    if not numba_is_installed():
        return "needs numba, which is not installed", "Install the extra: pip install 'gdln-workbench[speed]'."
    return None


def _of_gates(problem: Problem) -> Iterator[str | None]:
    given = () if isinstance(problem.network, DeepNetwork) else problem.network.gates
    return (of_gate(gate, problem.data) for gate in resolved(given))


@singledispatch
def of_law(law: object) -> str | None:
    """Return why the compiled back end cannot draw the law, or None; it draws only laws that are registered here."""
    return f"draws Gaussian laws and their erf, not {getattr(law, 'law', type(law).__name__)}"


@of_law.register(NonlinearGP)
@of_law.register(NonlinearGP2D)
@of_law.register(GaussianClone)
def _(law: NonlinearGP) -> str | None:
    if law.probabilities != _FAIR:
        return "draws two equally likely classes, not others"
    if law.outputs > 1:
        return "trains one output, not several"
    if isinstance(law.gain, tuple):
        return "draws classes of one gain, not of several"
    if law.latent and not isinstance(law.nonlinearity, Erf):
        return f"draws Gaussian laws and their erf, not their {law.nonlinearity.kind}"
    return "draws no class means" if law.means else None


@singledispatch
def of_gate(gate: object, _law: object) -> str | None:
    """Return why the compiled back end cannot evaluate the gate on data of the law, or None."""
    return f"opens no gates of the kind {getattr(gate, 'kind', type(gate).__name__)}"


@of_gate.register(SiteGate)
@of_gate.register(AlwaysGate)
def _(_gate: SiteGate | AlwaysGate, _law: object) -> str | None:
    return None


@of_gate.register
def _(gate: DirectionGate, law: object) -> str | None:
    """Reject gates whose sign the rounding of x = erf(gain z)/Z may lose; see `sim.gates.saturation`."""
    saturates = gate.sharpness == inf and gate.on == "input" and law.latent and len(gate.v) > 1
    return "opens no hard gates along several saturated inputs" if saturates else None


def _mode(problem: Problem) -> str | None:
    mode = problem.simulated().mode
    if mode == "online":
        return None
    if mode == "full-batch":
        return "draws fresh examples; a full-batch run is one matrix product after another"
    return f"has no loops for the mode {mode}"


def _network(problem: Problem) -> str | None:
    if problem.network.model not in MODELS:
        return f"has no loops for the model {problem.network.model}"
    if problem.training.loss not in LOSSES:
        return f"has no loops for the loss {problem.training.loss}"
    return None
