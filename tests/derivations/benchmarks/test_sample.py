"""The benchmark of samplers: every way of drawing, on small laws, and the errors that it states."""

import numpy as np
import pytest

from derivations.benchmarks import sample
from tests.tolerances import STANDARD_ERRORS
from theory.problem import latent_correlation


@pytest.mark.parametrize("shape", ["line", "grid"])
def test_random_features_have_the_covariance_up_to_the_error_of_their_number(shape, monkeypatch):
    """Each entry is a mean of FEATURES numbers of size at most 2 and of variance at most 1/2 + 1/2."""
    monkeypatch.setattr(sample, "FEATURES", 4000)
    law = sample.laws(8, 4)[shape, 2]
    for way in (sample._fourier, sample._rbf):
        built = way(law, latent_correlation(law, 0))
        if built is not None:
            assert built[1] <= STANDARD_ERRORS / np.sqrt(4000)
