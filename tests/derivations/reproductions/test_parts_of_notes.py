"""Parts of the experiments of the notes beside sums and loops: gated moments of a sample, places on a ring."""

from itertools import product

import numpy as np
import torch

from derivations.reproductions.sources import bump_flow, notes_orders, notes_signs
from sim.train import fixed_sample
from tests.tolerances_of_reproductions import MEAN_OF_PRODUCTS


def near(value: np.ndarray | float, expected: np.ndarray | float, tolerance: float) -> bool:
    return bool(np.all(np.abs(np.subtract(value, expected)) <= tolerance))


def test_gated_moments_of_a_sample_are_sums_over_its_examples():
    setting = {"law": "process", "order": "long first", "networks": 2, "samples": 50}
    request = bump_flow.problem(setting, 3)
    for in_class in (None, 1):
        result = bump_flow._moments(request, in_class)
        for number in range(2):
            drawn = fixed_sample(request, [number], torch.device("cpu"), torch.float64)
            rows = [
                (x, y, gate)
                for x, y, gate in zip(drawn.x[0].numpy(), drawn.y[0].numpy(), drawn.gate[0].numpy().T, strict=True)
                if in_class is None or y == in_class
            ]
            yx = sum(gate[0] * y * x for x, y, gate in rows) / len(rows)
            assert near(result["yx"][number], yx, MEAN_OF_PRODUCTS)
            xx = result["xx"][number].reshape(40, 40)
            for k, l in product((0, 20, 39), (1, 20)):
                expected = sum(gate[0] * x[k] * x[l] for x, _, gate in rows) / len(rows)
                assert near(xx[k, l], expected, MEAN_OF_PRODUCTS)
            assert all(gate[0] == float(x[20] >= 0) and gate[1] == float(x[20] < 0) for x, _, gate in rows)


def test_trained_biases_start_at_zero():
    setting = {"law": "process", "lengths": "2 and 1", "first": "long", "biases": "trained", "networks": 2, "end": 9}
    training = notes_orders.problem(setting, 0).training
    assert (training.hidden_bias0.scale, training.output_bias0) == (0, 0)


def test_units_near_their_former_place_on_the_ring():
    early, late = np.zeros((1, 3, 40)), np.zeros((1, 3, 40))
    for unit, (before, after) in enumerate(((39, 1), (5, 8), (10, 10))):
        early[0, unit, before], late[0, unit, after] = -1, 2
    assert notes_signs._near(early, late).tolist() == [2 / 3]
