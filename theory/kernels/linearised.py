r"""Training as it would be if the tangent kernel kept its initial value.

Gradient descent with the step alpha on L = 1/2 sum_s e(s)^2, e = yhat - y, moves the errors by e -> (1 - alpha K_t) e
to first order in alpha. With K_t = K_0 this is a linear map, so that in the eigenvectors of K_0

    e_t = (1 - alpha K_0)^t e_0 = sum_i v_i (1 - alpha rho_i)^t v_i^T e_0.

Mini-batches B_t, and momentum, leave it linear. On L = mean over the batch of e^2/2, with m_t in R^n of the examples,

    m_(t+1) = keep m_t + 1[s in B_t] e_t(s) / |B_t|,   e_(t+1) = e_t - alpha K_0 m_(t+1):

the weights' momentum is sum_s m(s) dyhat(s)/dTheta. Optimisers that divide by squares of the gradient, as Adam, have no
such map on the examples: they need the derivatives of each weight, not K_0 alone.

Sources: Deep Gated Networks, eq. (1), whose loss lacks the factor 1/2; Neural Path Features, Proposition 1.1.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float, Int64

from theory.problem.errors import InputError


def linearised_errors(
    kernel: Float[np.ndarray, "n n"], error: Float[np.ndarray, " n"], step: float, stages: Sequence[int]
) -> Float[np.ndarray, "stages n"]:
    """Return (1 - step K)^t e_0 for the numbers t of steps in `stages`, with e_0 = `error` on n examples.

    Raises InputError for a kernel that is not symmetric, another number of errors, and stages below 0.

    >>> linearised_errors(np.array([[2.0]]), np.array([3.0]), 0.25, (0, 1, 2)).tolist()
    [[3.0], [1.5], [0.75]]
    """
    if kernel.shape != (len(error), len(error)) or not np.array_equal(kernel, kernel.T):
        raise InputError(
            f"The kernel has the shape {kernel.shape} for {len(error)} errors, or is not symmetric.",
            "Give K0 on the examples of the errors; (K + K.T)/2 removes roundings.",
        )
    _check_stages(stages)
    values, vectors = np.linalg.eigh(kernel)
    first = vectors.T @ error
    return np.stack([vectors @ ((1 - step * values) ** stage * first) for stage in stages])


def linearised_training(
    kernel: Float[np.ndarray, "N n"],
    error: Float[np.ndarray, " N"],
    rate: float,
    batches: Iterable[Int64[np.ndarray, " _"]],
    stages: Sequence[int],
    keep: float = 0.0,
) -> Float[np.ndarray, "stages N"]:
    """Return e_t at the numbers t of steps in `stages`, along the mini-batches that the steps take.

    The first n of the N examples train, and `kernel` is K0 of all examples with those; the others are only predicted.
    A batch has the rows, 0 to n - 1, of its examples; `keep` is that of the momentum. Raises InputError for a kernel of
    another shape, stages below 0, rows that do not exist, and fewer batches than steps.

    >>> kernel, error = np.array([[2.0, 1.0], [1.0, 2.0], [0.0, 1.0]]), np.array([1.0, 1.0, 5.0])
    >>> linearised_training(kernel, error, 0.5, [np.array([0]), np.array([1])], (1, 2)).tolist()
    [[0.0, 0.5, 5.0], [-0.25, 0.0, 4.75]]
    """
    if kernel.ndim != 2 or len(kernel) != len(error) or kernel.shape[1] > len(error) or not kernel.size:
        raise InputError(
            f"The kernel has the shape {kernel.shape} for {len(error)} errors.",
            "Give K0 of the N examples of the errors with the first n of them, which train.",
        )
    _check_stages(stages)
    now, moving, at_stage, order = error.astype(float), np.zeros(kernel.shape[1]), {}, iter(batches)
    for step in range(max(stages, default=0) + 1):
        if step in stages:
            at_stage[step] = now.copy()
        if step == max(stages, default=0):
            break
        rows = next(order, None)
        if rows is None:
            raise InputError(f"There are {step} batches for {max(stages)} steps.", "Give a batch for each step.")
        if not len(rows) or not 0 <= min(rows) <= max(rows) < len(moving):
            raise InputError(
                f"The batch of step {step} has the rows {np.asarray(rows).tolist()}; {len(moving)} examples train.",
                "Give rows from 0 on, of the examples that train.",
            )
        if keep:
            moving *= keep
            np.add.at(moving, rows, now[rows] / len(rows))
            now -= rate * (kernel @ moving)
        else:
            now -= rate * (kernel[:, rows] @ (now[rows] / len(rows)))
    return np.stack([at_stage[stage] for stage in stages])


def _check_stages(stages: Sequence[int]) -> None:
    if min(stages, default=0) < 0:
        raise InputError(f"stages = {tuple(stages)} are numbers of steps.", "Give whole numbers from 0 on.")
