"""The floating-point type of training: the problem says it, the run tells it, and its rounding is bounded."""

import numpy as np
import pytest
import torch

from sim.networks.examples import Examples
from sim.train import train
from sim.training.rounding import descent_rounding
from sim.training.schedule import dtype_of
from tests.sim.cases import gated, problem, with_simulation
from theory.problem import InputError


def test_the_dtype_is_that_of_the_problem_unless_another_is_given():
    double, single = problem(), problem(dtype="float32")
    assert (dtype_of(double), dtype_of(single)) == (torch.float64, torch.float32)
    by_problem = train(single, "cpu", backend="reference")
    by_call = train(double, "cpu", backend="reference", dtype=torch.float32)
    assert by_problem.dtype == by_call.dtype == "float32"
    assert (by_problem.weights == by_call.weights).all()
    assert by_problem.weights.dtype == np.float64
    assert (by_problem.weights == by_problem.weights.astype(np.float32)).all()
    assert train(double, "cpu").dtype == train(single, "cpu", dtype=torch.float64).dtype == "float64"
    with pytest.raises(InputError, match=r"not trained in torch\.float16"):
        train(double, "cpu", dtype=torch.float16)


def test_float32_stays_within_its_bound_and_has_rounding():
    """On the same examples: what is drawn in float32 has another factor of the covariance, and other examples."""
    question = problem(network=gated(), mode="full-batch", batch=None, samples=64, times=(0, 1, 20))
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(3, 64, 4, generator=generator, dtype=torch.float64)
    sample = Examples(x, x[..., 0], (x[..., 1:3] > 0).to(x.dtype).transpose(1, 2))
    double = train(question, "cpu", sample=sample).weights
    single = train(question, "cpu", sample=sample, dtype=torch.float32).weights
    apart, largest = np.abs(single - double).max(), np.abs(double).max()
    bound = descent_rounding(with_simulation(question, dtype="float32"))
    assert 0 < apart <= bound * largest
    assert descent_rounding(question) == 4 * 40 * (4 + 64) * np.finfo(float).eps  # 40 steps, 4 sites, 64 examples
