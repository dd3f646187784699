"""Recorded gates replayed: the ReLU network again, gates by hand, pieces by hand, and refusals."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.data.sample import prepare
from sim.measure import measure
from sim.random.streams import TRAINING, stream
from sim.record import Gates, record, replay
from sim.record import loss as replayed_loss
from sim.train import fixed_sample, train
from sim.training.run import DivergedError
from tests.sim.cases import line, problem
from tests.tolerances import SIM_DESCENT, SIM_SUMS
from theory.flow import solve
from theory.problem import InputError, LossAtTimes, Network, OutOfReachError, SinglePulse, WeightsAtTimes, dumps

CPU = torch.device("cpu")
STEPS = 20
EVERY_STEP = tuple(Fraction(step, 2) for step in range(STEPS + 1))
FULL_BATCH = {"mode": "full-batch", "batch": None, "samples": 30}


def relu(biases="none", readout="mean", data=None, **changes):
    network = Network("relu", readout, 3, biases=biases)
    return problem(data, network, **({"times": EVERY_STEP, "learning_rate": Fraction(1, 2)} | changes))


def apart(first, second):
    """The largest difference of what two runs learned, relative to the largest number in it."""
    worst = np.abs(first.weights - second.weights).max() / np.abs(first.weights).max()
    for mine, theirs in ((first.biases, second.biases), (first.readout, second.readout)):
        if mine is not None:
            worst = max(worst, np.abs(mine - theirs).max() / np.abs(mine).max())
    return worst


CASES = {
    "biases": {"biases": "trained"},
    "cross-entropy": {"loss": "cross-entropy", "readout": "trained-sum", "data": line(labels=(1, -1))},
    "full batch": FULL_BATCH,
    "Adam": {
        "optimizer": "adam",
        "momentum": Fraction(9, 10),
        "decay": Fraction(99, 100),
        "epsilon": Fraction(1, 10**6),
    },
    "pulses": {"data": SinglePulse(6, ((1, 2), (3, 3)), "plus-minus", "sign", (1, 0))},
}


@pytest.mark.parametrize("case", CASES)
def test_gates_of_every_step_make_the_relu_network(case):
    run = train(relu(**CASES[case]), "cpu")
    again = replay(run.problem, record(run), "piecewise", device="cpu")
    assert apart(run, again) < SIM_DESCENT
    assert not again.diverged.any()
    assert (again.replicates, again.seed, again.steps) == (run.replicates, run.seed, run.steps)
    # The same from fewer gates is another network, so the test can fail.
    assert apart(run, replay(run.problem, record(run).at(0), device="cpu")) > 1e6 * SIM_DESCENT


@pytest.mark.parametrize("times", [(0, Fraction(1, 2), 4)])
def test_pieces_by_hand(times):
    """The descent written out in NumPy for one network, the gates changing at the recorded steps."""
    run = train(relu(biases="trained"), "cpu")
    gates = record(run).at(*times)
    found = replay(run.problem, gates, "piecewise", device="cpu")
    settings = run.problem.simulated()
    own = [stream(settings.seed, 1, TRAINING)]
    drawn = prepare(run.problem.data, CPU, torch.float64).draw(own, STEPS * settings.batch)
    x, y = drawn.x[0].numpy().reshape(STEPS, -1, 4), drawn.y[0].numpy().reshape(STEPS, -1)
    w, b = run.problem.w0(), run.problem.biases0()
    for step in range(STEPS):
        piece = max(i for i, time in enumerate(times) if 2 * time <= step)
        g = (x[step] @ gates.weights[1, piece].T + gates.biases[1, piece] > 0).astype(float)
        error = (g * (x[step] @ w.T + b[:3])).mean(axis=1) + b[3] - y[step]
        slope = np.einsum("b,bk,bn->kn", error, g, x[step]) / (3 * len(y[step]))
        hidden = (error[:, None] * g).mean(axis=0) / 3
        w, b = w - slope / 2, b - np.append(hidden, error.mean()) / 2
        assert np.abs(found.weights[1, step + 1] - w).max() < SIM_DESCENT * np.abs(w).max()
        assert np.abs(found.biases[1, step + 1] - b).max() < SIM_DESCENT * np.abs(b).max()


@pytest.mark.parametrize("case", ["biases", "cross-entropy"])
def test_loss_of_a_replay(case):
    """With the gates of every step the loss is that of the ReLU network on the same examples."""
    run = train(relu(**CASES[case], samples=150), "cpu")
    gates = record(run)
    found = replayed_loss(replay(run.problem, gates, "piecewise", device="cpu"), gates, "cpu")
    expected = measure(LossAtTimes(), run, "cpu")
    assert np.abs(found.values - expected.values).max() < SIM_SUMS
    assert (found.replicates, found.diverged, found.seed) == (3, 0, 5)
    frozen = replayed_loss(replay(run.problem, gates.at(10), device="cpu"), gates.at(10), "cpu")
    assert np.abs(frozen.values - expected.values).max() > 1e6 * SIM_SUMS


def test_what_needs_no_gates_is_measured_and_the_rest_is_named():
    run = train(relu(), "cpu")
    again = replay(run.problem, record(run).at(0), device="cpu")
    assert measure(WeightsAtTimes(), again, "cpu").values.shape == (3, STEPS + 1, 3, 4)
    with pytest.raises(OutOfReachError, match="recorded one") as caught:
        measure(LossAtTimes(), again, "cpu")
    assert "sim.record.loss" in caught.value.hint
    with pytest.raises(OutOfReachError, match="recorded one"):
        solve(again.problem)
    with pytest.raises(OutOfReachError, match="recorded"):
        dumps(again.problem)


def test_smooth_units_have_no_gates():
    model = "erf"
    run = train(problem(network=Network(model, "mean", 2)), "cpu")
    with pytest.raises(OutOfReachError, match=f'"{model}" network have no recordable gates'):
        record(run)


def test_times_and_sizes_that_do_not_fit():
    run = train(relu(), "cpu")
    gates = record(run)
    with pytest.raises(InputError, match=r"recorded at t = 0\.3"):
        gates.at("0.3")
    with pytest.raises(InputError, match="21 times are recorded; frozen"):
        replay(run.problem, gates, device="cpu")
    with pytest.raises(InputError, match="first recorded time is 1"):
        replay(run.problem, gates.at(1, 2), "piecewise", device="cpu")
    with pytest.raises(InputError, match="mode = 'still'"):
        replay(run.problem, gates, "still", device="cpu")
    with pytest.raises(InputError, match="whole number of steps"):
        replay(relu(learning_rate=1, times=(0, 1)), gates.at(0, "0.5"), "piecewise", device="cpu")
    with pytest.raises(InputError, match=r"3 units on 4 sites; this problem has K = 2"):
        replay(problem(), gates.at(0), device="cpu")
    with pytest.raises(InputError, match="No gates are recorded"):
        replay(run.problem, Gates((), (Fraction(0),), {"w": gates.weights[:0, :1]}), device="cpu")
    with pytest.raises(InputError, match="Give the gates that were replayed") as caught:
        replayed_loss(run, record(train(run.problem, "cpu", replicates=[0, 2])), "cpu")
    assert "replicates" in str(caught.value)


def test_replicates_that_diverge():
    """A diverged ReLU network is not recorded; a diverged replay is frozen and counted."""
    question = relu(**FULL_BATCH, times=(0, 60))
    sample = fixed_sample(question, range(3), CPU, torch.float64)
    sample.x[0] *= 100
    run = train(question, "cpu", sample=sample)
    assert run.diverged.tolist() == [True, False, False]
    assert record(run).replicates == (1, 2)
    calm = record(train(question, "cpu"))
    found = replay(question, calm.at(0), device="cpu", sample=sample)
    assert found.diverged.tolist() == [True, False, False]
    assert np.isfinite(found.weights).all()
    sample.x[1] *= 100
    with pytest.raises(DivergedError, match="2 of 3 replicates diverged"):
        replay(question, calm.at(0), device="cpu", sample=sample).surviving()
