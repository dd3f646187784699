"""`gdln simulate` on problem files of deep networks: the answer, its files, and what it refuses."""

import json

import numpy as np
import pytest
import torch

from derivations.cli import main
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from sim.deep import label_alignment
from sim.train import train
from theory.problem import load, loads

PROBLEM = """
[data]
law = "finite"
x = [[1, 2], [2, 1], [-1, -3]]
y = [1, 0, 2]
[network]
model = "deep"
widths = [4, 3]
[network.gating]
kind = "own"
gate = { kind = "hard", at_zero = "closed" }
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.5, seed = 0 }
times = [0.0, 2.0]
[simulation]
mode = "online"
samples = 50
batch = 5
learning_rate = 0.1
replicates = 3
seed = 0
initialisation = "per-replicate"
"""


@pytest.fixture
def gdln(tmp_path, capsys):
    """Return the exit code and the output of `gdln simulate` for PROBLEM with changes."""

    def run(*options, change=()):
        text = PROBLEM
        for old, new in change:
            assert old in text
            text = text.replace(old, new)
        (file := tmp_path / "deep.toml").write_text(text)
        code = main(["simulate", str(file), *map(str, options)])
        return code, capsys.readouterr().out

    return run


def test_a_device_that_is_not_there(gdln, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    code, out = gdln("--json", "--device", "cuda", "--alignment")
    error = json.loads(out)["error"]
    assert (code, error["kind"]) == (OUT_OF_REACH, "device")
    assert "--device cpu or auto" in error["hint"]


def test_loss_and_sizes_are_those_of_the_trained_weights(gdln, tmp_path):
    code, out = gdln("--json", "--out", tmp_path / "run.npz", "--plot", tmp_path / "run.png")
    answer = json.loads(out)
    assert code == PASS
    run = train(load(tmp_path / "deep.toml"), "cpu")
    for name, size in answer["sizes"].items():
        expected = np.linalg.norm(run.parameters[name].reshape(3, 2, -1), axis=2).mean(axis=0)
        assert np.array(size).round(10).tolist() == expected.round(10).tolist()
    assert answer["loss"][1] < answer["loss"][0]
    assert answer["strengths"] is answer["map_modes"] is None
    assert "gdln paths" in answer["remarks"][0]
    assert (tmp_path / "run.png").stat().st_size > 1000
    with np.load(tmp_path / "run.npz") as arrays:
        assert loads(str(arrays["problem"])) == load(tmp_path / "deep.toml")
        assert (arrays["weight_Theta_2"] == run.parameters["Theta_2"]).all()
        assert arrays["loss"].mean(axis=0).round(10).tolist() == np.array(answer["loss"]).round(10).tolist()


def test_the_loss_at_the_start_is_a_mean_over_the_examples(gdln):
    """One gate that is always open, yhat = theta_1 theta_2 x: <(y - yhat)^2> over 50,000 draws of two examples."""
    change = [
        ("[[1, 2], [2, 1], [-1, -3]]", "[[1], [-1]]"),
        ("y = [1, 0, 2]", "y = [1, 1]"),
        ("widths = [4, 3]", "widths = [1]"),
        ('"own"\ngate = { kind = "hard", at_zero = "closed" }', '"open"'),
        ('w0 = { law = "normal", scale = 0.5, seed = 0 }', "w0 = { Theta_1 = [[2]], Theta_2 = [[0.5]] }"),
        ('initialisation = "per-replicate"', ""),
        ("samples = 50", "samples = 50000"),
        ("times = [0.0, 2.0]", "times = [0.0]"),
    ]
    code, out = gdln("--json", change=change)
    answer = json.loads(out)
    assert code == PASS
    # yhat is 1 and -1, so that the squares are 0 and 4 with the mean 2 and the standard deviation 2.
    assert abs(answer["loss"][0] - 2) < 6 * 2 / (3 * 50000) ** 0.5


def test_the_text_has_losses_and_sizes(gdln):
    code, out = gdln()
    assert code == PASS
    assert "|Theta_3|" in out
    assert "<|y - yhat|^2>" in out


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (
            [('kind = "own"', 'kind = "bernoulli"'), ("gate = {", "mu = 0.5\nseed = 0 #")],
            OUT_OF_REACH,
            "listed examples",
        ),
        ([('kind = "own"', 'kind = "network"\nnetwork = "relu"\nfrozen = false')], BAD_INPUT, "slope is 0"),
        ([("learning_rate = 0.1", "learning_rate = 0.3")], BAD_INPUT, "not a whole number of steps"),
        ([('mode = "online"', 'mode = "full-batch"')], BAD_INPUT, "each step takes all"),
    ],
)
def test_what_cannot_be_trained_is_said(gdln, change, code, says):
    found, out = gdln("--json", change=change)
    assert (found, says in json.loads(out)["error"]["message"]) == (code, True)


def test_the_alignment_is_that_of_the_trained_networks(gdln, tmp_path):
    change = [("widths = [4, 3]", "widths = [16, 8]")]
    code, out = gdln("--json", "--alignment", "--out", tmp_path / "run.npz", change=change)
    answer = json.loads(out)
    assert code == PASS
    nu = label_alignment(train(load(tmp_path / "deep.toml"), "cpu"))
    assert np.array(answer["alignment"]).round(8).tolist() == nu.mean(axis=0).round(8).tolist()
    errors = nu.std(axis=0, ddof=1) / 3**0.5
    assert np.array(answer["alignment_standard_error"]).round(8).tolist() == errors.round(8).tolist()
    with np.load(tmp_path / "run.npz") as arrays:
        assert (arrays["alignment"] == nu).all()


def test_a_singular_kernel_is_null(gdln):
    change = [("[[1, 2], [2, 1], [-1, -3]]", "[[1, 2], [1, 2]]"), ("y = [1, 0, 2]", "y = [1, 0]")]
    answer = json.loads(gdln("--json", "--alignment", change=change)[1])
    assert answer["alignment"] == answer["alignment_standard_error"] == [None, None]
    assert "singular" in gdln("--alignment", change=change)[1]


def test_an_alignment_needs_listed_examples(gdln):
    law = (
        'law = "nlgp"\nn = 2\nxi = [2.0, 1.0]\ngain = 1.0\nboundary = "open"\nnormaliser = "none"\nlabels = [1.0, 0.0]'
    )
    change = [('law = "finite"\nx = [[1, 2], [2, 1], [-1, -3]]\ny = [1, 0, 2]', law)]
    code, out = gdln("--json", "--alignment", change=change)
    assert code == BAD_INPUT
    assert "listed examples" in json.loads(out)["error"]["message"]
    assert gdln(change=change)[0] == PASS
