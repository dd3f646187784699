"""Plain gradient descent, w <- w - learning_rate dL/dw, of many replicates at once; t = tau * learning_rate * steps.

"online": every replicate sees `batch` fresh examples a step. "full-batch": every replicate keeps one sample.
"""

import time
from collections.abc import Callable, Sequence
from itertools import repeat

import numpy as np
import torch

from sim.data.sample import Sampler, draw, prepare
from sim.data.single_pulse import PulseSampler
from sim.gates.gating import gate_values
from sim.networks.one_hidden_layer import Examples, Parameters
from sim.random.streams import TRAINING, stream
from sim.training.backends.choice import Backend, backend_for
from sim.training.descent import descend, examples_of, fresh_batches
from sim.training.run import Run
from sim.training.schedule import device_named, networks_at_once, refuse_endless, refuse_too_large, steps_at_times
from sim.training.state import Member, State, beginning, joined, stream_number
from theory.problem import InputError, Problem

Progress = Callable[[int, int], None]
_CHUNK_ROWS = 4096
__all__ = ["examples_of", "fixed_sample", "train"]


def train(
    problem: Problem,
    device: str = "auto",
    *,
    dtype: torch.dtype = torch.float64,
    replicates: Sequence[int] | None = None,
    sample: Examples | None = None,
    progress: Progress | None = None,
    backend: str = "auto",
    resume: State | None = None,
    memory: int | None = None,
) -> Run:
    """Train the problem's network; what every replicate learned, at the problem's times.

    A replicate is keyed by (seed, its number): training a part of them (`replicates`, default all) changes none.
    `sample` gives the examples of a full-batch run, entry s for the s-th replicate, instead of drawing them.
    `backend` is "reference" (torch), "captured" (the same as a CUDA graph), "compiled" (numba, on the CPU, online) or
    "auto", compiled where that is possible and the reference elsewhere.
    `resume` goes on from the `state` of an earlier run of the same networks, on the same numbers as one run without a
    break; all times must lie after it. `memory` bounds the bytes of the networks trained side by side and of their
    examples, on the device; a fixed sample and what is returned come on top. `progress(done, total)` counts
    network-steps. Raises InputError for times between steps, a sample or a state that does not fit; OutOfReachError for
    an absent device or back end, too large a run, or a law or gate without a simulation.
    """
    settings = problem.simulated()
    begin = time.perf_counter()
    where = device_named(device)
    marks = steps_at_times(problem)
    numbers = tuple(range(settings.replicates)) if replicates is None else tuple(replicates)
    if settings.mode == "full-batch":
        if sample is None:
            refuse_endless(marks[-1], len(numbers), settings.samples)
            sample = fixed_sample(problem, numbers, where, dtype)
        _check_sample(problem, sample, len(numbers))
        sample = sample.mapped(lambda tensor: tensor.to(where, dtype))
    elif sample is not None:
        raise InputError("A sample is given, but the mode is online.", 'Use simulation.mode = "full-batch".')
    members = tuple(Member(problem, number) for number in numbers)
    chosen = backend_for(backend, problem, where)
    state = beginning(members) if resume is None else _checked(resume, members)
    learned, state = descended(members, state, sample, where, dtype, chosen, progress, memory)
    return Run(
        problem=problem,
        replicates=numbers,
        times=np.array([float(t) for t in problem.training.times]),
        weights=learned.w.numpy(),
        diverged=state.frozen,
        state=state,
        seed=settings.seed,
        device=str(where),
        steps=marks[-1],
        wall_time=time.perf_counter() - begin,
        sample=sample,
        biases=None if learned.biases is None else learned.biases.numpy(),
        readout=None if learned.readout is None else learned.readout.numpy(),
        backend=chosen.name,
        fallback=chosen.fallback,
    )


