"""Gradient descent of S networks at once, in torch: the reference back end, on every device."""

from collections.abc import Iterator, Sequence
from itertools import repeat

import torch

from sim.data.sample import Sampler
from sim.networks.choice import network_of
from sim.networks.examples import Examples
from sim.networks.parameters import Parameters, along, mapped
from sim.training.batches import fresh_batches
from sim.training.optimisers import descend as take_step
from sim.training.optimisers import optimiser_of
from sim.training.state import Replicate, Report, State, largest_weight


def train_group(
    replicates: Sequence[Replicate], sampler: Sampler | None, sample: Examples | None, state: State, report: Report
) -> tuple[dict[str, torch.Tensor], State]:
    """Train replicates on fresh examples of the sampler, or on their fixed sample; see `descend`."""
    batches = repeat(sample) if sampler is None else fresh_batches(replicates, sampler, state.step)
    return descend(replicates, state, batches, report)


def descend(
    replicates: Sequence[Replicate], state: State, batches: Iterator[Examples], report: Report
) -> tuple[dict[str, torch.Tensor], State]:
    """Return the parameters of each network at its times (second axis), in float64 on the host, and the last state.

    A network diverges if one of its numbers is not finite or exceeds `largest_weight`; it is frozen before that step.
    Neither a step nor a snapshot synchronises a GPU with the host.
    """
    problem, steps, parameters = replicates[0].problem, replicates[0].snapshot_steps, state.parameters
    gradient, optimiser = network_of(problem).gradient, optimiser_of(problem.simulated())
    like, trained = next(iter(parameters.values())), [own.name for own in problem.parameters if own.trained]
    rate, limit, alive = replicates[0].rate, largest_weight(like.dtype), torch.from_numpy(~state.frozen).to(like.device)
    first, second = (
        None if optimiser.plain else {n: (part or {}).get(n, torch.zeros_like(parameters[n])).clone() for n in trained}
        for part in (state.first, state.second)
    )
    snapshots = mapped(lambda x: x.new_empty(len(x), len(steps), *x.shape[1:]), parameters)
    step = state.step
    for index, last in enumerate(steps):
        while step < last:
            slopes = gradient(parameters, next(batches))
            if optimiser.plain:
                moved = {name: parameters[name] - rate * slopes[name] for name in trained}
            else:
                moved = {name: parameters[name].clone() for name in trained}
                lists = ([part[name] for name in trained] for part in (moved, slopes, first, second))
                take_step(optimiser, *lists, step, rate)
            kept, alive = _guarded(parameters, moved, alive, limit)
            parameters = {**parameters, **kept}
            step += 1
            report(step)
        for name, taken in snapshots.items():
            taken[:, index] = parameters[name]
    on_host = mapped(lambda x: x.to("cpu", torch.float64), snapshots)
    return on_host, State(step, parameters, ~alive.cpu().numpy(), first, second)


def _guarded(
    parameters: Parameters, moved: Parameters, alive: torch.Tensor, limit: float
) -> tuple[Parameters, torch.Tensor]:
    """Return the parameters after a step, which only networks take that remain below the limit, and who is alive."""
    # A NaN makes the maximum NaN, which is not below the limit. On a GPU this test would wait for the device.
    if alive.device.type == "cpu" and alive.all() and _largest(moved) < limit:
        return moved, alive
    for tensor in moved.values():
        alive = alive & (tensor.abs() < limit).flatten(1).all(dim=1)
    return mapped(lambda new, old: torch.where(along(alive, new), new, old), moved, parameters), alive


def _largest(parameters: Parameters) -> torch.Tensor:
    """Return the largest absolute value, NaN if any number is; concatenation makes it one call for all parameters."""
    parts = [tensor.flatten() for tensor in parameters.values()]
    return (torch.cat(parts) if len(parts) > 1 else parts[0]).abs().max()
