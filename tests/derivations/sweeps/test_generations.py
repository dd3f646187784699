"""The rule of a refinement on known functions: what it finds, what it costs, and that nothing else decides."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from derivations.sweeps import decisions, generations
from derivations.sweeps.decisions import interval as interval_of
from derivations.sweeps.generations import FINEST, MOST_CELLS, SETTLED
from tests.derivations.sweeps.rules import change, finished, interval, noisy
from tests.tolerances_of_sweeps import REFINE_COVERAGE, REFINE_SHARE, REFINE_TRIALS

START = [range(0, 1025, 256)]


def step_at(place):
    """A step between a place of the grid and the next one."""
    return noisy(lambda spot: float(spot[0] > place), 0.01)


@pytest.mark.parametrize("place", [0, 256, 1023])
def test_a_step_is_found_with_few_cells(place):
    """5 cells of the first generation and log2(256) halvings, where the full grid has 1025."""
    found = finished(START, step_at(place), change())
    spots = {spot for spots in found.spots for spot in spots}
    assert {(place,), (place + 1,)} <= spots
    assert len(spots) == 5 + 8
    assert [len(spots) for spots in found.spots[1:]] == [1] * 8
    assert found.end.kind == FINEST


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
    assert refined.end.kind == FINEST
    spots = [spot for spots in refined.spots for spot in spots]
    assert len(set(spots)) == len(spots)
    assert 4 * len(spots) < (places + 1) ** 2


def test_grids_without_a_middle_are_divided_beside_it():
    found = finished([[0, 5, 9]], noisy(lambda spot: float(spot[0] > 3), 0.01), change())
    assert {(3,), (4,)} <= {spot for spots in found.spots for spot in spots}


def false_divisions(confidence, networks=4):
    """The share of pairs of neighbours without a change that are divided."""
    start = [range(0, 2 * REFINE_TRIALS + 1, 2)]
    rule = change(step=Fraction(1, 10**6), confidence=confidence)
    values = {spot: noisy(lambda _: 0.0, 1.0, networks)(spot) for spot in product(*start)}
    found = generations.generations(start, values, rule)
    return len(found.spots[1]) / REFINE_TRIALS if len(found.spots) > 1 else 0.0


def test_noise_is_divided_no_more_often_than_its_level(monkeypatch):
    for confidence in (Fraction(9, 10), Fraction(99, 100)):
        assert abs(false_divisions(confidence) - (1 - confidence)) < REFINE_SHARE
    # Mutant: a rule without standard errors.
    monkeypatch.setattr(decisions, "quantile", lambda *_: Fraction(0))
    assert false_divisions(Fraction(9, 10)) > 1 - Fraction(9, 10) + REFINE_SHARE


def test_a_change_is_divided_only_above_the_step():
    numbers = noisy(lambda spot: 0.05 * (spot[0] > 100), 0.001)
    assert finished(START, numbers, change(step="0.1")).end.kind == SETTLED
    assert finished(START, numbers, change(step="0.01")).end.kind == FINEST


CASES = {
    "one axis": (START, noisy(lambda spot: np.tanh((spot[0] - 300) / 90), 0.2), change()),
    "two axes": ([range(0, 9, 4)] * 2, noisy(lambda spot: float(sum(spot) > 9), 0.3), change("0.2", "0.9")),
    "intervals": (5, noisy(lambda spot: spot[0], 1.0, 4), interval("0.5")),
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
            refined = generations.generations(start, values, rule)
            assert refined.spots == whole[: len(refined.spots)]
            assert refined.end is None
            values[spot] = numbers(spot)
    assert generations.generations(start, values, rule).end is not None


def test_no_generation_exceeds_the_largest_number():
    found = finished(START, step_at(700), change(most_cells=9))
    assert (sum(map(len, found.spots)), found.end.kind) == (9, MOST_CELLS)
    assert "1 more cells, 10 in all, and most_cells is 9" in found.end.why
    found = finished(2, noisy(lambda _: 0.0, 1.0, 4), interval("0.1", most_cells=20))
    assert (len(found.spots), found.end.kind) == (1, MOST_CELLS)


def test_points_without_a_number_are_left():
    def numbers(spot):
        return () if spot[0] == 512 else (float(spot[0] > 100) + float(spot[0] > 700),) * 3

    found = finished(START, numbers, change())
    assert {(0, 256), (256, 512), (512, 768), (768, 1024)} - {box for (box,) in found.boxes} == {(0, 256)}
    assert found.end.kind == FINEST
    found = finished(2, lambda spot: () if spot[0] else (0.0, 1.0), interval("5"))
    assert (len(found.spots), "1 of 2 points have no number" in found.end.why) == (1, True)


def test_networks_that_diverge_are_made_up_for():
    nan = float("nan")
    full = noisy(lambda _: 0.0, 1.0, 4)
    whole = finished(1, full, interval("0.2"))
    lossy = finished(1, lambda spot: full(spot) if spot[1] == 0 else (nan, *full(spot)[1:]), interval("0.2"))
    assert len(lossy.spots) > len(whole.spots) == 2
    cells = [spot for spots in lossy.spots for spot in spots]
    assert 3 * (len(cells) - 1) + 4 >= decisions.networks_needed(full((0, 0)), Fraction(1, 5), Fraction(9, 10))


def looks_each_time(start, values, rule):
    """Mutant: one more cell as long as the interval of all networks so far is too wide: it stops at a low scatter."""
    done = [[(cell, 0) for cell in range(start)]]
    own = {cell: [] for cell in range(start)}
    while values.keys() >= set(done[-1]):
        for cell, looks in done[-1]:
            own[cell] += values[cell, looks]
        widths = {spot: interval_of(own[spot[0]], own[spot[0]], rule.confidence)[1] for spot in done[-1]}
        if not (new := [(cell, looks + 1) for (cell, looks), width in widths.items() if width > rule.half_width]):
            return generations.Generations(tuple(map(tuple, done)), generations.End(SETTLED, ""))
        done.append(new)
    return generations.Generations(tuple(map(tuple, done)), None)


def coverage(decide, pilot_alone):
    """The share of points whose interval holds the true mean, 0; all half widths are as narrow as was asked for."""
    rule, numbers = interval("0.8", "0.9", 10**6), noisy(lambda _: 0.0, 1.0, 3)
    found = finished(REFINE_TRIALS, numbers, rule, decide=decide)
    held = 0
    own: dict[int, list[float]] = {}
    for spot in (spot for spots in found.spots for spot in spots):
        own.setdefault(spot[0], []).extend(numbers(spot))
    for cell, values in own.items():
        mean, half_width = interval_of(numbers((cell, 0)) if pilot_alone else values, values, rule.confidence)
        assert half_width <= float(rule.half_width)
        held += abs(mean) <= half_width
    return held / REFINE_TRIALS


def test_intervals_hold_the_mean_as_often_as_they_say():
    """Stein's rule on normal numbers; a rule that looks again and again misses more often."""
    assert abs(coverage(generations.generations, True) - 0.9) < REFINE_COVERAGE
    assert coverage(looks_each_time, False) < 0.9 - REFINE_COVERAGE
