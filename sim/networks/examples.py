"""Examples in the form of the networks: inputs, labels and gate values, S replicates side by side."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.data.sample import Draw
from sim.gates.gating import gate_values
from theory.problem import Problem


@dataclass(frozen=True)
class Examples:
    """Inputs and labels of S replicates and, for a gated-linear network, the values of its gates."""

    x: Float[torch.Tensor, "S B n"]
    y: Float[torch.Tensor, "S B *m"]
    gate: Float[torch.Tensor, "S K B"] | None = None

    def mapped(self, function: Callable[..., torch.Tensor], *others: "Examples") -> "Examples":
        """Apply `function` to each tensor together with the corresponding ones of `others`; missing gates stay None."""
        groups = zip(*((one.x, one.y, one.gate) for one in (self, *others)), strict=True)
        return Examples(*(None if group[0] is None else function(*group) for group in groups))

    def shared_by(self, networks: int) -> "Examples":
        """Return the examples of one network expanded to `networks` networks, without a copy."""
        return self.mapped(lambda tensor: tensor.expand(networks, *tensor.shape[1:]))

    def part(self, replicates: slice, rows: slice) -> "Examples":
        """Return the examples `rows` of the replicates `replicates`, without a copy."""
        gate = None if self.gate is None else self.gate[replicates, :, rows]
        return Examples(self.x[replicates, rows], self.y[replicates, rows], gate)


def examples_of(problem: Problem, drawn: Draw) -> Examples:
    """Return the inputs, labels and gates of a draw; the latent enters through the gates only."""
    gates = problem.network.gates
    return Examples(drawn.x, drawn.y, gate_values(gates, drawn) if gates else None)
