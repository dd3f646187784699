"""Gated moments of the data, on fresh examples."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float

from sim.data.sample import Draw
from sim.gates.gating import gate_values, gates_of
from sim.measure.source import OnFresh, Source, values_of
from sim.training.schedule import refuse_too_large
from theory.problem import InputMoment, InputOutputMoment


@values_of.register
def _(_observable: InputOutputMoment, source: Source) -> OnFresh:
    gates, outputs = gates_of(source.problem.one_layer), source.problem.data.outputs
    units, n = len(gates), source.problem.data.n

    def product(drawn: Draw) -> Float[torch.Tensor, "Km n"]:
        labels = drawn.y[0].reshape(-1, outputs).T
        gated = (gate_values(gates, drawn)[0][:, None, :] * labels).flatten(0, 1)
        return torch.matmul(gated, drawn.x[0])

    def value(mean: Float[np.ndarray, "Km n"]) -> Float[np.ndarray, "K *m n"]:
        return mean if outputs == 1 else mean.reshape(units, outputs, n)

    return _averaged(source, product, value, (units * outputs, n))


@values_of.register
def _(_observable: InputMoment, source: Source) -> OnFresh:
    gates = gates_of(source.problem.one_layer)
    units, n = len(gates), source.problem.data.n
    remedy = "Lower the number of units, sites or replicates."
    refuse_too_large("The second moments", (len(source.replicates) + 1) * (units * n) ** 2, 8, remedy)

    def product(drawn: Draw) -> Float[torch.Tensor, "Kn Kn"]:
        gated = gate_values(gates, drawn)[0].T[:, :, None] * drawn.x[0][:, None, :]
        flat = gated.reshape(-1, units * n)
        return flat.T @ flat

    def value(mean: Float[np.ndarray, "Kn Kn"]) -> Float[np.ndarray, "K K n n"]:
        return mean.reshape(units, n, units, n).transpose(0, 2, 1, 3)

    return _averaged(source, product, value, (units * n, units * n))


def _averaged(
    source: Source,
    product: Callable[[Draw], torch.Tensor],
    value: Callable[[np.ndarray], np.ndarray],
    shape: tuple[int, int],
) -> OnFresh:
    """Return the measurement of the mean of a product of the data, in the shape that `value` gives to it."""
    samples = source.problem.simulated().samples
    return OnFresh(lambda _own: Products(product, value, samples, shape), of_the_data=True)


@dataclass
class Products:
    """A sum of products over the examples of one replicate."""

    product: Callable[[Draw], torch.Tensor]
    shaped: Callable[[np.ndarray], np.ndarray]
    samples: int
    shape: tuple[int, int]
    total: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.total = torch.zeros(self.shape, dtype=torch.float64)

    def add(self, drawn: Draw) -> None:
        """Add the examples of a draw."""
        self.total += self.product(drawn).cpu()

    def value(self) -> np.ndarray:
        """Return the mean over the examples."""
        return self.shaped(self.total.numpy() / self.samples)
