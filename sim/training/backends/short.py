"""Short runs: torch alone ends them before the compiled loops are loaded, and nothing has to be compiled for them."""

from typing import TYPE_CHECKING

from sim.training.backends.names import numba_is_installed
from sim.training.sizes import columns, grouping
from sim.training.times import steps_at_times
from theory.problem import Problem

if TYPE_CHECKING:
    import torch

# Seconds of processor time, measured on one core with batches of 1 to 4,000 examples at n = 40 and n = 100. In torch a
# step of a group of networks takes 1.2e-4 to 1.4e-4 longer than in compiled loops, and each number of an example, drawn
# and trained on, 3.6e-8 to 6.8e-8. To load numba and the loops from its cache takes 0.6 to 1; where there is no cache
# yet, to compile them takes several times as long. So a run below the bound ends no later in torch.
_OF_A_STEP, _OF_A_NUMBER, _OF_LOADING = 1.3e-4, 5e-8, 0.5


def reason_for_torch(problem: Problem, device: "torch.device") -> str | None:
    """Return why a single run is for the reference back end; None where compiled loops exist and save time.

    The problem's sizes decide: never the clock, and never whether compiled code is in a cache. So a run repeats.

    >>> import torch
    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=10**6, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> reason_for_torch(Problem(law, Network("relu", "mean", units=2), training, settings), torch.device("cpu"))
    """
    if device.type != "cpu" or not numba_is_installed() or not is_short(problem):
        return None
    return "The run is short: torch alone ends it before the compiled loops are loaded."


def is_short(problem: Problem) -> bool:
    """Return whether torch alone ends the run before the compiled loops are loaded."""
    return seconds_lost(problem) <= _OF_LOADING


def seconds_lost(problem: Problem) -> float:
    """Return the processor time that training and measuring a problem take longer in torch than in compiled loops.

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
