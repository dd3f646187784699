"""What is trained and how far it has come: the networks side by side, and their state between two steps."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool

from sim.networks.one_hidden_layer import Parameters
from sim.random.streams import TRAINING, Stream, stream
from sim.training.schedule import steps_at_times
from theory.problem import Problem

Report = Callable[[int], None]


@dataclass(frozen=True)
class Member:
    """One network of a run: replicate `number` of a problem."""

    problem: Problem
    number: int

    @property
    def rate(self) -> float:
        """The learning rate."""
        return float(self.problem.simulated().learning_rate)

    @property
    def marks(self) -> tuple[int, ...]:
        """The steps at which its times are reached."""
        return steps_at_times(self.problem)

    def stream(self, step: int = 0) -> Stream:
        """Its training data from a step on."""
        settings = self.problem.simulated()
        return stream(settings.seed, stream_number(self.problem, self.number), TRAINING, step * (settings.batch or 0))

    def start(self) -> Parameters:
        """What it begins with, in float64."""
        own = self.problem.simulated().initialisation == "per-replicate"
        key = self.number if own else None
        start = (self.problem.w0(key), self.problem.biases0(key), self.problem.readout0(key))
        return Parameters(*(None if array is None else torch.from_numpy(array) for array in start))


def stream_number(problem: Problem, number: int) -> int:
    """The network whose numbers a replicate draws: its own, or number 0 where all share one stream."""
    return 0 if problem.simulated().shared_stream else number


@dataclass(frozen=True)
class State:
    """S networks after `step` steps: what they learned, and which of them are frozen because they diverged.

    `first` and `second` are the optimiser's means of the slope and of its square; None before the first step of an
    optimiser with memory, and for one without.
    """

    step: int
    learned: Parameters
    frozen: Bool[np.ndarray, " S"]
    first: Parameters | None = None
    second: Parameters | None = None

    def part(self, members: slice) -> "State":
        """The state of a part of the networks."""
        return self._mapped(lambda tensor: tensor[members], self.frozen[members])

    def to(self, device: torch.device, dtype: torch.dtype) -> "State":
        """The state in another dtype or place."""
        return self._mapped(lambda tensor: tensor.to(device, dtype), self.frozen)

    def _mapped(self, function: Callable[[torch.Tensor], torch.Tensor], frozen: np.ndarray) -> "State":
        first, second = (None if part is None else part.mapped(function) for part in (self.first, self.second))
        return State(self.step, self.learned.mapped(function), frozen, first, second)


def beginning(members: tuple[Member, ...]) -> State:
    """The state before the first step."""
    first, *rest = [member.start() for member in members]
    learned = first.mapped(lambda *tensors: torch.stack(tensors), *rest)
    return State(0, learned, np.zeros(len(members), dtype=bool))


def joined(states: list[State]) -> State:
    """The states of the parts of one run, after one another."""

    def cat(parts: list[Parameters | None]) -> Parameters | None:
        return None if parts[0] is None else parts[0].mapped(lambda *tensors: torch.cat(tensors), *parts[1:])

    frozen = np.concatenate([one.frozen for one in states])
    memory = (cat([one.first for one in states]), cat([one.second for one in states]))
    return State(states[0].step, cat([one.learned for one in states]), frozen, *memory)
