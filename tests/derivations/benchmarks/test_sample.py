"""The benchmark of samplers: every way of drawing, on small laws, and the errors that it states."""

import numpy as np
import pytest

from derivations.benchmarks import sample
from tests.tolerances import STANDARD_ERRORS
from theory.problem import latent_correlation


def test_a_small_run_has_every_way_for_every_law(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(sample, "ROWS", 20)
    monkeypatch.setattr(sample, "FEATURES", 30)
    found = sample.measure(8, 4, rounds=1)
    assert len(found["cases"]) == len(sample.laws(8, 4))
    for case in found["cases"]:
        assert {"sim float64", "sim float32", "cholesky float64", "multivariate", "fourier"} <= set(
            case["microseconds"]
        )
        assert all(value > 0 for value in case["microseconds"].values())
    assert "grid, n = 16" in sample.text(found)


@pytest.mark.parametrize("shape", ["line", "grid"])
def test_random_features_have_the_covariance_up_to_the_error_of_their_number(shape, monkeypatch):
    """Each entry is a mean of FEATURES numbers of size at most 2 and of variance at most 1/2 + 1/2."""
    monkeypatch.setattr(sample, "FEATURES", 4000)
    law = sample.laws(8, 4)[shape, 2]
    for way in (sample._fourier, sample._rbf):
        made = way(law, latent_correlation(law, 0))
        if made is not None:
            assert made[1] <= STANDARD_ERRORS / np.sqrt(4000)
