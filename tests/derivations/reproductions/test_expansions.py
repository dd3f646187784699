"""Expansions of networks at the start: their courses, entries of the kernel, and runs whose expansion grows."""

from itertools import product

import numpy as np
import torch

from derivations.reproductions import expansions
from derivations.reproductions.model import Cell
from sim.deep import (
    ExampleSet,
    Family,
    Settings,
    Start,
    galu,
    momentum,
    recorded,
    train_family,
    train_linearised,
)
from tests.tolerances_of_reproductions import KERNEL_LAW, LEAVING
from theory.kernels import linearised_training


def test_the_course_is_the_map_of_the_kernel_and_leaves_it():
    """Momentum on half the squared error: losses over that at the start beside the map of K0 along the batches."""
    rng = np.random.default_rng(5)
    x, y = torch.from_numpy(rng.normal(size=(7, 3))), torch.from_numpy(rng.normal(size=(7, 1)))
    data, stages = ExampleSet(x, y), (0, 1, 4, 9)
    family = Family((galu((5, 4)),), 2, 3, 1, Start("normal", (0.6, 0.7, 0.8), 3))
    settings = Settings("half-mse", momentum(0.5), 0.15, 3, 4, dtype=torch.float64)
    run = train_family(family, data, settings, 9, stages=stages)
    course = expansions.courses(run, train_linearised(family, data, settings, 9, stages=stages), "galu", stages, data)
    for replicate in range(2):
        orders = [
            np.random.default_rng(np.random.SeedSequence(4, spawn_key=(replicate, 2, epoch))).permutation(7)
            for epoch in range(3)
        ]
        rows = [order[start : start + 3] for order in orders for start in (0, 3, 6)]
        kernels = [expansions.kernel_at(run, "galu", stage, data)[replicate].numpy() for stage in stages]
        begun = recorded(run, "galu", 0).output[replicate, :, 0].numpy() - y[:, 0].numpy()
        mapped = (linearised_training(kernels[0], begun, 0.15, rows, stages, 0.5) ** 2).sum(axis=1)
        assert np.abs(course.linearised[replicate] / (mapped / mapped[0]) - 1).max() < KERNEL_LAW
        errors = [recorded(run, "galu", s).output[replicate, :, 0].numpy() - y[:, 0].numpy() for s in stages]
        losses = np.square(errors).sum(axis=1)
        assert np.abs(course.trained[replicate] / (losses / losses[0]) - 1).max() < KERNEL_LAW
        moved = [np.linalg.norm(kernel - kernels[0]) / np.linalg.norm(kernels[0]) for kernel in kernels]
        assert np.abs(course.change[replicate] - moved).max() < KERNEL_LAW
    numbers = course.numbers("galu")
    (row,) = expansions.beside_courses([Cell({}, 0, numbers)], {"galu": "GaLU"}, stages)
    away = np.abs(np.log(course.trained / course.linearised)) > LEAVING
    assert away.any(axis=1).all()
    assert f"first at t = {np.array(stages)[away.argmax(axis=1)].min()}" in row.text
    assert row.theory == course.linearised[:, -1].mean()


def test_a_standardised_entry_has_mean_0_and_variance_1_over_all_weights():
    """Every choice of signs of a network of two levels, whose layers have weights of their own sizes."""
    scales, x, gates = (0.5, 2.0, 3.0), [-2.0], [[1.0, 0.5], [0.25, 1.0]]
    family = Family((galu((2, 2)),), 1, 1, 1, Start("signs", scales, 0))
    result = []
    for signs in product((-1.0, 1.0), repeat=8):
        each = np.array(signs)
        layers = [each[:2].reshape(2, 1) * scales[0], each[2:6].reshape(2, 2) * scales[1], each[6:] * scales[2]]
        z1 = layers[0] @ x * gates[0]
        z2 = layers[1] @ z1 * gates[1]
        b2 = layers[2] * gates[1]
        b1 = layers[1].T @ b2 * gates[0]
        entry = z2 @ z2 + (z1 @ z1) * (b2 @ b2) + np.dot(x, x) * (b1 @ b1)
        result.append(expansions.standardised(float(entry), x, gates, family))
    assert abs(np.mean(result)) < KERNEL_LAW
    assert abs(np.square(result).mean() - 1) < KERNEL_LAW


def grown(last, stay):
    """The numbers of two runs whose expansions end at `last`, and of `stay` runs whose expansions end at 0.4."""
    linearised = np.array([[1.0, last], [1.0, last], *[[1.0, 0.4]] * stay])
    return Cell({}, 0, {"relu trained": np.array([[1.0, 0.5]] * len(linearised)), "relu linearised": linearised})


def test_expansions_that_grow_are_counted_and_in_no_mean():
    (row,) = expansions.beside_courses([grown(np.inf, 2)], {"relu": "ReLU"}, (0, 9))
    assert "2 of 4 expansions grow beyond their start, and the means are those of the others" in row.text
    assert "4 of 4 runs leave it by more than 5 %, first at t = 9" in row.text
    assert (row.theory, row.values.tolist()) == (0.4, [0.5, 0.5])


def test_expansions_of_which_too_few_stay_are_a_share():
    (row,) = expansions.beside_courses([grown(np.nan, 1)], {"relu": "ReLU"}, (0, 9))
    assert "2 of 3 expansions grow beyond their start, the theory here is their share" in row.text
    assert (row.theory, row.values) == (1 - 1 / 3, None)
