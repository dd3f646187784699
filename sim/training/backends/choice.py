"""The choice of a back end: torch, or compiled loops on a CPU."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from sim.data.sample import Sampler, prepare
from sim.networks.examples import Examples
from sim.random.streams import Fill, reference_normals
from sim.training.backends.names import BACKENDS, numba_is_installed
from sim.training.backends.reference import train_group
from sim.training.backends.support import draw_obstacle, steps_obstacle
from sim.training.sizes import MANY
from sim.training.state import Replicate, Report, State
from theory.problem import InputError, OutOfReachError, Problem, resolved

STEPS_IN_TORCH = "Torch takes the steps."
# A function of replicates, their sampler or fixed examples, the state and a report; it returns snapshots and a state.
TrainGroup = Callable[
    [Sequence[Replicate], Sampler | None, Examples | None, State, Report], tuple[dict[str, torch.Tensor], State]
]


@dataclass(frozen=True)
class Backend:
    """A way to train: the function that trains a group of networks, and the generator of their normal numbers.

    `one_at_a_time` means that a group is one network, unless networks share their examples. `fallback` is the reason
    why torch takes the steps where compiled loops could have been chosen; else None.
    """

    name: str
    train_group: TrainGroup
    fill: Fill = reference_normals
    one_at_a_time: bool = False
    fallback: str | None = None


def backend_for(backend: str, problem: Problem, device: torch.device, compile_steps: bool = True) -> Backend:
    """Return the back end of that name.

    "reference" is torch alone. "compiled" takes the steps in loops compiled by numba, which draw the examples as well;
    where there are no loops for the steps, or without `compile_steps`, torch takes them on examples that loops draw, or
    on normal numbers from loops. Both agree up to rounding and the order within a batch. "auto" is "compiled" on a CPU
    where numba is installed, else "reference". Raises InputError for another name, and OutOfReachError where a named
    back end cannot run here.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=10, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> problem = Problem(law, Network("relu", "mean", units=2), training, settings)
    >>> backend_for("reference", problem, torch.device("cpu")).name
    'reference'
    """
    if backend not in BACKENDS:
        raise InputError(f"backend = {backend!r} is not known.", f"Choose one of: {', '.join(BACKENDS)}.")
    if backend == "reference" or (backend == "auto" and device.type != "cpu"):
        return Backend("reference", train_group)
    if device.type != "cpu":
        reason = f"Compiled loops run on the CPU, not on {device.type}."
        raise OutOfReachError(reason, 'Use backend="auto" there, or --device cpu.', "backend")
    if numba_is_installed():
        return _compiled(problem, compile_steps)
    reason = "Compiled loops need numba, which is not installed."
    if backend == "auto":
        return Backend("reference", train_group, fallback=reason)
    raise OutOfReachError(reason, "Install the extra: pip install 'gdln-workbench[speed]'.", "backend")


def fastest_normals(device: torch.device) -> Fill:
    """Return the fastest generator of normal numbers: compiled loops on a CPU with numba, else the reference."""
    if device.type != "cpu" or not numba_is_installed():
        return reference_normals
    from sim.training.backends.compiled.normals import compiled_normals

    return compiled_normals


def compiled_sampler(problem: Problem, device: torch.device, dtype: torch.dtype) -> Sampler:
    """Return a sampler of the problem's law in compiled loops: the examples of `sim.data` up to rounding and order.

    Where loops do not draw the law or its gates here, return the sampler of `sim.data`.
    """
    sampler = prepare(problem.data, device, dtype)
    able = device.type == "cpu" and numba_is_installed() and draw_obstacle(problem) is None
    return _in_loops(problem, sampler) if able else sampler


def _in_loops(problem: Problem, sampler: Sampler, segment: int | None = None) -> Sampler:
    """Return the sampler in compiled loops, with examples sorted by class within each `segment` of a draw."""
    from sim.training.backends.compiled.sampler import CompiledSampler

    latent = any(getattr(gate, "on", None) == "latent" for gate in resolved(problem.network.gates))
    batch = problem.simulated().batch
    return CompiledSampler(sampler, latent, by_site=batch is None or batch >= MANY, segment=segment)


def _compiled(problem: Problem, compile_steps: bool) -> Backend:
    fill, reason = fastest_normals(torch.device("cpu")), steps_obstacle(problem)
    if reason is None and compile_steps:
        from sim.training.backends.compiled.train import train_each

        return Backend("compiled", train_each, fill, one_at_a_time=True)
    fallback = STEPS_IN_TORCH if reason is None else f"Torch takes the steps: the compiled loops {reason}."
    settings = problem.simulated()
    if settings.mode != "online" or draw_obstacle(problem) is not None:
        return Backend("compiled", train_group, fill, fallback=fallback)

    def train_on_drawn(
        replicates: Sequence[Replicate], sampler: Sampler, sample: Examples | None, state: State, report: Report
    ) -> tuple[dict[str, torch.Tensor], State]:
        return train_group(replicates, _in_loops(problem, sampler, settings.batch), sample, state, report)

    return Backend("compiled", train_on_drawn, fill, fallback=fallback)
