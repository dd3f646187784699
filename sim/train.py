"""Plain gradient descent, w <- w - learning_rate dL/dw, of many replicates at once; t = tau * learning_rate * steps.

"online": every replicate sees `batch` fresh examples a step. "full-batch": every replicate keeps one sample.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

import numpy as np
import torch

from sim.data.sample import prepare
from sim.gates.gating import gate_values
from sim.networks.deep import refuse_untrained
from sim.networks.examples import Examples
from sim.networks.parameters import Parameters, joined, mapped
from sim.random.streams import TRAINING, Fill, reference_normals, stream
from sim.threads import in_threads
from sim.training.backends.choice import Backend, backend_for
from sim.training.memory import bytes_of_one, networks_at_once
from sim.training.pieces import Pauses, blocks_of, first_length, in_pieces, part_of
from sim.training.run import Run
from sim.training.schedule import (
    device_named,
    dtype_of,
    name_of,
    refuse_endless,
    refuse_too_large,
)
from sim.training.sizes import SAMPLE_ROWS, columns
from sim.training.stability import unexplained
from sim.training.state import Replicate, State, beginning, stream_number, together
from sim.training.times import steps_at_times
from theory.problem import DeepNetwork, InputError, Problem

Progress = Callable[[int, int], None]
__all__ = ["fixed_sample", "train"]


def train(
    problem: Problem,
    device: str = "auto",
    *,
    dtype: torch.dtype | None = None,
    replicates: Sequence[int] | None = None,
    sample: Examples | None = None,
    progress: Progress | None = None,
    backend: str = "auto",
    resume: State | None = None,
    pauses: Pauses | None = None,
    memory: int | None = None,
    threads: int = 1,
    compile_steps: bool = True,
) -> Run:
    """Train the problem's network; return every replicate's parameters at the problem's times.

    A replicate depends on the seed and its number only: training some of them (`replicates`, default all) changes none.
    `sample` gives the examples of a full-batch run, entry s for the s-th replicate, instead of drawing them.
    `dtype` overrides simulation.dtype; `Run.dtype` is the type used.
    `backend` is "reference" (torch), "compiled" (loops of numba, on the CPU) or "auto", which takes the faster of them
    here; `Run.backend` says which. Without `compile_steps`, and where no loops take the steps of the problem
    (`Run.fallback`), torch takes them on what the loops draw.
    `resume` continues from the `state` of an earlier run of the same networks, with the same numbers as in a run
    without a break; all times must lie after it. `pauses` gives a part of the run every few seconds, with which a later
    call continues bit for bit; runs on a GPU have no pauses. `memory` bounds the bytes of the networks trained side by
    side and of their examples on the device; a fixed sample and the result need additional memory. On a CPU up to
    `threads` groups of networks are trained at once, which changes no number. `progress(done, total)` counts
    network-steps.
    Raises InputError for times between steps, a sample or a state that does not fit; OutOfReachError for an absent
    device or back end, too large a run, or a law, gate or model without a training; a deep network learns by autograd.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=100, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> run = train(Problem(law, Network("relu", "mean", units=2), training, settings), "cpu")
    >>> run.weights.shape, run.steps
    ((3, 2, 2, 4), 2)
    """
    settings = problem.simulated()
    if isinstance(problem.network, DeepNetwork):
        refuse_untrained(problem.network)
    begin = time.perf_counter()
    where, kind = device_named(device), dtype_of(problem) if dtype is None else dtype
    called, last = name_of(kind), steps_at_times(problem)[-1]
    numbers = tuple(range(settings.replicates)) if replicates is None else tuple(replicates)
    chosen = backend_for(backend, problem, where, compile_steps)
    if settings.mode == "full-batch":
        if sample is None:
            refuse_endless(last, len(numbers), settings.samples)
            sample = fixed_sample(problem, numbers, where, kind, chosen.fill)
        _check_sample(problem, sample, len(numbers))
        sample = sample.mapped(lambda tensor: tensor.to(where, kind))
    elif sample is not None:
        raise InputError("A sample is given, but the mode is online.", 'Use simulation.mode = "full-batch".')
    own = tuple(Replicate(problem, number, chosen.fill) for number in numbers)
    if resume is not None and pauses is not None:
        raise InputError("A state and pauses are given.", "Give one of `resume` and `pauses`.")
    state = beginning(own) if resume is None else _checked(resume, own)
    snapshots, state = descended(own, state, sample, where, kind, chosen, progress, memory, threads, pauses)
    ends = mapped(lambda tensor: tensor[:, -1], snapshots)
    return Run(
        problem=problem,
        replicates=numbers,
        times=np.array([float(t) for t in problem.training.times]),
        parameters={name: tensor.numpy() for name, tensor in snapshots.items()},
        diverged=state.frozen | unexplained(problem, beginning(own).parameters, ends, sample),
        state=state,
        seed=settings.seed,
        device=str(where),
        steps=last,
        wall_time=time.perf_counter() - begin,
        sample=sample,
        backend=chosen.name,
        fallback=chosen.fallback,
        dtype=called,
    )


def descended(
    replicates: tuple[Replicate, ...],
    state: State,
    sample: Examples | None,
    where: torch.device,
    dtype: torch.dtype,
    backend: Backend,
    progress: Progress | None,
    memory: int | None = None,
    threads: int = 1,
    pauses: Pauses | None = None,
) -> tuple[Parameters, State]:
    """Return the snapshots of the replicates and their last state; groups that fit caches and memory are trained."""
    problem, steps = replicates[0].problem, replicates[0].snapshot_steps
    last = steps[-1]
    per_step = problem.simulated().batch if sample is None else sample.x.shape[1]
    refuse_endless(last, len(replicates), per_step)
    refuse_too_large("One step's examples", 3 * per_step * columns(problem), dtype.itemsize, "Use smaller batches.")
    sampler = prepare(problem.data, where, dtype) if sample is None else None
    size = networks_at_once(problem, per_step, dtype.itemsize, where.type, memory, backend.one_at_a_time)
    if where.type != "cpu":
        threads = 1
    elif memory is not None:
        threads = min(
            threads, memory // (size * bytes_of_one(problem, per_step, dtype.itemsize, backend.one_at_a_time))
        )
    parts = [slice(start, min(start + size, len(replicates))) for start in range(0, len(replicates), size)]
    begun = None if pauses is None else pauses.begun
    if begun is not None:
        state = part_of(begun, _shapes(replicates), steps).state
    counted = _Counted(progress, len(replicates) * (last - state.step))

    def advance(state: State, asked: tuple[int, ...]) -> tuple[Parameters, State]:
        def trained(part: slice, check: Callable[[], None]) -> tuple[dict[str, torch.Tensor], State]:
            group = [replace(replicate, asked=asked) for replicate in replicates[part]]
            fixed = None if sample is None else sample.part(part, slice(None))
            report = counted.of(len(group), state.step, check)
            return backend.train_group(group, sampler, fixed, state.part(part).to(where, dtype), report)

        snapshots, states = zip(*in_threads(trained, parts, threads), strict=True)
        return joined(snapshots), together(states)

    if pauses is None or where.type != "cpu":
        return advance(state, steps)
    first = first_length(problem, len(replicates), per_step, pauses.seconds)
    return in_pieces(advance, state, blocks_of(problem, steps, backend.one_at_a_time), pauses, first)


class _Counted:
    """A counter of the network-steps of all groups, to which several threads report."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done, self._lock = progress, total, 0, Lock()

    def of(self, networks: int, begun: int, check: Callable[[], None]) -> Callable[[int], None]:
        """Return the report function of a group of `networks` networks whose first step is `begun`."""
        seen = begun

        def report(step: int) -> None:
            nonlocal seen
            check()
            if self._progress is not None:
                with self._lock:
                    self._done += (step - seen) * networks
                    self._progress(self._done, self._total)
            seen = step

        return report


