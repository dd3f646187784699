"""Plain gradient descent, w <- w - learning_rate dL/dw, of many replicates at once; t = tau * learning_rate * steps.

"online": every replicate sees `batch` fresh examples a step. "full-batch": every replicate keeps one sample.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat

import numpy as np
import torch
from jaxtyping import Bool

from sim.gating import gate_values
from sim.network import Examples, Parameters, gradient
from sim.pulse import PulseSampler
from sim.run import Run
from sim.sample import Draw, Sampler, draw, prepare, scratch
from sim.schedule import device_named, grouping, refuse_endless, refuse_too_large, steps_at_times
from sim.streams import TRAINING, Stream, stream
from theory.problem import InputError, Problem

Progress = Callable[[int, int], None]
_CHUNK_ROWS = 4096


def train(
    problem: Problem,
    device: str = "auto",
    *,
    dtype: torch.dtype = torch.float64,
    replicates: Sequence[int] | None = None,
    sample: Examples | None = None,
    progress: Progress | None = None,
) -> Run:
    """Train the problem's network; the weights and biases of every replicate at the problem's times.

    A replicate is keyed by (seed, its number): training a part of them (`replicates`, default all) changes none.
    `sample` gives the examples of a full-batch run, entry s for the s-th replicate, instead of drawing them.
    `progress(done, total)` counts network-steps. Raises InputError for times between steps or a sample that does not
    fit; OutOfReachError for an absent device, too large a run, or a law or gate without a simulation.
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
        sample = _moved(sample, where, dtype)
    elif sample is not None:
        raise InputError("A sample is given, but the mode is online.", 'Use simulation.mode = "full-batch".')

    per_step = settings.batch if sample is None else sample.x.shape[1]
    refuse_endless(marks[-1], len(numbers), per_step)
    columns = max(problem.data.n, problem.network.units)
    refuse_too_large("One step's examples", 3 * per_step * columns, dtype.itemsize, "Use smaller batches.")
    size = grouping(per_step, columns).replicates
    weights = np.empty((len(numbers), len(marks), problem.network.units, problem.data.n))
    biases = np.empty((*weights.shape[:2], problem.network.units + 1)) if problem.network.has_biases else None
    diverged = np.zeros(len(numbers), dtype=bool)
    sampler = prepare(problem.data, where, dtype) if sample is None else None
    for start in range(0, len(numbers), size):
        part = slice(start, min(start + size, len(numbers)))
        group = numbers[part]
        if sampler is None:
            batches = repeat(sample.part(part, slice(None)))
        else:
            batches = _fresh_batches(problem, sampler, group, where)
        initial = _start(problem, group).mapped(lambda tensor: tensor.to(where, dtype))
        done = start * marks[-1]
        report = _shifted(progress, done, len(group), len(numbers) * marks[-1])
        learned, diverged[part] = _descend(problem, initial, batches, marks, report)
        weights[part] = learned.w.numpy()
        if biases is not None:
            biases[part] = learned.biases.numpy()
    return Run(
        problem=problem,
        replicates=numbers,
        times=np.array([float(t) for t in problem.training.times]),
        weights=weights,
        diverged=diverged,
        seed=settings.seed,
        device=str(where),
        steps=marks[-1],
        wall_time=time.perf_counter() - begin,
        sample=sample,
        biases=biases,
    )


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
        own = [stream(problem.simulated().seed, replicate, TRAINING, device)]
        for start in range(0, rows, _CHUNK_ROWS):
            part = slice(start, min(start + _CHUNK_ROWS, rows))
            drawn = draw(sampler, own, part.stop - part.start)
            x[index, part], y[index, part] = drawn.x[0], drawn.y[0]
            if gate is not None:
                gate[index, :, part] = gate_values(gates, drawn)[0]
    return Examples(x, y, gate)


def examples_of(problem: Problem, drawn: Draw) -> Examples:
    """What the network sees of a draw: the latent enters through the gates alone."""
    gates = problem.network.gates
    return Examples(drawn.x, drawn.y, gate_values(gates, drawn) if gates else None)


def _fresh_batches(
    problem: Problem, sampler: Sampler | PulseSampler, group: Sequence[int], device: torch.device
) -> Iterator[Examples]:
    settings = problem.simulated()
    steps = grouping(settings.batch, max(problem.data.n, problem.network.units)).steps
    rows = steps * settings.batch
    streams: list[Stream] = [stream(settings.seed, number, TRAINING, device) for number in group]
    room = scratch(sampler, len(group), rows)
    while True:
        block = examples_of(problem, draw(sampler, streams, rows, room))
        for start in range(0, rows, settings.batch):
            yield block.part(slice(None), slice(start, start + settings.batch))


def _descend(
    problem: Problem,
    learned: Parameters,
    batches: Iterator[Examples],
    marks: tuple[int, ...],
    report: Callable[[int], None],
) -> tuple[Parameters, Bool[np.ndarray, " S"]]:
    """What was learned after `marks` steps, the times as the second axis, and which replicates diverged.

    A replicate has diverged when a weight or bias is not finite or exceeds max^(1/5), max the largest number of the
    dtype: from there on the fourth powers of the participation ratio may overflow. It is frozen before that step.
    """
    network, kind = problem.network, problem.training.loss
    rate = float(problem.simulated().learning_rate)
    limit = torch.finfo(learned.w.dtype).max ** 0.2
    alive = torch.ones(len(learned.w), dtype=torch.bool, device=learned.w.device)
    snapshots = learned.mapped(lambda x: torch.empty(len(x), len(marks), *x.shape[1:], dtype=torch.float64))
    step = 0
    for index, mark in enumerate(marks):
        while step < mark:
            slope = gradient(network, kind, learned, next(batches))
            moved = learned.mapped(lambda x, dx: torch.sub(x, dx, alpha=rate), slope)
            # A NaN makes the maximum NaN, which is not below the limit.
            if not all(bool(tensor.abs().max() < limit) for tensor in moved.tensors()):
                for tensor in moved.tensors():
                    alive &= (tensor.abs() < limit).flatten(1).all(dim=1)
                moved = moved.mapped(partial(_where, alive), learned)
            learned = moved
            step += 1
            report(step)
        for seen, tensor in zip(snapshots.tensors(), learned.tensors(), strict=True):
            seen[:, index] = tensor
    return snapshots, ~alive.cpu().numpy()


def _where(alive: torch.Tensor, moved: torch.Tensor, still: torch.Tensor) -> torch.Tensor:
    return torch.where(alive.view(-1, *[1] * (moved.ndim - 1)), moved, still)


def _start(problem: Problem, group: Sequence[int]) -> Parameters:
    own = problem.simulated().initialisation == "per-replicate"
    keys = [number if own else None for number in group]
    w = torch.from_numpy(np.stack([problem.w0(key) for key in keys]))
    if not problem.network.has_biases:
        return Parameters(w)
    return Parameters(w, torch.from_numpy(np.stack([problem.biases0(key) for key in keys])))


def _shifted(progress: Progress | None, done: int, networks: int, total: int) -> Callable[[int], None]:
    if progress is None:
        return lambda _step: None
    return lambda step: progress(done + step * networks, total)


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


def _moved(sample: Examples, device: torch.device, dtype: torch.dtype) -> Examples:
    gate = None if sample.gate is None else sample.gate.to(device, dtype)
    return Examples(sample.x.to(device, dtype), sample.y.to(device, dtype), gate)
