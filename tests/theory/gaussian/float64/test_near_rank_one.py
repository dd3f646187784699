"""Four signs whose correlations are nearly those of one variable: the error follows the condition."""

from itertools import combinations

import numpy as np
import pytest
from flint import arb

from tests.tolerances import NEAR_RANK_ONE
from theory.expressions.balls.precision import precision
from theory.gaussian.certified.signs import four_signs as certified
from theory.gaussian.float64.signs import four_signs

PAIRS = list(combinations(range(4), 2))


@pytest.mark.parametrize("spread", [1e-4, 1e-8, 1e-12, 1e-14])
def test_the_error_is_that_of_one_rounding_of_the_correlations(spread):
    rng = np.random.default_rng(0)
    for _ in range(6):
        factor = np.hstack([np.ones((4, 1)), np.sqrt(spread) * rng.standard_normal((4, 4))])
        gram = factor @ factor.T
        size = np.sqrt(np.diagonal(gram))
        r = gram / size[:, None] / size
        lam = np.linalg.svd(factor / size[:, None], compute_uv=False)[-1] ** 2
        given = [float(r[pair]) for pair in PAIRS]
        with precision(200):
            exact = float(certified(*(arb(x) for x in given)))
        assert abs(float(four_signs(*given)) - exact) <= NEAR_RANK_ONE / np.sqrt(lam)
