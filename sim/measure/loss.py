"""The loss of trained networks on fresh examples."""

from functools import partial

import numpy as np
import torch
from jaxtyping import Float

from sim.data.sample import Draw
from sim.measure.source import OnFresh, Source, values_of
from sim.networks.choice import network_of
from sim.networks.examples import examples_of
from sim.networks.losses import loss_named
from sim.networks.parameters import Parameters, mapped
from sim.training.sizes import PENALTY_NUMBERS, columns
from theory.problem import LossAtTimes, Problem


@values_of.register
def _(observable: LossAtTimes, source: Source) -> OnFresh:
    source.trained(observable)
    return OnFresh(partial(Penalties, source.problem))


class Penalties:
    """Sums of the penalties of one replicate at its T times."""

    def __init__(self, problem: Problem, own: Parameters) -> None:
        self._problem, self._own = problem, own
        self._network, self._loss = network_of(problem), loss_named(problem.training.loss)
        self._total = torch.zeros(len(next(iter(own.values()))), dtype=torch.float64)

    def add(self, drawn: Draw) -> None:
        """Take in the examples of a draw."""
        examples = examples_of(self._problem, drawn)
        size = max(1, PENALTY_NUMBERS // (drawn.x.shape[1] * columns(self._problem)))
        for start in range(0, len(self._total), size):
            part = slice(start, start + size)
            at_times = mapped(lambda tensor, part=part: tensor[part], self._own)
            count = len(self._total[part])
            shared = examples.shared_by(count)
            penalties = self._loss.penalty(self._network.predict(at_times, shared), shared.y)
            self._total[part] += penalties.flatten(1).sum(dim=1).cpu()

    def value(self) -> Float[np.ndarray, " T"]:
        """Return the mean penalty at each time."""
        return self._total.numpy() / self._problem.simulated().samples
