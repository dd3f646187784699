"""Nonlinear processes with correlation matrices, and laws that a test of their samples must reject."""

import numpy as np

from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix


def law(nonlinearity, near, scale="1/2"):
    """Correlations without symmetries, and scales that differ."""
    first = [[1, near, 0, "1/4"], [near, 1, "-1/2", 0], [0, "-1/2", 1, 0], ["1/4", 0, 0, 1]]
    return NonlinearGPMatrix(
        nonlinearity,
        [1, 0],
        [first, np.eye(4).tolist()],
        [[1, 2, scale, 1], [1, 1, 1, 0]],
        means=([1, 0, 0, 0], 0),
        priors=("3/4", "1/4"),
    )


CASES = [
    (law("laplace", "1/2"), law("laplace", "0.55")),
    (law("erf", "1/2"), law("uniform", "1/2")),
    (law("sign", "1/2"), law("sign", "1/2", "0.55")),
]
