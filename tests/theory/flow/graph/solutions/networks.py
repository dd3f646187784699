"""Deep linear networks with a start and data of a chosen kind, and their flow by its definition."""

from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from tests.tolerances_of_graphs import DEEP_STEP
from theory.problem import Edge, FiniteData, GatedGraph, InitialByName, Node, Problem, Training


def rotation(rng, size):
    """A random orthogonal matrix."""
    return np.linalg.qr(rng.normal(size=(size, size)))[0]


def lambda_balanced(rng, n, m, hidden, lam, size):
    """W1 (hidden, n) and W2 (m, hidden) with W2'W2 - W1 W1' = lam 1: singular values sqrt(b^2 + lam) and b."""
    inner = rotation(rng, hidden)
    first, second = np.zeros((hidden, n)), np.zeros((m, hidden))
    for k in range(hidden):
        both = size * abs(rng.normal()) if k < min(n, m) else 0.0
        if k < n:
            first[k, k] = np.sqrt(both**2 + max(-lam, 0))
        if k < m:
            second[k, k] = np.sqrt(both**2 + max(lam, 0))
    return inner @ first @ rotation(rng, n), rotation(rng, m) @ second @ inner.T


def balanced(rng, widths, strengths, right=None, left=None):
    """Layers W_l = R_l diag(strengths) R_{l-1}', which are balanced; R_0 and R_N are `right` and `left` where given."""
    count = len(strengths)
    frames = [rotation(rng, width)[:, :count] for width in widths]
    frames[0] = frames[0] if right is None else right[:, :count]
    frames[-1] = frames[-1] if left is None else left[:, :count]
    return [after @ np.diag(strengths) @ before.T for before, after in pairwise(frames)]


def flowed(start, second, target, times, speed=1.0, scale=1.0):
    """Each layer at the times under dW_l/dt = speed k (after)' (target - k W second) (before)', by DOP853."""
    shapes = [layer.shape for layer in start]
    ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]

    def parts(theta):
        return [part.reshape(shape) for part, shape in zip(np.split(theta, ends), shapes, strict=True)]

    def rate(_t, theta):
        layers = parts(theta)
        error = speed * scale * (target - scale * product(layers) @ second)
        moved = []
        for place in range(len(layers)):
            after, before = product([np.eye(shapes[place][0]), *layers[place + 1 :]]), product(layers[:place])
            moved.append(after.T @ error @ (before.T if place else np.eye(shapes[0][1])))
        return np.concatenate([each.ravel() for each in moved])

    theta = np.concatenate([layer.ravel() for layer in start])
    run = solve_ivp(rate, (0, times[-1]), theta, "DOP853", times, rtol=DEEP_STEP, atol=DEEP_STEP / 100)
    return [np.stack(each) for each in zip(*(parts(column) for column in run.y.T), strict=True)]


def product(layers):
    """W_N ... W_1; 1 where there are none."""
    total = 1.0
    for index, layer in enumerate(layers):
        total = layer if index == 0 else layer @ total
    return total


def chain(start, second, target, times, loss="half-mse", tau=1, scales=None):
    """The problem of a chain with these layers, on 2 n examples with these moments: +- the columns of a root."""
    n = start[0].shape[1]
    root = np.linalg.cholesky(second) * np.sqrt(n)
    map_of = np.linalg.solve(second, target.T).T
    x = np.concatenate([root.T, -root.T])
    names = ["x", *(f"h{depth}" for depth in range(1, len(start))), "y"]
    sizes = [n, *(layer.shape[0] for layer in start)]
    factors = scales or [1] * len(sizes)
    nodes = tuple(Node(name, int(size), scale=k) for name, size, k in zip(names, sizes, factors, strict=True))
    edges = tuple(Edge(a, b, f"W{depth}") for depth, (a, b) in enumerate(pairwise(names), start=1))
    starts = InitialByName(tuple((edge.weight, rows(layer)) for edge, layer in zip(edges, start, strict=True)))
    law = FiniteData(rows(x), rows(x @ map_of.T))
    return Problem(law, GatedGraph(nodes, edges, ("x",), ("y",)), Training(loss, tau, starts, times))


def rows(matrix):
    """A matrix as tuples of numbers."""
    return tuple(tuple(float(entry) for entry in row) for row in matrix)
