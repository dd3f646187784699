"""Gradient descent on moments that are estimated from examples, with standard errors by the jackknife.

The prediction for networks on fresh examples of a law that is known by its examples alone: `discrete` with the moments
of all examples, and once more without each of the groups; see `estimated`.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from theory.flow.linear.convention import convention
from theory.flow.linear.descent import descended, mse_at, steps_at_times
from theory.flow.linear.estimated import bias, standard_error
from theory.moments import GatedMoments
from theory.moments.estimated import estimated_moments
from theory.moments.table import SampleMoments
from theory.problem import Problem
from theory.problem.distributions.sampled import GROUPS


@dataclass(frozen=True, eq=False)
class EstimatedDescent:
    """Weights (T, K, n) and losses (T) of gradient descent, and each without one of the G groups of examples.

    The losses are those of the weights on the same examples, corrected for this; the weights are not corrected.
    """

    weights: Float[np.ndarray, "T K n"]
    losses: Float[np.ndarray, " T"]
    without: Float[np.ndarray, "G T K n"]
    loss_errors: Float[np.ndarray, " T"]

    @property
    def weight_errors(self) -> Float[np.ndarray, "T K n"]:
        """The standard errors of the weights."""
        return standard_error(self.without)

    @property
    def distance(self) -> Float[np.ndarray, " T"]:
        """|standard errors|/|weights|: how far the prediction is off by its estimate alone; infinite for weights 0."""
        length = np.sqrt((self.weights**2).sum(axis=(1, 2)))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt((self.weight_errors**2).sum(axis=(1, 2))) / length


def estimated_discrete(problem: Problem) -> EstimatedDescent:
    """Return gradient descent on the estimated moments of a `SampledLaw`, one output.

    Raises InputError and OutOfReachError as `discrete` and `estimated_moments` do.
    """
    steps_at_times(problem)  # refuses before anything is drawn
    moments = estimated_moments(problem.data, problem.one_layer)
    weights, losses = _on(problem, moments.whole)
    parts = [_on(problem, moments.without(group)) for group in range(GROUPS)]
    without = np.stack([own for own, _ in parts])
    rest = np.stack([loss for _, loss in parts])
    return EstimatedDescent(weights, losses - bias(rest, losses), without, standard_error(rest))


def _on(problem: Problem, sample: SampleMoments) -> tuple[Float[np.ndarray, "T K n"], Float[np.ndarray, " T"]]:
    found = descended(problem, sample)
    s = float(convention(problem).s)
    return found.weights, mse_at(GatedMoments(problem, sample), found.weights, s, found.biases)
