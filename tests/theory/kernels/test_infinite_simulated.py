"""Tangent kernels of wide networks drawn by NumPy, beside the limit.

With three layers of weights the distance of the mean from the limit is of the order 1/w for smooth activations, and
twice the mean at the width 2 w less that at w is nearer by another order.
"""

from math import sqrt

import numpy as np

from tests.theory.kernels.gaussian_means import ACTIVATIONS
from tests.tolerances_of_infinite_width import WIDE_STANDARD_ERRORS
from theory.kernels.infinite import WideNetwork, gram_kernels

X = np.array([[1.0, 0.0], [0.6, 0.8]])
SEED = 3


def drawn(name: str, depth: int, width: int, weight: float, last: float, networks: int) -> np.ndarray:
    """Draw sum_theta dy(x)/dtheta dy(x')/dtheta for y = W_d s(W_(d-1) ... s(W_1 x)), weights in units of their sd.

    The last weights are in units of the sd of the others, whatever their own.
    """
    s, slope = ACTIVATIONS[name]
    rng = np.random.default_rng(SEED)
    sizes = [2, *[width] * (depth - 1), 1]
    scales = [1.0, *[sqrt(weight / width)] * (depth - 2), sqrt(last / width)]
    own = [1.0, *[sqrt(weight / width)] * (depth - 1)]
    found = []
    for _ in range(networks):
        layers = [k * rng.normal(size=(b, a)) for k, a, b in zip(scales, sizes, sizes[1:], strict=False)]
        kernel = 0.0
        slopes = []
        for x in X:
            levels, gates = [x], []
            for layer in layers[:-1]:
                before = layer @ levels[-1]
                levels.append(s(before))
                gates.append(slope(before))
            back, parts = np.ones(1), []
            for number in reversed(range(depth)):
                parts.append((own[number] * back, levels[number]))
                if number:
                    back = (layers[number].T @ back) * gates[number - 1]
            slopes.append(parts)
        for (back, level), (other_back, other_level) in zip(*slopes, strict=True):
            kernel += (back @ other_back) * (level @ other_level)
        found.append(kernel)
    return np.array(found)


def test_three_layers():
    network = WideNetwork("erf", 3)
    weight = float(network.weight_variance)
    limit = gram_kernels(X @ X.T, network).ntk[0, 1]
    narrow, wide = (drawn("erf", 3, width, weight, weight, 1000) for width in (20, 40))
    error = sqrt(narrow.var(ddof=1) + 4 * wide.var(ddof=1)) / sqrt(1000)
    assert abs(2 * wide.mean() - narrow.mean() - limit) <= WIDE_STANDARD_ERRORS * error
