"""Activations of units: f(h), its derivative by hand, and the largest square of that derivative."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float

from theory.problem import OutOfReachError

Numbers = Float[torch.Tensor, "*any"]


@dataclass(frozen=True)
class Activation:
    """An activation as functions of the pre-activations h and the leak, the slope of leaky ReLU for h <= 0 (else 0).

    `value` is f(h) for autograd, `with_slope` returns f(h) and df/dh; `steepest` is the largest (df/dh)^2 for a leak
    within [-1, 1].
    """

    value: Callable[[Numbers, float], Numbers]
    with_slope: Callable[[Numbers, float], tuple[Numbers, Numbers]]
    steepest: float


def activation_named(name: str) -> Activation:
    """Return the activation of that name. Raises OutOfReachError for one without a simulation.

    >>> h = torch.tensor([-2.0, 3.0])
    >>> [part.tolist() for part in activation_named("leaky-relu").with_slope(h, 0.5)]
    [[-1.0, 3.0], [0.5, 1.0]]
    """
    if name not in ACTIVATIONS:
        raise OutOfReachError(
            f'No simulation of the activation "{name}".',
            f"Add it to sim/networks/activations.py. There are: {', '.join(ACTIVATIONS)}.",
        )
    return ACTIVATIONS[name]


def _linear(h: Numbers, _leak: float) -> tuple[Numbers, Numbers]:
    return h, torch.ones_like(h)


def _leaky(h: Numbers, leak: float) -> tuple[Numbers, Numbers]:
    """Return leaky ReLU and its derivative, which at h = 0 is that of h < 0, as in torch."""
    slope = torch.full_like(h, leak).masked_fill_(h > 0, 1.0)
    return h * slope, slope


def _erf(h: Numbers, _leak: float) -> tuple[Numbers, Numbers]:
    return torch.erf(h / math.sqrt(2)), torch.exp(-h.square() / 2).mul_(math.sqrt(2 / math.pi))


def _sigmoid(h: Numbers, _leak: float) -> tuple[Numbers, Numbers]:
    value = torch.sigmoid(h)
    return value, value * (1 - value)


ACTIVATIONS = {
    "linear": Activation(lambda h, _leak: h, _linear, 1.0),
    "relu": Activation(lambda h, _leak: torch.relu(h), _leaky, 1.0),
    "leaky-relu": Activation(torch.nn.functional.leaky_relu, _leaky, 1.0),
    "erf": Activation(lambda h, _leak: torch.erf(h / math.sqrt(2)), _erf, 2 / math.pi),
    "sigmoid": Activation(lambda h, _leak: torch.sigmoid(h), _sigmoid, 1 / 16),
}
