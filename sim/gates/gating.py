"""Gates on tensors: g(x) for every example, 0 or 1, and between them for soft gates."""

from functools import singledispatch
from math import inf

import torch
from jaxtyping import Float, Shaped

from sim.data.sample import Draw
from sim.gates.saturation import with_lost_signs
from theory.problem import AlwaysGate, DirectionGate, Gate, Network, OutOfReachError, SiteGate, resolved


@singledispatch
def opens(gate: object, _draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    """g(x) of each example: whether the gate is open, or for a soft one how far, from 0 to 1.

    Raises OutOfReachError for a gate the simulator cannot evaluate.
    """
    raise OutOfReachError(
        f"No simulation of the gate {type(gate).__name__}.",
        "The gates with one: site, direction, always, and repeated ones through theory.problem.resolved.",
    )


@opens.register
def _(gate: SiteGate, draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    return _within(_seen(gate, draw)[..., gate.site], float(gate.lo), float(gate.hi), float(gate.sharpness))


@opens.register
def _(gate: DirectionGate, draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    seen = _seen(gate, draw)
    # In units of the largest entry of v, so that float32 holds its square; exact fractions are divided.
    unit = max(abs(number) for _, number in gate.v)
    v = torch.tensor([float(number / unit) for _, number in gate.v], dtype=seen.dtype, device=seen.device)
    along = (seen[..., list(gate.sites)] * v).sum(dim=-1)
    if gate.sharpness == inf and gate.on == "input" and draw.gain is not None and len(gate.v) > 1:
        weights = tuple(number / unit for _, number in gate.v)
        along = with_lost_signs(along, weights, draw.z[..., list(gate.sites)], draw.gain)
    lo, hi = (float(bound if isinstance(bound, float) else bound / unit) for bound in (gate.lo, gate.hi))
    return _within(along, lo, hi, float(gate.sharpness * unit))


@opens.register
def _(_gate: AlwaysGate, draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    return torch.ones(draw.x.shape[:-1], dtype=torch.bool, device=draw.x.device)


def gate_values(gates: tuple[Gate, ...], draw: Draw) -> Float[torch.Tensor, "S K B"]:
    """g_k(x) of every unit, as numbers; a repeated gate has the values of the gate that it repeats."""
    return torch.stack([opens(gate, draw) for gate in resolved(gates)], dim=1).to(draw.x.dtype)


def gates_of(network: Network) -> tuple[Gate, ...]:
    """The gates of a gated-linear network. Raises OutOfReachError for a network that gates itself."""
    if network.model != Network.gated:
        raise OutOfReachError(
            f'A "{network.model}" network has no gates given beforehand, so gated moments are not defined.',
            'Use model = "gated-linear", or another observable.',
        )
    return network.gates


def _within(v: torch.Tensor, lo: float, hi: float, sharpness: float) -> torch.Tensor:
    """1[lo <= v < hi], or Phi(sharpness (v - lo)) - Phi(sharpness (v - hi))."""
    if sharpness == inf:
        return (v >= lo) & (v < hi)
    return torch.special.ndtr(sharpness * (v - lo)) - torch.special.ndtr(sharpness * (v - hi))


def _seen(gate: SiteGate | DirectionGate, draw: Draw) -> Float[torch.Tensor, "S B n"]:
    """The latent or the input. Raises OutOfReachError for the latent of data that have none."""
    if gate.on == "latent" and draw.z is None:
        raise OutOfReachError(
            f"The {gate.kind} gate at {', '.join(map(str, gate.sites[:4]))} looks at the latent, and these data have "
            "none.",
            'Use on = "input".',
        )
    return draw.z if gate.on == "latent" else draw.x
