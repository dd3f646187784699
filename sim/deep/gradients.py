"""Tangent kernels from the gradients of each example, one pass back for an example and an output: for any layers.

    K(s, t) = sum over outputs o and weights theta that learn of dyhat_o(s)/dtheta dyhat_o(t)/dtheta

The gradients of all examples lie in memory for one output at a time, so that convolutions, pooling and residual blocks
need no formula of their own. That of a fully connected layer is delta z^T: its products are those of delta times those
of z, and it is never written out. Families without convolutions have faster formulas (`sim.kernels`).
"""

from collections.abc import Mapping, Sequence
from math import prod

import torch
from jaxtyping import Float

from sim.deep.family import Family
from sim.deep.passes import backward, forward
from sim.deep.products import DenseLayer, Layer

Kernel = Float[torch.Tensor, "S N N"]


def kernels_from_gradients(
    family: Family,
    parameters: Mapping[str, torch.Tensor],
    x: Float[torch.Tensor, "N n"],
    given: Mapping[str, Sequence[torch.Tensor]],
) -> tuple[Kernel, Kernel | None]:
    """Return K of each network of a family with one member, and its part K^a in Theta_g, None where no gate learns.

    `given` are the gates (S or 1, N, *level) of each level, where no preactivation decides them.

    >>> from sim.deep.family import Start
    >>> from sim.deep.members import relu
    >>> family = Family((relu((1,)),), 1, 1, 1, Start("signs", (1.0, 1.0), 0))
    >>> weights = {"Theta_1": torch.full((1, 1, 1), 2.0), "Theta_2": torch.full((1, 1, 1), 3.0)}
    >>> kernels_from_gradients(family, weights, torch.tensor([[1.0], [-5.0]]), {})[0].tolist()
    [[[13.0, 0.0], [0.0, 0.0]]]
    """
    examples, networks = len(x), family.replicates
    total = x.new_zeros(networks, examples, examples)
    of_gates = torch.zeros_like(total) if family.members[0].gates_learn else None
    for output in range(family.outputs):
        for name, factors in _gradients(family, parameters, x, given, output).items():
            part = prod(factor @ factor.mT for factor in factors)
            total += part
            if of_gates is not None and name in family.gating_names:
                of_gates += part
    return total, of_gates


def _gradients(
    family: Family,
    parameters: Mapping[str, torch.Tensor],
    x: Float[torch.Tensor, "N n"],
    given: Mapping[str, Sequence[torch.Tensor]],
    output: int,
) -> dict[str, tuple[torch.Tensor, ...]]:
    """Return dyhat_output/dtheta of each parameter that learns: one or two factors (S, N, P), rows for examples."""
    found: dict[str, list[tuple[torch.Tensor, ...]]] = {}
    for place in range(len(x)):
        gates = {member: [level[:, place : place + 1] for level in levels] for member, levels in given.items()}
        passed = forward(family, parameters, x[place].expand(1, 1, -1), gates)
        delta = torch.zeros_like(passed.output)
        delta[:, :, output] = 1
        for name, layer, own, source in backward(family, parameters, passed, delta):
            found.setdefault(name, []).append(_factors(layer, own, source))
    return {name: tuple(torch.cat(rows, dim=1) for rows in zip(*own, strict=True)) for name, own in found.items()}


def _factors(layer: Layer, delta: torch.Tensor, source: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the gradient of one example in the weights of a layer, or the two vectors of which it is the product."""
    if isinstance(layer, DenseLayer):
        return delta.clone(), layer.reduced(source)
    gradient = delta.new_empty(len(delta), *layer.theta_shape)
    layer.gradient(delta, source, gradient)
    return (gradient.flatten(1).unsqueeze(1),)
