r"""Training as it would be if the tangent kernel kept its initial value.

Gradient descent with the step alpha on L = 1/2 sum_s e(s)^2, e = yhat - y, moves the errors by e -> (1 - alpha K_t) e
to first order in alpha. With K_t = K_0 this is a linear map, so that in the eigenvectors of K_0

    e_t = (1 - alpha K_0)^t e_0 = sum_i v_i (1 - alpha rho_i)^t v_i^T e_0.

Sources: Deep Gated Networks, eq. (1), whose loss lacks the factor 1/2; Neural Path Features, Proposition 1.1.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

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
    if min(stages, default=0) < 0:
        raise InputError(f"stages = {tuple(stages)} are numbers of steps.", "Give whole numbers from 0 on.")
    values, vectors = np.linalg.eigh(kernel)
    first = vectors.T @ error
    return np.stack([vectors @ ((1 - step * values) ** stage * first) for stage in stages])
