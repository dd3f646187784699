"""The loss of trained networks on fresh examples."""

import numpy as np
import torch
from jaxtyping import Float

from sim.measure.source import Source, values_of
from sim.networks.choice import network_of
from sim.networks.examples import examples_of
from sim.networks.losses import loss_named
from sim.networks.parameters import mapped
from theory.problem import LossAtTimes


@values_of.register
def _(observable: LossAtTimes, source: Source) -> Float[np.ndarray, "R T"]:
    problem, losses = source.problem, []
    network, named = network_of(problem), loss_named(problem.training.loss)
    for own, chunks in zip(source.each(observable), source.fresh(), strict=True):
        total = torch.zeros(len(own["w"]), dtype=torch.float64)
        for drawn in chunks:
            examples = examples_of(problem, drawn)
            for index in range(len(total)):
                at_time = mapped(lambda tensor, index=index: tensor[index : index + 1], own)
                yhat = network.predict(at_time, examples)
                total[index] += named.penalty(yhat, examples.y).sum().cpu()
        losses.append(total.numpy() / problem.simulated().samples)
    return np.stack(losses)
