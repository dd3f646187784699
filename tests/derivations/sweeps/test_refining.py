"""The rule of a refinement on known functions: what it finds, what it costs, and that nothing else decides."""

import random
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

from derivations.statistics.intervals import intervals
from derivations.sweeps import refining
from derivations.sweeps.refining import FINEST, MOST_CELLS, SETTLED, changes, generations, quantile
from tests.tolerances_of_sweeps import REFINE_QUANTILE, REFINE_SHARE, REFINE_TRIALS
from theory.problem.refine import Refine

LEVEL = Fraction(95, 100)
DECIMALS = 1 / 10**6  # to which quantiles are rounded up
START = [range(0, 1025, 256)]


def change(step="0.1", confidence="0.99", most_cells=10_000):
    """A rule that follows changes; the grid is that of the test."""
    return Refine("change", "loss", 1, confidence, most_cells, step=step, finest={"data.gain": (0, 1)})


def noisy(mean, scatter, networks=8, seed=0):
    """The numbers of a cell's networks: a known mean and normal scatter, which is the same whenever it is asked for."""

    @cache
    def numbers(spot):
        rng = np.random.default_rng([seed, *spot])
        return tuple((mean(spot) + scatter * rng.normal(size=networks)).tolist())

    return numbers


def finished(start, numbers, rule):
    """The refinement at its end, with whole generations of cells."""
    values = {}
    while True:
        refined = generations(start, values, rule)
        absent = [spot for spots in refined.spots for spot in spots if spot not in values]
        if not absent:
            return refined
        values |= {spot: numbers(spot) for spot in absent}


def step_at(place):
    """A step between a place of the grid and the next one."""
    return noisy(lambda spot: float(spot[0] > place), 0.01)


@pytest.mark.parametrize("place", [0, 256, 1023])
def test_a_step_is_found_with_few_cells(place):
    """5 cells of the first generation and log2(256) halvings, where the full grid has 1025."""
    refined = finished(START, step_at(place), change())
    spots = {spot for spots in refined.spots for spot in spots}
    assert {(place,), (place + 1,)} <= spots
    assert len(spots) == 5 + 8
    assert [len(spots) for spots in refined.spots[1:]] == [1] * 8
    assert refined.end[0] == FINEST


def circle(places):
    """1 inside of a quarter of a circle, on a grid with so many steps."""
    return noisy(lambda spot: float(spot[0] ** 2 + spot[1] ** 2 < (0.7 * places) ** 2), 0.01)


def test_a_curved_line_is_found_whole():
    """Every box of the finest grid through which the line passes is a box of the refinement."""
    places = 32
    numbers = circle(places)
    refined = finished([range(0, places + 1, places // 4)] * 2, numbers, change())
    crossed = {
        ((x, x + 1), (y, y + 1))
        for x, y in product(range(places), repeat=2)
        if len({round(numbers(spot)[0]) for spot in product((x, x + 1), (y, y + 1))}) == 2
    }
    assert crossed <= set(refined.boxes)
    assert refined.end[0] == FINEST
    spots = [spot for spots in refined.spots for spot in spots]
    assert len(set(spots)) == len(spots)
    assert 4 * len(spots) < (places + 1) ** 2


def test_grids_without_a_middle_are_divided_beside_it():
    refined = finished([[0, 5, 9]], noisy(lambda spot: float(spot[0] > 3), 0.01), change())
    assert {(3,), (4,)} <= {spot for spots in refined.spots for spot in spots}


def false_divisions(confidence, networks=4):
    """The share of pairs of neighbours without a change that are divided."""
    start = [range(0, 2 * REFINE_TRIALS + 1, 2)]
    rule = change(step=Fraction(1, 10**6), confidence=confidence)
    values = {spot: noisy(lambda _: 0.0, 1.0, networks)(spot) for spot in product(*start)}
    refined = generations(start, values, rule)
    return len(refined.spots[1]) / REFINE_TRIALS if len(refined.spots) > 1 else 0.0


def test_noise_is_divided_no_more_often_than_its_level(monkeypatch):
    for confidence in (Fraction(9, 10), Fraction(99, 100)):
        assert abs(false_divisions(confidence) - (1 - confidence)) < REFINE_SHARE
    # Mutant: a rule without standard errors.
    monkeypatch.setattr(refining, "quantile", lambda *_: Fraction(0))
    assert false_divisions(Fraction(9, 10)) > 1 - Fraction(9, 10) + REFINE_SHARE


def test_a_change_is_divided_only_above_the_step():
    numbers = noisy(lambda spot: 0.05 * (spot[0] > 100), 0.001)
    assert finished(START, numbers, change(step="0.1")).end[0] == SETTLED
    assert finished(START, numbers, change(step="0.01")).end[0] == FINEST


CASES = {
    "one axis": (START, noisy(lambda spot: np.tanh((spot[0] - 300) / 90), 0.2), change()),
    "two axes": ([range(0, 9, 4)] * 2, noisy(lambda spot: float(sum(spot) > 9), 0.3), change("0.2", "0.9")),
}


@pytest.mark.parametrize("name", CASES)
def test_the_order_in_which_cells_finish_does_not_matter(name):
    """After any cell the generations are a beginning of the final ones; cells of other sweeps change nothing."""
    start, numbers, rule = CASES[name]
    whole = finished(start, numbers, rule).spots
    assert len(whole) > 1
    values, order = {(10**6, 1): (5.0, 6.0)}, random.Random(0)
    for generation in whole:
        for spot in order.sample(generation, len(generation)):
            refined = generations(start, values, rule)
            assert refined.spots == whole[: len(refined.spots)]
            assert refined.end is None
            values[spot] = numbers(spot)
    assert generations(start, values, rule).end is not None


def test_no_generation_exceeds_the_largest_number():
    refined = finished(START, step_at(700), change(most_cells=9))
    assert (sum(map(len, refined.spots)), refined.end[0]) == (9, MOST_CELLS)
    assert "The next generation of 1 cells would exceed most_cells = 9." in refined.end[1]


def test_points_without_a_number_are_left():
    def numbers(spot):
        return () if spot[0] == 512 else (float(spot[0] > 100) + float(spot[0] > 700),) * 3

    refined = finished(START, numbers, change())
    assert {(0, 256), (256, 512), (512, 768), (768, 1024)} - {box for (box,) in refined.boxes} == {(0, 256)}
    assert refined.end[0] == FINEST


def test_quantiles_are_rounded_up():
    for freedom in (1, 2, 9, 99):
        reach = student.ppf(0.975, freedom)
        assert -REFINE_QUANTILE < float(quantile(freedom, LEVEL)) - reach < DECIMALS + REFINE_QUANTILE


def test_a_change_is_student_s_interval_of_the_differences():
    """Of the same networks: a common scatter has no part, and networks that diverged are left out."""
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first, second = rng.normal(size=(2, 7)) + 5 * rng.normal(size=7)
        result = intervals((second - first)[:, None], 0.05)
        for step in (0.1, 0.3, 1.0):
            shown = float(result.low[0]) > step or float(result.high[0]) < -step
            assert changes([*first, np.nan], [*second, 7.0], Fraction(step), LEVEL) == shown
            seen.add(shown)
    assert seen == {True, False}
    assert not changes((0.0, np.nan, 0.1), (1.0, 7.0, np.nan), Fraction(1, 10), LEVEL)
