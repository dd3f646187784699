"""Times as whole steps, as far as they are known without torch."""

from math import floor

from theory.problem import InputError, Problem


def steps_at_times(problem: Problem) -> tuple[int, ...]:
    """Return the number of steps t / (tau learning_rate) at each of the problem's times.

    Raises InputError where a time is not a whole number of steps: nothing is rounded.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 3))
    >>> settings = Simulation("online", samples=10, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> steps_at_times(Problem(law, Network("relu", "mean", units=2), training, settings))
    (0, 6)
    """
    step = problem.training.tau * problem.simulated().learning_rate
    for index, time in enumerate(problem.training.times):
        steps = time / step
        if steps.denominator != 1:
            below, above = (float(step * count) for count in (floor(steps), floor(steps) + 1))
            raise InputError(
                f"training.times[{index}] = {float(time):g} is not a whole number of steps of tau * learning_rate "
                f"= {float(step):g}.",
                f"The nearest times are {below:g} and {above:g}; or change simulation.learning_rate.",
            )
    return tuple(int(time / step) for time in problem.training.times)
