"""Modes of the routing network: strengths and times, inverse to each other, against an integral at 40 digits."""

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from tests.tolerances_of_graphs import GRAPH_INTEGRATED, ROUTING_TIME
from theory.flow.graph.solutions.routing import RoutingMode
from theory.problem import InputError


def test_strengths_and_times_are_inverse_to_each_other_and_end_at_the_limit():
    mode = RoutingMode(3, 2, 1.5, 1 / 6, tau=2.0)
    times = np.array([0.5, 3.0, 9.0])
    for ends, shared in ((0.2, 0.3), (0.3, 0.2), (2.0, 3.0)):  # the last starts above its limit
        strengths = mode.strengths(ends, shared, times)
        again = [mode.time(ends, shared, later) for later in strengths[:, 1]]
        assert abs(np.array(again) - times).max() <= GRAPH_INTEGRATED
        kept = np.array([mode.conserved(*(float(b) for b in both)) for both in strengths])
        assert abs(kept - mode.conserved(ends, shared)).max() <= GRAPH_INTEGRATED
        early = RoutingMode(3, 2, 1.5, 1 / 6).strengths(ends, shared, times / 2)  # tau stretches time
        assert abs(early - strengths).max() <= GRAPH_INTEGRATED
        settled = mode.strengths(ends, shared, np.array([400.0]))[0]
        assert abs(settled - mode.limit(ends, shared)).max() <= GRAPH_INTEGRATED


def test_small_encoders_beside_a_large_shared_weight():
    """M b_1^2 is a small difference of b_2^2 and lambda: by int db / velocity at 40 digits it keeps all its digits."""
    mode, ends, shared = RoutingMode(3, 2, 1.5, 1 / 6), 1e-10, 1.25
    with mp.workdps(40):
        kept = mpf(shared) ** 2 - 3 * mpf(ends) ** 2
        end = mpmath.findroot(lambda c: c * (c * c - kept) - mpf(9) / 2, (1, 3), solver="anderson")
        through = [3 * mpf(ends) ** 2 * mpf(16) ** power for power in range(20)]  # M b_1^2, in panels of log
        goal = shared + (end - shared) / 2
        places = [b for b in (mpmath.sqrt(kept + each) for each in through) if b < goal]
        slowness = lambda b: 9 / ((b * b - kept) * (mpf(9) / 2 - b * (b * b - kept)))  # noqa: E731
        exact = mpmath.quad(slowness, [*places, goal])
        assert abs(mode.time(ends, shared, float(goal)) - exact) <= ROUTING_TIME * exact
        (run,) = mode.strengths(ends, shared, np.array([float(exact)]))
        assert abs(run[1] - goal) <= ROUTING_TIME * goal * exact


def test_refusals():
    for question, words in (
        (lambda: RoutingMode(2, 3, 1.0, 0.1), "An input has 3 trained outputs"),
        (lambda: RoutingMode(2, 1, 0.0, 0.1), "strength = 0.0 must be a positive number"),
        (lambda: RoutingMode(2, 1, 1.0, 0.1).limit(-1.0, 1.0), r"b_1\(0\) = -1.0"),
        (lambda: RoutingMode(2, 1, 1.0, 0.1).time(0.1, 0.2, 5.0), "b_2 = 5 is not reached"),
    ):
        with pytest.raises(InputError, match=words):
            question()
