"""Gradient descent as a plain loop over steps, by autograd: what every back end is held against."""

from collections.abc import Iterator

import numpy as np
import torch

from sim.data.sample import prepare
from sim.networks.examples import Examples, examples_of
from sim.random.streams import TRAINING, stream
from sim.training.times import steps_at_times
from tests.sim.cases import LEAK


def plain_descent(question, batches, s):
    """Replicate `s`, one step at a time, with autograd: weights, biases and readout weights at the times, flat.

    Each step takes the next of the `batches`, the examples of all replicates.
    """
    network, training = question.network, question.training
    biases = question.biases0() if network.has_biases else np.zeros(network.units + 1)
    a = question.readout0() if network.trains_readout else np.ones(network.units)
    trained = (True, network.biases == "trained", network.biases == "trained", network.trains_readout)
    start = zip((question.w0(), biases[:-1], biases[-1], a), trained, strict=True)
    learned = [torch.tensor(array, requires_grad=moves) for array, moves in start]
    rate, seen, step = float(question.simulation.learning_rate), [], 0
    for mark in steps_at_times(question):
        while step < mark:
            w, hidden, output, a = learned
            sample = next(batches)
            h = sample.x[s] @ w.T + hidden
            if network.model == "gated-linear":
                units = h * sample.gate[s].T
            elif network.model == "erf":
                units = torch.erf(h / np.sqrt(2))
            else:
                units = torch.sigmoid(h) if network.model == "sigmoid" else torch.relu(h)
                units = units - float(LEAK) * torch.relu(-h) if network.model == "leaky-relu" else units
            yhat = (units * a).sum(dim=1) / (network.units if network.readout.endswith("mean") else 1) + output
            if training.loss == "cross-entropy":
                value = torch.nn.functional.binary_cross_entropy_with_logits(yhat, (1 + sample.y[s]) / 2)
            else:
                value = (0.5 if training.loss == "half-mse" else 1.0) * ((sample.y[s] - yhat) ** 2).mean()
            moving = [tensor for tensor in learned if tensor.requires_grad]
            slopes = dict(zip(map(id, moving), torch.autograd.grad(value, moving), strict=True))
            learned = [
                (x - rate * slopes[id(x)]).detach().requires_grad_(True) if id(x) in slopes else x for x in learned
            ]
            step += 1
        seen.append(np.concatenate([tensor.detach().numpy().ravel() for tensor in learned]))
    return np.stack(seen)


def one_by_one(question, numbers) -> Iterator[Examples]:
    """The examples of each step, drawn for that step alone: no blocks."""
    sampler = prepare(question.data, torch.device("cpu"), torch.float64)
    settings = question.simulation
    streams = [stream(settings.seed, number, TRAINING) for number in numbers]
    while True:
        yield examples_of(question, sampler.draw(streams, settings.batch))
