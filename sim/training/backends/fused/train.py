"""Training by the kernels: one program for each network, and one launch for the steps between two snapshots."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from sim.data.factors import Dense
from sim.data.gaussian import GaussianSampler
from sim.networks.examples import Examples
from sim.networks.parameters import mapped
from sim.random.streams import key_of
from sim.training.backends.fused.layout import factors_of, gates_of, numbers_of
from sim.training.backends.fused.narrow import narrow_steps
from sim.training.backends.fused.sizes import CHUNK, LAUNCH, MODES, SITES_OF_A_WARP, SMALL_BATCH, WARPS, Tile, whole
from sim.training.backends.fused.units import LOSSES, MODELS
from sim.training.backends.fused.wide import wide_steps
from sim.training.snapshots import Snapshots
from sim.training.state import Replicate, Report, State
from theory.problem import Problem

# A product in float32 is three of TF32, which together have the rounding of float32 up to a factor of four.
_PRECISION = "tf32x3"

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
    arrays, forms = _described(problem, sampler, own, factor, tile)
    sizes, warps = (batch, sampler.n, units, factor.shape[1] // MODES), max(1, tile.sites // SITES_OF_A_WARP)

    def launch(step: int, steps: int) -> None:
        wide_steps[(len(own["w"]),)](*arrays, step, steps, *sizes, **forms, num_warps=warps)

    return launch


def _narrow(problem: Problem, sampler: GaussianSampler, own: dict[str, torch.Tensor]) -> Launch:
    """Return the function that takes steps of a small batch, given the first one and their number."""
    batch, units = problem.simulated().batch, problem.network.units
    tile = Tile.of(sampler.n, units, batch)
    width = whole(sampler.n, tile.sites)
    factor = factors_of(sampler, width)
    arrays, forms = _described(problem, sampler, own, factor, tile)
    space, modes = factor.new_empty(len(own["w"]), tile.rows, width), factor.shape[1]
    back = back_of(sampler, modes)
    sizes = batch, sampler.n, units, modes, min(modes, tile.sites + back) // MODES, back

    def launch(step: int, steps: int) -> None:
        narrow_steps[(len(own["w"]),)](*arrays, space, step, steps, *sizes, **forms, num_warps=WARPS)

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


def _described(
    problem: Problem, sampler: GaussianSampler, own: dict[str, torch.Tensor], factor: torch.Tensor, tile: Tile
) -> tuple[tuple[torch.Tensor, ...], dict[str, Any]]:
    """Return the arrays of a kernel, in its order, and its forms: what is compiled for this problem alone."""
    network, w, gates = problem.network, own["w"], gates_of(problem, sampler)
    key = torch.tensor(key_of(problem.simulated().seed)).to(sampler.device)
    learned = (w, *(own.get(name, w) for name in ("b", "b_out", "a")))
    arrays = (*learned, own["alive"], own["word"], key, factor, numbers_of(problem, sampler), gates.table)
    return arrays, {
        "T": tile.rows,
        "SITES": tile.sites,
        "UNITS": tile.units,
        "MODEL": MODELS[network.model],
        "ENTROPY": LOSSES[problem.training.loss],
        "CURVED": sampler.gain is not None,
        "LATENT": gates.latent,
        "INPUT": gates.input,
        "SOFT": gates.soft,
        "BIASED": network.has_biases,
        "TRAINED": network.biases == "trained",
        "WEIGHTED": network.trains_readout,
        "PRECISION": _PRECISION,
    }
