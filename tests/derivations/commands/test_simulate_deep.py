"""`gdln simulate` on problem files of deep networks: the answer, its files, and what it refuses."""

import numpy as np
import pytest
import torch

from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from sim.deep import label_alignment
from sim.train import train
from tests.derivations.answers.problems import DEEP
from theory.problem import load, loads

EXAMPLES = DEEP[DEEP.index('law = "finite"') : DEEP.index("[network]")]
LAW = 'law = "nlgp"\nn = 2\nxi = [2.0, 1.0]\ngain = 1.0\nboundary = "open"\nnormaliser = "none"\nlabels = [1.0, 0.0]\n'


def test_a_device_that_is_not_there(refusal, written, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    code, message = refusal("simulate", written(DEEP), "--device", "cuda", "--alignment")
    assert (code, "--device cpu or auto" in message) == (OUT_OF_REACH, True)


def test_loss_sizes_and_alignment_are_those_of_the_trained_weights(gdln, written, tmp_path):
    file = written(
        DEEP, ("widths = [4, 3]", "widths = [16, 8]"), ("replicates = 7\nseed = 1", "replicates = 3\nseed = 0")
    )
    code, answer = gdln("simulate", file, "--alignment", "--out", tmp_path / "run.npz", "--plot", tmp_path / "run.png")
    assert code == PASS
    run = train(load(file), "cpu")
    for name, size in answer["sizes"].items():
        expected = np.linalg.norm(run.parameters[name].reshape(3, 2, -1), axis=2).mean(axis=0)
        assert np.array(size).round(10).tolist() == expected.round(10).tolist()
    assert answer["loss"][1] < answer["loss"][0]
    nu = label_alignment(run)
    assert np.array(answer["alignment"]).round(8).tolist() == nu.mean(axis=0).round(8).tolist()
    errors = nu.std(axis=0, ddof=1) / 3**0.5
    assert np.array(answer["alignment_standard_error"]).round(8).tolist() == errors.round(8).tolist()
    assert (tmp_path / "run.png").stat().st_size > 1000
    with np.load(tmp_path / "run.npz") as arrays:
        assert loads(str(arrays["problem"])) == load(file)
        assert (arrays["weight_Theta_2"] == run.parameters["Theta_2"]).all()
        assert arrays["loss"].mean(axis=0).round(10).tolist() == np.array(answer["loss"]).round(10).tolist()
        assert (arrays["alignment"] == nu).all()


def test_the_loss_at_the_start_is_a_mean_over_the_examples(gdln, written):
    """One gate that is always open, yhat = theta_1 theta_2 x: <(y - yhat)^2> over 50,000 draws of two examples."""
    change = [
        ("[[1, 2], [2, 1], [-1, -3]]", "[[1], [-1]]"),
        ("y = [1, 0, 2]", "y = [1, 1]"),
        ("widths = [4, 3]", "widths = [1]"),
        ('{ kind = "own", gate = { kind = "hard", at_zero = "closed" } }', '{ kind = "open" }'),
        ('w0 = { law = "normal", scale = 0.5, seed = 0 }', "w0 = { Theta_1 = [[2]], Theta_2 = [[0.5]] }"),
        ('initialisation = "per-replicate"', ""),
        ("samples = 300", "samples = 50000"),
        ("replicates = 7", "replicates = 3"),
        ("times = [0.0, 2.0]", "times = [0.0]"),
    ]
    code, answer = gdln("simulate", written(DEEP, *change))
    # yhat is 1 and -1, so that the squares are 0 and 4 with the mean 2 and the standard deviation 2.
    assert (code, abs(answer["loss"][0] - 2) < 6 * 2 / (3 * 50000) ** 0.5) == (PASS, True)


def test_a_singular_kernel_is_null(gdln, written):
    change = [("[[1, 2], [2, 1], [-1, -3]]", "[[1, 2], [1, 2]]"), ("y = [1, 0, 2]", "y = [1, 0]")]
    answer = gdln("simulate", written(DEEP, *change), "--alignment")[1]
    assert answer["alignment"] == answer["alignment_standard_error"] == [None, None]


@pytest.mark.parametrize("words", [["--alignment"], []])
def test_an_alignment_needs_listed_examples(words, gdln, written):
    code, _ = gdln("simulate", written(DEEP, (EXAMPLES, LAW)), *words)
    assert code == (BAD_INPUT if words else PASS)
