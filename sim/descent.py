"""Gradient descent of S networks at once, in torch: the reference back end, on every device."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from sim.gating import gate_values
from sim.network import Examples, Parameters, gradient
from sim.pulse import PulseSampler
from sim.sample import Draw, Sampler, draw, scratch
from sim.schedule import grouping
from sim.state import Member, Report, State
from theory.problem import Problem, Simulation


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
            block = Examples(*(_joined([getattr(part, name) for part in parts]) for name in ("x", "y", "gate")))
        for start in range(0, rows, batch):
            yield block.part(slice(None), slice(start, start + batch))


def _joined(tensors: list[torch.Tensor | None]) -> torch.Tensor | None:
    return None if tensors[0] is None else torch.cat(tensors)


def descend(
    members: tuple[Member, ...], state: State, batches: Iterator[Examples], report: Report
) -> tuple[Parameters, State]:
    """What each network learned at its times, these as the second axis, in float64 on the host; and the last state.

    A network has diverged when a weight or bias is not finite or exceeds `largest_weight`; it is frozen before that
    step. On a GPU no step waits for the answer. A network that has reached its last time stands still.
    """
    network, kind = members[0].problem.network, members[0].problem.training.loss
    optimiser, learned = optimiser_of(members[0].problem.simulated()), state.learned
    limit, where = largest_weight(learned.w.dtype), learned.w.device
    marks = np.array([member.marks for member in members])
    rate = torch.tensor([member.rate for member in members], dtype=learned.w.dtype, device=where)
    alive = torch.from_numpy(~state.frozen).to(where)
    memory = (state.first, state.second)
    snapshots = learned.mapped(lambda x: torch.empty(len(x), marks.shape[1], *x.shape[1:], dtype=torch.float64))
    step = state.step
    for mark in np.unique(marks):
        while step < mark:
            slope = gradient(network, kind, learned, next(batches))
            moved, memory = _moved(optimiser, learned, slope, memory, rate, step)
            learned, alive = _guarded(learned, moved, alive, limit)
            step += 1
            report(step)
        for s, index in np.argwhere(marks == mark):
            for seen, tensor in zip(snapshots.tensors(), learned.tensors(), strict=True):
                seen[s, index] = tensor[s]
        rate[torch.from_numpy(marks[:, -1] == mark).to(where)] = 0
    return snapshots, State(step, learned, ~alive.cpu().numpy(), *memory)


def _moved(
    optimiser: Optimiser,
    learned: Parameters,
    slope: Parameters,
    memory: tuple[Parameters | None, Parameters | None],
    rate: torch.Tensor,
    step: int,
) -> tuple[Parameters, tuple[Parameters | None, Parameters | None]]:
    """What the optimiser makes of what was learned after `step` steps, and its memory."""
    if optimiser.plain:
        return learned.mapped(lambda x, dx: x - _along(rate, x) * dx, slope), memory
    first, second = (slope.mapped(torch.zeros_like) if part is None else part for part in memory)
    first = first.mapped(lambda m, dx: optimiser.keep * m + optimiser.take * dx, slope)
    direction = first
    if optimiser.corrected:
        direction = first.mapped(lambda m: m / (1 - optimiser.keep ** (step + 1)))
    if optimiser.square is not None:
        rho = optimiser.square
        second = second.mapped(lambda v, dx: rho * v + (1 - rho) * dx * dx, slope)
        unsquare = 1 - rho ** (step + 1) if optimiser.corrected else 1.0
        direction = direction.mapped(lambda m, v: m / ((v / unsquare).sqrt() + optimiser.epsilon), second)
    return learned.mapped(lambda x, dx: x - _along(rate, x) * dx, direction), (first, second)


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
