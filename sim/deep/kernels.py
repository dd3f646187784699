"""Kernels of a member of a family: the tangent kernel in the parameters that learn, and the overlap of its gates."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.deep.batches import ExampleSet
from sim.deep.family import Family
from sim.kernels import overlap
from sim.kernels.products import Pair, sum_of_products
from sim.networks.deep import Product
from sim.networks.layers import fully_connected
from sim.networks.parameters import placed
from sim.networks.products import DenseLayer
from sim.training.schedule import device_named

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
    >>> weights = {"relu.Theta_1": torch.full((1, 1, 1), 2.0), "relu.Theta_2": torch.full((1, 1, 1), 3.0)}
    >>> data = ExampleSet(torch.tensor([[1.0], [-5.0]]), torch.ones(2, 1))
    >>> kernels_of(family, "relu", weights, data).tangent.tolist()  # 3^2 + 2^2 where x > 0
    [[[13.0, 0.0], [0.0, 0.0]]]
    """
    where = device_named(device).type
    member, weights = family.member(name), placed(family.of(name, parameters), where)
    data = data.to(weights[family.names[0]].dtype, where)
    with torch.enable_grad():
        passed = family.forward(name, weights, data.x.unsqueeze(0), family.given_gates(name, data), member.learned)
    slopes: dict[str, list[torch.Tensor]] = {theta: [] for theta in member.learned}
    for output in range(family.outputs):
        one, again = torch.zeros_like(passed.output), output < family.outputs - 1
        one[..., output] = 1
        for theta, layer, delta, source in passed.backward(one, member.learned, retain_graph=again):
            is_dense = isinstance(layer, DenseLayer)
            slopes[theta].append(delta.flatten(2) if is_dense else layer.gradients(delta, source.detach()))
    products = {theta: _factors(passed.products[theta], torch.cat(parts, dim=2)) for theta, parts in slopes.items()}
    of_gates = _kernel(products, member.network.gating_names) if member.gates_learn else None
    tangent = _kernel(products, family.names) if member.values_learn else of_gates
    if member.values_learn and of_gates is not None:
        tangent = tangent + of_gates
    gates = passed.gates
    is_connected = family.layers == fully_connected(family.inputs, member.network.widths)
    kernels = (tangent, of_gates, overlap(gates) if is_connected else None)
    on_host = (None if part is None else part.cpu() for part in kernels)
    return MemberKernels(*on_host, tuple(gate.cpu() for gate in gates))


def _kernel(products: Mapping[str, list[Pair]], names: tuple[str, ...]) -> Kernel:
    return sum_of_products([products[name] for name in names])


def _factors(product: Product, slopes: torch.Tensor) -> list[Pair]:
    """Return the factors of the Gram matrix of the gradients in the weights of a layer, the outputs side by side.

    In a fully connected layer a gradient is delta z^T: its products are those of delta times those of z.
    """
    if not isinstance(product.layer, DenseLayer):
        return [(slopes, slopes)]
    source = product.layer.reduced(product.source.detach())
    return [(source, source), (slopes, slopes)]
