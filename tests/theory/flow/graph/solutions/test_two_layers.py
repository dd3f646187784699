"""The closed form of two layers against the differential equation in full matrices, and against balls."""

import mpmath
import numpy as np
import pytest
from mpmath import mp

from tests.theory.flow.graph.solutions.networks import flowed, lambda_balanced
from tests.tolerances_of_graphs import DEEP_FLOAT, DEEP_ODE
from theory.flow.graph.solutions.two_layers import mode_weights, two_layer_weights

LAMBDAS = (0.0, 1e-12, -1e-6, 1e-3, 0.5, -0.7, 2.0, -3.0)
TIMES = (0.0, 0.1, 0.7, 2.0, 8.0, 20.0)


def drawn(seed):
    """n, m, hidden, lambda and a target; every third one has rank 1, and wide hidden layers have lambda = 0."""
    rng = np.random.default_rng(seed)
    n, m = (int(size) for size in rng.integers(1, 6, 2))
    lam = LAMBDAS[seed % len(LAMBDAS)]
    widest = max(n, m) + 2 if lam == 0 else m if lam > 0 else n
    hidden = int(rng.integers(1, widest + 1))
    target = np.outer(rng.normal(size=m), rng.normal(size=n)) if seed % 3 == 0 else rng.normal(size=(m, n))
    return target, lambda_balanced(rng, n, m, hidden, lam, rng.choice([0.001, 0.1, 1.0]))


def invariants(first, second):
    """W2 W1, W1'W1 and W2 W2', which a rotation of the hidden units leaves alone."""
    return second @ first, first.swapaxes(-1, -2) @ first, second @ second.swapaxes(-1, -2)


def test_against_the_flow_of_both_layers():
    shapes, wrong = set(), []
    for seed in range(10):
        target, (first, second) = drawn(seed)
        shapes.add((np.sign(target.shape[0] - target.shape[1]), np.sign(len(first) - min(target.shape))))
        expected = flowed([first, second], np.eye(target.shape[1]), target, TIMES)
        closed = two_layer_weights(np.array(TIMES), target, first, second)
        for one, other in zip(invariants(*closed), invariants(*expected), strict=True):
            if abs(one - other).max() > DEEP_ODE * max(1, abs(other).max()):
                wrong.append(seed)
    assert wrong == []
    assert {kind for kind, _ in shapes} >= {-1, 1}
    assert {kind for _, kind in shapes} == {-1, 0, 1}


def test_long_times_end_at_the_target():
    target, (first, second) = drawn(4)
    w1, w2 = two_layer_weights(np.array([1e4]), target, first, second)
    left, sizes, right = np.linalg.svd(target)
    rank = min(len(sizes), len(first))
    best = left[:, :rank] * sizes[:rank] @ right[:rank]
    assert abs(w2[0] @ w1[0] - best).max() <= DEEP_FLOAT * sizes.max()


def exact_pair(t, s, first, second):
    """b1(t), b2(t) in mpmath by the closed form with hyperbolic functions, at digits that its cancellations leave."""
    with mp.workdps(80 + int(2 * t * (abs(s) + first**2 + second**2))):
        t, s, first, second = map(mpmath.mpf, (t, s, first, second))
        half = (second**2 - first**2) / 2
        omega = mpmath.sqrt(s**2 + half**2)
        even, odd = mpmath.cosh(omega * t), mpmath.sinh(omega * t) / omega if omega else t
        size = 1 + (first**2 + second**2) * even * odd + 2 * (s * first * second + half**2) * odd**2
        one = first * (even - half * odd) + s * second * odd
        two = second * (even + half * odd) + s * first * odd
        return float(one / mpmath.sqrt(size)), float(two / mpmath.sqrt(size))


PAIRS = ((0.1, 0.1), (1e-12, 1e-12), (1e-30, 0.5), (0.5, -0.2), (2.0, 1e-9), (0.0, 1.0), (1.0, 0.0), (-0.3, 0.3))


@pytest.mark.parametrize("s", [0.0, 1e-14, 30.0])
def test_one_mode_at_its_ends(s):
    for t in (0.0, 1e-12, 3.0, 50.0):
        for pair in PAIRS:
            exact, weights = exact_pair(t, s, *pair), mode_weights(np.array([t]), s, *pair)
            allowed = DEEP_FLOAT * (1 + (abs(s) + pair[0] ** 2 + pair[1] ** 2) * t) * max(map(abs, exact))
            assert max(abs(a - b) for a, b in zip(exact, np.concatenate(weights), strict=True)) <= allowed, (t, pair)
