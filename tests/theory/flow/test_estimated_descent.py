"""Gradient descent on estimated moments beside that on the exact moments of the same law."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tolerances import STANDARD_ERRORS
from theory.flow import discrete
from theory.flow.linear.convention import convention
from theory.flow.linear.descent import mse_at
from theory.flow.linear.estimated_descent import estimated_discrete
from theory.moments import gated_moments
from theory.moments.copulas import independent_values
from theory.problem import (
    FiniteData,
    InputError,
    Network,
    NormalInitialisation,
    Problem,
    Simulation,
    SiteGate,
    Training,
)

X = [[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 0, 2)]
EXACT = FiniteData(X, [1] * len(X))  # independent sites, of which the examples are all combinations


def problem(law, biases="none", times=(1, 4)):
    """A network of two gates at the last site, which drives it to the label 1."""
    start = NormalInitialisation("1/10", 0)
    gates = SiteGate(2, lo=1, on="input"), SiteGate(0, hi=0, on="input")
    further = {} if biases == "none" else {"hidden_bias0": start, "output_bias0": 0}
    training = Training("half-mse", 1, start, times, **further)
    return Problem(
        law, Network("gated-linear", "mean", 2, gates, biases), training, Simulation("online", 9, "1/4", 2, 0, 3)
    )


def sampled(examples):
    """The same inputs as a law that is known by its examples."""
    return replace(independent_values(EXACT), estimate={"examples": examples, "seed": 3})


@pytest.mark.parametrize("biases", ["none", "trained"])
def test_the_estimate_is_within_its_errors_of_the_exact_prediction(biases):
    exact, estimate = problem(EXACT, biases), estimated_discrete(problem(sampled(20_000), biases))
    mean = discrete(exact)
    assert (np.abs(estimate.weights - mean.weights) <= STANDARD_ERRORS * estimate.weight_errors).all()
    losses = mse_at(gated_moments(exact), mean.weights, float(convention(exact).s), mean.biases)
    assert (np.abs(estimate.losses - losses) <= STANDARD_ERRORS * estimate.loss_errors).all()
    assert (estimate.weight_errors < 1 / 20).all()
    assert (estimate.distance < 1 / 10).all()


def test_times_between_steps_are_refused_before_anything_is_drawn():
    with pytest.raises(InputError, match="steps of tau"):
        estimated_discrete(problem(sampled(2_000), times=("1/3",)))
