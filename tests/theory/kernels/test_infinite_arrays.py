"""Kernels of Gram matrices: against certified digits and quadrature, in NumPy and torch, and what is refused."""

import numpy as np
import pytest
import sympy
import torch

from tests.theory.kernels.gaussian_means import ACTIVATIONS
from tests.tolerances_of_infinite_width import GRAM_ROUNDED, GRAM_SINGLE, NEAR_EQUAL
from theory.kernels.infinite import WideNetwork, certified_kernel, gram_kernels
from theory.problem.errors import InputError, OutOfReachError

GRAM = np.array([[1.0, 0.5, -0.25], [0.5, 2.0, -0.75], [-0.25, -0.75, 0.5]])
EXACT = [[sympy.Rational(str(entry)) for entry in row] for row in GRAM]


def drawn(inputs: int, seed: int = 5) -> np.ndarray:
    """A Gram matrix of more inputs than one block has."""
    x = np.random.default_rng(seed).normal(size=(inputs, 12)) / 12**0.5
    return x @ x.T


NOT_HERE = ("linear", "leaky-relu:1/10", "cos", "tanh", "softplus")


@pytest.mark.parametrize("name", [name for name in ACTIVATIONS if name not in NOT_HERE])
def test_every_entry_is_the_certified_one(name):
    network = WideNetwork(name, 3, weight_variance="3/2", bias_variance="1/3", last="unit")
    kernels = gram_kernels(GRAM, network)
    for i in range(3):
        for j in range(i, 3):
            norms = sympy.sqrt(EXACT[i][i]), sympy.sqrt(EXACT[j][j])
            correlation = EXACT[i][j] / (norms[0] * norms[1])
            for kernel, matrix in (("ntk", kernels.ntk), ("nngp", kernels.nngp)):
                wanted = float(certified_kernel(network, correlation, norms, 17, kernel).value)
                assert abs(matrix[i, j] - wanted) <= GRAM_ROUNDED * max(1, abs(wanted))


def test_blocks_make_one_matrix():
    """Blocks of different sizes, of one list of inputs and of two; symmetric to the last bit."""
    network, gram = WideNetwork("gelu", 4), drawn(300)
    whole = gram_kernels(gram, network)
    assert np.array_equal(whole.ntk, whole.ntk.T)
    assert np.array_equal(whole.nngp, whole.nngp.T)
    norms = np.diagonal(gram)
    part = gram_kernels(gram[:140, 130:], network, (norms[:140], norms[130:]))
    for block, wanted in ((part.ntk, whole.ntk), (part.nngp, whole.nngp)):
        off = np.arange(140)[:, None] != np.arange(130, 300)[None, :]
        assert np.abs(block - wanted[:140, 130:])[off].max() <= GRAM_ROUNDED
    single = gram_kernels(gram.astype(np.float32), network)
    assert single.ntk.dtype == np.float32
    assert np.abs(single.ntk - whole.ntk).max() <= GRAM_SINGLE


def test_the_diagonal_is_exact():
    """K(x, x) = d |x|^2 for ReLU; an inverse sine in float64 would lose half of the digits."""
    x = np.random.default_rng(1).normal(size=(40, 5))
    gram = x @ x.T
    kernels = gram_kernels(gram, WideNetwork("relu", 3))
    assert np.abs(np.diagonal(kernels.ntk) / np.diagonal(gram) - 3).max() <= GRAM_ROUNDED
    twice = gram_kernels(np.ones((2, 2)), WideNetwork("relu", 3))
    assert np.array_equal(twice.ntk, np.full((2, 2), twice.ntk[0, 0]))
    near = gram_kernels(np.array([[1.0, 1 - 1e-15], [1 - 1e-15, 1.0]]), WideNetwork("relu", 3))
    assert abs(near.ntk[0, 1] - 3) <= NEAR_EQUAL


@pytest.mark.parametrize("name", ["relu", "gelu", "step"])
def test_torch(name):
    """The same numbers, and gradients that are differences of kernels, at equal inputs too."""
    network, gram = WideNetwork(name, 3), np.vstack([GRAM, GRAM[:1]])
    gram = np.hstack([gram, gram[:, :1]])  # the last input is the first
    plain = gram_kernels(gram, network)
    tensor = torch.tensor(gram, requires_grad=True)
    kernels = gram_kernels(tensor, network)
    for one, other in ((kernels.ntk, plain.ntk), (kernels.nngp, plain.nngp)):
        assert np.abs(one.detach().numpy() - other).max() <= GRAM_ROUNDED
    kernels.ntk.sum().backward()
    assert bool(torch.isfinite(tensor.grad).all())


def test_a_gradient_of_torch():
    """d/dc E[sin z sin z'] = d/dc exp(-1) sinh(c) for variances 1."""
    tensor = torch.tensor([[1.0, 0.25], [0.25, 1.0]], dtype=torch.float64, requires_grad=True)
    gram_kernels(tensor, WideNetwork("sin", 2)).nngp[0, 1].backward()
    assert abs(float(tensor.grad[0, 1]) - np.exp(-1) * np.cosh(0.25)) <= GRAM_ROUNDED


REFUSED = [
    (np.ones(3), {}, InputError, "axes"),
    (np.ones((2, 3)), {}, InputError, "shape"),
    (np.array([[1.0, 2.0], [2.0, 1.0]]), {}, InputError, "exceeds"),
    (np.array([[1.0, 0.5], [0.4, 1.0]]), {}, InputError, "symmetric"),
    (np.array([[1.0, np.nan], [np.nan, 1.0]]), {}, InputError, "finite"),
    (np.array([[1.0, 0.0], [0.0, 0.0]]), {}, InputError, "positive"),
    (np.ones((2, 3)), {"variances": (np.ones(2), np.ones(2))}, InputError, "variances"),
]


def test_refusals():
    for gram, options, error, word in REFUSED:
        with pytest.raises(error, match=word):
            gram_kernels(gram, WideNetwork("relu", 3), **options)


def test_what_has_no_array_program():
    with pytest.raises(OutOfReachError, match="certified"):
        gram_kernels(GRAM, WideNetwork("relu(h - 1)", 2))
    with pytest.raises(OutOfReachError, match="range of floats"):
        gram_kernels(3 * GRAM, WideNetwork("exp(h)", 6))
