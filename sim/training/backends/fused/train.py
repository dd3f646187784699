"""Training by the kernels: one launch for the steps between two snapshots, of one or several networks a program."""

from collections.abc import Callable, Sequence

import torch

from sim.data.factors import Dense
from sim.data.gaussian import GaussianSampler
from sim.networks.examples import Examples
from sim.networks.parameters import mapped
from sim.training.backends.fused.arguments import arguments_of
from sim.training.backends.fused.layout import factors_of
from sim.training.backends.fused.narrow import narrow_steps
from sim.training.backends.fused.sizes import (
    CHUNK,
    LAUNCH,
    MODES,
    SITES_OF_A_WARP,
    SMALL_BATCH,
    WARPS,
    Tile,
    networks_of_a_program,
    whole,
)
from sim.training.backends.fused.wide import wide_steps
from sim.training.snapshots import Snapshots
from sim.training.state import Replicate, Report, State
from theory.problem import Problem

Launch = Callable[[int, int], None]


def train_fused(
    replicates: Sequence[Replicate], sampler: GaussianSampler, _sample: Examples | None, state: State, report: Report
) -> tuple[dict[str, torch.Tensor], State]:
    """Train networks on fresh examples, with the results of `reference.train_group` up to rounding."""
    problem = replicates[0].problem
    parameters = mapped(lambda tensor: tensor.clone(memory_format=torch.contiguous_format), state.parameters)
    alive = torch.from_numpy(~state.frozen).to(sampler.device, torch.int8)
    own = dict(parameters, alive=alive, word=torch.tensor([one.stream().word for one in replicates]).to(sampler.device))
    prepared = _narrow if problem.simulated().batch <= SMALL_BATCH else _wide
    launch = prepared(problem, sampler, own)
    step, most = state.step, max(1, LAUNCH // problem.simulated().batch)
    snapshots = Snapshots(parameters, replicates[0].snapshot_steps)
    for index, last in enumerate(snapshots.steps):
        while step < last:
            steps = min(last - step, most)
            launch(step, steps)
            step += steps
            report(step)
        snapshots.take(index, parameters)
    return snapshots.on_host(), State(step, parameters, alive.cpu().numpy() == 0)


def _wide(problem: Problem, sampler: GaussianSampler, own: dict[str, torch.Tensor]) -> Launch:
    """Return the function that takes steps of a large batch, given the first one and their number."""
    batch, units = problem.simulated().batch, problem.network.units
    tile = Tile.of(sampler.n, units, batch)
    factor = factors_of(sampler, tile.sites)
    arrays, forms = arguments_of(problem, sampler, own, factor, tile)
    sizes, warps = (batch, sampler.n, units, factor.shape[1] // MODES), max(1, tile.sites // SITES_OF_A_WARP)

    def launch(step: int, steps: int) -> None:
        wide_steps[(len(own["w"]),)](arrays, step, steps, *sizes, FORMS=forms, num_warps=warps)

    return launch


def _narrow(problem: Problem, sampler: GaussianSampler, own: dict[str, torch.Tensor]) -> Launch:
    """Return the function that takes steps of a small batch, given the first one and their number."""
    batch, units, networks = problem.simulated().batch, problem.network.units, len(own["w"])
    tile = Tile.of(sampler.n, units, batch)
    width = whole(sampler.n, tile.sites)
    factor = factors_of(sampler, width)
    arrays, forms = arguments_of(problem, sampler, own, factor, tile)
    modes = factor.shape[1]
    space = factor.new_empty(networks, tile.rows + 1, forms.copies * width + tile.rows)
    back, packed = back_of(sampler, modes), networks_of_a_program(units, batch, networks)
    sizes = batch, sampler.n, units, modes, min(modes, tile.sites + back) // MODES, back, networks, packed

    def launch(step: int, steps: int) -> None:
        narrow_steps[(-(-networks // packed),)](arrays, space, step, steps, *sizes, FORMS=forms, num_warps=WARPS)

    return launch


def back_of(sampler: GaussianSampler, modes: int) -> int:
    """Return how many modes before its first site a chunk of sites begins, in whole products, counted cyclically.

    A narrow band needs those of its diagonals, and one that wraps around a ring those of the padding to `modes`, too.
    Other factors need all modes.
    """
    back = 0
    for factor in sampler.factors:
        if not isinstance(factor, Dense) or factor.band is None:
            return max(0, modes - CHUNK)
        back = max(back, factor.band - 1 + (modes - sampler.n if factor.wraps else 0))
    return min(whole(back, MODES), max(0, modes - CHUNK))
