"""Known functions in place of training, and refinements that run on them to their end."""

from functools import cache

import numpy as np

from derivations.sweeps import generations
from derivations.sweeps.generations import Generations
from theory.problem.refine import Refine


def change(step="0.1", confidence="0.99", most_cells=10_000):
    """A rule that follows changes; the grid is that of the test."""
    finest = {"data.gain": (0, 1)}
    return Refine("change", "loss", 1, confidence, most_cells, step=step, finest=finest)


def interval(half_width, confidence="0.9", most_cells=10_000):
    """A rule that narrows intervals."""
    return Refine("interval", "loss", 1, confidence, most_cells, half_width=half_width)


def noisy(mean, scatter, networks=8, seed=0):
    """The numbers of a cell's networks: a known mean and normal scatter, which is the same whenever it is asked for."""

    @cache
    def numbers(spot):
        rng = np.random.default_rng([seed, *spot])
        return tuple((mean(spot) + scatter * rng.normal(size=networks)).tolist())

    return numbers


def finished(start, numbers, rule, decide=None) -> Generations:
    """The refinement at its end, with whole generations of cells."""
    decide, values = decide or generations.generations, {}
    while True:
        refined = decide(start, values, rule)
        absent = [spot for spots in refined.spots for spot in spots if spot not in values]
        if not absent:
            return refined
        values |= {spot: numbers(spot) for spot in absent}
