"""The optimisers of families, by the definitions and the default numbers of torch.optim."""

from sim.training.optimisers import OPTIMISERS, Optimiser

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
