"""Known functions in place of training, and refinements that run on them to their end."""

import random
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


def finished(start, numbers, rule, order=None, decide=None) -> Generations:
    """The refinement at its end; see `made`."""
    return made(start, numbers, rule, order, decide)[0]


def made(start, numbers, rule, order=None, decide=None) -> tuple[Generations, set]:
    """The refinement at its end, and the cells that were made: whole generations, or one by one in a random order."""
    decide = decide or generations.generations
    values = {}
    while True:
        found = decide(start, values, rule)
        absent = [spot for spots in found.spots for spot in spots if spot not in values]
        if not absent:
            return found, set(values)
        if order is None:
            values |= {spot: numbers(spot) for spot in absent}
        else:
            spot = order.choice(absent)
            values[spot] = numbers(spot)


def orders(count):
    """Ways in which cells may finish."""
    return [random.Random(seed) for seed in range(count)]
