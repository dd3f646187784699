"""The gate along a direction: 1[lo <= v.u < hi], or soft; u the latent or the input."""

from math import inf

import torch
from jaxtyping import Float, Shaped

from sim.data.sample import Draw
from sim.gates.gating import opens
from sim.gates.interval import looked_at, within
from sim.gates.saturation import with_lost_signs
from theory.problem import DirectionGate


@opens.register
def _(gate: DirectionGate, draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    seen = looked_at(gate, draw)
    # v is divided by its largest entry, as exact fractions, so that its square fits in float32.
    unit = max(abs(number) for _, number in gate.v)
    v = torch.tensor([float(number / unit) for _, number in gate.v], dtype=seen.dtype, device=seen.device)
    along = (seen[..., list(gate.sites)] * v).sum(dim=-1)
    if gate.sharpness == inf and gate.on == "input" and draw.gain is not None and len(gate.v) > 1:
        along = _signed(along, gate, draw)
    lo, hi = (float(bound if isinstance(bound, float) else bound / unit) for bound in (gate.lo, gate.hi))
    return within(along, lo, hi, float(gate.sharpness * unit))


def _signed(along: Float[torch.Tensor, "S B"], gate: DirectionGate, draw: Draw) -> Float[torch.Tensor, "S B"]:
    """Return v.x, with a sign lost by rounding restored in the classes whose mean is orthogonal to v."""
    unit = max(abs(number) for _, number in gate.v)
    weights, sites = tuple(number / unit for _, number in gate.v), list(gate.sites)
    largest = max((abs(mean[site]) for mean in draw.means for site in sites), default=0)
    signed = with_lost_signs(along, weights, draw.z[..., sites], draw.gain, 1.0 + float(largest))
    if not draw.means:
        return signed
    level = [sum(number * mean[site] for site, number in gate.v) == 0 for mean in draw.means]
    return torch.where(torch.tensor(level, device=along.device)[draw.category], signed, along)
