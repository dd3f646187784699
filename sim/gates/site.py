"""The gate on one site: 1[lo <= v_site < hi], or soft."""

import torch
from jaxtyping import Shaped

from sim.data.sample import Draw
from sim.gates.gating import opens
from sim.gates.interval import looked_at, within
from theory.problem import SiteGate


@opens.register
def _(gate: SiteGate, draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    return within(looked_at(gate, draw)[..., gate.site], float(gate.lo), float(gate.hi), float(gate.sharpness))
