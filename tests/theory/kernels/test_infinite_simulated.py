"""Tangent kernels of wide networks drawn by NumPy, beside the limit.

With three layers of weights the distance of the mean from the limit is of the order 1/w for smooth activations, and
twice the mean at the width 2 w less that at w is nearer by another order.
"""

from math import sqrt

import numpy as np
import pytest
import sympy

from tests.theory.kernels.gaussian_means import ACTIVATIONS
from tests.tolerances_of_infinite_width import WIDE_STANDARD_ERRORS
from theory.kernels.infinite import WideNetwork, certified_kernel, gram_kernels

X = np.array([[1.0, 0.0], [0.6, 0.8]])
SEED = 3


def drawn(name: str, depth: int, width: int, weight: float, last: float, networks: int) -> np.ndarray:
    """The three kernels of each network, shape (3, networks), for y = W_d s(W_(d-1) ... s(W_1 x)).

    The tangent kernel sum_theta dy(x)/dtheta dy(x')/dtheta, with weights in units of their sd, the last ones in those
    of the others, whatever their own sd; the product of the outputs; and the tangent kernel of a linear network, with
    the slopes of another network for its gates.
    """
    s, slope = ACTIVATIONS[name]
    rng = np.random.default_rng(SEED)
    sizes = [2, *[width] * (depth - 1), 1]
    scales = [1.0, *[sqrt(weight / width)] * (depth - 2), sqrt(last / width)]
    units = [1.0, *[sqrt(weight / width)] * (depth - 1)]

    def kernel_of(layers: list, gating: list | None) -> tuple[float, float]:
        outputs, parts = [], []
        for x in X:
            levels, gates, driven = [x], [], x
            for number, layer in enumerate(layers[:-1]):
                driven = layer @ levels[-1] if gating is None else gating[number] @ driven
                gates.append(slope(driven))
                levels.append(s(driven) if gating is None else gates[-1] * (layer @ levels[-1]))
                driven = driven if gating is None else s(driven)
            back, of_layers = np.ones(1), []
            for number in reversed(range(depth)):
                of_layers.append((units[number] * back, levels[number]))
                if number:
                    back = (layers[number].T @ back) * gates[number - 1]
            parts.append(of_layers)
            outputs.append((layers[-1] @ levels[-1])[0])
        pairs = zip(*parts, strict=True)
        return sum((one @ other) * (level @ level2) for (one, level), (other, level2) in pairs), outputs[0] * outputs[1]

    rows = []
    for _ in range(networks):
        layers, gating = (
            [k * rng.normal(size=(b, a)) for k, a, b in zip(scales, sizes, sizes[1:], strict=False)] for _ in range(2)
        )
        rows.append((*kernel_of(layers, None), kernel_of(layers, gating)[0]))
    return np.array(rows).T


def test_three_layers():
    network = WideNetwork("erf", 3)
    weight = float(network.weight_variance)
    limit = gram_kernels(X @ X.T, network).ntk[0, 1]
    narrow, wide = (drawn("erf", 3, width, weight, weight, 1000)[0] for width in (20, 40))
    error = sqrt(narrow.var(ddof=1) + 4 * wide.var(ddof=1)) / sqrt(1000)
    assert abs(2 * wide.mean() - narrow.mean() - limit) <= WIDE_STANDARD_ERRORS * error


@pytest.mark.parametrize(("weight", "last"), [(2, "alike"), (2, "unit"), (0.5, "alike"), (0.5, "unit")])
def test_every_kernel_of_two_layers(weight, last):
    """With two layers of weights the means are the limits at every width."""
    network = WideNetwork("relu", 2, str(weight), last=last)
    sample = drawn("relu", 2, 4, weight, weight if last == "alike" else 1, 4000)
    for kernel, values in zip(("ntk", "nngp", "fixed-gates"), sample, strict=True):
        limit = float(certified_kernel(network, sympy.Rational(3, 5), digits=15, kernel=kernel).value)
        assert abs(values.mean() - limit) <= WIDE_STANDARD_ERRORS * values.std() / sqrt(len(values)), kernel
