"""The time left: its arithmetic, and that workers who take one cell after the other need a time in its range."""

import heapq
from itertools import permutations

import pytest

from derivations.sweeps.estimates import time_left


def test_one_worker_needs_the_time_of_all_cells():
    """2 seconds a step: 10 steps and half of 4 are left."""
    left = time_left([(6.0, 3), (4.0, 2)], [10], [(4, 0.5)])
    assert (left.low, left.high, left.cells, left.workers, left.finished, left.idle) == (24.0, 24.0, 2, 1, 2, False)


def test_nothing_is_known_without_a_finished_cell_and_nothing_is_left_without_cells():
    assert time_left([], [10], [(4, 0.5)]) is None
    assert time_left([(6.0, 3)], [], []) is None


def test_without_workers_it_is_the_time_of_one():
    left = time_left([(6.0, 3)], [10, 20], [])
    assert (left.low, left.high, left.workers, left.idle) == (60.0, 60.0, 1, True)


def test_an_unknown_share_may_be_none_or_all():
    left = time_left([(1.0, 1)], [], [(8, None)])
    assert (left.low, left.high) == (0.0, 8.0)


def test_the_rate_is_that_of_all_steps_and_reaches_to_the_quartiles():
    """Rates 1, 2, 3, 4, 5 and steps 1, 1, 1, 1, 10: the mean rate is 60/14 and the quartiles are 2 and 4."""
    finished = [(1.0, 1), (2.0, 1), (3.0, 1), (4.0, 1), (50.0, 10)]
    left = time_left(finished, [14], [])
    assert (left.low, left.high) == (28.0, 60.0)


def test_a_cell_without_a_step_counts_as_one():
    left = time_left([(2.0, 0)], [0, 3], [])
    assert (left.low, left.high) == (8.0, 8.0)


def test_many_workers_wait_for_the_largest_cell():
    left = time_left([(1.0, 1)], [], [(100, 0.0), (1, 0.0), (1, 0.0), (1, 0.0)])
    assert left.low == 100.0
    assert left.high == 103 / 4 + 3 / 4 * 100


@pytest.mark.parametrize("working", [[(5, 0.5)], [(5, 0.25), (7, 0.5)], [(5, 0.0), (1, 0.0), (9, 0.75), (2, 0.5)]])
def test_workers_who_take_the_next_cell_need_a_time_in_the_range_in_any_order(working):
    waiting = [1, 2, 3, 8, 13]
    left = time_left([(3.0, 1)], waiting, working)
    spans = set()
    for order in permutations(waiting):
        free = [3 * steps * (1 - share) for steps, share in working]
        heapq.heapify(free)
        for steps in order:
            heapq.heappush(free, heapq.heappop(free) + 3 * steps)
        spans.add(max(free))
    assert left.low <= min(spans)  # all numbers are dyadic, so that nothing is rounded
    assert max(spans) <= left.high
    assert len(spans) > 1 or len(working) == 1
