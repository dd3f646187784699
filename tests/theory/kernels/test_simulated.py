"""Mean and variance of the tangent kernel beside networks drawn by NumPy, of width 20 and depth 6."""

from fractions import Fraction
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest

from tests.tolerances_of_kernels import KERNEL_STANDARD_ERRORS
from theory.kernels import GAUSSIAN, SIGNS, WeightLaw, alike, cumulant

WIDTH, DEPTH, NETWORKS = 20, 6, 40_000


def kernels(weights: str, mu: float) -> np.ndarray:
    """Draw K0 = sum_theta (dy/dtheta)^2; weights have the variance 1/(mu w), gates are open with probability mu."""
    rng = np.random.default_rng(7)
    sizes = [1, *[WIDTH] * (DEPTH - 1), 1]
    found = []
    for _ in range(NETWORKS // 2000):
        shapes = [(2000, below, above) for above, below in pairwise(sizes)]
        drawn = [rng.normal(size=s) if weights == "gaussian" else rng.choice([-1.0, 1.0], size=s) for s in shapes]
        drawn = [layer / sqrt(mu * WIDTH) for layer in drawn]
        gates = [rng.random((2000, size)) < mu for size in sizes[1:-1]]
        forward = [np.ones((2000, 1))]
        for layer, open_ in zip(drawn, [*gates, 1], strict=True):
            forward.append(np.einsum("nij,nj->ni", layer, forward[-1]) * open_)
        backward, kernel = np.ones((2000, 1)), np.zeros(2000)
        for number in reversed(range(DEPTH)):
            kernel += (backward**2).sum(1) * (forward[number] ** 2).sum(1)
            if number:
                backward = np.einsum("nij,ni->nj", drawn[number], backward) * gates[number - 1]
        found.append(kernel)
    return np.concatenate(found)


def errors(drawn: np.ndarray, mu: Fraction, law: WeightLaw) -> tuple[float, float]:
    """Return the deviations of mean and variance from the exact ones, in standard errors by the exact cumulants."""
    network, unit = alike(WIDTH, DEPTH, mu, law), (mu * WIDTH) ** (DEPTH - 1)
    mean, variance, fourth = (float(cumulant(network, order) / unit**order) for order in (1, 2, 4))
    number = len(drawn)
    of_variance = sqrt(fourth / number + 2 * variance**2 / (number - 1))
    return (drawn.mean() - mean) / sqrt(variance / number), (drawn.var(ddof=1) - variance) / of_variance


@pytest.mark.parametrize(("law", "other"), [(SIGNS, GAUSSIAN), (GAUSSIAN, SIGNS)])
@pytest.mark.parametrize("mu", [Fraction(1), Fraction(1, 2)])
def test_networks(law, other, mu):
    """The networks agree with their own law of weights, and their variance not with the other one."""
    drawn = kernels(law.name, float(mu))
    assert max(map(abs, errors(drawn, mu, law))) < KERNEL_STANDARD_ERRORS
    assert abs(errors(drawn, mu, other)[1]) > KERNEL_STANDARD_ERRORS
