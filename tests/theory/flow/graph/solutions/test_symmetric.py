"""One mode of a layered network against the flow of its strengths, and at its limit."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.tolerances_of_graphs import DEEP_FLOAT, DEEP_ODE, DEEP_STEP, LAYERED_LIMIT
from theory.flow.graph.solutions.balanced import layers
from theory.flow.graph.solutions.symmetric import SymmetricMode
from theory.problem import InputError, OutOfReachError

TIMES = np.array([0.0, 0.1, 0.5, 2.0, 7.0, 20.0])


def velocities(mode, strengths):
    """tau db_l/dt by the definition, as a loop over the layers."""
    error = mode.s - mode.d * np.prod(strengths)
    return np.array([mode.speed / M * np.prod(np.delete(strengths, i)) * error for i, M in enumerate(mode.counts)])


def flowed(mode, start):
    strengths = solve_ivp(
        lambda _t, b: velocities(mode, b), (0, TIMES[-1]), start, "DOP853", TIMES, rtol=DEEP_STEP, atol=DEEP_STEP / 100
    )
    return strengths.y.T


def at_rest(mode, end):
    """|velocity| at the end, relative to the size of its two terms."""
    terms = [mode.speed / M * abs(np.prod(np.delete(end, i))) * abs(mode.s) for i, M in enumerate(mode.counts)]
    return abs(velocities(mode, end)).max() <= LAYERED_LIMIT * max(terms)


CASES = [
    ((1,), 1.0, 2.0, [0.3]),
    ((3, 1, 3), 2.0, 1.0, [0.05, 0.02, 0.05]),  # rich
    ((4, 1, 2), -2.0, 1.0, [0.5, 0.3, 0.4]),  # the smallest strength changes its sign
    ((1, 2, 1, 3), 1.0, 0.3, [0.5, -0.3, 0.4, 0.2]),
    ((1, 1, 5), 1.0, 0.3, [0.5, 0.0, 0.4]),
    ((2, 2), -1.0, 1.0, [0.5, 0.5]),  # equal strengths: the product falls to 0
    ((1, 1, 1), 0.0, 1.0, [0.9, 0.7, 0.8]),  # no target
    ((2, 1), 3.0, 1.0, [4.0, 3.0]),  # from above
]


@pytest.mark.parametrize(("counts", "s", "d", "start"), CASES)
def test_strengths_follow_the_flow_and_end_at_rest(counts, s, d, start):
    mode, start = SymmetricMode(counts, s, d, 0.7), np.array(start)
    strengths, expected = mode.strengths(start, TIMES), flowed(mode, start)
    assert abs(strengths - expected).max() <= DEEP_ODE * max(1, abs(expected).max())
    assert np.array_equal(strengths[0], start)
    end = mode.limit(start)
    assert at_rest(mode, end) or (end == 0).sum() >= 2
    assert abs(mode.conserved(end) - mode.conserved(start)).max(initial=0) <= LAYERED_LIMIT * max(1, (end**2).max())
    least = int((np.sqrt(counts) * abs(start)).argmin())  # of the points at rest, the one to which this strength moves
    assert velocities(mode, start)[least] * (end - start)[least] > 0


@pytest.mark.parametrize("depth", [2, 7])
def test_equal_layers_are_the_balanced_solution(depth):
    """From a start of 1e-8, through a plateau of up to 1e7 times the time in which the mode is learned."""
    s, d, product = 1.3, 0.9, 1e-8
    times = np.linspace(0, 1, 9) * {2: 20, 3: 2e5, 7: 1e6}[depth]
    strengths = SymmetricMode((1,) * depth, s, d).strengths(np.full(depth, product ** (1 / depth)), times)
    expected = layers(d * times, s / d, product, depth)
    moved = times * depth * d * expected ** (1 - 2 / depth) * abs(s / d - expected)  # d log a/d log t
    assert (abs(strengths.prod(axis=1) / expected - 1) <= DEEP_FLOAT * (1 + moved)).all()


def test_modes_that_do_not_move():
    still = np.array([[0.0, 0.0, 0.7], [0.2, 0.3, 0.4]])
    for mode, start in zip(
        (SymmetricMode((1, 2, 1), 1.0, 1.0), SymmetricMode((1, 2, 1), 0.0, 0.0)), still, strict=True
    ):
        assert np.array_equal(mode.limit(start), start)
        assert np.array_equal(mode.strengths(start, np.array([5.0])), start[None])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SymmetricMode((), 1.0, 1.0), r"counts = \(\)"),
        (lambda: SymmetricMode((1, 0), 1.0, 1.0), r"counts = \(1, 0\)"),
        (lambda: SymmetricMode((1, 1), 1.0, -1.0), "d = -1"),
        (lambda: SymmetricMode((1, 1), 1.0, 0.0), "s = 1 and d = 0"),
        (lambda: SymmetricMode((1,), 1.0, 1.0).strengths(np.ones(1), np.array([-1.0])), "t = -1 is before the start"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_plateau_that_float64_does_not_hold_is_refused():
    with pytest.raises(OutOfReachError, match="of the strength 1e-200"):
        SymmetricMode((1, 1, 1), 1.0, 1.0).strengths(np.full(3, 1e-200), np.array([1.0]))
