"""The fused back end against the reference, step by step, under Triton's interpreter or on a GPU; skipped without it.

The interpreter takes some tenths of a second for each tile of examples, so runs are of few networks and steps.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.train import train
from tests.sim.cases import COMPLEMENT, EVERY_GATE, LEAK, SOFT, gated, line, named, problem
from tests.sim.training.interpreted import trained
from tests.tolerances import SIM_DESCENT, SIM_DESCENT_SINGLE
from theory.problem import GaussianClone, Network

RATE = Fraction(1, 8)
SMALL, LARGE = 3, 20  # batches of the two kernels


def far(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def learned(run):
    parts = [part for part in (run.weights, run.biases, run.readout) if part is not None]
    return np.concatenate([part.reshape(*part.shape[:2], -1) for part in parts], axis=2)


def few(law=None, network=None, batch=SMALL, steps=(0, 1, 3), **settings):
    """A problem of two networks, whose times are these steps."""
    settings = {"learning_rate": RATE, "replicates": 2} | settings
    times = tuple(step * settings["learning_rate"] for step in steps)
    return problem(law, network, batch=batch, times=times, **settings)


def both(question, **settings):
    return train(question, "cpu", backend="reference"), trained(question, **settings)


NETWORKS = [
    gated(EVERY_GATE),
    gated((*SOFT, *COMPLEMENT), "trained-sum", "trained"),
    Network("relu", "mean", 3),
    Network("relu", "trained-mean", 5, biases="fixed"),
    Network("leaky-relu", "mean", 3, slope=LEAK, biases="trained"),
    Network("erf", "sum", 2, biases="trained"),
    Network("sigmoid", "trained-mean", 3),
]


@pytest.mark.parametrize("batch", [SMALL, LARGE])
@pytest.mark.parametrize("network", NETWORKS, ids=named)
def test_step_by_step(network, batch):
    reference, fused = both(few(network=network, batch=batch))
    assert (reference.backend, fused.backend, fused.fallback) == ("reference", "fused", None)
    assert (reference.weights[:, 0] == fused.weights[:, 0]).all()
    assert far(learned(fused), learned(reference)) < SIM_DESCENT


@pytest.mark.parametrize("batch", [SMALL, LARGE])
def test_other_numbers_and_another_rate_are_noticed(batch):
    """The control: what the comparisons allow is less than a tenth of what these change, in float64 1e-9 of it."""
    question = few(batch=batch)
    right = learned(train(question, "cpu", backend="reference"))
    seed, rate = few(batch=batch, seed=6), few(batch=batch, learning_rate=RATE / 2, steps=(0, 1, 3))
    for wrong in (seed, rate):
        assert far(learned(train(wrong, "cpu", backend="reference")), right) > 10 * SIM_DESCENT_SINGLE


@pytest.mark.parametrize("batch", [SMALL, LARGE])
@pytest.mark.parametrize("loss", ["mse", "cross-entropy"])
def test_losses_step_by_step(loss, batch):
    reference, fused = both(few(network=gated(biases="trained"), batch=batch, loss=loss))
    assert far(learned(fused), learned(reference)) < SIM_DESCENT


@pytest.mark.parametrize("batch", [SMALL, LARGE])
def test_single_precision(batch):
    question = few(network=gated(EVERY_GATE, "trained-sum", "trained"), batch=batch)
    reference, fused = both(question, dtype=torch.float32)
    assert fused.dtype == "float32"
    assert far(learned(fused), learned(reference)) < SIM_DESCENT_SINGLE


LAWS = [
    line(GaussianClone, labels=(-1, 2)),
    line(n=9, boundary="ring", xi=(1, "1/2")),
    line(n=35, xi=(30, "1/100"), gain=3),
]


@pytest.mark.parametrize("batch", [SMALL, LARGE])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_other_laws(law, batch):
    reference, fused = both(few(law, Network("relu", "mean", 2), batch, steps=(0, 1)))
    assert far(fused.weights, reference.weights) < SIM_DESCENT


@pytest.mark.parametrize(
    "law",
    [line(n=72), line(n=260, boundary="ring", xi=(1, "1/2")), line(n=258, boundary="ring", xi=(1, "1/2"))],
    ids=["line", "ring", "ring with padded modes"],
)
def test_bands_wider_than_a_chunk_of_sites(law):
    """A chunk of 32 sites needs the modes of its band alone; on a ring the first chunk needs the last modes."""
    gates = (replace(COMPLEMENT[0], site=law.n - 1), replace(COMPLEMENT[1], site=40))
    question = few(law, gated(gates), batch=1, steps=(0, 5))
    reference = train(question, "cpu", backend="reference", replicates=[1])
    fused = trained(question, replicates=[1])
    assert far(fused.weights, reference.weights) < SIM_DESCENT
    assert (fused.weights[0, 1] != fused.weights[0, 0]).all()


def test_several_tiles_of_a_step_and_of_steps():
    """40 examples take two tiles of 32, and 20 steps of one example take two of 16; neither divides."""
    for question in (few(batch=40, steps=(0, 2)), few(batch=1, steps=(0, 20)), few(batch=7, steps=(0, 5))):
        reference, fused = both(question)
        assert far(fused.weights, reference.weights) < SIM_DESCENT


@pytest.mark.parametrize("batch", [SMALL, LARGE])
def test_a_network_does_not_depend_on_the_others(batch):
    question = few(batch=batch, replicates=3, initialisation="per-replicate")
    whole, alone = trained(question), trained(question, replicates=[2])
    assert (alone.weights[0] == whole.weights[2]).all()
    assert (whole.weights[0, 1] != whole.weights[1, 1]).any()


@pytest.mark.parametrize("batch", [SMALL, LARGE])
def test_launches_and_breaks_change_nothing(monkeypatch, batch):
    """A step of a large batch is the same wherever a launch begins; of small ones a tile has other steps then."""
    question = few(network=gated(EVERY_GATE, "trained-sum", "trained"), batch=batch, steps=(0, 2, 5))
    whole = trained(question)
    until = replace(question, training=replace(question.training, times=question.training.times[:2]))
    after = replace(question, training=replace(question.training, times=question.training.times[2:]))
    broken = trained(after, resume=trained(until).state)
    counts = []
    monkeypatch.setattr("sim.training.backends.fused.train.LAUNCH", 2 * batch)
    parts = trained(question, progress=lambda done, _total: counts.append(done))
    assert counts == [4, 8, 10]
    for run in (broken, parts):
        assert far(learned(run)[:, -1], learned(whole)[:, -1]) < SIM_DESCENT
        assert batch == SMALL or (learned(run)[:, -1] == learned(whole)[:, -1]).all()


@pytest.mark.parametrize("batch", [SMALL, LARGE])
def test_one_stream_for_all(batch):
    question = few(batch=batch, shared_stream=True, initialisation="per-replicate")
    reference, fused = both(question)
    assert far(fused.weights, reference.weights) < SIM_DESCENT


WEIGHED = gated(readout="trained-sum", biases="trained")
DIVERGING = [(gated(), 1, 3), (gated(), SMALL, 3), (gated(), LARGE, 8), (WEIGHED, SMALL, 3), (WEIGHED, LARGE, 3)]


@pytest.mark.parametrize(("network", "batch", "rate"), DIVERGING)
def test_a_diverging_network_is_frozen_before_the_step(monkeypatch, network, batch, rate):
    """With a low limit networks diverge after some steps, inside a tile, and each stays where the reference does."""
    for module in ("sim.training.step", "sim.training.backends.fused.layout"):
        monkeypatch.setattr(f"{module}.largest_weight", lambda _dtype: 1.5)
    settings = {"learning_rate": Fraction(rate), "replicates": 3, "initialisation": "per-replicate"}
    question = few(network=network, batch=batch, steps=(2, 6), **settings)
    reference, fused = both(question)
    assert reference.diverged.any()
    assert (fused.diverged == reference.diverged).all()
    assert far(learned(fused), learned(reference)) < SIM_DESCENT


@pytest.mark.parametrize("batch", [SMALL, LARGE])
def test_a_frozen_network_stands_still(batch):
    first = trained(few(batch=batch, steps=(1,)))
    state = replace(first.state, frozen=np.array([False, True]))
    run = trained(few(batch=batch, steps=(3,)), resume=state)
    assert run.diverged.tolist() == [False, True]
    assert (run.weights[1] == first.weights[1]).all()
    assert (run.weights[0] != first.weights[0]).all()
