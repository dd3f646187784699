"""Which back end trains: torch, the reference, or the loops of `sim.compiled`."""

from collections.abc import Callable
from importlib.util import find_spec

import torch

from sim.network import Parameters
from sim.sample import Sampler
from sim.state import Member, Report, State
from theory.problem import AlwaysGate, InputError, NonlinearGP, OutOfReachError, Problem, SiteGate, resolved

BACKENDS = ("auto", "reference", "compiled")
Compiled = Callable[[Member, Sampler, State, Report], tuple[Parameters, State]]


def compiled_for(backend: str, problem: Problem, device: torch.device) -> Compiled | None:
    """The compiled descent of one network, or None for the reference, which "auto" takes where the other cannot.

    Raises InputError for another name; OutOfReachError where "compiled" is asked for and cannot be had.
    """
    if backend not in BACKENDS:
        raise InputError(f"backend = {backend!r} is not known.", f"Choose one of: {', '.join(BACKENDS)}.")
    if backend == "reference":
        return None
    obstacle = _obstacle(problem, device)
    if obstacle is None:
        from sim.compiled.train import descend_one

        return descend_one
    if backend == "compiled":
        raise OutOfReachError(f"The compiled back end {obstacle[0]}.", obstacle[1], "backend")
    return None


def _obstacle(problem: Problem, device: torch.device) -> tuple[str, str] | None:
    """Why the compiled back end cannot train this, and what to do; None where it can."""
    reference = 'Use backend="reference".'
    if device.type != "cpu":
        return f"runs on the CPU, not on {device.type}", reference
    if problem.simulated().mode != "online":
        return "draws fresh examples; a full-batch run is one matrix product after another", reference
    if not isinstance(problem.data, NonlinearGP):
        return f"draws the laws nlgp and gaussian-clone, not {problem.data.law}", reference
    if not all(isinstance(gate, SiteGate | AlwaysGate) for gate in resolved(problem.network.gates)):
        return "knows the gates site, always and repeated", reference
    if find_spec("numba") is None:
        return "needs numba, which is not installed", "Install the extra: pip install 'gdln-workbench[speed]'."
    return None
