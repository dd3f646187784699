"""`gdln simulate` as it is typed: answers, files, exit codes, interruptions."""

import json

import numpy as np
import pytest
import torch

from derivations.cli import main
from derivations.output import BAD_INPUT, CHECK_FAILED, INTERRUPTED, OUT_OF_REACH, PASS
from theory.problem import loads

PROBLEM = """
[data]
law = "nlgp"
n = 6
xi = [2.0, 1.0]
gain = 1.0
boundary = "open"
normaliser = "unit-variance"
labels = [1.0, 0.0]
[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "site"
site = 3
lo = 0.0
[[network.gates]]
kind = "site"
site = 3
hi = 0.0
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.1, seed = 0 }
times = [0.5, 2.0]
[simulation]
mode = "online"
samples = 300
batch = 20
learning_rate = 0.5
replicates = 4
seed = 1
"""


@pytest.fixture
def gdln(tmp_path, capsys):
    """Run `gdln simulate` on the problem with replaced words; returns the exit code, stdout and stderr."""

    def run(*words, change=()):
        text = PROBLEM
        for old, new in change:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / "problem.toml"
        file.write_text(text)
        code = main(["simulate", str(file), "--device", "cpu", *map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_the_dtype_of_the_file_or_the_option_is_used_and_told(gdln, tmp_path):
    target = tmp_path / "run.npz"
    by_option = gdln("--json", "--dtype", "float32", "--out", target)[1]
    assert json.loads(by_option)["dtype"] == "float32"
    assert gdln("--json", change=[("seed = 1", 'seed = 1\ndtype = "float32"')])[1] == by_option
    with np.load(target) as saved:
        assert loads(str(saved["problem"])).simulation.dtype == "float32"
    double = gdln("--json")[1]
    assert json.loads(double)["dtype"] == "float64"
    assert gdln("--json", "--dtype", "float64", change=[("seed = 1", 'seed = 1\ndtype = "float32"')])[1] == double
    assert gdln("--dtype", "float16")[0] == BAD_INPUT
    assert ", float32, seed 1" in gdln("--dtype", "float32")[1]


GRID = [('"nlgp"\nn = 6', '"nlgp-2d"\nshape = [2, 3]')]


def test_a_grid_has_all_but_the_measures_of_a_line(gdln, tmp_path):
    target = tmp_path / "run.npz"
    code, out, _ = gdln("--json", "--out", target, change=GRID)
    answer = json.loads(out)
    assert code == PASS
    assert answer["low_frequency_power"] is answer["low_frequency_power_standard_error"] is None
    assert np.shape(answer["weights"]) == (2, 2, 6)
    for key in ("loss", "participation_ratio", "input_output_moment"):
        assert (np.array(answer[f"{key}_standard_error"]) > 0).all()
    with np.load(target) as saved:
        assert "low_frequency_power" not in saved
    code, text, _ = gdln(change=GRID)
    assert code == PASS
    assert text.count("(a grid)") == 2
    assert "zero weights" not in text


BIASED = [('readout = "mean"', 'readout = "mean"\nbiases = "trained"')]
BIASED += [("tau = 1.0", "tau = 1.0\nhidden_bias0 = [0.5, 0.25]\noutput_bias0 = 0.125")]


START, STOP = PROBLEM.index("[[network.gates]]"), PROBLEM.index("[training]")
UNGATED = (PROBLEM[START:STOP], "units = 2\n")
WEIGHED = [('readout = "mean"', 'readout = "trained-sum"'), ("tau = 1.0", "tau = 1.0\nreadout0 = [1.0, -0.5]")]
NETWORKS = {
    "leaky-relu": [("gated-linear", "leaky-relu"), UNGATED, ('readout = "mean"', 'readout = "mean"\nslope = 0.01')],
    "soft gates": [("hi = 0.0", "hi = 0.0\nsharpness = 2.0"), ("lo = 0.0", "lo = 0.0\nsharpness = 2.0")],
    "fixed biases": [(old, new.replace("trained", "fixed")) for old, new in BIASED],
    "trained readout": WEIGHED,
    "cross-entropy": [("half-mse", "cross-entropy"), ("labels = [1.0, 0.0]", "labels = [1.0, -1.0]")],
}


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_is_simulated(gdln, name):
    code, out, _ = gdln("--json", change=NETWORKS[name])
    answer = json.loads(out)
    assert code == PASS
    assert np.isfinite(answer["weights"]).all()
    assert answer["loss"][1] < answer["loss"][0]
    assert answer["backend"] in ("compiled", "reference")
    assert (answer["fallback"] is None) == (answer["backend"] == "compiled")
    text = gdln(change=NETWORKS[name])[1]
    assert ("<log(1+e^(-y yhat))>" in text) == (name == "cross-entropy")
    assert ("readout weights at t = 2, units from 0: " in text) == (name == "trained readout")
    assert (answer["readout"] is not None) == (name == "trained readout")
    if name == "fixed biases":
        assert answer["hidden_biases"] == [[0.5, 0.25]] * 2
        assert answer["output_bias_standard_error"] == [0, 0]


def test_readout_weights_are_saved(gdln, tmp_path):
    target = tmp_path / "run.npz"
    answer = json.loads(gdln("--json", "--out", target, change=WEIGHED)[1])
    assert np.shape(answer["readout"]) == np.shape(answer["readout_standard_error"]) == (2, 2)
    with np.load(target) as saved:
        assert saved["all_readout"].shape == (4, 2, 2)
        assert (saved["readout"].mean(axis=0) == answer["readout"]).all()


def test_zero_weights_have_no_shape_but_a_loss(gdln):
    change = [("scale = 0.1", "scale = 0"), ("times = [0.5", "times = [0.0, 0.5")]
    code, out, _ = gdln("--json", change=change)
    answer = json.loads(out)
    assert code == PASS
    assert answer["participation_ratio"] is answer["low_frequency_power_standard_error"] is None
    assert len(answer["loss"]) == 3
    assert "undefined" in gdln(change=change)[1]


def test_file_of_every_replicate(gdln, tmp_path):
    target = tmp_path / "run.npz"
    code, out, _ = gdln("--out", target, "--json")
    assert code == PASS
    with np.load(target) as saved:
        assert saved["all_weights"].shape == (4, 2, 2, 6)
        assert (saved["weights"].mean(axis=0) == json.loads(out)["weights"]).all()
        assert loads(str(saved["problem"])).data.n == 6
    assert sorted(file.name for file in tmp_path.iterdir()) == ["problem.toml", "run.npz"]


def test_an_interrupted_run_leaves_the_old_file(gdln, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    target = tmp_path / "run.npz"
    np.savez(target, problem="", before=1)
    before = target.read_bytes()
    monkeypatch.setattr("derivations.answers.simulate.train", interrupted)
    code, out, _ = gdln("--out", target, "--json")
    assert code == INTERRUPTED
    assert json.loads(out)["error"]["kind"] == "interrupted"
    assert target.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["problem.toml", "run.npz"]


def test_partly_diverged_runs_say_so(gdln, monkeypatch):
    from sim import train as training

    original = training._descended

    def one_lost(*arguments):
        learned, state = original(*arguments)
        state.frozen[0] = True
        return learned, state

    monkeypatch.setattr(training, "_descended", one_lost)
    code, out, _ = gdln()
    assert code == PASS
    assert "1 of 4 replicates diverged and are left out" in out
    assert json.loads(gdln("--json")[1])["diverged"] == 1


def test_diverged_runs_name_a_stable_rate(gdln):
    code, out, err = gdln(
        "--json", change=[("learning_rate = 0.5", "learning_rate = 50"), ("[0.5, 2.0]", "[50, 5000]")]
    )
    error = json.loads(out)["error"]
    assert code == CHECK_FAILED
    assert error["kind"] == "diverged"
    assert "4 of 4 replicates diverged at the learning rate 50" in error["message"]
    assert "largest stable simulation.learning_rate is about" in error["hint"]
    assert error["message"] in err


FULL_BATCH = [('"online"', '"full-batch"'), ("batch = 20\n", "")]
BAD = [
    ([("learning_rate = 0.5", "learning_rate = 0.3")], "not a whole number of steps", BAD_INPUT),
    ([("[simulation]", "[simulation_]")], "has the unknown key", BAD_INPUT),
    ([(PROBLEM[PROBLEM.index("[simulation]") :], "")], "no [simulation] table", BAD_INPUT),
    ([*FULL_BATCH, ("samples = 300", "samples = 3000000000")], "GiB; the limit is", OUT_OF_REACH),
    ([('"online"', '"full-batch"')], 'with mode = "full-batch": each step takes all', BAD_INPUT),
    ([("[0.5, 2.0]", "[1e99]")], "8e+99 network-steps", OUT_OF_REACH),
    ([("learning_rate = 0.5", "learning_rate = 1e-9")], "8e+9 network-steps", OUT_OF_REACH),
    ([("samples = 300", "samples = 100000000000")], "Measuring would take 1.2e+12 examples", OUT_OF_REACH),
]


@pytest.mark.parametrize(("change", "words", "expected"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input(gdln, change, words, expected):
    code, out, err = gdln("--json", change=change)
    assert code == expected
    assert words in json.loads(out)["error"]["message"]
    assert words in err
    assert "Traceback" not in err


def test_places_that_do_not_exist(gdln, tmp_path):
    code, _, err = gdln("--out", tmp_path / "nowhere" / "run.npz")
    assert code == BAD_INPUT
    assert f"folder {tmp_path / 'nowhere'} does not exist" in err
    assert main(["simulate", str(tmp_path / "missing.toml")]) == BAD_INPUT


def test_an_earlier_answer_is_replaced(gdln, tmp_path):
    target = tmp_path / "run.npz"
    np.savez(target, problem="", before=1)
    assert gdln("--out", target)[0] == PASS
    with np.load(target) as saved:
        assert "all_weights" in saved


def test_devices(gdln, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    code, out, _ = gdln("--device", "cuda", "--json")
    assert code == OUT_OF_REACH
    assert json.loads(out)["error"]["kind"] == "device"
    assert gdln("--device", "tpu")[0] == BAD_INPUT
    assert json.loads(gdln("--device", "auto", "--json")[1])["device"] == "cpu"
