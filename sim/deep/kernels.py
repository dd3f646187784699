"""Kernels of a member of a family: the tangent kernel in the parameters that learn, and the overlap of its gates."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float

from sim.deep.batches import ExampleSet, given_gates
from sim.deep.family import Family
from sim.deep.gradients import kernels_from_gradients
from sim.deep.layers import fully_connected
from sim.deep.passes import forward
from sim.kernels import overlap, split_kernel, tangent_kernel
from sim.kernels.passes import Elementwise
from sim.networks.deep import gate_response
from sim.networks.parameters import placed
from sim.training.schedule import device_named
from theory.problem import NetworkGates, OwnGates, SoftResponse

Kernel = Float[torch.Tensor, "S N N"]


@dataclass(frozen=True, eq=False)
class MemberKernels:
    """Kernels of each replicate of a member on N inputs, (S, N, N).

    `tangent` is K, the tangent kernel in the parameters that learn, and `of_gates` its part K^a in Theta_g, None where
    no gate learns. `overlap` is Lambda; with hard gates Lambda(s, s) counts the active paths of input s from one input
    node to one output. It is None where layers are not fully connected. `gates` are G_l, (S, N, *level).
    """

    tangent: Kernel
    of_gates: Kernel | None
    overlap: Kernel | None
    gates: tuple[torch.Tensor, ...]


def kernels_of(
    family: Family,
    name: str,
    parameters: Mapping[str, torch.Tensor],
    data: ExampleSet,
    *,
    device: str = "cpu",
) -> MemberKernels:
    """Return the kernels of a member with these parameters of the family, on a set of examples.

    K sums over the outputs. The kernels are computed on the device "cpu", "cuda" or "auto" and come back to the
    processor. Raises OutOfReachError for a device that is not there.

    >>> from sim.deep.family import Start
    >>> from sim.deep.members import relu
    >>> family = Family((relu((1,)),), 1, 1, 1, Start("signs", (1.0, 1.0), 0))
    >>> weights = {"Theta_1": torch.full((1, 1, 1), 2.0), "Theta_2": torch.full((1, 1, 1), 3.0)}
    >>> data = ExampleSet(torch.tensor([[1.0], [-5.0]]), torch.ones(2, 1))
    >>> kernels_of(family, "relu", weights, data).tangent.tolist()  # 3^2 + 2^2 where x > 0
    [[[13.0, 0.0], [0.0, 0.0]]]
    """
    where = device_named(device).type
    member, own = family.member(name), placed(family.of(name, parameters), where)
    alone = family.alone(name)
    data = data.to(own[family.names[0]].dtype, where)
    inputs, given = data.x, given_gates(alone, data)
    gates = forward(alone, own, inputs.unsqueeze(0), given).gates
    weights = [own[theta] for theta in family.names]
    values = torch.ones_like(inputs) if member.network.value_input == "ones" else inputs
    of_gates = None
    gating = member.network.gating
    is_connected = family.layers == fully_connected(family.inputs, member.network.widths)
    if not is_connected:
        tangent, of_gates = kernels_from_gradients(alone, own, inputs, given)
    elif member.gates_learn:
        second = [own[theta] for theta in family.gating_names]
        gate = partial(gate_response, gating.gate)
        split = split_kernel(
            weights, second, inputs, gate=gate, gating_activation=_passed_on(gating), value_inputs=values
        )
        of_gates = split.of_gates
        tangent = split.total if member.values_learn else of_gates
    elif isinstance(gating, OwnGates) and isinstance(gating.gate, SoftResponse):
        tangent = tangent_kernel(weights, values, activation=lambda q: q * gate_response(gating.gate, q))
    else:
        tangent = tangent_kernel(weights, values, gates=gates)
    paths = overlap(gates) if is_connected else None
    on_host = (None if part is None else part.cpu() for part in (tangent, of_gates, paths))
    return MemberKernels(*on_host, tuple(gate.cpu() for gate in gates))


def _passed_on(gating: NetworkGates) -> Elementwise:
    """Return the function of p_l that the second network passes on."""
    return {
        "relu": torch.relu,
        "linear": lambda p: p,
        "gated": lambda p: p * gate_response(gating.gate, p),
    }[gating.network]
