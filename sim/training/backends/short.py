"""Short runs: those that torch finishes before the loops are loaded, and those whose steps are not worth compiling.

Both decisions depend on the sizes of the problem only, neither on the clock nor on a cache, so that runs repeat.
"""

from sim.training.sizes import columns, grouping
from sim.training.times import steps_at_times
from theory.problem import Problem

# Seconds of processor time, measured on one core with batches of 1 to 4,000 examples at n = 40 and n = 100: torch takes
# longer than compiled loops by the first for a step of a group of networks, by the second for a number of an example
# that it draws and trains on, by the third for one on which it takes a step alone. Loading numba with its loops takes
# more than `_LOADING`; compiling the loops of the steps takes 3, and half of that is the bound, so that a first run
# saves at least as much as a later one, which finds them compiled, loses.
_OF_A_STEP, _OF_A_NUMBER, _OF_A_STEPPED_NUMBER = 1.3e-4, 5e-8, 2e-9
_LOADING, _COMPILING = 0.5, 1.5


def is_short(problem: Problem) -> bool:
    """Return whether torch alone trains and measures the problem before compiled loops are loaded.

    A full-batch run takes its steps in torch in any case; only its examples are drawn in compiled loops.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 10**4))
    >>> settings = Simulation("online", samples=10, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> long = Problem(law, Network("relu", "mean", units=2), training, settings)
    >>> is_short(long), has_few_steps(long)
    (False, False)
    """
    settings, steps, trained = problem.simulated(), *_work(problem)
    measured = settings.replicates * settings.samples * columns(problem)
    return _OF_A_STEP * steps + _OF_A_NUMBER * (trained + measured) <= _LOADING


def has_few_steps(problem: Problem) -> bool:
    """Return whether torch takes the steps of an online run before their loops are compiled."""
    steps, trained = _work(problem)
    return _OF_A_STEP * steps + _OF_A_STEPPED_NUMBER * trained <= _COMPILING


def _work(problem: Problem) -> tuple[int, int]:
    """Return the steps of all groups of networks that are trained side by side, and the numbers that are drawn.

    The steps of a full-batch run do not count: torch takes them in any case.
    """
    settings = problem.simulated()
    if settings.mode == "full-batch":
        return 0, settings.replicates * settings.samples * columns(problem)
    steps = steps_at_times(problem)[-1]
    groups = -(-settings.replicates // grouping(settings.batch, columns(problem)).replicates)
    return steps * groups, settings.replicates * steps * settings.batch * columns(problem)
