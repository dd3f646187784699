"""Problems that differ in numbers alone, trained side by side as one batch of networks."""

import time
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import torch

from sim.train import Progress, descended
from sim.training.backends.choice import backend_for
from sim.training.run import Run
from sim.training.schedule import device_named
from sim.training.state import Member, beginning
from theory.problem import InputError, NonlinearGP, Problem

_ONE = Fraction(1)


@dataclass(frozen=True)
class Batch:
    """Online problems equal but for gain, xi, labels, learning rate, seed, times and where the networks start.

    Raises InputError where two of them differ in more: their networks would not fit one stack of weights.
    """

    problems: tuple[Problem, ...]

    def __post_init__(self) -> None:
        if not self.problems:
            raise InputError("A batch needs at least one problem.", "Give the problems to be trained side by side.")
        for index, problem in enumerate(self.problems):
            if problem.simulated().mode != "online":
                raise InputError(f"Problem {index} of the batch is full-batch.", "Train it by itself.")
            if _common(problem) != _common(self.problems[0]):
                raise InputError(
                    f"Problem {index} of the batch differs from problem 0 in more than gain, xi, labels, learning "
                    "rate, seed, times and initial weights.",
                    "Train it by itself, or in a batch of its own kind.",
                )

    def members(self) -> tuple[Member, ...]:
        """Every replicate of every problem, in order."""
        own = ((problem, range(problem.simulated().replicates)) for problem in self.problems)
        return tuple(Member(problem, number) for problem, numbers in own for number in numbers)


def train_batch(
    batch: Batch,
    device: str = "auto",
    *,
    dtype: torch.dtype = torch.float64,
    progress: Progress | None = None,
    backend: str = "auto",
    memory: int | None = None,
) -> tuple[Run, ...]:
    """A run for each problem, as `sim.train.train` would give it, trained together; `wall_time` is that of all."""
    begin, where, members = time.perf_counter(), device_named(device), batch.members()
    chosen = backend_for(backend, batch.problems[0], where)
    learned, state = descended(members, beginning(members), None, where, dtype, chosen, progress, memory)
    took, runs, start = time.perf_counter() - begin, [], 0
    for problem in batch.problems:
        settings = problem.simulated()
        part = slice(start, start + settings.replicates)
        runs.append(
            Run(
                problem=problem,
                replicates=tuple(range(settings.replicates)),
                times=np.array([float(t) for t in problem.training.times]),
                weights=learned.w[part].numpy(),
                diverged=state.frozen[part],
                seed=settings.seed,
                device=str(where),
                steps=members[start].marks[-1],
                wall_time=took,
                biases=None if learned.biases is None else learned.biases[part].numpy(),
                readout=None if learned.readout is None else learned.readout[part].numpy(),
                backend=chosen.name,
                fallback=chosen.fallback,
            )
        )
        start = part.stop
    return tuple(runs)


def _common(problem: Problem) -> Problem:
    """The problem with everything set to one value in which the members of a batch may differ."""
    data = problem.data
    if isinstance(data, NonlinearGP):
        data = replace(data, gain=_ONE, xi=(_ONE / 2, _ONE / 2), labels=(_ONE, _ONE))
    training, network = problem.training, problem.network
    start = ((_ONE,) * data.n,) * problem.network.units
    each = (_ONE,) * network.units
    further = {"hidden_bias0": each, "output_bias0": _ONE} if network.has_biases else {}
    further |= {"readout0": each} if network.trains_readout else {}
    times = tuple(Fraction(index) for index in range(len(training.times)))
    training = replace(training, w0=start, times=times, **further)
    settings = replace(
        problem.simulated(), learning_rate=_ONE, seed=0, replicates=2, samples=1, initialisation="shared"
    )
    return Problem(data, problem.network, training, settings)
