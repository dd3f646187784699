"""The rounding error of training: a bound that decides whether a floating-point type is accurate enough."""

import torch

from sim.training.schedule import dtype_of
from sim.training.times import steps_at_times
from theory.problem import Problem

_SIDES = 4  # sums over sites and over examples, forward and backward; activations and data add a few roundings


def descent_rounding(problem: Problem) -> float:
    """Return 4 steps (n + B) eps: a bound on the rounding error of trained numbers, relative to the largest of them.

    A gradient is a mean over B examples of products that sum over n sites, each rounded to eps of simulation.dtype. In
    a contracting descent the errors of the steps add up at most. B is `batch`, or `samples` in a full-batch run. The
    bound is a worst case: errors of random sign grow with its square root.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=10, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> f"{descent_rounding(Problem(law, Network('relu', 'mean', units=2), training, settings)):.1e}"
    '2.1e-14'
    """
    settings = problem.simulated()
    examples = settings.batch if settings.mode == "online" else settings.samples
    steps = steps_at_times(problem)[-1]
    return _SIDES * steps * (problem.data.n + examples) * torch.finfo(dtype_of(problem)).eps
