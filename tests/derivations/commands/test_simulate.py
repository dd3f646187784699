"""`gdln simulate` as it is typed: the networks of a problem, files, interruptions, divergence and devices."""

import numpy as np
import pytest
import torch

from derivations.output import CHECK_FAILED, INTERRUPTED, OUT_OF_REACH, PASS
from sim import train as training
from tests.derivations.answers.problems import LINE, changed
from theory.problem import loads

START, STOP = LINE.index("[[network.gates]]"), LINE.index("[training]")
UNGATED = LINE[START:STOP], "units = 2\n"
BIASED = [('readout = "mean"', 'readout = "mean"\nbiases = "fixed"')]
BIASED += [("tau = 1.0", "tau = 1.0\nhidden_bias0 = [0.5, 0.25]\noutput_bias0 = 0.125")]
NETWORKS = {
    "leaky-relu": [("gated-linear", "leaky-relu"), UNGATED, ('readout = "mean"', 'readout = "mean"\nslope = 0.01')],
    "soft gates": [("hi = 0.0", "hi = 0.0\nsharpness = 2.0"), ("lo = 0.0", "lo = 0.0\nsharpness = 2.0")],
    "fixed biases": BIASED,
    "sum": [('readout = "mean"', 'readout = "trained-sum"'), ("tau = 1.0", "tau = 1.0\nreadout0 = [1.0, -0.5]")],
}


@pytest.fixture
def simulate(gdln, tmp_path):
    """A function that runs `gdln simulate` on the line with replaced words."""

    def run(*words, change=()):
        (tmp_path / "line.toml").write_text(changed(LINE, *change))
        return gdln("simulate", tmp_path / "line.toml", "--device", "cpu", *words)

    return run


def test_the_dtype_of_the_file_or_the_option_is_used(simulate, tmp_path):
    single = [("seed = 1", 'seed = 1\ndtype = "float32"')]
    _, by_option = simulate("--dtype", "float32", "--out", tmp_path / "run.npz")
    assert by_option["dtype"] == "float32"
    assert simulate(change=single)[1] == by_option
    with np.load(tmp_path / "run.npz") as saved:
        assert loads(str(saved["problem"])).simulation.dtype == "float32"
    double = simulate()[1]
    assert double["dtype"] == "float64"
    assert simulate("--dtype", "float64", change=single)[1] == double


def test_every_network_is_simulated(simulate, tmp_path):
    for name, change in NETWORKS.items():
        code, answer = simulate("--out", tmp_path / f"{name}.npz", change=change)
        assert code == PASS
        assert answer["loss"][1] < answer["loss"][0]
        with np.load(tmp_path / f"{name}.npz") as saved:
            assert saved["all_weights"].shape == (7, 2, 2, 6)
            if name == "leaky-relu":  # which may put their fields at different sites
                assert answer["weights"] is None
                largest = np.abs(saved["weights"]).max(axis=-1)
                assert (np.median(largest, axis=0) == np.array(answer["field_quartiles"]["largest"])[..., 1]).all()
            else:
                assert (saved["weights"].mean(axis=0) == answer["weights"]).all()
            assert ("readout" in saved) == (answer["readout"] is not None) == (name == "sum")
            if name == "sum":
                assert (saved["readout"].mean(axis=0) == answer["readout"]).all()
        if name == "fixed biases":
            assert answer["hidden_biases"] == [[0.5, 0.25]] * 2
            assert answer["output_bias_standard_error"] == [0, 0]


def test_an_earlier_file_is_kept_by_an_interrupted_run_and_replaced_by_a_whole_one(simulate, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    target = tmp_path / "run.npz"
    np.savez(target, problem="", before=1)
    before = target.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("derivations.answers.simulate.train", interrupted)
        code, answer = simulate("--out", target)
    assert (code, answer["error"]["kind"]) == (INTERRUPTED, "interrupted")
    assert target.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["line.toml", "run.npz"]
    assert simulate("--out", target)[0] == PASS
    with np.load(target) as saved:
        assert "all_weights" in saved


def test_partly_diverged_runs_say_so(simulate, monkeypatch):
    original = training.descended

    def one_lost(*arguments):
        learned, state = original(*arguments)
        state.frozen[0] = True
        return learned, state

    monkeypatch.setattr(training, "descended", one_lost)
    code, answer = simulate()
    assert (code, answer["diverged"]) == (PASS, 1)


def test_diverged_runs_name_a_stable_rate(simulate):
    code, answer = simulate(change=[("learning_rate = 0.5", "learning_rate = 50"), ("[0.5, 2.0]", "[50, 5000]")])
    assert (code, answer["error"]["kind"]) == (CHECK_FAILED, "diverged")
    assert "7 of 7 replicates diverged at the learning rate 50" in answer["error"]["message"]
    assert "largest stable simulation.learning_rate is about" in answer["error"]["hint"]


def test_a_loss_that_labels_and_start_cannot_explain_is_divergence(simulate):
    """The weights are far below the limit at which training stops; the loss at t = 50 is 48, that at 500 is 7e22."""
    code, answer = simulate(change=[("learning_rate = 0.5", "learning_rate = 50"), ("[0.5, 2.0]", "[50, 500]")])
    assert (code, answer["error"]["kind"]) == (CHECK_FAILED, "diverged")
    assert "by t = 500, to losses above 10,000 times" in answer["error"]["message"]
    large = [("scale = 0.1", "scale = 1000.0"), ("learning_rate = 0.5", "learning_rate = 0.1")]
    assert simulate(change=large)[0] == PASS  # a loss of 1e5 because of its start


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("labels = [1.0, 0.0]", "labels = [1.0, 1.0]"), "all labels of the law are alike"),
        (("xi = [2.0, 1.0]", "xi = [2.0, 2.0]"), "the classes of the law are the same"),
    ],
)
def test_laws_without_anything_to_learn_are_named(simulate, change, said):
    assert said in simulate(change=[change])[1]["remarks"][0]
    assert simulate()[1]["remarks"] == []


def test_networks_that_do_not_fit_into_memory_are_out_of_reach(simulate, monkeypatch):
    def trained(*_, **__):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory: you tried")

    monkeypatch.setattr("derivations.answers.simulate.train", trained)
    code, answer = simulate()
    assert (code, answer["error"]["kind"]) == (OUT_OF_REACH, "memory")


def test_devices(simulate, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    code, answer = simulate("--device", "cuda")
    assert (code, answer["error"]["kind"]) == (OUT_OF_REACH, "device")
    assert simulate("--device", "auto")[1]["device"] == "cpu"
