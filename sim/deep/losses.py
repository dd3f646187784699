"""Losses of stacks of networks: L = mean over examples of a penalty, summed over outputs where each has its own.

half-mse                1/2 |yhat - y|^2                         targets: m numbers an example
mse                     |yhat - y|^2                             likewise
cross-entropy           sum_c log(1 + exp(-y_c yhat_c))          labels: 1 or -1 for each output (logistic loss)
softmax-cross-entropy   log sum_c exp(yhat_c) - yhat_y           labels: the class, 0, ..., m - 1
"""

import torch
from jaxtyping import Float

from sim.networks.losses import LOSSES, loss_named
from theory.problem import InputError
from theory.problem.numbers import one_of

SOFTMAX = "softmax-cross-entropy"
KINDS = (*LOSSES, SOFTMAX)

Outputs = Float[torch.Tensor, "R B m"]


def penalties(kind: str, yhat: Outputs, y: torch.Tensor) -> Float[torch.Tensor, "R B"]:
    """Return the penalty of each network and example, whose mean over examples is L.

    `y` is (R, B, m), or the classes (R, B) for "softmax-cross-entropy".

    >>> penalties("half-mse", torch.tensor([[[3.0, 1.0]]]), torch.tensor([[[1.0, 1.0]]])).tolist()
    [[2.0]]
    """
    if kind == SOFTMAX:
        return yhat.logsumexp(dim=2) - yhat.gather(2, y.unsqueeze(2)).squeeze(2)
    loss = loss_named(kind)
    return loss.factor * loss.penalty(yhat, y).sum(dim=2)


def mistakes(kind: str, yhat: Outputs, y: torch.Tensor) -> Float[torch.Tensor, "R B"]:
    """Return 1 for each network and example whose class is wrong, 0 otherwise.

    The class is the place of the largest output for "softmax-cross-entropy", the sign of each output otherwise; an
    output of 0 has no sign and is wrong.

    >>> mistakes("half-mse", torch.tensor([[[3.0], [0.0]]]), torch.tensor([[[1.0], [1.0]]])).tolist()
    [[0.0, 1.0]]
    """
    wrong = yhat.argmax(dim=2) != y if kind == SOFTMAX else ~(yhat * y > 0).all(dim=2)
    return wrong.to(yhat.dtype)


def output_gradient(kind: str, yhat: Outputs, y: torch.Tensor) -> Outputs:
    """Return dL/dyhat of each network.

    >>> output_gradient("softmax-cross-entropy", torch.zeros(1, 1, 2), torch.tensor([[1]])).tolist()
    [[[0.5, -0.5]]]
    """
    examples = yhat.shape[1]
    if kind == SOFTMAX:
        away = yhat.softmax(dim=2)
        away.scatter_add_(2, y.unsqueeze(2), away.new_full((), -1).expand(*y.shape, 1))
        return away.div_(examples)
    loss = loss_named(kind)
    return loss.residual(yhat, y).mul_(loss.gradient_factor / examples)


def check_labels(kind: str, y: torch.Tensor, examples: int, outputs: int) -> None:
    """Raise InputError unless y has a label of that loss for each example."""
    one_of(kind, "loss", KINDS)
    shape = (examples,) if kind == SOFTMAX else (examples, outputs)
    if tuple(y.shape) != shape:
        raise InputError(f'The labels have the shape {tuple(y.shape)}; "{kind}" needs {shape}.', "Reshape the labels.")
    if kind == SOFTMAX and (y.dtype != torch.int64 or not bool(((y >= 0) & (y < outputs)).all())):
        raise InputError(
            f"The labels are no classes 0, ..., {outputs - 1} of type int64.", "Number the classes from 0, y.long()."
        )
    if kind == "cross-entropy" and not _are_signs(y):
        raise InputError('"cross-entropy" is the logistic loss, whose labels are 1 and -1.', "Write y = 2 * y - 1.")


def check_classes(kind: str, y: torch.Tensor) -> None:
    """Raise InputError unless the labels of that loss say a class.

    >>> check_classes("half-mse", torch.tensor([[1.0], [-1.0]]))
    """
    if kind != SOFTMAX and not _are_signs(y):
        raise InputError(
            f'The labels are not 1 and -1, and with the loss "{kind}" no classes.', 'Measure the "loss" instead.'
        )


def _are_signs(y: torch.Tensor) -> bool:
    return bool((y.abs() == 1).all())
