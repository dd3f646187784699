"""Short runs, which torch alone finishes before the compiled loops would be loaded."""

from typing import TYPE_CHECKING

from sim.training.backends.names import numba_is_installed
from sim.training.sizes import columns, grouping
from sim.training.times import steps_at_times
from theory.problem import Problem

if TYPE_CHECKING:
    import torch

# Seconds of processor time, measured on one core with batches of 1 to 4,000 examples at n = 40 and n = 100. In torch a
# step of a group of networks takes 1.2e-4 to 1.4e-4 longer than in compiled loops, and each number of an example, drawn
# and trained on, 3.6e-8 to 6.8e-8. Loading numba and the loops from its cache takes 0.6 to 1; without a cache,
# compiling them takes several times as long. A run below the bound is therefore not slower in torch.
_OF_A_STEP, _OF_A_NUMBER, _OF_LOADING = 1.3e-4, 5e-8, 0.5


def reason_for_torch(problem: Problem, device: "torch.device") -> str | None:
    """Return why a single run should use the reference back end; None where compiled loops exist and save time.

    The decision depends on the sizes of the problem only, neither on the clock nor on a cache, so that runs repeat.

    >>> import torch
    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=10**6, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> reason_for_torch(Problem(law, Network("relu", "mean", units=2), training, settings), torch.device("cpu"))
    """
    if device.type != "cpu" or not numba_is_installed() or not is_short(problem):
        return None
    return "The run is short: torch alone finishes it before the compiled loops are loaded."


def is_short(problem: Problem) -> bool:
    """Return whether torch alone finishes the run before the compiled loops are loaded."""
    return seconds_lost(problem) <= _OF_LOADING


def seconds_lost(problem: Problem) -> float:
    """Return how many seconds of processor time more than compiled loops torch takes to train and measure a problem.

    A full-batch run takes its steps in torch in any case; only its examples are drawn in compiled loops.
    """
    settings = problem.simulated()
    examples, steps = settings.samples, 0
    if settings.mode == "online":
        taken = steps_at_times(problem)[-1]
        at_once = grouping(settings.batch, columns(problem)).replicates
        examples, steps = taken * settings.batch, taken * -(-settings.replicates // at_once)
    numbers = settings.replicates * (examples + settings.samples) * columns(problem)
    return _OF_A_STEP * steps + _OF_A_NUMBER * numbers
