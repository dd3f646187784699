"""The fused back end against the reference, step by step, under Triton's interpreter or on a GPU; skipped without it.

The interpreter takes some tenths of a second for each tile of examples, so runs are of few networks and steps.
Small batches have as many networks in a program as fit.
"""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.train import train
from tests.sim.cases import COMPLEMENT, EVERY_GATE, LEAK, SOFT, gated, line, problem
from tests.sim.training.interpreted import trained
from tests.tolerances import SIM_DESCENT, SIM_DESCENT_SINGLE
from theory.problem import Network

RATE = Fraction(1, 8)
SMALL, LARGE = 3, 20  # batches of the two kernels


def far(values, expected):
    return np.abs(values - expected).max() / np.abs(expected).max()


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
    (gated(EVERY_GATE, biases="trained"), LARGE, {"loss": "cross-entropy"}),
    (gated((*SOFT, *COMPLEMENT), "trained-sum", "trained"), SMALL, {}),
    (Network("relu", "trained-mean", 5, biases="fixed"), LARGE, {"loss": "mse"}),
    pytest.param(Network("leaky-relu", "mean", 3, slope=LEAK, biases="trained"), SMALL, {}, marks=pytest.mark.slow),
    (Network("erf", "sum", 2, biases="trained"), LARGE, {"shared_stream": True, "initialisation": "per-replicate"}),
    (Network("sigmoid", "trained-mean", 3), SMALL, {"shared_stream": True, "initialisation": "per-replicate"}),
]


@pytest.mark.parametrize(("network", "batch", "settings"), NETWORKS, ids=lambda part: getattr(part, "model", ""))
def test_step_by_step(network, batch, settings):
    reference, fused = both(few(network=network, batch=batch, **settings))
    assert (reference.backend, fused.backend, fused.fallback) == ("reference", "fused", None)
    assert (reference.weights[:, 0] == fused.weights[:, 0]).all()
    assert far(learned(fused), learned(reference)) < SIM_DESCENT


@pytest.mark.slow
def test_single_precision_and_what_it_still_notices():
    """Another seed and another rate change ten times what the comparison allows."""
    question = few(network=gated(EVERY_GATE, "trained-sum", "trained"), batch=SMALL)
    reference, fused = both(question, dtype=torch.float32)
    assert fused.dtype == "float32"
    assert far(learned(fused), learned(reference)) < SIM_DESCENT_SINGLE
    for changes in ({"seed": 6}, {"learning_rate": RATE / 2}):
        wrong = train(few(network=question.network, batch=SMALL, **changes), "cpu", backend="reference")
        assert far(learned(wrong), learned(reference)) > 10 * SIM_DESCENT_SINGLE


@pytest.mark.slow
@pytest.mark.parametrize("law", [line(n=72), line(n=258, boundary="ring", xi=(1, "1/2"))], ids=["line", "padded ring"])
def test_bands_wider_than_a_chunk_of_sites(law):
    """A chunk of 32 sites needs the modes of its band alone; on a ring the first chunk needs the last modes."""
    gates = (replace(COMPLEMENT[0], site=law.n - 1), replace(COMPLEMENT[1], site=40))
    question = few(law, gated(gates), batch=1, steps=(0, 5))
    reference = train(question, "cpu", backend="reference", replicates=[1])
    fused = trained(question, replicates=[1])
    assert far(fused.weights, reference.weights) < SIM_DESCENT
    assert (fused.weights[0, 1] != fused.weights[0, 0]).all()


@pytest.mark.parametrize(("batch", "steps"), [(40, 2), (1, 20)])
def test_several_tiles_of_a_step_and_of_steps(batch, steps):
    """40 examples take two tiles of 32, and 20 steps of one example take two of 16; neither divides."""
    reference, fused = both(few(batch=batch, steps=(0, steps)))
    assert far(fused.weights, reference.weights) < SIM_DESCENT


@pytest.mark.slow
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


WEIGHED = gated(readout="trained-sum", biases="trained")


@pytest.mark.parametrize(
    ("network", "batch", "rate"), [(WEIGHED, SMALL, 3), pytest.param(gated(), LARGE, 8, marks=pytest.mark.slow)]
)
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


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
def test_a_diverged_neighbour_in_a_program_changes_nothing():
    """Three of four networks of a program, of which the second has no finite weights, against the reference."""
    network = gated(EVERY_GATE, "trained-sum", "trained")
    first, after = (
        few(network=network, batch=1, steps=steps, replicates=4, initialisation="per-replicate")
        for steps in ((1,), (2, 4))
    )
    state = train(first, "cpu", backend="reference").state
    healthy = train(after, "cpu", backend="reference", resume=state)
    w = state.parameters["w"].clone()
    w[1] = float("nan")
    parameters = {**state.parameters, "w": w}
    run = trained(after, resume=replace(state, parameters=parameters, frozen=np.arange(4) == 1))
    assert run.diverged.tolist() == [False, True, False, False]
    assert np.isnan(run.weights[1]).all()
    assert far(learned(run)[[0, 2, 3]], learned(healthy)[[0, 2, 3]]) < SIM_DESCENT


@pytest.mark.slow
def test_every_form_compiles_for_a_gpu():
    """In a process of its own, as the interpreter replaces what a compiler needs."""
    subprocess.run([sys.executable, "-m", "tests.sim.training.for_cuda"], check=True)
