"""Moments through gates against the oracle's defining integrals, in float64 and as balls; what they must satisfy."""

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.cases import ORACLE, problem
from tests.tolerances import (
    MOMENT_ENTRY,
    MOMENT_FOUR_FACTORS,
    MOMENT_STORED,
    MOMENT_STORED_DIGITS,
    psd_slack,
)
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.arithmetic import FLOAT64, certified
from theory.moments.statistics import class_statistics
from theory.problem import AlwaysGate, Network, OutOfReachError, SiteGate

CASES = ORACLE["cases"]
EVERY_CASE = pytest.mark.parametrize("name", CASES)
GATES = ["up:0", "down:0", "up:1", "down:1", "up:3", "always", "repeat:0"]


def numbers(strings):
    return np.array(strings, dtype=float)


@EVERY_CASE
def test_float64_moments_are_the_defining_integrals(name):
    case = CASES[name]
    moments = gated_moments(problem(**case["problem"]))
    largest = np.abs(numbers(case["A"])).max()
    assert np.abs(moments.A - numbers(case["A"])).max() <= MOMENT_FOUR_FACTORS * largest
    assert np.abs(moments.b - numbers(case["b"])).max() <= MOMENT_ENTRY * max(1.0, np.abs(moments.b).max())
    labels = [float(label) for label in case["problem"]["labels"]]
    assert moments.y2 == (labels[0] ** 2 + labels[1] ** 2) / 2


@EVERY_CASE
def test_balls_hold_the_defining_integrals(name):
    case = CASES[name]
    with ctx.workdps(MOMENT_STORED_DIGITS + 10):
        moments = gated_moments_certified(problem(**case["problem"]), MOMENT_STORED_DIGITS)
        for found, stored in ((moments.A, case["A"]), (moments.b, case["b"])):
            for ball, digits in zip(found.ravel(), np.array(stored, dtype=object).ravel(), strict=True):
                exact = arb(digits)
                assert (ball - exact).abs_upper() <= MOMENT_STORED * max(exact.abs_upper(), arb(1))


@pytest.mark.parametrize("row", ORACLE["lags"], ids=lambda row: f"gain {row['gain']}, xi {row['xi']}")
def test_every_lag_keeps_its_digits(row):
    """Relative to each entry, at gains from 0.01 to 100 and correlations from 1 - 1e-6 down to 1e-107."""
    law = problem(gain=row["gain"], xi=[row["xi"]] * 2, n=12).data
    statistics = class_statistics(law, 0, FLOAT64)
    lag = np.arange(12)
    for found, name in ((statistics.covariance(lag), "covariance"), (statistics.half_space(lag), "half_space")):
        exact = numbers(row[name])
        assert (np.abs(found - exact) <= MOMENT_ENTRY * np.abs(exact)).all()


@pytest.mark.parametrize("law", ["nlgp", "gaussian-clone"])
@pytest.mark.parametrize("gain", ["0.01", "1", "100"])
@pytest.mark.parametrize("xi", ["1", "1000000"])
def test_float64_agrees_with_balls_where_correlations_are_nearly_one(law, gain, xi):
    data = problem(law=law, gain=gain, xi=[xi, xi], n=8, gates=["up:0"]).data
    lag = np.arange(8)
    with ctx.workdps(50):
        exact = class_statistics(data, 0, certified())
        close = class_statistics(data, 0, FLOAT64)
        for name in ("covariance", "half_space"):
            balls = getattr(exact, name)(lag).astype(float)
            assert (np.abs(getattr(close, name)(lag) - balls) <= MOMENT_ENTRY * np.abs(balls)).all()
        if law == "gaussian-clone":
            lags = (1, *(np.array([lag]) for lag in (3, 2, 2, 1, 1)))
            difference = close.two_half_spaces(*lags) - exact.two_half_spaces(*lags).astype(float)
            assert np.abs(difference).max() <= MOMENT_ENTRY * float(exact.variance)


@given(st.lists(st.sampled_from(GATES), min_size=1, max_size=5), st.sampled_from(["0.05", "1", "20"]))
def test_a_is_symmetric_and_positive_semidefinite(gates, gain):
    gates[0] = "up:2" if gates[0] == "repeat:0" else gates[0]
    A = gated_moments(problem(gates=gates, gain=gain)).A
    assert (A == A.T).all()
    values = np.linalg.eigvalsh(A)
    assert values[0] >= -psd_slack(len(A)) * values[-1]


@pytest.mark.parametrize("order", [(1, 0, 2, 3, 4), (4, 3, 2, 1, 0), (2, 4, 0, 3, 1)])
def test_permuting_units_permutes_blocks(order):
    gates = ["up:0", "down:0", "up:2", "always", "down:3"]
    base, moved = gated_moments(problem(gates=gates)), gated_moments(problem(gates=[gates[k] for k in order]))
    assert (moved.sigma_yx == base.sigma_yx[list(order)]).all()
    assert (moved.sigma_xx == base.sigma_xx[np.ix_(order, order)]).all()


@pytest.mark.parametrize("law", ["nlgp", "gaussian-clone"])
def test_exclusive_gates_make_a_block_diagonal(law):
    moments = gated_moments(problem(gates=["up:1", "down:1"], law=law))
    assert (moments.sigma_xx[0, 1] == 0).all()
    assert (moments.sigma_xx[0, 0] == moments.features.signs.second(()).dense() / 2).all()


def test_shape_of_the_unit_major_layout():
    moments = gated_moments(problem(gates=["up:0", "up:2", "always"], n=5))
    assert moments.A[1 * 5 + 3, 2 * 5 + 4] == moments.sigma_xx[1, 2, 3, 4]
    assert moments.b[1 * 5 + 3] == moments.sigma_yx[1, 3]


def test_a_gate_without_bounds_is_always_open():
    base = problem(gates=["up:1", "always"])
    gates = (base.network.gates[0], SiteGate(site=3))
    network = Network("gated-linear", "mean", 2, gates)
    swapped = type(base)(base.data, network, base.training)
    assert (gated_moments(swapped).A == gated_moments(base).A).all()


def test_a_soft_gate_without_bounds_is_always_open():
    base = problem(gates=["up:1", "up:1"])
    unbounded = Network("gated-linear", "mean", 2, (SiteGate(1, sharpness=3),) * 2)
    always = Network("gated-linear", "mean", 2, (AlwaysGate(),) * 2)
    moments = [gated_moments(type(base)(base.data, network, base.training)) for network in (unbounded, always)]
    assert (moments[0].A == moments[1].A).all()


def test_moving_gates_are_out_of_reach():
    base = problem(gates=["up:1"])
    with pytest.raises(OutOfReachError, match="relu"):
        gated_moments(type(base)(base.data, Network("relu", "mean", 1), base.training))
