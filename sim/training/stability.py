"""Divergence: the networks whose loss the labels cannot explain, and the learning rate above which descent diverges."""

import math

import numpy as np
import torch
from jaxtyping import Bool

from sim.data.sample import prepare
from sim.gates.gating import gate_values
from sim.networks.activations import activation_named
from sim.networks.choice import network_of
from sim.networks.examples import Examples, examples_of
from sim.networks.losses import loss_named, mean_loss
from sim.networks.one_hidden_layer import leak, readout_scale
from sim.networks.parameters import Parameters
from sim.random.streams import MEASUREMENT, stream
from theory.problem import Network, OutOfReachError, Problem, RecordedGate

EXAMPLES = 4096
UNEXPLAINED = 10**4  # descent that settles ends below the loss of its start, up to the noise of its batches
_LOOKED_AT = 256  # examples


def unexplained(
    problem: Problem, starts: Parameters, ends: Parameters, sample: Examples | None
) -> Bool[np.ndarray, " S"]:
    """Return which networks end with a loss above 10^4 times that of their start and that of the output 0.

    `starts` and `ends` are the parameters of S networks before and after training. The loss is that on 256 examples:
    the first of each network's `sample`, or without one fresh ones, which all networks share. Recorded gates are
    not known on these, and none of their networks is returned.
    """
    if _replays(problem):
        return np.zeros(len(next(iter(ends.values()))), dtype=bool)
    kind, predict, flags = problem.training.loss, network_of(problem).predict, []
    if sample is None:
        streams = [stream(problem.simulated().seed, 0, MEASUREMENT)]
        drawn = examples_of(
            problem, prepare(problem.data, torch.device("cpu"), torch.float64).draw(streams, _LOOKED_AT)
        )
    for s in range(len(next(iter(ends.values())))):
        if sample is not None:
            drawn = sample.part(slice(s, s + 1), slice(_LOOKED_AT)).mapped(lambda tensor: tensor.cpu().double())
        start, end = (
            mean_loss(
                kind, predict({name: tensor[s : s + 1].double() for name, tensor in ones.items()}, drawn), drawn.y
            )
            for ones in (starts, ends)
        )
        silent = mean_loss(kind, torch.zeros_like(drawn.y), drawn.y)
        flags.append(bool(end > UNEXPLAINED * torch.maximum(start, silent)))
    return np.array(flags, dtype=bool)


def largest_stable_rate(problem: Problem) -> float:
    """Return 2 / (c r s^2 lam_max), c the factor of dL/dyhat, s that of the readout; lam_max of A = <x~ x~^T>.

    r, the largest slope of the residual in yhat, is 1 for a squared error and 1/4 for the cross-entropy. x~ stacks
    g_k(x) x over the units, with trained biases also g_k(x) and 1/s. For a network that gates itself or replays
    recorded gates, every gate is assumed to be open, at its steepest slope, and the 1/s^2 of an output bias is added:
    lower rates are stable, higher ones need not diverge. The estimate holds for the average dynamics; the noise of
    small batches requires lower rates. Raises OutOfReachError for a graph and for a trained readout, whose weights
    have no bound.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=10, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> problem = Problem(law, Network("relu", "mean", units=2), training, settings)
    >>> 1 < largest_stable_rate(problem) < 4
    True
    """
    if not isinstance(problem.network, Network) or problem.network.trains_readout:
        several = "A trained readout" if isinstance(problem.network, Network) else "A network with several layers"
        raise OutOfReachError(
            f"{several} has no largest stable rate: it depends on the weights reached.", "Try smaller learning rates."
        )
    host, network = torch.device("cpu"), problem.network
    streams = [stream(problem.simulated().seed, 0, MEASUREMENT)]
    drawn = prepare(problem.data, host, torch.float64).draw(streams, EXAMPLES)
    x = drawn.x[0]
    one, biased = x.new_ones(len(x), 1), network.biases == "trained"
    if biased:
        x = torch.cat([x, one], dim=1)
    if network.gates and not _replays(problem):
        x = (gate_values(network.gates, drawn)[0].T[:, :, None] * x[:, None, :]).flatten(1)
        if biased:
            x = torch.cat([x, one / readout_scale(network)], dim=1)
        curvature = _largest_second_moment(x)
    else:
        steepest = max(activation_named(network.activation).steepest, leak(network) ** 2)
        curvature = steepest * network.units * _largest_second_moment(x)
        curvature += readout_scale(network) ** -2 if biased else 0
    named = loss_named(problem.training.loss)
    scale = named.gradient_factor * named.steepest * readout_scale(network) ** 2
    return 2 / (scale * curvature) if curvature > 0 else math.inf


def _replays(problem: Problem) -> bool:
    return any(isinstance(gate, RecordedGate) for gate in problem.network.gates)


def _largest_second_moment(x: torch.Tensor) -> float:
    """Return the largest eigenvalue of <x x^T>, as the squared largest singular value of the examples."""
    return float(torch.linalg.matrix_norm(x, 2)) ** 2 / len(x)
