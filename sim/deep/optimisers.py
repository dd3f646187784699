"""The optimisers of families, by the definitions and the default numbers of torch.optim, and their step in place."""

from collections.abc import Sequence
from math import inf

import torch
from torch.optim.adam import adam as adam_of_torch

from sim.training.optimisers import OPTIMISERS, Optimiser
from theory.problem import OutOfReachError

SGD = Optimiser()
Tensors = Sequence[torch.Tensor]


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
    optimiser: Optimiser, thetas: Tensors, gradients: Tensors, first: Tensors, second: Tensors, step: int, rate: float
) -> None:
    """Take a step by the definition of `Optimiser`, in place, after `step` earlier ones; `first` and `second` are m, v.

    Each number is read and written once, by torch's fused step of Adam: RMSprop is Adam that keeps nothing of earlier
    gradients and corrects no mean, which it does not after infinitely many steps. Raises OutOfReachError for other
    optimisers that divide by a root.

    >>> theta, gradient, mean, square = ([torch.full((1,), value)] for value in (1.0, 4.0, 0.5, 0.0))
    >>> descend(momentum(0.5), theta, gradient, mean, square, 0, 0.1)
    >>> mean[0].item(), round(theta[0].item(), 6)  # 0.5 x 0.5 + 4, and 1 - 0.1 x 4.25
    (4.25, 0.575)
    """
    if optimiser.square is None:
        for theta, dx, m in zip(thetas, gradients, first, strict=True):
            m.mul_(optimiser.keep).add_(dx, alpha=optimiser.take)
            theta.add_(m, alpha=-rate)
        return
    if optimiser.take != 1 - optimiser.keep:
        raise OutOfReachError(
            f"{optimiser!r} divides by a root and takes a share of the gradient other than 1 - keep.",
            "Use rmsprop() or adam().",
        )
    before = float(step) if optimiser.corrected else inf
    adam_of_torch(
        list(thetas),
        list(gradients),
        list(first),
        list(second),
        [],
        [torch.full((), before, dtype=torch.float32, device=theta.device) for theta in thetas],
        fused=True,
        amsgrad=False,
        beta1=optimiser.keep,
        beta2=optimiser.square,
        lr=rate,
        weight_decay=0.0,
        eps=optimiser.epsilon,
        maximize=False,
    )
