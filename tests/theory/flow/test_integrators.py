"""Integrators: their orders, exact times, every namespace, SciPy's DOP853 as the reference, and their refusals."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.tolerances_of_graphs import (
    INTEGRATOR_ORDER,
    INTEGRATOR_ROUNDING,
    INTEGRATOR_SMOOTH,
)
from theory.flow import integrators
from theory.flow.integrators import dormand_prince, euler, runge_kutta
from theory.problem import InputError, OutOfReachError

RELATIVE, ABSOLUTE = 1e-8, 1e-10


def bend(t, y):
    """dy/dt = -t y^2, with y = 1/(1 + t^2/2) from 1."""
    return {"y": -t * y["y"] * y["y"]}


def bent(t):
    return 1 / (1 + t**2 / 2)


def by_pairs(rate, start, times, step):
    """The pair's steps of order 5 without their control."""
    y, size = dict(start), times[0] / round(times[0] / step)
    for index in range(round(times[0] / step)):
        t = index * size
        y, _, _ = integrators._dormand_prince_step(rate, t, size, y, rate(t, y), 1.0, 1.0)
    return [y]


@pytest.mark.parametrize(
    ("method", "order", "step"), [(euler, 1, 1 / 512), (runge_kutta, 4, 1 / 64), (by_pairs, 5, 1 / 64)]
)
def test_the_order_is_the_slope_of_the_error(method, order, step):
    errors = [abs(method(bend, {"y": np.array([1.0])}, [2.0], h)[-1]["y"].item() - bent(2.0)) for h in (step, step / 2)]
    assert abs(math.log2(errors[0] / errors[1]) - order) < INTEGRATOR_ORDER


def test_the_estimate_of_the_pair_is_of_the_fifth_order():
    """The difference of the two members of the pair falls as h^5 in one step."""
    estimates = []
    for h in (1 / 64, 1 / 128):
        y = {"y": np.array([bent(1.0)])}
        estimates.append(integrators._dormand_prince_step(bend, 1.0, h, y, bend(1.0, y), 1e-30, 1.0)[2])
    assert abs(math.log2(estimates[0] / estimates[1]) - 5) < INTEGRATOR_ORDER


@pytest.mark.parametrize("method", ["euler", "runge-kutta", "dormand-prince"])
def test_the_times_are_ends_of_steps(method):
    """dy/dt = 1 has y = t at every time to rounding, whatever the steps between them are."""
    times = [0.0, 0.1, 1 / 3, 1.0, 1.0 + 1e-9, 7.0]
    slope = {"y": np.ones(2)}
    run = {
        "euler": lambda: euler(lambda t, y: slope, {"y": np.zeros(2)}, times, 0.03),
        "runge-kutta": lambda: runge_kutta(lambda t, y: slope, {"y": np.zeros(2)}, times, 0.03),
        "dormand-prince": lambda: dormand_prince(lambda t, y: slope, {"y": np.zeros(2)}, times, RELATIVE, ABSOLUTE),
    }[method]
    for time, state in zip(times, run(), strict=True):
        assert (abs(state["y"] - time) <= INTEGRATOR_ROUNDING * time).all()


def test_steps_between_times_are_equal_and_no_longer_than_asked():
    seen = []
    euler(lambda t, y: seen.append(t) or {"y": y["y"]}, {"y": np.ones(1)}, [0.3, 1.0], 0.1)
    gaps = np.diff([*seen, 1.0])
    assert len(seen) == 10
    assert abs(gaps - 0.1).max() < INTEGRATOR_ROUNDING


def test_every_member_of_a_batch_keeps_the_tolerance():
    """Rates from 0.01 to 100 at once, the slowest in an array of its own, and a state at rest: y(t) = e^(-rate t)."""
    rates = {"y": np.array([1.0, 10.0, 100.0])[:, None], "slow": np.array([0.01])}
    start = {name: np.ones(array.shape) for name, array in rates.items()}
    times = [0.1, 1.0, 3.0]
    states = dormand_prince(lambda t, y: {n: -rates[n] * y[n] for n in y}, start, times, RELATIVE, ABSOLUTE)
    for t, state in zip(times, states, strict=True):
        for name, array in state.items():
            assert (abs(array - np.exp(-rates[name] * t)) <= INTEGRATOR_SMOOTH * (RELATIVE + ABSOLUTE)).all()
    (still,) = dormand_prince(lambda t, y: {"y": 0 * y["y"]}, {"y": np.ones(1)}, [5.0], RELATIVE, ABSOLUTE)
    assert still["y"].item() == 1


