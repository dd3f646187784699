"""Gradient descent of S networks at once, in torch: the reference back end, on every device."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sim.data.sample import Draw, Sampler, draw, scratch
from sim.data.single_pulse import PulseSampler
from sim.gates.gating import gate_values
from sim.networks.one_hidden_layer import Examples, Parameters, gradient
from sim.training.schedule import grouping
from sim.training.state import Member, Report, State
from theory.problem import Network, Problem, Simulation

Corrections = tuple[float, float] | tuple[torch.Tensor, torch.Tensor]


class Captured(Protocol):
    """Steps as one recorded piece of work: `moving` is what they have come to."""

    moving: "Moving"

    def step(self, examples: Examples, corrections: tuple[float, float]) -> None:
        """Take one step on the examples."""


Capture = Callable[["Rule", "Moving", Examples], Captured]


@dataclass(frozen=True)
class Optimiser:
    """w <- w - rate m/(sqrt(v) + epsilon), m <- keep m + take dL/dw, v <- square v + (1 - square) (dL/dw)^2.

    Without `square` the step is rate m. `corrected` divides m by 1 - keep^t and v by 1 - square^t at step t = 1, 2, ...
    """

    keep: float = 0.0
    take: float = 1.0
    square: float | None = None
    epsilon: float = 0.0
    corrected: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is gradient descent without memory."""
        return self.keep == 0 and self.square is None

    def memory(self, state: "State") -> tuple[Parameters | None, Parameters | None]:
        """The means that a state holds, zeros before the first step; None where the optimiser keeps none."""
        if self.plain:
            return None, None
        held = (state.first, state.second)
        first, second = (state.learned.mapped(torch.zeros_like) if part is None else part for part in held)
        return first, second

    def corrections(self, step: int) -> Corrections:
        """What m and v are divided by in the step after `step` others; 1 where nothing is corrected."""
        if not self.corrected:
            return 1.0, 1.0
        return 1 - self.keep ** (step + 1), 1 - self.square ** (step + 1)

    def direction(
        self, slope: Parameters, moving: "Moving", corrections: Corrections
    ) -> tuple[Parameters, Parameters | None, Parameters | None]:
        """What the rate multiplies, and the new means of the slope and of its square."""
        if self.plain:
            return slope, None, None
        first = moving.first.mapped(lambda m, dx: self.keep * m + self.take * dx, slope)
        direction, second = first, moving.second
        if self.corrected:
            direction = first.mapped(lambda m: m / corrections[0])
        if self.square is not None:
            rho = self.square
            second = second.mapped(lambda v, dx: rho * v + (1 - rho) * dx * dx, slope)
            direction = direction.mapped(lambda m, v: m / ((v / corrections[1]).sqrt() + self.epsilon), second)
        return direction, first, second


def optimiser_of(settings: Simulation) -> Optimiser:
    """The optimiser that the settings name."""
    keep, square, epsilon = (
        0.0 if value is None else float(value) for value in (settings.momentum, settings.decay, settings.epsilon)
    )
    if settings.optimizer == "momentum":
        return Optimiser(keep)
    if settings.optimizer == "rmsprop":
        return Optimiser(square=square, epsilon=epsilon)
    if settings.optimizer == "adam":
        return Optimiser(keep, 1 - keep, square, epsilon, corrected=True)
    return Optimiser()


def largest_weight(dtype: torch.dtype) -> float:
    """max^(1/5), max the largest number of the dtype: beyond it a network has diverged.

    From there on the fourth powers of the participation ratio may overflow.
    """
    return torch.finfo(dtype).max ** 0.2


def examples_of(problem: Problem, drawn: Draw) -> Examples:
    """What the network sees of a draw: the latent enters through the gates alone."""
    gates = problem.network.gates
    return Examples(drawn.x, drawn.y, gate_values(gates, drawn) if gates else None)


def fresh_batches(members: tuple[Member, ...], samplers: list[Sampler | PulseSampler], step: int) -> Iterator[Examples]:
    """The batches of an online run from a step on; blocks of steps are drawn at once."""
    problem = members[0].problem
    batch = problem.simulated().batch
    rows = batch * grouping(batch, max(problem.data.n, problem.network.units)).steps
    streams = [member.stream(step) for member in members]
    alike = all(sampler is samplers[0] for sampler in samplers)
    room = scratch(samplers[0], len(members), rows) if alike else None
    while True:
        if alike:
            block = examples_of(problem, draw(samplers[0], streams, rows, room))
        else:
            own = zip(members, samplers, streams, strict=True)
            parts = [examples_of(m.problem, draw(sampler, [stream], rows)) for m, sampler, stream in own]
            block = parts[0].mapped(lambda *tensors: torch.cat(tensors), *parts[1:])
        for start in range(0, rows, batch):
            yield block.part(slice(None), slice(start, start + batch))


