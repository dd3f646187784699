"""Obstacles to the compiled and the fused back end: dispatches on law and gate, which reject unregistered types.

An obstacle is a reason that completes "The compiled back end ..." or "The fused back end ...", or None.
"""

import os
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import singledispatch
from math import inf
from typing import TYPE_CHECKING

from sim.training.backends.fused.sizes import MOST_SITES, MOST_SITES_OF_A_LARGE_BATCH, MOST_UNITS, SMALL_BATCH
from sim.training.backends.names import numba_is_installed, triton_is_installed
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
_INSTEAD = 'Use backend="auto".'
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


def fused_obstacle_on(kind: str, problem: Problem) -> tuple[str, str] | None:
    """Return why the fused kernels cannot train the problem on a kind of device, and what to do; None where they can.

    On a CPU they run in Triton's interpreter alone, for tests: some 10^5 times slower than the compiled loops.
    """
    if kind != "cuda" and os.environ.get("TRITON_INTERPRET") != "1":
        return f"runs on a CUDA device, not on {kind}", _INSTEAD
    for reason in _of_fused(problem):
        if reason is not None:
            return reason, _INSTEAD
    if not triton_is_installed():
        return "needs Triton, which is not installed", "Install the extra, on Linux: pip install 'gdln-workbench[gpu]'."
    return None


def _of_fused(problem: Problem) -> Iterator[str | None]:
    """Yield the reasons one by one: a later one may ask what only networks have that an earlier one admits."""
    yield _mode(problem)
    yield of_law(problem.data)
    yield fused_law(problem.data)
    yield _network(problem)
    optimizer = problem.simulated().optimizer
    yield None if optimizer == "sgd" else f"takes plain descent, sgd, not {optimizer}"
    for gate in resolved(problem.network.gates):
        yield fused_gate(gate)
    n, units, batch = problem.data.n, problem.network.units, problem.simulated().batch
    yield None if units <= MOST_UNITS else f"holds up to {MOST_UNITS} units on the chip, not {units}"
    most = MOST_SITES if batch <= SMALL_BATCH else MOST_SITES_OF_A_LARGE_BATCH
    yield None if n <= most else f"holds up to {most} sites on the chip at batch = {batch}, not {n}"


@singledispatch
def fused_law(law: object) -> str | None:
    """Return why the fused kernels cannot colour the noise of a law that compiled loops draw, or None."""
    return f"colours the noise of lines and short rings, not of {getattr(law, 'law', type(law).__name__)}"


@fused_law.register(NonlinearGP)
@fused_law.register(GaussianClone)
def _(law: NonlinearGP) -> str | None:
    from sim.data.factors import SPECTRAL_SITES  # with torch, which the rest of this module does without

    spectral = law.boundary == "ring" and law.n >= SPECTRAL_SITES
    return (
        f"colours rings below {SPECTRAL_SITES} sites, not of {law.n}: larger ones may need an FFT" if spectral else None
    )


@fused_law.register(NonlinearGP2D)
def _(_law: NonlinearGP2D) -> str | None:
    return "colours the noise of lines and short rings, not of grids"


@singledispatch
def fused_gate(gate: object) -> str | None:
    """Return why the fused kernels cannot evaluate the gate, or None."""
    return f"opens no gates of the kind {getattr(gate, 'kind', type(gate).__name__)}"


@fused_gate.register(SiteGate)
@fused_gate.register(AlwaysGate)
def _(_gate: SiteGate | AlwaysGate) -> str | None:
    return None


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
