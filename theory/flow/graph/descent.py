"""Plain gradient descent of a graph in discrete steps, on the exact moments of the data, at any step size.

W <- W + eta tau dW/dt, with the derived flow of the paths: training on the whole data law at every step. Networks
trained on N examples scatter around it. Because the loss is not quadratic in the weights, the mean of such networks
differs from it by a term of order 1/N (full batch) or eta/batch (online).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.integrate import split
from theory.flow.graph.moments import loss_from, velocities
from theory.flow.linear.descent import steps_at_times
from theory.moments.feature_moments import squared_labels
from theory.problem import InputError, Problem


@dataclass(frozen=True, repr=False)
class GraphDescent:
    """Weights of S networks by name, each (S, T, rows, columns), and `losses` <|y - yhat|^2> (S, T) at `times` (T)."""

    flow: GraphFlow
    times: Float[np.ndarray, " T"]
    weights: dict[str, Float[np.ndarray, "S T rows columns"]]
    losses: Float[np.ndarray, "S T"]


def descend(problem: Problem, replicates: Sequence[int | None] = (None,)) -> GraphDescent:
    """Return plain gradient descent at training.times, from the start that all networks share (None) or their own.

    The step is eta = simulation.learning_rate; time t is t/(tau eta) steps. Raises InputError where a time is no whole
    number of steps, where steps overflow and without a [simulation] table; OutOfReachError where the flow has no paths,
    the data no moments, and for an optimizer other than "sgd".

    One step of y = B A x on x = 1, -1 with slope 2 moves both weights by eta (2 - A B) times the other:

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
    ... w0 = { A = [[0.5]], B = [[1.0]] }
    ... times = [0.1]
    ... [simulation]
    ... mode = "full-batch"
    ... samples = 2
    ... learning_rate = 0.1
    ... replicates = 2
    ... seed = 0
    ... ''')
    >>> {name: found.ravel().round(12).tolist() for name, found in descend(deep).weights.items()}
    {'A': [0.65], 'B': [1.075]}
    """
    counts, flow = steps_at_times(problem), flow_of(problem)
    moments, second = moments_of(problem, flow), float(squared_labels(problem.data))
    starts = [split(problem, flow, replicate) for replicate in replicates]
    weights = {name: np.stack([start[name] for start in starts]) for name in flow.weights}
    rate, step, snapshots = float(problem.simulated().learning_rate), 0, []
    for count in counts:
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(count - step):
                moved = velocities(flow, weights, moments)
                weights = {name: array + rate * moved[name] for name, array in weights.items()}
        if not all(np.isfinite(array).all() for array in weights.values()):
            raise InputError(
                f"{count} steps of gradient descent overflow at the learning rate {rate:g}.",
                "Use a smaller simulation.learning_rate.",
            )
        step = count
        snapshots.append(weights)
    losses = np.stack([loss_from(flow, each, moments, second) for each in snapshots], axis=1)
    along = {name: np.stack([each[name] for each in snapshots], axis=1) for name in flow.weights}
    return GraphDescent(flow, np.array([float(time) for time in problem.training.times]), along, losses)