@dataclass(frozen=True)
class Moving:
    """What a step changes: the numbers of S networks, the optimiser's means (or None), which networks still move.

    `rate` is 0 for a network that has reached its last time.
    """

    learned: Parameters
    first: Parameters | None
    second: Parameters | None
    alive: Bool[torch.Tensor, " S"]
    rate: Float[torch.Tensor, " S"]

    def mapped(self, function: Callable[[torch.Tensor], torch.Tensor]) -> "Moving":
        """`function` of each tensor."""
        held = (self.learned, self.first, self.second)
        parts = (None if part is None else part.mapped(function) for part in held)
        return Moving(*parts, function(self.alive), function(self.rate))

    def tensors(self) -> tuple[torch.Tensor, ...]:
        """All tensors that are there."""
        parts = [part.tensors() for part in (self.learned, self.first, self.second) if part is not None]
        return (*chain(*parts), self.alive, self.rate)


@dataclass(frozen=True)
class Rule:
    """One step of descent: what a network computes, its loss, the optimiser, and the limit beyond which it diverged."""

    network: Network
    kind: str
    optimiser: Optimiser
    limit: float

    def step(self, moving: Moving, examples: Examples, corrections: Corrections) -> Moving:
        """What is there after a step on the examples; a network that the step leads beyond the limit does not take it.

        `corrections` are those of `Optimiser.corrections` for this step.
        """
        slope = gradient(self.network, self.kind, moving.learned, examples)
        direction, first, second = self.optimiser.direction(slope, moving, corrections)
        moved = moving.learned.mapped(lambda x, dx: x - _along(moving.rate, x) * dx, direction)
        learned, alive = _guarded(moving.learned, moved, moving.alive, self.limit)
        return Moving(learned, first, second, alive, moving.rate)


def descend(
    members: tuple[Member, ...],
    state: State,
    batches: Iterator[Examples],
    report: Report,
    capture: Capture | None = None,
) -> tuple[Parameters, State]:
    """What each network learned at its times, these as the second axis, in float64 on the host; and the last state.

    A network has diverged when a number of it is not finite or exceeds `largest_weight`; it is frozen before that
    step. A network that has reached its last time stands still. The numbers at the times stay on the device until the
    end, so that neither a step nor a time looked at makes a GPU wait for the host. `capture` makes of the steps one
    recorded piece of work.
    """
    problem, learned = members[0].problem, state.learned
    where, dtype = learned.w.device, learned.w.dtype
    optimiser = optimiser_of(problem.simulated())
    rule = Rule(problem.network, problem.training.loss, optimiser, largest_weight(dtype))
    rate = torch.tensor([member.rate for member in members], dtype=dtype, device=where)
    moving = Moving(learned, *optimiser.memory(state), torch.from_numpy(~state.frozen).to(where), rate)
    marks = np.array([member.marks for member in members])
    snapshots = learned.mapped(lambda x: x.new_empty(len(x), marks.shape[1], *x.shape[1:]))
    step, captured = state.step, None
    for mark in _marks(marks, where):
        while step < mark.step:
            examples, corrections = next(batches), optimiser.corrections(step)
            if capture is None:
                moving = rule.step(moving, examples, corrections)
            else:
                captured = captured or capture(rule, moving, examples)
                captured.step(examples, corrections)
                moving = captured.moving
            step += 1
            report(step)
        for index, rows in mark.seen:
            for seen, tensor in zip(snapshots.tensors(), moving.learned.tensors(), strict=True):
                seen[rows, index] = tensor[rows]
        moving.rate.masked_fill_(mark.done, 0)
    frozen = ~moving.alive.cpu().numpy()
    last = State(step, moving.learned, frozen, *((None, None) if optimiser.plain else (moving.first, moving.second)))
    return snapshots.mapped(lambda x: x.to("cpu", torch.float64)), last


@dataclass(frozen=True)
class _Mark:
    """A step at which networks are looked at: which of their times it is, for which networks, and who ends there."""

    step: int
    seen: tuple[tuple[int, torch.Tensor | slice], ...]
    done: torch.Tensor


def _marks(marks: Int[np.ndarray, "S T"], device: torch.device) -> list[_Mark]:
    """The steps in order; what they need is brought to the device beforehand."""
    found = []
    for mark in np.unique(marks):
        there = marks == mark
        rows = (
            (int(index), slice(None) if own.all() else torch.from_numpy(np.flatnonzero(own)).to(device))
            for index, own in enumerate(there.T)
            if own.any()
        )
        found.append(_Mark(int(mark), tuple(rows), torch.from_numpy(there[:, -1]).to(device)))
    return found


def _guarded(
    learned: Parameters, moved: Parameters, alive: torch.Tensor, limit: float
) -> tuple[Parameters, torch.Tensor]:
    """What was learned after a step that only the networks take which it leaves below the limit."""
    # A NaN makes the maximum NaN, which is not below the limit. On a GPU the answer would have to be waited for.
    if alive.device.type == "cpu" and alive.all() and all(tensor.abs().max() < limit for tensor in moved.tensors()):
        return moved, alive
    for tensor in moved.tensors():
        alive = alive & (tensor.abs() < limit).flatten(1).all(dim=1)
    return moved.mapped(partial(_where, alive), learned), alive


def _where(alive: torch.Tensor, moved: torch.Tensor, still: torch.Tensor) -> torch.Tensor:
    return torch.where(_along(alive, moved), moved, still)


def _along(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """One value for each network, to be combined with what it learned."""
    return values.view(-1, *[1] * (like.ndim - 1))
