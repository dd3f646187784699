"""Gates, features and their moments on weighted points, by their definitions: fractions of arrays of fractions."""

from fractions import Fraction
from math import inf

import numpy as np
from scipy.special import ndtr

from tests.theory.cases import weights
from theory.moments.directions import Direction
from theory.moments.half_spaces import HalfSpace
from theory.moments.tails import ClassTails
from theory.problem import Network, Problem, Training


def question(law, *gates, biases="none", readout="mean", times=(0, 1, 6), loss="half-mse", simulation=None):
    """A gated-linear network on the law, from exact unequal weights; labels may be vectors."""
    K, m = len(gates), law.outputs
    rows, hidden = weights(K * m, law.n), weights(K, m)
    w0 = [rows[m * k : m * k + m] for k in range(K)] if m > 1 else rows
    start = {}
    if biases == "trained":
        start["hidden_bias0"] = hidden if m > 1 else [row[0] for row in hidden]
        start["output_bias0"] = ["1/3"] * m if m > 1 else "1/3"
    network = Network("gated-linear", readout, K, gates, biases)
    return Problem(law, network, Training(loss, 1, w0, times, **start), simulation)


def opened(gate, u, context=None):
    """The values of a gate at points u (n, points)."""
    if gate.kind == "always":
        return np.ones(u.shape[1], dtype=int)
    if gate.kind == "context":
        return np.isin(context, gate.open).astype(int)
    number = (lambda exact: exact) if u.dtype == object else float
    v = sum(number(weight) * u[site] for site, weight in (gate.v if gate.kind == "direction" else ((gate.site, 1),)))
    if gate.sharpness != inf:
        beta = float(gate.sharpness)
        return ndtr(beta * (v - float(gate.lo))) - ndtr(beta * (v - float(gate.hi)))
    return ((v >= number(gate.lo)) & (v < number(gate.hi))).astype(int)


def features(network, x, z=None, context=None):
    """The features (P, points) of inputs x (n, points), whose latents are z where gates look at these."""
    values = []
    for gate in network.gates:
        if gate.kind == "repeated":
            values.append(values[gate.of])
        else:
            values.append(opened(gate, x if z is None or getattr(gate, "on", "input") == "input" else z, context))
    rows = [g * entry for g in values for entry in x]
    if network.has_biases:
        one = 1 / network.scale
        rows += [*values, np.full(x.shape[1], one if x.dtype == object else float(one))]
    return np.array(rows, dtype=x.dtype)


def summed(network, x, p, y, z=None, context=None):
    """A (P, P) and b (P, m) of points with probabilities p and labels y, (points,) or (points, m)."""
    phi = features(network, x, z, context)
    return (phi * p) @ phi.T, (phi * p) @ y


def largest_difference(statistics, x, p, sites):
    """The largest difference of moments of inputs from sums over points x (points, n); sites are (4, tuples)."""
    mean = p @ x
    off, (i, j, k, l) = x - mean, sites
    pairs = (
        (statistics.mean, mean),
        (statistics.covariance, (off * p[:, None]).T @ off),
        (statistics.third(i, j, k), p @ (off[:, i] * off[:, j] * off[:, k])),
        (statistics.fourth(i, j, k, l), p @ (off[:, i] * off[:, j] * off[:, k] * off[:, l])),
    )
    return max(np.abs(value - exact.astype(float)).max() for value, exact in pairs)


def legendre(edges, count=20):
    """Gauss-Legendre nodes and weights of the panels between edges."""
    unit, weight = np.polynomial.legendre.leggauss(count)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + unit)).ravel(), (half * weight).ravel()


def plane(covariance, edges, count=20):
    """Points (2, points) with their probabilities under N(0, covariance): Gauss-Legendre sums between edges of axes."""
    axes, weights_of_axes = zip(*(legendre(ends, count) for ends in edges), strict=True)
    points = np.stack(np.meshgrid(*axes, indexing="ij")).reshape(2, -1)
    volume = np.outer(*weights_of_axes).ravel()
    density = np.exp(-(points * np.linalg.solve(covariance, points)).sum(axis=0) / 2)
    return points, volume * density / (2 * np.pi * np.sqrt(np.linalg.det(covariance)))


def two_signs_at(statistics, i, j):
    """The library's E[s_i s_j x_k x_l | class] for all k, l."""
    signs = tuple(HalfSpace(Direction(((site, Fraction(1)),))) for site in (i, j))
    return ClassTails(statistics, signs, ()).second((0, 1))
