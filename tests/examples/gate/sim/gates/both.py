"""The gate on two sites at once, on tensors."""

import torch

from sim.data.sample import Draw
from sim.gates.gating import opens
from sim.gates.interval import looked_at
from theory.problem.gates.both import BothGate


@opens.register
def _(gate: BothGate, draw: Draw) -> torch.Tensor:
    return (looked_at(gate, draw)[..., list(gate.sites)] >= 0).all(dim=-1)