def test_a_step_with_too_large_an_error_is_taken_again(monkeypatch):
    """After a step the state is the new one where its error is at most what is allowed, and the old one elsewhere."""
    step, calls = integrators._dormand_prince_step, []

    def recorded(rate, t, h, y, *others):
        moved, slope, error = step(rate, t, h, y, *others)
        calls.append((t, y["y"].item(), moved["y"].item(), error))
        return moved, slope, error

    monkeypatch.setattr(integrators, "_dormand_prince_step", recorded)
    dormand_prince(lambda t, y: {"y": -50 * (y["y"] - math.tanh(40 * (t - 1)))}, {"y": np.ones(1)}, [2.0], 1e-6, 1e-8)
    assert any(1 < error < 10 for *_, error in calls)
    for (t, before, moved, error), (next_t, y, _, _) in pairwise(calls):
        assert y == (moved if error <= 1 else before)
        assert (next_t > t) is (error <= 1)


def test_arrays_come_out_as_they_come_in():
    """Arrays of torch in float32 keep their type and the numbers of NumPy, up to the rounding of float32."""
    array = torch.asarray([[1.0, 0.5], [0.25, 2.0]])
    for method, *settings in ((euler, 0.125), (runge_kutta, 0.125), (dormand_prince, 1e-4, 1e-4)):
        states = method(bend, {"y": array}, [0.5, 1.0], *settings)
        for state, expected in zip(states, method(bend, {"y": array.numpy()}, [0.5, 1.0], *settings), strict=True):
            assert state["y"].dtype == torch.float32
            rounding = INTEGRATOR_ROUNDING / np.finfo(float).eps * np.finfo("float32").eps
            assert abs(state["y"].numpy() - expected["y"]).max() <= rounding


def test_what_cannot_be_integrated_is_named():
    explode, one = (lambda t, y: {"y": y["y"] * y["y"]}), {"y": np.array([1.0])}
    with pytest.raises(OutOfReachError, match=r"At t = 1 the step falls to .* singular there.*Ask for earlier times"):
        dormand_prince(explode, one, [2.0], RELATIVE, ABSOLUTE)
    for method in (euler, runge_kutta):
        with pytest.raises(OutOfReachError, match=r"y overflows in the step from t = .*Use shorter steps"):
            method(lambda t, y: {"y": y["y"] ** 3}, {"y": np.array([10.0])}, [2.0], 0.25)
        with pytest.raises(OutOfReachError, match="takes 10000000 steps; the limit is 1000000"):
            method(explode, one, [1.0], 1e-7)
    with pytest.raises(OutOfReachError, match="y overflows in the step from t = 0"):
        dormand_prince(lambda t, y: {"y": np.array([np.nan])}, one, [1.0], RELATIVE, ABSOLUTE)


def test_a_stiff_flow_ends_with_its_reason(monkeypatch):
    monkeypatch.setattr(integrators, "MOST_STEPS", 50)
    with pytest.raises(OutOfReachError, match=r"is reached after 51 steps, the last of .*: the flow is stiff"):
        dormand_prince(lambda t, y: {"y": -1e6 * y["y"]}, {"y": np.ones(1)}, [1.0], RELATIVE, ABSOLUTE)


@pytest.mark.parametrize("times", [[1.0, 1.0], [-1.0], [math.nan]])
def test_times_that_do_not_increase_are_refused(times):
    with pytest.raises(InputError, match="must increase from 0 on"):
        dormand_prince(bend, {"y": np.ones(1)}, times, RELATIVE, ABSOLUTE)
    with pytest.raises(InputError, match="must increase from 0 on"):
        euler(bend, {"y": np.ones(1)}, times, 0.1)


def test_steps_and_tolerances_must_be_positive():
    start = {"y": np.ones(1)}
    with pytest.raises(InputError, match=r"relative = 0\.0 must be a positive number"):
        dormand_prince(bend, start, [1.0], 0.0, ABSOLUTE)
    with pytest.raises(InputError, match=r"absolute = inf must be a positive number"):
        dormand_prince(bend, start, [1.0], RELATIVE, math.inf)
    with pytest.raises(InputError, match=r"step = -1\.0 must be a positive number"):
        runge_kutta(bend, start, [1.0], -1.0)
