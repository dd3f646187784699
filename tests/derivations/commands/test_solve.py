"""gdln solve as a user calls it: the JSON contract, readable text, exit codes, and what it loads."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations import cli
from derivations.answers import solve
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.tolerances_of_graphs import GRAPH_INTEGRATED
from theory.problem import Edge, GatedGraph, InitialByName, Node, dumps, loads

KEYS = {"schema", "version", "mse", "fixed_point", "rates", "weights", "condition", "times", "losses", "rank", "notes"}
KEYS |= {"rounding_of_losses"}


@pytest.fixture
def shipped(request):
    return request.config.rootpath / "derivations/experiments/problems/small-bump.toml"


@pytest.fixture
def biased(shipped, tmp_path):
    text = shipped.read_text(encoding="utf-8").replace('readout = "mean"', 'readout = "mean"\nbiases = "trained"')
    file = tmp_path / "biased.toml"
    file.write_text(text.replace("tau = 1.0", "tau = 1.0\nhidden_bias0 = [0, 0]\noutput_bias0 = 0"), encoding="utf-8")
    return file


def answer(capsys, *words):
    code = cli.main(["solve", *map(str, words), "--json"])
    printed = capsys.readouterr()
    return code, json.loads(printed.out), printed.err


def test_digits_are_strings(shipped, capsys):
    code, said, _ = answer(capsys, shipped, "--digits", "30")
    assert code == PASS
    assert said["mse"] == "0.279221018305106024508693811502"
    for number in (
        said["condition"],
        said["rates"][0],
        said["fixed_point"][0][20],
        said["losses"][0],
        said["times"][0],
    ):
        assert isinstance(number, str)
    assert len(said["fixed_point"][0][20].replace("0.", "")) == 30


def test_the_window_of_a_ring_wraps(shipped, tmp_path, capsys):
    text = shipped.read_text(encoding="utf-8").replace('"open"', '"ring"').replace("site = 20", "site = 39")
    file = tmp_path / "ring.toml"
    file.write_text(text, encoding="utf-8")
    assert cli.main(["solve", str(file)]) == PASS
    line = next(line for line in capsys.readouterr().out.splitlines() if "unit 0" in line)
    assert "at site 39; sites 36-2 across the end of the ring: " in line
    values = line.split(": ")[-1].split()
    assert len(values) == 7
    assert values == values[::-1]


def test_a_network_without_fixed_gates_is_out_of_reach(shipped, tmp_path, capsys):
    text = shipped.read_text(encoding="utf-8")
    head, gates = text.split("[[network.gates]]", 1)
    relu = head.replace("gated-linear", "relu") + "units = 2\n[training]" + gates.split("[training]")[1]
    file = tmp_path / "relu.toml"
    file.write_text(relu, encoding="utf-8")
    code, said, err = answer(capsys, file)
    assert code == OUT_OF_REACH
    assert said["error"]["kind"] == "out-of-reach"
    assert "imulate" in said["error"]["hint"]
    assert "relu" in err


@pytest.mark.parametrize("words", [["--digits", "0"], ["--digits", "2000"], ["--digits", "many"], ["--deep"]])
def test_bad_words_are_bad_input(shipped, capsys, words):
    code, said, err = answer(capsys, shipped, *words)
    assert code == BAD_INPUT
    assert said["error"]["message"]
    assert "Traceback" not in err


def test_a_missing_file_is_bad_input(tmp_path, capsys):
    code, said, _ = answer(capsys, tmp_path / "nowhere.toml")
    assert (code, said["error"]["kind"]) == (BAD_INPUT, "file")


def learned_readout(labels):
    """A network that learns its readout, with two units at one site, for labels of one or of two numbers."""
    w0, readout0 = [[0.3, -0.2], [0.1, 0.4]], [0.7, -0.5] if labels == 1 else [[0.7, -0.5], [0.2, 0.9]]
    y = [[1, 0.5], [0, 2], [-1, 1]]
    return loads(f"""
