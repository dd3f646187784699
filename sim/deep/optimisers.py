"""The optimisers of families, by the definitions and the default numbers of torch.optim, and their step in place."""

import torch

from sim.networks.parameters import along
from sim.training.optimisers import OPTIMISERS, Corrections, Optimiser

SGD = Optimiser()

# Numbers of a parameter in a block: half a megabyte of float32. Of the powers of 2 from 14 to 20 this one and the next
# were the fastest: larger blocks leave the cache, and smaller ones are more calls.
_BLOCK_NUMBERS = 2**17


def momentum(keep: float) -> Optimiser:
    """Return gradient descent with momentum: m <- keep m + dL/dw, w <- w - rate m.

    >>> momentum(0.9).keep
    0.9
    """
    return OPTIMISERS["momentum"](keep, 0.0, 0.0)


def rmsprop(square: float = 0.99, epsilon: float = 1e-8) -> Optimiser:
    """Return RMSprop: v <- square v + (1 - square) (dL/dw)^2, w <- w - rate dL/dw / (sqrt(v) + epsilon).

    >>> rmsprop().square
    0.99
    """
    return OPTIMISERS["rmsprop"](0.0, square, epsilon)


def adam(keep: float = 0.9, square: float = 0.999, epsilon: float = 1e-8) -> Optimiser:
    """Return Adam with corrected means: w <- w - rate m / (1 - keep^t) / (sqrt(v / (1 - square^t)) + epsilon).

    >>> adam().corrected
    True
    """
    return OPTIMISERS["adam"](keep, square, epsilon)


def descend(
    optimiser: Optimiser,
    theta: torch.Tensor,
    gradient: torch.Tensor,
    first: torch.Tensor,
    second: torch.Tensor,
    rates: torch.Tensor,
    corrections: Corrections,
) -> None:
    """Take the step of `Optimiser.advance` with a rate for each network, in place.

    All tensors are (networks, *shape) but the rates, (networks,). A few networks at a time take their step, so that the
    numbers in between stay in the processor's cache. The corrections are those of `Optimiser.corrections`.

    >>> theta, gradient, mean, square = (torch.full((1, 1, 1), value) for value in (1.0, 4.0, 0.5, 0.0))
    >>> descend(momentum(0.5), theta, gradient, mean, square, torch.tensor([0.1]), (1.0, 1.0))
    >>> mean.item(), round(theta.item(), 6)  # 0.5 x 0.5 + 4, and 1 - 0.1 x 4.25
    (4.25, 0.575)
    """
    some = max(1, _BLOCK_NUMBERS // theta[0].numel())
    for own, dx, m, v, rate in zip(
        *(part.split(some) for part in (theta, gradient, first, second, rates)), strict=True
    ):
        move = optimiser.advance(dx, m, v, corrections)
        own.addcmul_(move, along(rate, move), value=-1)
