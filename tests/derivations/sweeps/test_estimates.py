"""The time left: its arithmetic, and that workers who take one cell after the other need a time in its range."""

import heapq
from itertools import permutations

from derivations.sweeps.estimates import time_left


def test_the_arithmetic_of_few_cells():
    left = time_left([(6.0, 3), (4.0, 2)], [10], [(4, 0.5)])  # 2 seconds a step: 10 steps and half of 4 are left
    assert (left.low, left.high, left.cells, left.workers, left.finished, left.idle) == (24.0, 24.0, 2, 1, 2, False)
    left = time_left([(6.0, 3)], [10, 20], [])  # without workers, the time of one
    assert (left.low, left.high, left.workers, left.idle) == (60.0, 60.0, 1, True)
    left = time_left([(1.0, 1)], [], [(8, None)])  # an unknown share may be none or all
    assert (left.low, left.high) == (0.0, 8.0)
    left = time_left([(2.0, 0)], [0, 3], [])  # a cell without a step counts as one
    assert (left.low, left.high) == (8.0, 8.0)
    left = time_left([(1.0, 1)], [], [(100, 0.0), (1, 0.0), (1, 0.0), (1, 0.0)])  # all wait for the largest cell
    assert (left.low, left.high) == (100.0, 103 / 4 + 3 / 4 * 100)
    assert time_left([], [10], [(4, 0.5)]) is None
    assert time_left([(6.0, 3)], [], []) is None


def test_the_rate_is_that_of_all_steps_and_reaches_to_the_quartiles():
    """Rates 1, 2, 3, 4, 5 and steps 1, 1, 1, 1, 10: the mean rate is 60/14 and the quartiles are 2 and 4."""
    left = time_left([(1.0, 1), (2.0, 1), (3.0, 1), (4.0, 1), (50.0, 10)], [14], [])
    assert (left.low, left.high) == (28.0, 60.0)


def test_workers_who_take_the_next_cell_need_a_time_in_the_range_in_any_order():
    waiting, working = [1, 2, 3, 8, 13], [(5, 0.0), (1, 0.0), (9, 0.75), (2, 0.5)]
    left = time_left([(3.0, 1)], waiting, working)
    spans = set()
    for order in permutations(waiting):
        free = [3 * steps * (1 - share) for steps, share in working]
        heapq.heapify(free)
        for steps in order:
            heapq.heappush(free, heapq.heappop(free) + 3 * steps)
        spans.add(max(free))
    assert left.low <= min(spans) < max(spans) <= left.high  # all numbers are dyadic, so that nothing is rounded
