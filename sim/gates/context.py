"""The gate that opens in some contexts of the data, on tensors."""

import torch
from jaxtyping import Bool

from sim.data.sample import Draw
from sim.gates.gating import opens
from theory.problem import ContextGate, OutOfReachError


@opens.register
def _(gate: ContextGate, draw: Draw) -> Bool[torch.Tensor, "S B"]:
    if draw.context is None:
        raise OutOfReachError(
            "The context gate needs the context of each example, and these data have none.",
            "Give data.context, one whole number for each example, or use another gate.",
        )
    return torch.isin(draw.context, torch.tensor(gate.open, device=draw.context.device))
