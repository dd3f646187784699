"""The network of the page on gated graphs, trained on its four examples by its own gradient, in NumPy."""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

from tests.tolerances_of_graphs import GRAPH_REFERENCE

X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
Y = np.array([[2.0 * a, b if a > 0 else -b] for a, b in X])
GATES = np.array([[a > 0, a < 0, True] for a, _ in X], dtype=float)  # plus, minus, h
SMALL = 0.1
LAST = 40.0  # times tau: what is left to learn is below 1e-8


def descent(_time: float, theta: np.ndarray) -> np.ndarray:
    """Return minus the gradient of the mean of |y - yhat|^2/2 over the examples, by back-propagation."""
    first, last = theta.reshape(2, 3, 2, 2)
    hidden = np.einsum("ng,gij,nj->ngi", GATES, first, X)
    error = Y - np.einsum("goi,ngi->no", last, hidden)
    back = np.einsum("ng,goi,no->ngi", GATES, last, error)
    return np.stack([np.einsum("ngi,nj->gij", back, X), np.einsum("no,ngi->goi", error, hidden)]).ravel() / len(X)


@cache
def learned() -> tuple[tuple[float, float], ...]:
    """Return the strengths of the paths through plus, minus and h at the end, in the first and in the second output."""
    first = np.stack([SMALL * np.eye(2)] * 3)
    last = first.copy()
    last[1, 1, 1] = -SMALL
    found = solve_ivp(descent, (0, LAST), np.stack([first, last]).ravel(), rtol=GRAPH_REFERENCE, atol=GRAPH_REFERENCE)
    first, last = found.y[:, -1].reshape(2, 3, 2, 2)
    return tuple(tuple(np.diag(after @ before).tolist()) for before, after in zip(first, last, strict=True))


def strengths(output: int) -> tuple[float, ...]:
    """Return the strengths of the three paths in one output."""
    return tuple(path[output] for path in learned())


def raced(contexts: int, small: float) -> tuple[float, float]:
    """Return the strengths at the end of a pathway that all contexts share and of a private one of each context.

    Every target is 1, both pathways start balanced from the same strength, and every weight descends by itself.
    """
    readout = np.sqrt(small / np.sqrt(contexts))
    start = [small / readout, *[readout] * contexts, *[np.sqrt(small)] * (2 * contexts)]

    def velocity(_time: float, theta: np.ndarray) -> np.ndarray:
        shared, (readouts, first, last) = theta[0], theta[1:].reshape(3, contexts)
        error = 1 - shared * readouts - last * first
        return np.concatenate([[error @ readouts], error * shared, error * last, error * first])

    end = solve_ivp(velocity, (0, LAST), start, rtol=GRAPH_REFERENCE, atol=GRAPH_REFERENCE).y[:, -1]
    return end[0] * end[1], end[1 + contexts] * end[1 + 2 * contexts]


def unlike() -> float:
    """Return |A - B|/|B|, A and B the correlations of outputs and inputs through the gates plus and minus."""
    one, other = (np.einsum("n,no,ni->oi", GATES[:, gate], Y, X) / len(X) for gate in (0, 1))
    return float(np.linalg.norm(one - other) / np.linalg.norm(one))
