"""Gates that open where a number of the latent or of the input lies between two bounds."""

from math import inf

import torch
from jaxtyping import Float, Shaped

from sim.data.sample import Draw
from theory.problem import DirectionGate, OutOfReachError, SiteGate


def within(v: Float[torch.Tensor, "S B"], lo: float, hi: float, sharpness: float) -> Shaped[torch.Tensor, "S B"]:
    """Return 1[lo <= v < hi], or Phi(sharpness (v - lo)) - Phi(sharpness (v - hi)) for a finite sharpness."""
    if sharpness == inf:
        return (v >= lo) & (v < hi)
    return torch.special.ndtr(sharpness * (v - lo)) - torch.special.ndtr(sharpness * (v - hi))


def looked_at(gate: SiteGate | DirectionGate, draw: Draw) -> Float[torch.Tensor, "S B n"]:
    """Return the latent or the input. Raises OutOfReachError for the latent of data that have none."""
    if gate.on == "latent" and draw.z is None:
        raise OutOfReachError(
            f"The {gate.kind} gate at {', '.join(map(str, gate.sites[:4]))} looks at the latent, and these data have "
            "none.",
            'Use on = "input".',
        )
    return draw.z if gate.on == "latent" else draw.x
