"""The gate that is always open."""

import torch
from jaxtyping import Shaped

from sim.data.sample import Draw
from sim.gates.gating import opens
from theory.problem import AlwaysGate


@opens.register
def _(_gate: AlwaysGate, draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    return torch.ones(draw.x.shape[:-1], dtype=torch.bool, device=draw.x.device)
