"""Times of a smooth curve of gradient descent: whole numbers of steps between the times of a problem."""

from dataclasses import replace

import numpy as np

from theory.problem import Problem


def spaced_steps(last: int, count: int) -> list[int]:
    """Up to `count` whole numbers of steps from 1 to `last`, evenly spaced in their logarithm.

    >>> spaced_steps(32, 6)
    [1, 2, 4, 8, 16, 32]
    """
    return np.unique(np.round(np.geomspace(1, last, count)).astype(int)).tolist()


def at_more_times(problem: Problem, count: int) -> Problem:
    """The problem at its times and at up to `count` more between the first and the last, spaced by their logarithm.

    >>> from derivations.experiments.folders import problem_named
    >>> [int(time) for time in at_more_times(problem_named("small-bump"), 6).training.times]
    [1, 2, 4, 8, 16, 32]
    """
    known = problem.training.times
    step = problem.training.tau * problem.simulated().learning_rate
    last = int(known[-1] / step)
    more = (step * steps for steps in spaced_steps(last, count)) if last else ()
    times = sorted({*known, *(time for time in more if known[0] <= time <= known[-1])})
    return replace(problem, training=replace(problem.training, times=tuple(times)))
