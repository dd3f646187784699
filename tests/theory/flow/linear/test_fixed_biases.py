"""Fixed biases: the flow of the weights against the definition, <(y - yhat)^2> with the biases held where they are."""

from dataclasses import replace

import numpy as np

from tests.theory.sampled_cases import drawn_from
from tests.tolerances import FLOW_ROUNDED
from theory.flow import discrete, solve
from theory.moments import gated_moments
from theory.problem import (
    AlwaysGate,
    FiniteData,
    Network,
    Problem,
    Simulation,
    SiteGate,
    Training,
)


def test_the_moments_of_examples_are_sums_over_them():
    """A = <phi phi'>, b = <phi y'> and <y'.y'> with y' = y - s (sum_k g_k b_k + b_out/s), example by example."""
    x, labels = np.array([[1, 2], [-1, 1], [3, -2], [-2, -1]]), np.array([1, -1, 2, 0])
    law = FiniteData(x.tolist(), labels.tolist())
    gates = (SiteGate(0, lo=0, on="input"), SiteGate(1, hi=1, on="input"))
    training = Training("half-mse", 1, ((0, 0), (0, 0)), (1,), hidden_bias0=("1/2", "-2"), output_bias0="1/3")
    question = Problem(law, Network("gated-linear", "mean", 2, gates, "fixed"), training)
    opened = np.array([[row[0] >= 0, row[1] < 1] for row in x], dtype=float)
    phi = (opened[:, :, None] * x[:, None, :]).reshape(4, -1)
    left = labels - (opened @ np.array([0.5, -2.0]) / 2 + 1 / 3)
    moments = gated_moments(question)
    assert np.abs(moments.A - phi.T @ phi / 4).max() <= FLOW_ROUNDED
    assert np.abs(moments.b - phi.T @ left / 4).max() <= FLOW_ROUNDED
    assert abs(moments.y2 - (left**2).mean()) <= FLOW_ROUNDED
    least = np.linalg.lstsq(phi / 2, left, rcond=None)[0]
    solution, exact = solve(question), solve(question, digits=20)
    assert abs(solution.mse - ((left - phi @ least / 2) ** 2).mean()) <= FLOW_ROUNDED
    assert abs(float(exact.mse) - solution.mse) <= FLOW_ROUNDED
    outputs = phi @ solution.weights[0].ravel() / 2
    assert abs(solution.losses[0] - ((left - outputs) ** 2).mean()) <= FLOW_ROUNDED
    w, steps = np.zeros(4), Simulation("full-batch", 4, "1/2", 2, 0)
    for _ in range(2):  # until t = 1, in steps of 1/2
        w = w + phi.T @ (left - phi @ w / 2) / 2 / 4 / 2
    assert np.abs(discrete(replace(question, simulation=steps)).weights[0].ravel() - w).max() <= FLOW_ROUNDED


def test_estimated_moments_know_fixed_biases(tmp_path):
    """One gate that is always open: the bias 1/2 takes as much off every label, on the same examples."""
    solutions = []
    for name, shift, biases in (("given", 0.0, "fixed"), ("shifted", 0.5, "none")):
        folder = tmp_path / name
        folder.mkdir()
        x = np.array([[2.0, 1.0], [0.0, -1.0], [1.0, 0.5]])
        law = drawn_from(folder, x, np.array([1.0, -1.0, 2.0]) - shift, 4000)
        start = {"hidden_bias0": ("1/2",), "output_bias0": 0} if biases == "fixed" else {}
        network = Network("gated-linear", "mean", 1, (AlwaysGate(),), biases)
        solutions.append(solve(Problem(law, network, Training("half-mse", 1, ((0, 0),), (1,), **start))))
    assert np.abs(solutions[0].fixed_point - solutions[1].fixed_point).max() <= FLOW_ROUNDED
    assert abs(solutions[0].mse - solutions[1].mse) <= FLOW_ROUNDED