def descended(
    members: tuple[Member, ...],
    state: State,
    sample: Examples | None,
    where: torch.device,
    dtype: torch.dtype,
    backend: Backend,
    progress: Progress | None,
    memory: int | None = None,
) -> tuple[Parameters, State]:
    """What the members learned at their times and the last state, in groups that fit the caches and the memory."""
    problem = members[0].problem
    last = max(member.marks[-1] for member in members)
    per_step = problem.simulated().batch if sample is None else sample.x.shape[1]
    refuse_endless(last, len(members), per_step)
    columns = max(problem.data.n, problem.network.units)
    refuse_too_large("One step's examples", 3 * per_step * columns, dtype.itemsize, "Use smaller batches.")
    laws: dict[object, Sampler | PulseSampler] = {}
    if sample is None:
        laws = {law: prepare(law, where, dtype) for law in dict.fromkeys(member.problem.data for member in members)}
    compiled = backend.compiled is not None
    size = networks_at_once(problem, per_step, dtype.itemsize, where, memory, compiled)
    snapshots, states = [], []
    for start in range(0, len(members), size):
        part = slice(start, min(start + size, len(members)))
        group, held = members[part], state.part(part)
        held = held.to(where, dtype)
        todo = last - state.step
        report = shifted(progress, start * todo, state.step, len(group), len(members) * todo)
        samplers = [laws[member.problem.data] for member in group] if sample is None else []
        if compiled:
            seen, held = backend.compiled(group[0], samplers[0], held, report)
        else:
            fresh = sample is None
            batches = fresh_batches(group, samplers, state.step) if fresh else repeat(sample.part(part, slice(None)))
            seen, held = descend(group, held, batches, report, backend.capture)
        snapshots.append(seen)
        states.append(held)
    first, *rest = snapshots
    return first.mapped(lambda *tensors: torch.cat(tensors), *rest), joined(states)


def _checked(state: State, members: tuple[Member, ...]) -> State:
    """The state that a run goes on from, if it belongs to these networks and comes before their times."""
    found = [tuple(tensor.shape) for tensor in state.learned.tensors()]
    needed = [(len(members), *tensor.shape) for tensor in members[0].start().tensors()]
    if found != needed:
        raise InputError(
            f"The state to resume has weights, biases and readout weights of the shapes {found}, this run {needed}.",
            "Resume the same problem and replicates.",
        )
    if state.step > members[0].marks[0]:
        raise InputError(
            f"The state to resume has taken {state.step} steps; training.times[0] is step {members[0].marks[0]}.",
            "Ask for times from there on.",
        )
    return state


def fixed_sample(problem: Problem, replicates: Sequence[int], device: torch.device, dtype: torch.dtype) -> Examples:
    """The fixed examples of a full-batch run, `samples` for each replicate, drawn in chunks."""
    rows, n = problem.simulated().samples, problem.data.n
    gates = problem.network.gates
    columns = n + len(gates) + 1
    remedy = "Lower simulation.samples or replicates, or train a part of the replicates at a time."
    refuse_too_large("The full-batch sample", len(replicates) * rows * columns, dtype.itemsize, remedy)
    sampler = prepare(problem.data, device, dtype)
    like = torch.empty(0, dtype=dtype, device=device)
    x = like.new_empty(len(replicates), rows, n)
    y = like.new_empty(len(replicates), rows)
    gate = like.new_empty(len(replicates), len(gates), rows) if gates else None
    for index, replicate in enumerate(replicates):
        own = [stream(problem.simulated().seed, stream_number(problem, replicate), TRAINING)]
        for start in range(0, rows, _CHUNK_ROWS):
            part = slice(start, min(start + _CHUNK_ROWS, rows))
            drawn = draw(sampler, own, part.stop - part.start)
            x[index, part], y[index, part] = drawn.x[0], drawn.y[0]
            if gate is not None:
                gate[index, :, part] = gate_values(gates, drawn)[0]
    return Examples(x, y, gate)


def shifted(progress: Progress | None, done: int, begun: int, networks: int, total: int) -> Callable[[int], None]:
    """Reports of one group's steps as network-steps of the run, `done` before the group."""
    if progress is None:
        return lambda _step: None
    return lambda step: progress(done + (step - begun) * networks, total)


def _check_sample(problem: Problem, sample: Examples, replicates: int) -> None:
    n, units = problem.data.n, len(problem.network.gates)
    rows = sample.x.shape[1] if sample.x.ndim == 3 else 0
    expected = {"x": (replicates, rows, n), "y": (replicates, rows), "gate": (replicates, units, rows)}
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