[data]
law = "finite"
x = [[1.0, 0.5], [-0.5, 1.0], [2.0, -1.0]]
y = {[row[0] for row in y] if labels == 1 else y}
[network]
model = "gated-linear"
readout = "trained-mean"
gates = [{{ kind = "site", site = 0, lo = 0.0 }}, {{ kind = "site", site = 0, hi = 1.5 }}]
[training]
loss = "half-mse"
tau = 2.0
w0 = {w0}
readout0 = {readout0}
times = [0.5, 3.0]
""")


@pytest.mark.parametrize("labels", [1, 2])
def test_a_learned_readout_is_solved_as_the_graph_that_a_file_would_write(labels):
    shallow = learned_readout(labels)
    start, gates = shallow.start(), shallow.network.gates
    nodes = Node("x", 2), *(Node(f"h{k}", 1, (gates[k],)) for k in range(2)), Node("y", labels, scale=Fraction(1, 2))
    edges = [edge for k in range(2) for edge in (Edge("x", f"h{k}", f"in{k}"), Edge(f"h{k}", "y", f"out{k}"))]
    readout = np.reshape(start["a"], (labels, 2))
    w0 = {f"in{k}": start["w"][[k]] for k in range(2)} | {f"out{k}": readout[:, [k]] for k in range(2)}
    training = replace(
        shallow.training,
        w0=InitialByName(tuple((name, tuple(map(tuple, own.tolist()))) for name, own in w0.items())),
        readout0=None,
    )
    written = replace(shallow, network=GatedGraph(nodes, tuple(edges), ("x",), ("y",)), training=training)
    found, expected = solve.answer(shallow), solve.answer(written)
    assert abs(found.solution.losses - expected.solution.losses).max() <= GRAPH_INTEGRATED
    for k in range(2):
        for name, other in ((f"w.{k}", f"in{k}"), (f"a.{k}", f"out{k}")):
            assert abs(found.solution.weights[name] - expected.solution.weights[other]).max() <= GRAPH_INTEGRATED
    assert any("the flow of the network's graph" in note for note in found.json()["notes"])
    assert not any("the network's graph" in note for note in expected.json()["notes"])
    assert "strongest at t = 3: x -> hidden." in found.text()


def test_a_learned_readout_with_biases_or_digits_is_refused(tmp_path, capsys):
    file, text = tmp_path / "learned.toml", dumps(learned_readout(1))
    file.write_text(text)
    assert cli.main(["solve", str(file), "--digits", "5"]) == OUT_OF_REACH
    assert "certified digits are out of reach" in capsys.readouterr().err
    biased = text.replace('readout = "trained-mean"', 'readout = "trained-mean"\nbiases = "trained"')
    file.write_text(biased.replace("readout0", "hidden_bias0 = [0, 0]\noutput_bias0 = 0\nreadout0"))
    assert cli.main(["solve", str(file)]) == OUT_OF_REACH
    assert "node hidden has a bias" in capsys.readouterr().err


@pytest.mark.parametrize(("y", "fitted"), [("[1, 0, -1]", True), ("[1, 0, -1, 1]", False)])
def test_a_loss_within_its_rounding_is_said_to_be_zero(y, fitted, tmp_path, capsys):
    """Three independent examples are fitted exactly, by any sign of the rounding; four are not."""
    x = "[[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]" if not fitted else "[[1, 1, 0], [0, 1, 1], [1, 0, 1]]"
    file = tmp_path / "problem.toml"
    file.write_text(
        f'[data]\nlaw = "finite"\nx = {x}\ny = {y}\n'
        '[network]\nmodel = "gated-linear"\nreadout = "mean"\ngates = [{ kind = "always" }]\n'
        '[training]\nloss = "half-mse"\ntau = 1.0\nw0 = { law = "normal", scale = 0.01, seed = 0 }\ntimes = [1, 1000]\n'
    )
    code, said, _ = answer(capsys, file)
    assert code == PASS
    assert (abs(said["mse"]) <= said["rounding_of_losses"]) is fitted
    assert answer(capsys, file, "--digits", 20)[1]["rounding_of_losses"] is None
    cli.main(["solve", str(file)])
    first, *lines = capsys.readouterr().out.splitlines()
    assert ("0 within rounding (" in first) is fitted
    assert sum("0 within rounding (" in line for line in lines) == (1 if fitted else 0)  # at t = 1000, not at t = 1
