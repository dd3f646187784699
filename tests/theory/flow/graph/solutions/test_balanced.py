"""One mode of N balanced layers against its integral and its equation at 20 digits, at ordinary and extreme places."""

from itertools import product

import mpmath
import numpy as np
import pytest
from flint import acb, arb
from mpmath import mpf

from tests.tolerances_of_graphs import DEEP_FLOAT, DEEP_INTEGRAL
from theory.expressions.balls.precision import precision
from theory.flow.graph.solutions.balanced import layers, time_to, two_layers
from theory.problem import InputError, OutOfReachError

STARTS = (1e-12, 0.3, 1.001, 1e4)


def velocity(a, s, depth):
    """da/dt by its definition: N layers of the weight a^(1/N), each moved by minus the slope of (s - product)^2/2."""
    b = a ** (type(a)(1) / depth)
    return depth * b ** (depth - 1) * b ** (depth - 1) * (s - a)


def duration(a, s, a0, depth):
    """int dx / velocity in the variable log x, enclosed by Arb to 20 digits."""
    with precision(digits=30):
        slope = arb(s)
        ends = arb(a0).log(), arb(a).log()
        whole = acb.integral(
            lambda z, _: z.exp() / velocity(z.exp(), slope, depth), *ends, rel_tol=DEEP_INTEGRAL, abs_tol=0
        )
        assert whole.real.rel_accuracy_bits() > 66, (a, s, a0, depth)  # 20 digits
        return mpf(whole.real.mid().str(30, radius=False))


def on_the_way(s, a0):
    """Strengths between a0 and where the flow ends."""
    end = max(s, 0.0)
    shares = (1e-6, 0.5, 0.999)
    return [a0 + (end - a0) * share if end > 0 else a0 * (1 - share) for share in shares]


@pytest.mark.parametrize(("s", "depth"), [(1.0, 3), (50.0, 50), (0.0, 2), (-1e-6, 3)])
def test_time_and_strength_are_each_other_s_inverse(s, depth):
    for a0 in STARTS:
        for a in on_the_way(s, a0):
            exact = duration(a, s, a0, depth)
            ends = [abs(mpf(at) / velocity(mpf(at), mpf(s), depth)) for at in (a, a0)]
            rounding = DEEP_FLOAT * (sum(ends) + abs(exact) * depth)  # of the two strengths, and of powers of 1/N
            assert abs(time_to(a, s, a0, depth) - exact) <= rounding, (a0, a)
            moved = float(velocity(mpf(a), mpf(s), depth) * rounding)
            assert abs(layers(np.array([float(exact)]), s, a0, depth)[0] - a) <= abs(moved) + DEEP_FLOAT * a, (a0, a)


def test_two_layers_at_their_ends():
    for s, a0, t in product((0.0, 1e-200, 1.0, 700.0, -1e-9, -3.0), (1e-300, 0.5, 1e5), (0.0, 1e-20, 1.0, 1e5)):
        with mpmath.workdps(60):
            growth = mpmath.expm1(2 * mpf(s) * t) / s if s else 2 * mpf(t)
            exact = mpf(a0) * mpmath.exp(2 * mpf(s) * t) / (1 + a0 * growth)
        strength = two_layers(np.array([t]), s, a0).item()
        assert abs(strength - exact) <= DEEP_FLOAT * (1 + min(abs(s) * t, 745)) * exact + np.finfo(float).tiny


@pytest.mark.parametrize(("gap", "depth"), [(1e-4, 2), (-1e-7, 3)])
def test_a_start_beside_the_target_relaxes(gap, depth):
    """The distance s - a falls as exp(-N s^(2 - 2/N) t) to first order in the gap, and is never taken for 0."""
    s, t = 2.0, np.array([0.0, 0.05, 0.2])
    left = layers(t, s, s + gap, depth) - s
    expected = gap * np.exp(-depth * s ** (2 - 2 / depth) * t)
    assert (abs(left - expected) <= 4 * depth * gap**2 + DEEP_FLOAT * s).all()


def test_one_layer_relaxes():
    t = np.array([0.0, 0.5, 40.0])
    assert abs(layers(t, -2.0, 3.0, 1) - (-2 + 5 * np.exp(-t))).max() <= DEEP_FLOAT * 5


def test_nothing_starts_from_nothing():
    assert layers(np.array([0.0, 1e6]), 1.0, 0.0, 3).tolist() == [0.0, 0.0]
    assert layers(np.array([0.0, 1e6]), 2.0, 2.0, 3).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("depth", [2, 5])
def test_the_end_is_reached_and_kept(depth):
    assert layers(np.array([1e3, 1e300]), 2.0, 0.1, depth).tolist() == [2.0, 2.0]
    assert abs(layers(np.array([1e3]), 2.0, 7.0, depth)[0] - 2) <= DEEP_FLOAT


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="a0 = -1"):
        layers(np.array([1.0]), 1.0, -1.0, 3)
    with pytest.raises(InputError, match="before the start"):
        layers(np.array([-1.0]), 1.0, 1.0, 3)
    with pytest.raises(InputError, match="does not pass a = 2"):
        time_to(2.0, 1.0, 0.1, 3)
    with pytest.raises(InputError, match="fewer than two layers"):
        time_to(0.5, 1.0, 0.1, 1)
    with pytest.raises(OutOfReachError, match="no number of float64"):
        layers(np.array([1.0]), 1e-300, 1e-3, 3)
