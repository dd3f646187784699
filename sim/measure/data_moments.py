"""Gated moments of the data, on fresh examples."""

import numpy as np
import torch
from jaxtyping import Float

from sim.gates.gating import gate_values, gates_of
from sim.measure.source import Source, values_of
from sim.training.schedule import refuse_too_large
from theory.problem import InputMoment, InputOutputMoment


@values_of.register
def _(_observable: InputOutputMoment, source: Source) -> Float[np.ndarray, "R K *m n"]:
    gates, outputs = gates_of(source.problem.network), source.problem.data.outputs
    values = []
    for chunks in source.of_the_data().fresh():
        total = torch.zeros(len(gates) * outputs, source.problem.data.n, dtype=torch.float64)
        for drawn in chunks:
            labels = drawn.y[0].reshape(-1, outputs).T
            gated = (gate_values(gates, drawn)[0][:, None, :] * labels).flatten(0, 1)
            total += torch.matmul(gated, drawn.x[0]).cpu()
        shape = (len(gates), source.problem.data.n) if outputs == 1 else (len(gates), outputs, source.problem.data.n)
        values.append(total.numpy().reshape(shape) / source.problem.simulated().samples)
    return _of_each(values, source)


@values_of.register
def _(_observable: InputMoment, source: Source) -> Float[np.ndarray, "R K K n n"]:
    gates = gates_of(source.problem.network)
    units, n = len(gates), source.problem.data.n
    remedy = "Lower the number of units, sites or replicates."
    refuse_too_large("The second moments", (len(source.replicates) + 1) * (units * n) ** 2, 8, remedy)
    values = []
    for chunks in source.of_the_data().fresh():
        total = torch.zeros(units * n, units * n, dtype=torch.float64)
        for drawn in chunks:
            gated = gate_values(gates, drawn)[0].T[:, :, None] * drawn.x[0][:, None, :]
            flat = gated.reshape(-1, units * n)
            total += (flat.T @ flat).cpu()
        blocks = total.numpy().reshape(units, n, units, n).transpose(0, 2, 1, 3)
        values.append(blocks / source.problem.simulated().samples)
    return _of_each(values, source)


def _of_each(values: list[np.ndarray], source: Source) -> np.ndarray:
    """The values of every replicate; those that share one stream have one value."""
    return np.stack(values if len(values) == len(source.replicates) else values * len(source.replicates))
