"""Obstacles to the compiled loops: dispatches on law and gate, which reject unregistered types.

An obstacle is a reason that completes "The loops ...", or None.
"""

from fractions import Fraction
from functools import singledispatch
from math import inf

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

MODELS = ("gated-linear", "relu", "leaky-relu", "erf", "sigmoid")
LOSSES = ("half-mse", "mse", "cross-entropy")
_FAIR = (Fraction(1, 2), Fraction(1, 2))


def steps_obstacle(problem: Problem) -> str | None:
    """Return why compiled loops cannot take the steps of the problem, or None."""
    return _mode(problem) or of_law(problem.data) or _network(problem) or _of_gates(problem)


def draw_obstacle(problem: Problem) -> str | None:
    """Return why compiled loops cannot draw the examples of the problem, or None."""
    return of_law(problem.data) or _of_gates(problem)


def _of_gates(problem: Problem) -> str | None:
    gates = () if isinstance(problem.network, DeepNetwork) else problem.network.gates
    reasons = (of_gate(gate, problem.data) for gate in resolved(gates))
    return next((reason for reason in reasons if reason is not None), None)


@singledispatch
def of_law(law: object) -> str | None:
    """Return why compiled loops cannot draw the law, or None; they draw only laws that are registered here."""
    return f"draw Gaussian laws and their erf alone, not the law {getattr(law, 'law', type(law).__name__)}"


@of_law.register(NonlinearGP)
@of_law.register(NonlinearGP2D)
@of_law.register(GaussianClone)
def _(law: NonlinearGP) -> str | None:
    if law.probabilities != _FAIR:
        return "draw two equally likely classes, not others"
    if law.outputs > 1:
        return "train one output, not several"
    if isinstance(law.gain, tuple):
        return "draw classes of one gain, not of several"
    if law.latent and not isinstance(law.nonlinearity, Erf):
        return f"draw Gaussian laws and their erf, not their {law.nonlinearity.kind}"
    return "draw no class means" if law.means else None


@singledispatch
def of_gate(gate: object, _law: object) -> str | None:
    """Return why compiled loops cannot evaluate the gate on data of the law, or None."""
    return f"open no gates of the kind {getattr(gate, 'kind', type(gate).__name__)}"


@of_gate.register(SiteGate)
@of_gate.register(AlwaysGate)
def _(_gate: SiteGate | AlwaysGate, _law: object) -> str | None:
    return None


@of_gate.register
def _(gate: DirectionGate, law: object) -> str | None:
    """Reject gates whose sign the rounding of x = erf(gain z)/Z may lose; see `sim.gates.saturation`."""
    saturates = gate.sharpness == inf and gate.on == "input" and law.latent and len(gate.v) > 1
    return "open no hard gates along several saturated inputs" if saturates else None


def _mode(problem: Problem) -> str | None:
    if problem.simulated().mode == "online":
        return None
    return "draw fresh examples; a full-batch run is one matrix product after another"


def _network(problem: Problem) -> str | None:
    if problem.network.model not in MODELS:
        return f"take no steps of the model {problem.network.model}"
    if problem.training.loss not in LOSSES:
        return f"take no steps of the loss {problem.training.loss}"
    return None
