"""The optimisers of families, by the definitions and the default numbers of torch.optim, and their step in place."""

import torch

from sim.networks.parameters import along
from sim.training.optimisers import OPTIMISERS, Corrections, Optimiser

SGD = Optimiser()


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
    """Take the step of `Optimiser.direction` with a rate for each network, in place: half as many passes over memory.

    All tensors are (networks, target, source) but the rates, (networks,); the numbers in `gradient` are lost. The
    corrections are those of `Optimiser.corrections`.

    >>> theta, gradient, mean, square = (torch.full((1, 1, 1), value) for value in (1.0, 4.0, 0.5, 0.0))
    >>> descend(momentum(0.5), theta, gradient, mean, square, torch.tensor([0.1]), (1.0, 1.0))
    >>> mean.item(), round(theta.item(), 6)  # 0.5 x 0.5 + 4, and 1 - 0.1 x 4.25
    (4.25, 0.575)
    """
    first.mul_(optimiser.keep).add_(gradient, alpha=optimiser.take)
    move = first
    if optimiser.square is not None:
        second.mul_(optimiser.square).addcmul_(gradient, gradient, value=1 - optimiser.square)
        torch.sqrt(second, out=gradient)
        gradient.mul_(corrections[1] ** -0.5).add_(optimiser.epsilon)
        move = torch.div(first, gradient, out=gradient)
    theta.addcmul_(move, along(rates / corrections[0], move), value=-1)
