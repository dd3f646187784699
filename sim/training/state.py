"""The replicates of a run, and the state of their networks between two steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool

from sim.networks.parameters import Parameters, joined, mapped
from sim.random.streams import TRAINING, Fill, Stream, reference_normals, stream
from sim.training.times import steps_at_times
from theory.problem import Problem

Report = Callable[[int], None]


@dataclass(frozen=True)
class Replicate:
    """One network of a run: replicate `number` of a problem; `fill` generates the normal numbers of its data.

    `asked` are the steps of its snapshots in a piece of the run; None means those at the problem's times.
    """

    problem: Problem
    number: int
    fill: Fill = reference_normals
    asked: tuple[int, ...] | None = None

    @property
    def rate(self) -> float:
        """The learning rate."""
        return float(self.problem.simulated().learning_rate)

    @property
    def snapshot_steps(self) -> tuple[int, ...]:
        """The step counts at the problem's times, or those that a piece of the run asks for."""
        return steps_at_times(self.problem) if self.asked is None else self.asked

    def stream(self, step: int = 0) -> Stream:
        """Return the stream of its training data from a step on."""
        settings, number = self.problem.simulated(), stream_number(self.problem, self.number)
        return stream(settings.seed, number, TRAINING, step * (settings.batch or 0), self.fill)

    def start(self) -> dict[str, torch.Tensor]:
        """Return its initial parameters, in float64."""
        own = self.problem.simulated().initialisation == "per-replicate"
        start = self.problem.start(self.number if own else None)
        return {name: torch.from_numpy(array) for name, array in start.items()}


def stream_number(problem: Problem, number: int) -> int:
    """Return the stream that a replicate draws from: its own number, or 0 where all replicates share one stream."""
    return 0 if problem.simulated().shared_stream else number


@dataclass(frozen=True)
class State:
    """S networks after `step` steps: their parameters, and which of them are frozen because they diverged.

    `first` and `second` are the optimiser's means of the gradient and of its square, by the names of the trained
    parameters; None before the first step of an optimiser with memory, and for one without.
    """

    step: int
    parameters: Parameters
    frozen: Bool[np.ndarray, " S"]
    first: Parameters | None = None
    second: Parameters | None = None

    def part(self, replicates: slice) -> "State":
        """Return the state of some of the networks."""
        return self._mapped(lambda tensor: tensor[replicates], self.frozen[replicates])

    def to(self, device: torch.device, dtype: torch.dtype) -> "State":
        """Return the state in another dtype or on another device."""
        return self._mapped(lambda tensor: tensor.to(device, dtype), self.frozen)

    def _mapped(self, function: Callable[[torch.Tensor], torch.Tensor], frozen: np.ndarray) -> "State":
        first, second = (None if part is None else mapped(function, part) for part in (self.first, self.second))
        return State(self.step, mapped(function, self.parameters), frozen, first, second)


def largest_weight(dtype: torch.dtype) -> float:
    """Return max^(1/5), where max is the largest number of the dtype; a network with larger weights has diverged.

    For larger weights the fourth powers of the participation ratio may overflow.
    """
    return torch.finfo(dtype).max ** 0.2


def beginning(replicates: Sequence[Replicate]) -> State:
    """Return the state before the first step; shared initial parameters are drawn once."""
    if replicates[0].problem.simulated().initialisation == "shared":
        parameters = mapped(lambda x: torch.stack([x] * len(replicates)), replicates[0].start())
    else:
        first, *rest = [replicate.start() for replicate in replicates]
        parameters = mapped(lambda *tensors: torch.stack(tensors), first, *rest)
    return State(0, parameters, np.zeros(len(replicates), dtype=bool))


def together(states: Sequence[State]) -> State:
    """Concatenate the states of the parts of one run."""
    first, second = (
        None if getattr(states[0], name) is None else joined([getattr(one, name) for one in states])
        for name in ("first", "second")
    )
    frozen = np.concatenate([one.frozen for one in states])
    return State(states[0].step, joined([one.parameters for one in states]), frozen, first, second)
