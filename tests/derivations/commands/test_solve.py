"""gdln solve on networks that learn their readout, and on losses that are zero within their rounding."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from derivations.answers import solve
from derivations.experiments.folders import problem_file
from derivations.output import BAD_INPUT, OUT_OF_REACH
from tests.tolerances_of_graphs import GRAPH_INTEGRATED
from theory.problem import Edge, GatedGraph, InitialByName, Node, dumps, loads

X, Y = [[1.0, 0.5], [-0.5, 1.0], [2.0, -1.0]], [[1, 0.5], [0, 2], [-1, 1]]
LEARNED = f"""
[data]
law = "finite"
x = {X}
y = {Y}
[network]
model = "gated-linear"
readout = "trained-mean"
gates = [{{ kind = "site", site = 0, lo = 0.0 }}, {{ kind = "site", site = 0, hi = 1.5 }}]
[training]
loss = "half-mse"
tau = 2.0
w0 = [[0.3, -0.2], [0.1, 0.4]]
readout0 = [[0.7, -0.5], [0.2, 0.9]]
times = [0.5, 3.0]
"""


def test_a_learned_readout_is_solved_as_the_graph_that_a_file_would_write():
    shallow = loads(LEARNED)
    start, gates = shallow.start(), shallow.network.gates
    nodes = Node("x", 2), *(Node(f"h{k}", 1, (gates[k],)) for k in range(2)), Node("y", 2, scale=Fraction(1, 2))
    edges = [edge for k in range(2) for edge in (Edge("x", f"h{k}", f"in{k}"), Edge(f"h{k}", "y", f"out{k}"))]
    readout = np.reshape(start["a"], (2, 2))
    w0 = {f"in{k}": start["w"][[k]] for k in range(2)} | {f"out{k}": readout[:, [k]] for k in range(2)}
    training = replace(
        shallow.training,
        w0=InitialByName(tuple((name, tuple(map(tuple, weights.tolist()))) for name, weights in w0.items())),
        readout0=None,
    )
    graph = replace(shallow, network=GatedGraph(nodes, tuple(edges), ("x",), ("y",)), training=training)
    answer, expected = solve.answer(shallow), solve.answer(graph)
    assert abs(answer.solution.losses - expected.solution.losses).max() <= GRAPH_INTEGRATED
    for k in range(2):
        for name, other in ((f"w.{k}", f"in{k}"), (f"a.{k}", f"out{k}")):
            assert abs(answer.solution.weights[name] - expected.solution.weights[other]).max() <= GRAPH_INTEGRATED


def test_a_learned_readout_with_biases_or_digits_is_refused(tmp_path, refusal):
    file, text = tmp_path / "learned.toml", dumps(loads(LEARNED))
    file.write_text(text)
    code, message = refusal("solve", file, "--digits", "5")
    assert (code, "certified digits are out of reach" in message) == (OUT_OF_REACH, True)
    biased = text.replace('readout = "trained-mean"', 'readout = "trained-mean"\nbiases = "trained"')
    file.write_text(biased.replace("readout0", "hidden_bias0 = [0, 0]\noutput_bias0 = [0, 0]\nreadout0"))
    code, message = refusal("solve", file)
    assert (code, "node hidden has a bias" in message) == (OUT_OF_REACH, True)


def test_a_loss_within_its_rounding_is_said_to_be_zero():
    """Three independent examples are fitted exactly, by any sign of the rounding; four are not."""
    x, y = [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]], [1, 0, -1, 1]
    for count in (3, 4):
        answer = solve.answer(
            loads(
                f'[data]\nlaw = "finite"\nx = {x[:count]}\ny = {y[:count]}\n'
                '[network]\nmodel = "gated-linear"\nreadout = "mean"\ngates = [{ kind = "always" }]\n[training]\n'
                'loss = "half-mse"\ntau = 1.0\nw0 = { law = "normal", scale = 0.01, seed = 0 }\ntimes = [1, 1000]\n'
            )
        )
        values = answer.json()
        first, *lines = answer.text().splitlines()
        assert (abs(values["mse"]) <= values["rounding_of_losses"]) is (count == 3)
        assert ("0 within rounding (" in first) is (count == 3)
        assert sum("0 within rounding (" in line for line in lines) == (count == 3)  # at t = 1000, not at t = 1


@pytest.mark.slow
def test_a_loss_that_was_solved_in_balls_is_shown():
    """A gate that is open once in 10^12 makes A so flat that float64 alone could not tell the loss from 0."""
    problem = loads(problem_file("small-bump").read_text().replace("lo = 0.0", "lo = 7.0"))
    answer = solve.answer(problem)
    assert answer.solution.condition > 1e14
    assert answer.json()["rounding_of_losses"] is None
    assert "0.38961" in answer.text().splitlines()[0]


def test_a_deep_linear_network_follows_its_flow():
    """Three layers, beside dW_l/dt = <(W_d ... W_(l+1))^T (y - W x) (W_(l-1) ... W_1 x)^T> integrated by SciPy."""
    x, y = np.array(X), np.array(Y)
    text = (
        f'[data]\nlaw = "finite"\nx = {X}\ny = {Y}\n[network]\nmodel = "deep"\nwidths = [3, 2]\n'
        'gating = { kind = "open" }\n[training]\nloss = "half-mse"\ntau = 1\nw0 = { law = "normal", scale = 0.5, '
        "seed = 0 }\ntimes = [1, 4]\n"
    )
    problem = loads(text)
    start = problem.start()
    shapes = [start[name].shape for name in problem.deep.names]
    ends = np.cumsum([0, *(rows * columns for rows, columns in shapes)])

    def layers(flat):
        return [flat[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]

    def velocity(_, flat):
        first, second, third = layers(flat)
        error = (y.T - third @ second @ first @ x.T) / len(x)
        gradients = (
            (third @ second).T @ error @ x,
            third.T @ error @ (first @ x.T).T,
            error @ (second @ first @ x.T).T,
        )
        return np.concatenate([one.reshape(-1) for one in gradients])

    flat = np.concatenate([start[name].reshape(-1) for name in problem.deep.names])
    states = solve_ivp(velocity, (0, 4), flat, "DOP853", (1.0, 4.0), rtol=1e-12, atol=1e-14).y.T
    weights = solve.answer(problem).json()["weights"]
    for name, at in zip(problem.deep.names, zip(*(layers(row) for row in states), strict=True), strict=True):
        assert np.abs(np.asarray(weights[name], float) - np.array(at)).max() <= GRAPH_INTEGRATED


def test_a_problem_of_the_workbench_has_a_name(refusal, gdln):
    assert gdln("data", "show", "three-sites")[1]["n"] == 3
    code, message = refusal("solve", "nowhere")
    assert (code, "nowhere is neither a file nor a problem of the workbench" in message) == (BAD_INPUT, True)
