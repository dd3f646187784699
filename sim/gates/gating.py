"""Gates on tensors: g(x) of every example, 0 or 1, or between them for soft gates, by one dispatch on the gate."""

from functools import singledispatch

import torch
from jaxtyping import Float, Shaped

from sim.data.sample import Draw
from theory.problem import Gate, Network, OutOfReachError, resolved


@singledispatch
def opens(gate: object, _draw: Draw) -> Shaped[torch.Tensor, "S B"]:
    """Return g(x) of each example: whether a hard gate is open, or the value in [0, 1] of a soft gate.

    Raises OutOfReachError for a gate that the simulator cannot evaluate.

    >>> from theory.problem import SiteGate
    >>> x = torch.tensor([[[1.0, -1.0], [2.0, 3.0]]])
    >>> drawn = Draw(None, x, torch.zeros(1, 2, dtype=torch.int64), torch.zeros(1, 2))
    >>> opens(SiteGate(1, lo=0, on="input"), drawn).tolist()
    [[False, True]]
    """
    known = ", ".join(sorted(kind.kind for kind in opens.registry if hasattr(kind, "kind")))
    raise OutOfReachError(
        f"No simulation of the gate {type(gate).__name__}.",
        f"Write sim/gates/{type(gate).__module__.rpartition('.')[2]}.py, or register it there with @opens.register. "
        f"Gates with one: {known}, and repeated ones through theory.problem.resolved.",
    )


def gate_values(gates: tuple[Gate, ...], draw: Draw) -> Float[torch.Tensor, "S K B"]:
    """Return g_k(x) of every unit, as numbers; a repeated gate has the values of the gate that it repeats.

    >>> from theory.problem import RepeatedGate, SiteGate
    >>> x = torch.tensor([[[1.0, -1.0], [2.0, 3.0]]])
    >>> drawn = Draw(None, x, torch.zeros(1, 2, dtype=torch.int64), torch.zeros(1, 2))
    >>> gate_values((SiteGate(1, lo=0, on="input"), RepeatedGate(of=0)), drawn).tolist()
    [[[0.0, 1.0], [0.0, 1.0]]]
    """
    return torch.stack([opens(gate, draw) for gate in resolved(gates)], dim=1).to(draw.x.dtype)


def gates_of(network: Network) -> tuple[Gate, ...]:
    """Return the gates of a gated-linear network. Raises OutOfReachError for a network that gates itself."""
    if network.model != Network.gated:
        raise OutOfReachError(
            f'A "{network.model}" network has no gates given beforehand, so gated moments are not defined.',
            'Use model = "gated-linear", or another observable.',
        )
    return network.gates
