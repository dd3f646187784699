"""A problem in the arrays that a kernel reads: factors padded to powers of two, numbers, gates."""

from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.data.gaussian import GaussianSampler
from sim.networks.losses import loss_named
from sim.networks.one_hidden_layer import leak, readout_scale
from sim.training.backends.fused.sizes import MODES, whole
from sim.training.step import largest_weight
from theory.problem import AlwaysGate, Problem, SiteGate, resolved

_HARD = -1.0  # instead of an infinite sharpness


@dataclass(frozen=True)
class Gates:
    """The gates of a network as rows of a table (5, K), and which of its forms a kernel needs."""

    table: Float[torch.Tensor, "5 K"]
    latent: bool
    input: bool
    soft: bool


def factors_of(sampler: GaussianSampler, sites: int) -> Float[torch.Tensor, "2 modes {sites}"]:
    """Return the factors of both classes, padded with zeros to `sites` sites and a multiple of 16 modes."""
    modes = whole(sampler.rank, MODES)
    padded = sampler.labels.new_zeros(len(sampler.factors), modes, sites)
    for own, factor in zip(padded, sampler.factors, strict=True):
        own[: factor.rank, : sampler.n] = factor.matrix
    return padded


def numbers_of(problem: Problem, sampler: GaussianSampler) -> Float[torch.Tensor, " 9"]:
    """Return gain, 1/Z, rate, divergence limit, readout scale, share of an example, leak and the two labels."""
    network, settings = problem.network, problem.simulated()
    share = loss_named(problem.training.loss).gradient_factor / settings.batch
    return sampler.labels.new_tensor(
        [
            1.0 if sampler.gain is None else sampler.gain,
            1 / sampler.normaliser,
            float(settings.learning_rate),
            largest_weight(sampler.dtype),
            readout_scale(network),
            share,
            leak(network),
            *sampler.labels.tolist(),
        ]
    )


def gates_of(problem: Problem, sampler: GaussianSampler) -> Gates:
    """Return the gates: site, whether it is of the latent, bounds, and sharpness, which is negative for hard gates.

    `support.fused_obstacle` admits gates on a site and gates that are always open, which are unbounded gates on site 0.
    """
    own = [
        SiteGate(0, on="input") if isinstance(gate, AlwaysGate) else gate for gate in resolved(problem.network.gates)
    ]
    rows = [
        [gate.site, gate.on == "latent", float(gate.lo), float(gate.hi), _finite(float(gate.sharpness))] for gate in own
    ]
    table = sampler.labels.new_tensor(rows).T.contiguous() if rows else sampler.labels.new_zeros(5, 0)
    return Gates(
        table,
        any(gate.on == "latent" for gate in own),
        any(gate.on == "input" for gate in own),
        any(_finite(float(gate.sharpness)) > 0 for gate in own),
    )


def _finite(sharpness: float) -> float:
    return _HARD if sharpness == float("inf") else sharpness
