"""Gaussian laws with matrices, and laws that a test of their samples must reject."""

import numpy as np

from theory.problem.distributions.gaussian import Gaussian


def matrices(scale):
    """Two covariances without symmetries, of which the second is singular: two of its sites are opposite."""
    mixed = np.array([[1.0, 0, 0, 0], [1, 2, 0, 0], [0, -1, 1, 0], [0.5, 0, 1, scale]])
    first = mixed @ mixed.T
    second = np.diag([1.0, 2, 0, 3])
    second[0, 3] = second[3, 0] = -(3**0.5) * (1 - 2**-52)
    return np.stack([(first + first.T) / 2, second])


def law(scale, mean):
    """Two classes with means and priors."""
    return Gaussian([1, 0], matrices(scale), priors=("1/3", "2/3"), means=(mean, 0))


CASES = [(law(1.0, 1), law(1.05, 1)), (law(1.0, 1), law(1.0, "1.05"))]
