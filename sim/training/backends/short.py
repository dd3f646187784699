"""Short runs, which torch finishes, or whose steps it takes, before the compiled loops are loaded or compiled."""

from typing import TYPE_CHECKING

from sim.training.backends.names import numba_is_installed
from sim.training.backends.support import obstacle_on
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


# Where compiled loops draw the batches and torch takes the steps, torch loses about 1.3e-4 a step of a group and 2e-9 a
# number: a batch of 4,000 at n = 40 takes 550 microseconds in place of 90, its gates included. To compile the loops of
# steps takes 3 seconds where no earlier run has kept them. With half of that as the bound a first run saves at least as
# much as a later one, which finds them compiled, loses.
_OF_A_STEPPED_NUMBER, _OF_COMPILING_STEPS = 2e-9, 1.5


def for_a_short_run(problem: Problem, device: "torch.device") -> tuple[str, str] | None:
    """Return the back end for a single run that is too short for compiled steps, and why; None for a longer run.

    The decision depends on the sizes of the problem only, neither on the clock nor on a cache, so that runs repeat.

    >>> import torch
    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 10**4))
    >>> settings = Simulation("online", samples=10, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> for_a_short_run(Problem(law, Network("relu", "mean", units=2), training, settings), torch.device("cpu"))
    """
    if device.type != "cpu" or not numba_is_installed():
        return None
    if is_short(problem):
        return "reference", "The run is short: torch alone finishes it before the compiled loops are loaded."
    if steps_are_few(problem):
        return "compiled-examples", "The steps are few: compiled loops draw the examples, and torch takes the steps."
    return None


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
        examples, steps = steps_at_times(problem)[-1] * settings.batch, _steps_of_groups(problem)
    numbers = settings.replicates * (examples + settings.samples) * columns(problem)
    return _OF_A_STEP * steps + _OF_A_NUMBER * numbers


def steps_are_few(problem: Problem) -> bool:
    """Return whether torch takes the steps on compiled examples before loops could be compiled that train the problem.

    False where there are no such loops: then the steps are torch's in any case.
    """
    if obstacle_on("cpu", problem) is not None:
        return False
    settings = problem.simulated()
    numbers = settings.replicates * steps_at_times(problem)[-1] * settings.batch * columns(problem)
    return _OF_A_STEP * _steps_of_groups(problem) + _OF_A_STEPPED_NUMBER * numbers <= _OF_COMPILING_STEPS


def _steps_of_groups(problem: Problem) -> int:
    """The steps of an online run, each of all networks that are trained side by side."""
    settings = problem.simulated()
    at_once = grouping(settings.batch, columns(problem)).replicates
    return steps_at_times(problem)[-1] * -(-settings.replicates // at_once)
