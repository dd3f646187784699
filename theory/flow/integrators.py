"""Integrators of dy/dt = f(t, y) for many systems at once: Euler, Runge-Kutta of order 4, and Dormand-Prince 5(4).

The state y is a mapping from names to arrays of any namespace with operators (NumPy, torch, JAX), such as the weights
of `theory.flow.graph.moments.velocities`; leading axes stand for several systems. All systems take the same steps. The
adaptive pair bounds the error of every number of every system, so that each system in a batch satisfies the tolerance;
the most demanding system determines the step. Steps end at the requested times.

Source of the pair: Dormand and Prince (1980), the coefficients of their RK5(4)7M.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import shown

State = Mapping[str, Any]
Rate = Callable[[float, State], State]
Step = Callable[[Rate, float, float, State], dict[str, Any]]

MOST_STEPS = 1_000_000
_FIRST = 1e-3  # the first step, relative to the size of y over that of f
_SAFETY, _LEAST, _MOST = 0.9, 0.2, 10.0  # the safety factor of a step, and bounds on the ratio of successive steps


def _row(*entries: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, entries))


# Stage i at t + c_i h is y + h sum_j a_ij k_j; the last row is also the step of order 5.
_STAGES = (
    _row("1/5"),
    _row("3/40", "9/40"),
    _row("44/45", "-56/15", "32/9"),
    _row("19372/6561", "-25360/2187", "64448/6561", "-212/729"),
    _row("9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"),
    _row("35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"),
)
_FOURTH = _row("5179/57600", "0", "7571/16695", "393/640", "-92097/339200", "187/2100", "1/40")
_ERROR = tuple(float(b - e) for b, e in zip((*_STAGES[-1], Fraction(0)), _FOURTH, strict=True))
_AT = tuple(float(sum(row)) for row in _STAGES)
_WEIGHTS = tuple(tuple(map(float, row)) for row in _STAGES)


def euler(rate: Rate, start: State, times: Sequence[float], step: float) -> list[dict[str, Any]]:
    """Return the states at `times` by y + h f(t, y), of order 1; gradient descent is this with h = tau learning_rate.

    Between two times all steps are equal, at most `step`. `start` is the state at t = 0. Raises InputError for times
    that do not increase from 0 on and for a step that is not positive, OutOfReachError where a number overflows and for
    more than MOST_STEPS steps.

    >>> decay = lambda t, y: {"y": -y["y"]}
    >>> (end,) = euler(decay, {"y": np.array([1.0, 2.0])}, [1.0], step=0.5)
    >>> end["y"].tolist()
    [0.25, 0.5]
    """
    return _fixed(_euler_step, rate, start, times, step)


def runge_kutta(rate: Rate, start: State, times: Sequence[float], step: float) -> list[dict[str, Any]]:
    """Return the states at `times` by the classical method of order 4; steps and errors as in `euler`.

    >>> decay = lambda t, y: {"y": -y["y"]}
    >>> (end,) = runge_kutta(decay, {"y": np.array([1.0])}, [1.0], step=0.5)
    >>> round(end["y"].item() - math.exp(-1), 5)
    0.00029
    """
    return _fixed(_runge_kutta_step, rate, start, times, step)


def dormand_prince(
    rate: Rate, start: State, times: Sequence[float], relative: float, absolute: float
) -> list[dict[str, Any]]:
    """Return the states at `times` by steps of order 5, each with an error of at most absolute + relative |y| a number.

    This bounds the estimated error of one step, with |y| the mean of both ends; the errors of steps add up, and the
    flow damps or amplifies them. Raises InputError for times that do not increase from 0 on and for tolerances that are
    not positive, and OutOfReachError where a number overflows, where a step is too small to change t, and for more than
    MOST_STEPS steps.

    Three networks of one unit with one input at once, tau dw/dt = 3 - 2 w, from 0, 1 and the fixed point 1.5:

    >>> from theory.flow.graph.gradient_flow import GraphFlow
    >>> from theory.flow.graph.moments import PathMoments, velocities
    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 1, (AlwaysGate(),)), 1), "half-mse")
    >>> moments = PathMoments({("y", 1): np.array([[3.0]])}, {(1, 1): np.array([[2.0]])})
    >>> start = {"w": np.array([0.0, 1.0, 1.5]).reshape(3, 1, 1)}
    >>> (end,) = dormand_prince(lambda t, w: velocities(flow, w, moments), start, [1.0], 1e-9, 1e-12)
    >>> end["w"].ravel().round(6).tolist(), round(1.5 * (1 - math.exp(-2)), 6)
    ([1.296997, 1.432332, 1.5], 1.296997)
    """
    for name, value in (("relative", relative), ("absolute", absolute)):
        _positive(name, value)
    t, y, states, taken = 0.0, dict(start), [], 0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        slope = _finite(rate(t, y), t)
        h = _first_step(y, slope, absolute)
        for end in _checked(times):
            while t < end:
                # A step is extended to the end if less than a tenth of it would remain.
                last = end - t <= 1.1 * h
                size = end - t if last else h
                moved, final, error = _dormand_prince_step(rate, t, size, y, slope, relative, absolute)
                if error <= 1:
                    t, y, slope = end if last else t + size, moved, final
                next_size = size * _change(error)
                # A step that was shortened to end at a time does not determine the next step.
                h = max(h, next_size) if last and error <= 1 else next_size
                taken += 1
                _check_step(t, h, taken)
            states.append(y)
    return states


def _fixed(method: Step, rate: Rate, start: State, times: Sequence[float], step: float) -> list[dict[str, Any]]:
    _positive("step", step)
    y, states, taken = dict(start), [], 0
    with np.errstate(over="ignore", invalid="ignore"):
        for begin, end in pairwise((0.0, *_checked(times))):
            # Rounding of a length that is a whole number of steps must not add a step.
            count = math.ceil((end - begin) / step * (1 - 4 * np.finfo(float).eps))
            taken += count
            if taken > MOST_STEPS:
                raise OutOfReachError(
                    f"t = {end:g} takes {taken} steps; the limit is {MOST_STEPS}.", "Use longer steps."
                )
            for index in range(count):
                t = begin + (end - begin) * (index / count)
                y = _finite(method(rate, t, (end - begin) / count, y), t)
            states.append(y)
    return states


def _euler_step(rate: Rate, t: float, h: float, y: State) -> dict[str, Any]:
    return _moved(y, h, (1.0,), (rate(t, y),))


def _runge_kutta_step(rate: Rate, t: float, h: float, y: State) -> dict[str, Any]:
    first = rate(t, y)
    second = rate(t + h / 2, _moved(y, h, (0.5,), (first,)))
    third = rate(t + h / 2, _moved(y, h, (0.5,), (second,)))
    fourth = rate(t + h, _moved(y, h, (1.0,), (third,)))
    return _moved(y, h, (1 / 6, 1 / 3, 1 / 3, 1 / 6), (first, second, third, fourth))


def _dormand_prince_step(
    rate: Rate, t: float, h: float, y: State, slope: State, relative: float, absolute: float
) -> tuple[dict[str, Any], State, float]:
    """Return the state after the step, its slope, and the largest error over the tolerance, infinite for NaN."""
    slopes = [slope]
    for at, weights in zip(_AT, _WEIGHTS, strict=True):
        moved = _moved(y, h, weights, slopes)
        slopes.append(rate(t + at * h, moved))
    worst = 0.0
    for name, before in y.items():
        wrong = abs(_sum(_ERROR, [each[name] for each in slopes])) * h
        # The mean of both ends is at most their maximum, and needs no function of the array namespace.
        allowed = absolute + relative * (abs(before) + abs(moved[name])) / 2
        worst = max(worst, _size(wrong / allowed))
    return moved, slopes[-1], worst


def _moved(y: State, h: float, weights: Sequence[float], slopes: Sequence[State]) -> dict[str, Any]:
    """y + h sum_j weights[j] slopes[j]."""
    return {name: before + h * _sum(weights, [each[name] for each in slopes]) for name, before in y.items()}


def _sum(weights: Sequence[float], arrays: Sequence[Any]) -> Any:
    terms = [array * weight for weight, array in zip(weights, arrays, strict=True) if weight]
    return sum(terms[1:], terms[0])


def _size(array: Any) -> float:
    """Return the largest absolute value of an entry, infinite if one is NaN."""
    largest = abs(array).max().item()
    return largest if math.isfinite(largest) else math.inf


def _first_step(y: State, slope: State, absolute: float) -> float:
    """Return a step in which y changes by 1e-3 of its size, which is at least the absolute tolerance."""
    rate = max(map(_size, slope.values()))
    return _FIRST * max(absolute, *map(_size, y.values())) / rate if rate else math.inf


def _change(error: float) -> float:
    """Return the factor of the next step, for errors of order 5 in h."""
    if error == 0:
        return _MOST
    return min(_MOST, max(_LEAST, _SAFETY * error**-0.2)) if math.isfinite(error) else _LEAST


def _check_step(t: float, h: float, taken: int) -> None:
    if t + h == t:
        raise OutOfReachError(
            f"At t = {t:.6g} the step falls to {h:.3g}, which no longer changes t: the solution is singular there, or "
            "the tolerances are below the rounding of its numbers.",
            "Ask for earlier times, or allow larger errors.",
        )
    if taken > MOST_STEPS:
        raise OutOfReachError(
            f"t = {t:.6g} is reached after {taken} steps, the last of {h:.3g}: the flow is stiff.",
            "Ask for earlier times, or allow larger errors.",
        )


def _finite(state: State, t: float) -> dict[str, Any]:
    for name, array in state.items():
        if _size(array) == math.inf:
            raise OutOfReachError(
                f"{name} overflows in the step from t = {t:.6g}.",
                "Use shorter steps, earlier times or a smaller start.",
            )
    return dict(state)


def _positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name} = {shown(value)} must be a positive number.", "Give for example 1e-3.")


def _checked(times: Sequence[float]) -> tuple[float, ...]:
    found = tuple(float(time) for time in times)
    if not all(before < after for before, after in pairwise(found)) or any(
        not math.isfinite(time) or time < 0 for time in found
    ):
        raise InputError(f"times = {shown(list(found))} must increase from 0 on.", "Sort them, and leave out doubles.")
    return found
