"""The choice of a back end: steps in torch, with or without compiled draws or a CUDA graph, or compiled loops."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch

from sim.data.sample import Sampler, prepare
from sim.networks.examples import Examples
from sim.random.streams import Fill, reference_normals
from sim.training.backends import ahead
from sim.training.backends.compiling import compile_order
from sim.training.backends.names import BACKENDS, numba_is_installed
from sim.training.backends.reference import train_group
from sim.training.backends.support import data_obstacle, draw_obstacle, obstacle
from sim.training.sizes import MANY
from sim.training.state import Replicate, Report, State
from theory.problem import InputError, OutOfReachError, Problem, resolved

_INSTALL = "Install the extra: pip install 'gdln-workbench[speed]'."

# A function of replicates, their sampler or fixed examples, the state and a report; it returns snapshots and a state.
TrainGroup = Callable[
    [Sequence[Replicate], Sampler | None, Examples | None, State, Report], tuple[dict[str, torch.Tensor], State]
]


@dataclass(frozen=True)
class Backend:
    """A way to train: the function that trains a group of networks, and the generator of their normal numbers.

    `one_at_a_time` means that a group is one network, unless networks share their examples. `fallback` is the reason
    why "auto" did not choose the compiled loops; None where it did, or where a back end was requested by name.
    """

    name: str
    train_group: TrainGroup
    fill: Fill = reference_normals
    one_at_a_time: bool = False
    fallback: str | None = None


def backend_for(backend: str, problem: Problem, device: torch.device) -> Backend:
    """Return the back end of that name.

    "reference" is torch alone. "compiled-normals" takes the same steps on normal numbers from compiled loops, equal up
    to rounding; "compiled-examples" takes them on batches that compiled loops draw, equal up to rounding and the order
    within a batch. "compiled" takes the steps in compiled loops too. "captured" is the reference with its steps
    recorded as a CUDA graph. "auto" is "captured" on a GPU; on a CPU it is the first of "compiled",
    "compiled-examples", "compiled-normals" and "reference" that can train the problem. Raises InputError for another
    name, and OutOfReachError where a named back end cannot train the problem here.

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
    if backend == "reference":
        return Backend("reference", train_group)
    if backend == "captured" or (backend == "auto" and device.type == "cuda"):
        return _captured(device)
    if backend == "compiled-normals":
        return _on_compiled_normals(device)
    if backend == "compiled-examples":
        return _on_compiled_examples(problem, device)
    found = obstacle(problem, device)
    if found is None:
        from sim.training.backends.compiled.train import train_each

        return Backend("compiled", train_each, fastest_normals(device), one_at_a_time=True)
    reason = f"The compiled back end {found[0]}."
    if backend == "compiled":
        raise OutOfReachError(reason, found[1], "backend")
    if draw_obstacle(problem, device) is None:
        return replace(_on_compiled_examples(problem, device), fallback=reason)
    return Backend(fastest_in_torch(device), train_group, fastest_normals(device), fallback=reason)


def fastest_in_torch(device: torch.device) -> str:
    """Return the name of the fastest back end that takes single steps in torch."""
    return "compiled-normals" if device.type == "cpu" and numba_is_installed() else "reference"


def fastest_normals(device: torch.device) -> Fill:
    """Return the fastest generator of normal numbers: compiled loops on a CPU with numba, else the reference."""
    if device.type != "cpu" or not numba_is_installed():
        return reference_normals
    from sim.training.backends.compiled.normals import compiled_normals

    return compiled_normals


def compiled_sampler(problem: Problem, device: torch.device, dtype: torch.dtype) -> Sampler:
    """Return a sampler of the problem's law in compiled loops: the examples of `sim.data` up to rounding and order.

    If `support.data_obstacle` has a reason against compiled loops, return the sampler of `sim.data`.
    """
    sampler = prepare(problem.data, device, dtype)
    return sampler if data_obstacle(problem, device) is not None else _compiled(problem, sampler)


def _compiled(problem: Problem, sampler: Sampler, segment: int | None = None) -> Sampler:
    """Return the sampler in compiled loops, with examples sorted by class within each `segment` of a draw."""
    from sim.training.backends.compiled.sampler import CompiledSampler

    latent = any(getattr(gate, "on", None) == "latent" for gate in resolved(problem.network.gates))
    batch = problem.simulated().batch
    return CompiledSampler(sampler, latent, by_site=batch is None or batch >= MANY, segment=segment)


def _on_compiled_normals(device: torch.device) -> Backend:
    if device.type != "cpu":
        raise OutOfReachError(
            f"Compiled normal numbers are drawn on the CPU, and this run is on {device.type}.",
            'Use backend="auto" there, or --device cpu.',
            "backend",
        )
    if not numba_is_installed():
        raise OutOfReachError("Compiled normal numbers need numba, which is not installed.", _INSTALL, "backend")
    return Backend("compiled-normals", train_group, fastest_normals(device))


def _on_compiled_examples(problem: Problem, device: torch.device) -> Backend:
    found = draw_obstacle(problem, device)
    if found is not None:
        raise OutOfReachError(f"The back end compiled-examples {found[0]}.", found[1], "backend")
    compile_order(problem.simulated().dtype)  # there is time for it while another process compiles the draws

    def train_on_compiled(
        replicates: Sequence[Replicate], sampler: Sampler, sample: Examples | None, state: State, report: Report
    ) -> tuple[dict[str, torch.Tensor], State]:
        ahead.wait()
        drawing = _compiled(problem, sampler, segment=problem.simulated().batch)
        return train_group(replicates, drawing, sample, state, report)

    return Backend("compiled-examples", train_on_compiled, fastest_normals(device))


def _captured(device: torch.device) -> Backend:
    if device.type != "cuda":
        raise OutOfReachError(
            f"The captured back end is a CUDA graph, and this run is on {device.type}.",
            'Use backend="auto" there, or --device cuda.',
            "backend",
        )
    from sim.training.backends.captured import Captured

    return Backend("captured", partial(train_group, capture=Captured))
