"""Moments through gates against the oracle's defining integrals, in float64 and as balls; what they must satisfy."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from flint import arb, ctx

from tests.theory.cases import ORACLE, problem
from tests.theory.moments.definition import two_signs_at
from tests.tolerances import (
    MOMENT_ENTRY,
    MOMENT_FOUR_FACTORS,
    MOMENT_STORED,
    MOMENT_STORED_DIGITS,
)
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.arithmetic import FLOAT64, certified
from theory.moments.statistics import class_statistics
from theory.problem import AlwaysGate, Network, OutOfReachError, SiteGate

CASES = ORACLE["cases"]
EVERY_CASE = pytest.mark.parametrize("name", CASES)


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


def test_every_lag_keeps_its_digits():
    """Relative to each entry, at gains from 0.01 to 100 and correlations from 1 - 1e-6 down to 1e-107."""
    lag = np.arange(12)
    for row in ORACLE["lags"]:
        law = problem(gain=row["gain"], xi=[row["xi"]] * 2, n=12).data
        statistics = class_statistics(law, 0, FLOAT64)
        for values, name in ((statistics.covariance(lag), "covariance"), (statistics.half_space(lag), "half_space")):
            exact = numbers(row[name])
            assert (np.abs(values - exact) <= MOMENT_ENTRY * np.abs(exact)).all(), (row["gain"], row["xi"], name)


@pytest.mark.parametrize(
    ("law", "gain", "xi"),
    [("nlgp", "100", "1000000"), ("gaussian-clone", "0.01", "1000000"), ("gaussian-clone", "1", "1")],
)
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
            difference = two_signs_at(close, 2, 3) - two_signs_at(exact, 2, 3).astype(float)
            assert np.abs(difference).max() <= MOMENT_ENTRY * float(exact.variance)


@pytest.mark.parametrize("sharpness", [inf, 3])
def test_a_gate_without_bounds_is_always_open(sharpness):
    base = problem(gates=["up:1", "always"])
    for gate in (SiteGate(3, sharpness=sharpness), AlwaysGate()):
        network = Network("gated-linear", "mean", 2, (base.network.gates[0], gate))
        assert (gated_moments(replace(base, network=network)).A == gated_moments(base).A).all()


def test_moving_gates_are_out_of_reach():
    base = problem(gates=["up:1"])
    with pytest.raises(OutOfReachError, match="relu"):
        gated_moments(replace(base, network=Network("relu", "mean", 1)))
