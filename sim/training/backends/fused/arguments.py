"""The arguments of both kernels: the arrays of networks and problem, and the forms that are compiled for it."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int

from sim.data.gaussian import GaussianSampler
from sim.random.streams import key_of
from sim.training.backends.fused.layout import gates_of, numbers_of
from sim.training.backends.fused.sizes import Tile
from sim.training.backends.fused.units import LOSSES, MODELS
from theory.problem import Problem

# A product in float32 is three of TF32, which together have the rounding of float32 up to a factor of four.
_PRECISION = "tf32x3"


class Arrays(NamedTuple):
    """Arrays in memory: parameters of S networks, flags and counters' last words, the generator's key, the problem.

    `w` stands for a parameter that a network lacks. The numbers are those of `layout.numbers_of`, the gates those of
    `layout.gates_of`; `width` is the number of sites, padded.
    """

    w: Float[torch.Tensor, "S K n"]
    b: Float[torch.Tensor, "S K"]
    out: Float[torch.Tensor, "S 1"]
    a: Float[torch.Tensor, "S K"]
    alive: Int[torch.Tensor, " S"]
    word: Int[torch.Tensor, " S"]
    key: Int[torch.Tensor, " 2"]
    factor: Float[torch.Tensor, "2 modes width"]
    numbers: Float[torch.Tensor, " 9"]
    gates: Float[torch.Tensor, "5 K"]


@dataclass(frozen=True)
class Forms:
    """The sizes of a tile and the forms of a problem that a kernel is compiled for."""

    tile: Tile
    model: int
    entropy: bool
    curved: bool
    latent: bool
    input: bool
    soft: bool
    biased: bool
    trained: bool
    weighted: bool
    precision: str = _PRECISION

    @property
    def both(self) -> bool:
        """Return whether gates need numbers that the inputs are not."""
        return self.latent and self.curved

    @property
    def copies(self) -> int:
        """Return how many numbers of each site small batches keep: inputs, and latents if needed."""
        return 1 + self.both


def arguments_of(
    problem: Problem, sampler: GaussianSampler, own: dict[str, torch.Tensor], factor: torch.Tensor, tile: Tile
) -> tuple[Arrays, Forms]:
    """Return the arrays and forms of a problem; `own` has the parameters, flags and words of its networks."""
    network, w, gates = problem.network, own["w"], gates_of(problem, sampler)
    key = torch.tensor(key_of(problem.simulated().seed)).to(sampler.device)
    learned = (w, *(own.get(name, w) for name in ("b", "b_out", "a")))
    arrays = Arrays(*learned, own["alive"], own["word"], key, factor, numbers_of(problem, sampler), gates.table)
    forms = Forms(
        tile,
        model=MODELS[network.model],
        entropy=LOSSES[problem.training.loss],
        curved=sampler.gain is not None,
        latent=gates.latent,
        input=gates.input,
        soft=gates.soft,
        biased=network.has_biases,
        trained=network.biases == "trained",
        weighted=network.trains_readout,
    )
    return arrays, forms
