"""The linearised training beside its iteration; moments of the eigenvalues of K0 beside all weights and gates."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.theory.kernels.enumeration import every_weight, gradient
from tests.tolerances import SIM_GRADIENT
from theory.kernels import equal_inputs_moments, linearised_errors, linearised_training
from theory.problem import InputError


def test_errors_are_those_of_the_iteration():
    rng = np.random.default_rng(4)
    factor = rng.normal(size=(4, 6))
    kernel, error, step, stages = factor @ factor.T, rng.normal(size=4), 0.05, (0, 1, 5)
    errors = linearised_errors(kernel, error, step, stages)
    for number in range(6):
        if number in stages:
            assert np.abs(errors[stages.index(number)] - error).max() < SIM_GRADIENT
        error = error - step * kernel @ error


def test_mini_batches_and_momentum_are_those_of_the_weights_of_a_linear_model():
    """A model yhat = J w in its weights, whose loss is the mean over each batch; two more examples are predicted."""
    rng = np.random.default_rng(7)
    J, error, rate, keep = rng.normal(size=(6, 9)), rng.normal(size=6), 0.05, 0.9
    batches = [rng.permutation(4)[:size] for size in (2, 2, 1, 3, 2, 4)]
    stages = (6, 0, 3)
    errors = linearised_training(J @ J[:4].T, error, rate, batches, stages, keep)
    moved, moving = np.zeros(9), np.zeros(9)
    for step in range(7):
        if step in stages:
            assert np.abs(errors[stages.index(step)] - (error + J @ moved)).max() < SIM_GRADIENT
        if step < 6:
            rows = batches[step]
            moving = keep * moving + J[rows].T @ (error + J @ moved)[rows] / len(rows)
            moved = moved - rate * moving


@pytest.mark.parametrize(
    ("kernel", "batches", "stages", "words"),
    [
        (np.ones((2, 3)), [np.array([0])], (1,), "for 2 errors"),
        (np.eye(2), [np.array([0])], (-1,), "numbers of steps"),
        (np.eye(2), [np.array([0])], (2,), "1 batches for 2 steps"),
        (np.eye(2), [np.array([2])], (1,), "2 examples train"),
        (np.eye(2), [np.array([], dtype=int)], (1,), "2 examples train"),
    ],
)
def test_batches_that_do_not_fit_are_refused(kernel, batches, stages, words):
    with pytest.raises(InputError, match=words):
        linearised_training(kernel, np.ones(2), 0.1, batches, stages)


@pytest.mark.parametrize(("inputs", "width", "depth", "mu"), [(2, 1, 3, "1/3"), (3, 2, 2, "1/2")])
def test_moments_of_eigenvalues_are_those_of_all_weights_and_gates(inputs, width, depth, mu):
    """For every choice of gates and signs the matrix K0 itself, from gradients, and its trace and squares."""
    probability = Fraction(mu)
    widths = [1, *[width] * (depth - 1), 1]
    weights = every_weight(list(zip(widths[1:], widths, strict=False)), (1, -1))
    unit = (probability * width) ** (depth - 1) * depth  # d / s^(2(d-1)), as the weights are 1 and -1
    variance = square = Fraction(0)
    for coins in product((0, 1), repeat=inputs * width * (depth - 1)):
        gates = np.array(coins).reshape(inputs, depth - 1, width)
        slopes = [
            np.concatenate([layer.reshape(len(layer), -1) for layer in gradient(weights, [1], each)], axis=1)
            for each in gates.tolist()
        ]
        kernel = np.einsum("scp,tcp->cst", slopes, slopes)
        chance = probability ** sum(coins) * (1 - probability) ** (len(coins) - sum(coins)) / len(kernel)
        traces, squares = np.trace(kernel, axis1=1, axis2=2), (kernel**2).sum(axis=(1, 2))
        variance += chance * sum((Fraction(int(trace)) / (inputs * unit) - 1) ** 2 for trace in traces)
        square += chance * Fraction(int(squares.sum())) / (inputs * unit**2)
    moments = equal_inputs_moments(inputs, width, depth, mu)
    assert (moments.variance_of_mean, moments.mean_square) == (variance, square)


def test_refusals():
    for kernel, stages in ((np.array([[1.0, 2.0], [0.0, 1.0]]), (0,)), (np.eye(2), (0, -1))):
        with pytest.raises(InputError):
            linearised_errors(kernel, np.ones(2), 0.1, stages)
    with pytest.raises(InputError, match="mu"):
        equal_inputs_moments(3, 2, 2, 0)
    with pytest.raises(InputError, match="inputs"):
        equal_inputs_moments(0, 2, 2, 1)
