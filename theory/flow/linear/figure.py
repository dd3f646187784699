"""The figure of a solution: its fields at some times, and its loss on a fine grid of times."""

import numpy as np
from matplotlib.figure import Figure

from theory.flow.linear.solution import Solution, solve
from theory.flow.picture import Series, picture
from theory.problem import Problem

_POINTS = 80  # of the curve of the loss


def solution_figure(solution: Solution, problem: Problem) -> Figure:
    """Draw the fields of `solution` and its loss. Raises OutOfReachError for labels of several numbers."""
    return picture(problem.data, [solution_series(solution, problem)])


def solution_series(solution: Solution, problem: Problem) -> Series:
    """The solution as lines of a picture; decimal strings are drawn as the float64 next to them."""
    times, least = solution.times.astype(float), float(solution.mse)
    curve = None
    if len(times) > 1:
        first = times[times > 0][0]
        fine = np.geomspace(first, times[-1], _POINTS)
        fine = np.unique(np.concatenate([times[:1], fine[(fine > times[0]) & (fine <= times[-1])]]))
        dense = solve(problem, times=[float(t) for t in fine])
        curve = Series("", dense.times, dense.weights, dense.losses)
    return Series(
        "gradient flow",
        times,
        solution.weights.astype(float),
        solution.losses.astype(float),
        end=solution.fixed_point.astype(float),
        least=least,
        curve=curve,
    )
