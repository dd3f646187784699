"""Training by the kernels: one program for each network, and one launch for the steps between two snapshots."""

from collections.abc import Sequence

import torch

from sim.data.gaussian import GaussianSampler
from sim.networks.examples import Examples
from sim.networks.parameters import mapped
from sim.random.streams import key_of
from sim.training.backends.fused.layout import factors_of, gates_of, numbers_of, power_of_two
from sim.training.backends.fused.units import LOSSES, MODELS
from sim.training.backends.fused.wide import wide_steps
from sim.training.snapshots import Snapshots
from sim.training.state import Replicate, Report, State

# Examples of a network in one launch, so that a run can be interrupted and reports its progress.
_LAUNCH = 2**17
_TILE, _LEAST_SITES = 32, 16
_WARPS = 4
# A product in float32 is three of TF32, which together have the rounding of float32 up to a factor of four.
_PRECISION = "tf32x3"


def train_fused(
    replicates: Sequence[Replicate], sampler: GaussianSampler, _sample: Examples | None, state: State, report: Report
) -> tuple[dict[str, torch.Tensor], State]:
    """Train networks on fresh examples, with the results of `reference.train_group` up to rounding."""
    problem = replicates[0].problem
    network, settings = problem.network, problem.simulated()
    parameters = mapped(lambda tensor: tensor.clone(memory_format=torch.contiguous_format), state.parameters)
    w = parameters["w"]
    alive = torch.from_numpy(~state.frozen).to(w.device, torch.int8)
    word = torch.tensor([replicate.stream().word for replicate in replicates], device=w.device)
    key = torch.tensor(key_of(settings.seed), device=w.device)
    sites = power_of_two(problem.data.n, _LEAST_SITES)
    factor, gates = factors_of(sampler, sites), gates_of(problem, sampler)
    numbers = numbers_of(problem, sampler)
    arrays = (w, *(parameters.get(name, w) for name in ("b", "b_out", "a")), alive, word, key, factor, numbers)
    forms = {
        "T": _TILE,
        "SITES": sites,
        "UNITS": power_of_two(network.units),
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
    step, most = state.step, max(1, _LAUNCH // settings.batch)
    snapshots = Snapshots(parameters, replicates[0].snapshot_steps)
    for index, last in enumerate(snapshots.steps):
        while step < last:
            steps = min(last - step, most)
            sizes = (step, steps, settings.batch, problem.data.n, network.units, factor.shape[1] // 16)
            wide_steps[(len(replicates),)](*arrays, gates.table, *sizes, **forms, num_warps=_WARPS)
            step += steps
            report(step)
        snapshots.take(index, parameters)
    return snapshots.on_host(), State(step, parameters, alive.cpu().numpy() == 0)