def _checked(state: State, replicates: tuple[Replicate, ...]) -> State:
    """Return the state from which a run resumes; InputError unless it fits these networks and precedes their times."""
    found, needed = {name: tuple(tensor.shape) for name, tensor in state.parameters.items()}, _shapes(replicates)
    if found != needed:
        raise InputError(
            f"The state to resume has parameters of the shapes {found}, this run {needed}.",
            "Resume the same problem and replicates.",
        )
    first = replicates[0].snapshot_steps[0]
    if state.step > first:
        raise InputError(
            f"The state to resume has taken {state.step} steps; training.times[0] is step {first}.",
            "Ask for times from there on.",
        )
    return state


def _shapes(replicates: tuple[Replicate, ...]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the parameters of all networks, by name."""
    return {name: (len(replicates), *tensor.shape) for name, tensor in replicates[0].start().items()}


def fixed_sample(
    problem: Problem,
    replicates: Sequence[int],
    device: torch.device,
    dtype: torch.dtype,
    fill: Fill = reference_normals,
) -> Examples:
    """Return the fixed examples of a full-batch run, `samples` for each replicate, drawn in chunks.

    Replicates that share one stream have views of one sample. Raises OutOfReachError where they would not fit the
    memory, and for a law or gate without a simulation.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("full-batch", samples=10, learning_rate="1/2", replicates=3, seed=0)
    >>> problem = Problem(law, Network("relu", "mean", units=2), training, settings)
    >>> fixed_sample(problem, [0, 2], torch.device("cpu"), torch.float64).x.shape
    torch.Size([2, 10, 4])
    """
    rows, n = problem.simulated().samples, problem.data.n
    gates = problem.network.gates
    numbers = n + len(gates) + problem.data.outputs
    remedy = "Lower simulation.samples or replicates, or train a part of the replicates at a time."
    apart = replicates[:1] if problem.simulated().shared_stream else replicates
    refuse_too_large("The full-batch sample", len(apart) * rows * numbers, dtype.itemsize, remedy)
    sampler = prepare(problem.data, device, dtype)
    like = torch.empty(0, dtype=dtype, device=device)
    x = like.new_empty(len(apart), rows, n)
    y = like.new_empty(len(apart), rows, *_vector(problem))
    gate = like.new_empty(len(apart), len(gates), rows) if gates else None
    for index, replicate in enumerate(apart):
        own = [stream(problem.simulated().seed, stream_number(problem, replicate), TRAINING, fill=fill)]
        for start in range(0, rows, SAMPLE_ROWS):
            part = slice(start, min(start + SAMPLE_ROWS, rows))
            drawn = sampler.draw(own, part.stop - part.start)
            x[index, part], y[index, part] = drawn.x[0], drawn.y[0]
            if gate is not None:
                gate[index, :, part] = gate_values(gates, drawn)[0]
    own = Examples(x, y, gate)
    return own if len(apart) == len(replicates) else own.shared_by(len(replicates))


def _vector(problem: Problem) -> tuple[int, ...]:
    """Return the shape of one label: () for a number, (m,) for m > 1 numbers."""
    return () if problem.data.outputs == 1 else (problem.data.outputs,)


def _check_sample(problem: Problem, sample: Examples, replicates: int) -> None:
    n, units = problem.data.n, len(problem.network.gates)
    rows = sample.x.shape[1] if sample.x.ndim == 3 else 0
    expected = {
        "x": (replicates, rows, n),
        "y": (replicates, rows, *_vector(problem)),
        "gate": (replicates, units, rows),
    }
    given = {"x": sample.x, "y": sample.y, "gate": sample.gate}
    if not units:
        expected.pop("gate")
    for name, shape in expected.items():
        found = None if given[name] is None else tuple(given[name].shape)
        if found != shape or rows == 0:
            raise InputError(
                f"sample.{name} has the shape {found}; this problem needs {shape}, replicates and examples first.",
                "Give x (S, N, n), y (S, N) and, for a gated-linear network, gate (S, K, N).",
            )
