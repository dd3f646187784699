"""The experiments of the notes: their measures on exact solutions, and their cells beside plain loops."""

from itertools import product

import numpy as np
import torch

from derivations.reproductions.model import Cell
from derivations.reproductions.sources import bump_flow, notes_general, notes_redundant, notes_signs, notes_single
from derivations.reproductions.weights import exponent, largest_mode
from sim.train import fixed_sample
from tests.tolerances_of_reproductions import MEAN_OF_PRODUCTS, MODE_RATE, SLOWEST_MODE
from theory.flow import solve
from theory.moments import gated_moments
from theory.problem import Problem


def flow_of(problem: Problem) -> np.ndarray:
    """The exact weights at the problem's times, for two networks of one start: (times, K, 2, n)."""
    weights = np.asarray(solve(problem).weights, dtype=float)
    return np.repeat(weights[:, :, None], 2, axis=2)


def near(found: np.ndarray | float, expected: np.ndarray | float, tolerance: float) -> bool:
    return bool(np.all(np.abs(np.subtract(found, expected)) <= tolerance))


def error_of(problem: Problem) -> np.ndarray:
    return np.full(2, float(solve(problem).mse))


def test_three_gates_by_the_exact_flow():
    """Its limit is 3 times the printed one and its rates are a third, for the mean of three; for the sum they agree."""
    cells = []
    for setting in notes_general.REPRODUCTION.designs["full"].settings:
        problem = notes_general.problem(setting, 7)
        first, last = flow_of(problem)
        weights = {f"first w{k + 1}": one for k, one in enumerate(first)}
        weights |= {f"last w{k + 1}": one for k, one in enumerate(last)}
        cells.append(Cell(setting, 0, {**weights, "error": error_of(problem)}))
    found = notes_general.measure(cells)
    for readout, units in (("mean", 3), ("sum", 1)):
        assert near(found[f"limit, {readout}"] / units, 1, SLOWEST_MODE)
        assert near(found[f"rate, {readout}"] * units, 1, MODE_RATE)
    assert near(found["error"], 1, MODE_RATE)
    long, short = (gated_moments(notes_general._asked("mean", positive)) for positive in ("long", "short"))
    least = [0.5 - one.b @ np.linalg.solve(one.A, one.b) for one in (long, short)]
    assert near(found["labels"], least[1] / least[0], MODE_RATE)


def test_exclusive_gates_by_the_exact_flow():
    """One gate has the printed limit and rates; three have 3 times that limit and a third of those rates."""
    cells = []
    for setting in notes_single.REPRODUCTION.designs["full"].settings:
        problem = notes_single.problem(setting, 7)
        first, last = flow_of(problem)
        cells.append(Cell(setting, 0, {"first w": first[-1], "last w": last[-1], "error": error_of(problem)}))
    found = notes_single.measure(cells)
    for gates, units in (("one", 1), ("three", 3)):
        assert near(found[f"limit, {gates}"] / units, 1, SLOWEST_MODE)
        assert near(found[f"rate, {gates}"] * units, 1, MODE_RATE)


def test_redundant_gates_by_the_exact_flow():
    """The difference stays, the mean ends at A^-1 b, and the rate is 2 lambda/K^2, for K = 2 the printed lambda/K."""
    cells = []
    for setting in notes_redundant.REPRODUCTION.designs["full"].settings:
        problem = notes_redundant.problem(setting, 7)
        first, last = flow_of(problem)
        weights = {f"first w{k}": first[k - 1] for k in (1, 2)} | {f"last w{k}": last[k - 1] for k in (1, 2)}
        cells.append(Cell(setting, 0, {**weights, "error": error_of(problem)}))
    found = notes_redundant.measure(cells)
    assert near(found["difference"], 0, MODE_RATE)
    assert near(found["first"], 1, MODE_RATE)
    assert near(found["second"], -1, MODE_RATE)
    assert near(found["rate"], 1, MODE_RATE)
    assert near(found["mean"], 1, SLOWEST_MODE)


def test_the_largest_mode_moves_and_ends():
    """Of a singular A the mode with the largest entry of A^+ b, on its way at the rate of its eigenvalue."""
    vectors = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    A, b = vectors @ np.diag([2.0, 0.5, 0.0]) @ vectors.T, vectors @ np.array([1.0, 2.0, 0.0])
    value, vector, end = largest_mode(A, b)
    assert near(value, 0.5, MODE_RATE)
    assert near(abs(vector @ vectors[:, 1]), 1, MODE_RATE)
    assert near(abs(end), 4, MODE_RATE)
    now = end * (1 - np.exp(-value * 3))
    assert near(exponent(np.zeros(1), np.array([now]), end), 1.5, MODE_RATE)


def test_gated_moments_of_a_sample_are_sums_over_its_examples():
    setting = {"law": "process", "order": "long first", "networks": 2, "samples": 50}
    asked = bump_flow.problem(setting, 3)
    for in_class in (None, 1):
        found = bump_flow._moments(asked, in_class)
        for number in range(2):
            drawn = fixed_sample(asked, [number], torch.device("cpu"), torch.float64)
            rows = [
                (x, y, gate)
                for x, y, gate in zip(drawn.x[0].numpy(), drawn.y[0].numpy(), drawn.gate[0].numpy().T, strict=True)
                if in_class is None or y == in_class
            ]
            yx = sum(gate[0] * y * x for x, y, gate in rows) / len(rows)
            assert near(found["yx"][number], yx, MEAN_OF_PRODUCTS)
            xx = found["xx"][number].reshape(40, 40)
            for k, l in product((0, 20, 39), (1, 20)):
                expected = sum(gate[0] * x[k] * x[l] for x, _, gate in rows) / len(rows)
                assert near(xx[k, l], expected, MEAN_OF_PRODUCTS)
            assert all(gate[0] == float(x[20] >= 0) and gate[1] == float(x[20] < 0) for x, _, gate in rows)


def test_units_near_their_former_place_on_the_ring():
    early, late = np.zeros((1, 3, 40)), np.zeros((1, 3, 40))
    for unit, (before, after) in enumerate(((39, 1), (5, 8), (10, 10))):
        early[0, unit, before], late[0, unit, after] = -1, 2
    assert notes_signs._near(early, late).tolist() == [2 / 3]
