"""Losses of one output: L = factor <penalty(yhat, y)>, and dL/dyhat = gradient_factor <residual(yhat, y)>."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float

from theory.problem import OutOfReachError

Numbers = Float[torch.Tensor, "*any"]


@dataclass(frozen=True)
class Loss:
    """A loss, given by the penalty of each output; `steepest` bounds the derivative of the residual by yhat."""

    factor: float
    penalty: Callable[[Numbers, Numbers], Numbers]
    gradient_factor: float
    residual: Callable[[Numbers, Numbers], Numbers]
    steepest: float


def loss_named(kind: str) -> Loss:
    """Return the loss of that name. Raises OutOfReachError for one without a simulation.

    >>> loss = loss_named("half-mse")
    >>> float(loss.factor * loss.penalty(torch.tensor(3.0), torch.tensor(1.0)))
    2.0
    """
    if kind not in LOSSES:
        raise OutOfReachError(
            f'No simulation of the loss "{kind}".', f"Add it to sim/networks/losses.py. There are: {', '.join(LOSSES)}."
        )
    return LOSSES[kind]


def mean_loss(kind: str, yhat: Float[torch.Tensor, "S B *m"], y: Numbers) -> Float[torch.Tensor, " S"]:
    """Return L of each network, averaged over the examples and summed over the outputs.

    >>> mean_loss("half-mse", torch.tensor([[3.0, 1.0]]), torch.tensor([[1.0, 1.0]])).tolist()
    [1.0]
    """
    named = loss_named(kind)
    penalty = named.penalty(yhat, y)
    each = penalty.sum(dim=-1) if penalty.ndim > 2 else penalty
    return named.factor * each.mean(dim=1)


def _square(yhat: Numbers, y: Numbers) -> Numbers:
    return (yhat - y).square()


def _difference(yhat: Numbers, y: Numbers) -> Numbers:
    return yhat - y


def _entropy(yhat: Numbers, y: Numbers) -> Numbers:
    """log(1 + exp(-y yhat)), for labels y = +-1."""
    return -torch.nn.functional.logsigmoid(y * yhat)


def _disbelief(yhat: Numbers, y: Numbers) -> Numbers:
    """-y/(1 + exp(y yhat))."""
    return -y * torch.sigmoid(-y * yhat)


LOSSES = {
    "half-mse": Loss(0.5, _square, 1.0, _difference, 1.0),
    "mse": Loss(1.0, _square, 2.0, _difference, 1.0),
    "cross-entropy": Loss(1.0, _entropy, 1.0, _disbelief, 0.25),
}
