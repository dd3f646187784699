"""Which back end trains: torch, the reference, or the loops of `sim.training.backends.compiled`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import inf

import torch

from sim.data.sample import Sampler
from sim.networks.one_hidden_layer import Parameters
from sim.training.descent import Capture
from sim.training.state import Member, Report, State
from theory.problem import DirectionGate, Gate, InputError, NonlinearGP, OutOfReachError, Problem, resolved

BACKENDS = ("auto", "reference", "compiled", "captured")
Compiled = Callable[[Member, Sampler, State, Report], tuple[Parameters, State]]


@dataclass(frozen=True)
class Backend:
    """What trains: the compiled descent of one network, the captured steps of many, or the reference, without either.

    `fallback` says why "auto" took the reference; None where it did not, or was not asked.
    """

    name: str
    compiled: Compiled | None = None
    capture: Capture | None = None
    fallback: str | None = None


def backend_for(backend: str, problem: Problem, device: torch.device) -> Backend:
    """The back end of that name; "auto" is the compiled one where it can train the problem, else the reference.

    "captured" is the reference with its steps recorded as a CUDA graph, which is what "auto" takes on a GPU.
    Raises InputError for another name; OutOfReachError where one is asked for by name and cannot be had.
    """
    if backend not in BACKENDS:
        raise InputError(f"backend = {backend!r} is not known.", f"Choose one of: {', '.join(BACKENDS)}.")
    if backend == "reference":
        return Backend("reference")
    if backend == "captured" or (backend == "auto" and device.type == "cuda"):
        return _captured(device)
    obstacle = _obstacle(problem, device)
    if obstacle is None:
        from sim.training.backends.compiled.train import descend_one

        return Backend("compiled", descend_one)
    reason = f"The compiled back end {obstacle[0]}."
    if backend == "compiled":
        raise OutOfReachError(reason, obstacle[1], "backend")
    return Backend("reference", fallback=reason)


def _captured(device: torch.device) -> Backend:
    if device.type != "cuda":
        raise OutOfReachError(
            f"The captured back end is a CUDA graph, and this run is on {device.type}.",
            'Use backend="auto" there, or --device cuda.',
            "backend",
        )
    from sim.training.backends.captured import Captured, checked, cuda_graph

    return Backend("captured", capture=partial(Captured, checked(cuda_graph)))


def _saturates(gate: Gate, law: NonlinearGP) -> bool:
    """Whether rounding of x = erf(gain z)/Z may lose the sign a hard gate asks for; see `sim.gates.saturation`."""
    return (
        isinstance(gate, DirectionGate)
        and gate.sharpness == inf
        and gate.on == "input"
        and law.latent
        and len(gate.v) > 1
    )


def _obstacle(problem: Problem, device: torch.device) -> tuple[str, str] | None:
    """Why the compiled back end cannot train this, and what to do; None where it can."""
    reference = 'Use backend="reference".'
    if device.type != "cpu":
        return f"runs on the CPU, not on {device.type}", reference
    if problem.simulated().mode != "online":
        return "draws fresh examples; a full-batch run is one matrix product after another", reference
    if not isinstance(problem.data, NonlinearGP):
        return f"draws Gaussian laws and their erf, not {problem.data.law}", reference
    if any(_saturates(gate, problem.data) for gate in resolved(problem.network.gates)):
        return "opens no hard gates along several saturated inputs", reference
    if find_spec("numba") is None:
        return "needs numba, which is not installed", "Install the extra: pip install 'gdln-workbench[speed]'."
    return None
