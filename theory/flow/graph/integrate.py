"""The gradient flow of a graph in time, in numbers from the path moments.

In general more than one layer of weights has no closed form: SciPy's DOP853 integrates tau dW/dt of the derived flow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from jaxtyping import Float
from scipy.integrate import solve_ivp

from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import PathMoments, loss_from, velocities
from theory.moments.feature_moments import squared_labels
from theory.problem import OutOfReachError, Problem

RELATIVE = 1e-10  # the relative tolerance of the integrator in each weight
MOST_EVALUATIONS = 100_000  # the most evaluations of the flow; a full trajectory takes a few thousand


@dataclass(frozen=True, repr=False)
class GraphSolution:
    """Weights along the flow: `weights` by name, each (T, rows, columns), and `losses` <|y - yhat|^2> at `times`."""

    flow: GraphFlow
    times: tuple[float, ...]
    weights: dict[str, Float[np.ndarray, "T rows columns"]]
    losses: Float[np.ndarray, " T"]


def integrate(problem: Problem, times: Sequence[float] | None = None) -> GraphSolution:
    """Return the weights of the problem's network under gradient flow at its times (in the unit of tau), in float64.

    Raises OutOfReachError where the flow has no paths, the data have no moments, or the integrator fails.

    One input and one output in two layers of equal weights follow a(t) = s e^{2st}/(e^{2st} - 1 + s/a(0)):

    >>> from theory.problem import loads
    >>> deep = loads('''
    ... [data]
    ... law = "finite"
    ... x = [[1.0], [-1.0]]
    ... y = [2.0, -2.0]
    ... [network]
    ... model = "gated-graph"
    ... nodes = [{ name = "x", dimension = 1 }, { name = "h", dimension = 1 }, { name = "y", dimension = 1 }]
    ... edges = [{ from = "x", to = "h", weight = "A" }, { from = "h", to = "y", weight = "B" }]
    ... inputs = ["x"]
    ... outputs = ["y"]
    ... [training]
    ... loss = "half-mse"
    ... tau = 1.0
    ... w0 = { A = [[0.1]], B = [[0.1]] }
    ... times = [1.0]
    ... ''')
    >>> end = integrate(deep)
    >>> growth = np.exp(4.0)
    >>> bool(abs(end.weights["A"] * end.weights["B"] - 2 * growth / (growth - 1 + 200)).max() < 1e-8)
    True
    """
    flow = flow_of(problem)
    moments, start = moments_of(problem, flow), split(problem, flow)
    asked = tuple(float(time) for time in (problem.training.times if times is None else times))
    weights = weights_over_time(flow, start, moments, float(problem.training.tau), asked)
    parts = [{name: array[index] for name, array in weights.items()} for index in range(len(asked))]
    second = float(squared_labels(problem.data))
    losses = np.array([loss_from(flow, part, moments, second) for part in parts])
    return GraphSolution(flow, asked, weights, losses)


def weights_over_time(
    flow: GraphFlow,
    start: Mapping[str, np.ndarray],
    moments: PathMoments,
    tau: float,
    times: Sequence[float],
    relative: float = RELATIVE,
) -> dict[str, np.ndarray]:
    """Return the weights of a flow at ascending times, from arrays (..., target, source), with a leading axis of times.

    `relative` is the integrator's tolerance per step, and a hundredth of it the absolute one. Raises OutOfReachError
    where the integrator fails.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "sum", 1, (AlwaysGate(),)), 1), "half-mse")
    >>> moments = PathMoments({("y", 1): np.array([[1.0]])}, {(1, 1): np.array([[1.0]])})
    >>> decay = weights_over_time(flow, {"w": np.array([[0.0]])}, moments, 1.0, [0.0, 1.0])["w"]
    >>> decay.ravel().round(6).tolist()  # 1 - exp(-t)
    [0.0, 0.632121]
    """
    shapes = {name: array.shape for name, array in start.items()}

    evaluations = 0

    def rate(time: float, theta: np.ndarray) -> np.ndarray:
        nonlocal evaluations
        evaluations += 1
        if evaluations > MOST_EVALUATIONS:
            raise OutOfReachError(
                f"The integration has evaluated the flow {MOST_EVALUATIONS} times and is at t = {time:.6g}: some "
                "weights move much faster than others, or the times are very long.",
                "Ask for earlier times, or rescale the data or the initial weights.",
            )
        return _flat(velocities(flow, _parts(theta, shapes), moments), shapes) / tau

    theta, reached = _flat(start, shapes), [time for time in times if time > 0]
    columns = [theta] * (len(times) - len(reached))
    if reached:
        found = solve_ivp(rate, (0.0, reached[-1]), theta, "DOP853", reached, rtol=relative, atol=relative / 100)
        if not found.success:
            raise OutOfReachError(
                f"The integration stops before t = {reached[len(found.t)]:.6g}: {found.message}",
                "Ask for earlier times.",
            )
        columns += list(found.y.T)
    parts = [_parts(column, shapes) for column in columns]
    return {name: np.stack([part[name] for part in parts]) for name in shapes}


def split(problem: Problem, flow: GraphFlow, replicate: int | None = None) -> dict[str, np.ndarray]:
    """Return the initial weights by name, as (target, source) matrices; those of `replicate` if given."""
    start = problem.start(replicate)
    found = {}
    for name in flow.weights:
        whole, _, unit = name.rpartition(".")
        rows, columns = flow.shape(name)
        if whole and name not in start:
            matrix = start[whole].reshape(-1, columns) if rows == 1 else start[whole].reshape(rows, -1)
            found[name] = matrix[int(unit)][None] if rows == 1 else matrix[:, [int(unit)]]
        else:
            found[name] = start[name].reshape(rows, columns)
    return found


def _flat(weights: Mapping[str, np.ndarray], shapes: dict[str, tuple[int, ...]]) -> np.ndarray:
    return np.concatenate([weights[name].ravel() for name in shapes])


def _parts(theta: np.ndarray, shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    ends = np.cumsum([prod(shape) for shape in shapes.values()])[:-1]
    return {name: part.reshape(shapes[name]) for name, part in zip(shapes, np.split(theta, ends), strict=True)}
