"""The reference back end online: every step sees its own examples, the next ones of the stream, and no others."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.train import train
from sim.training.backends.reference import _guarded
from sim.training.sizes import Grouping
from tests.sim.cases import EVERY_GATE, gated, problem
from tests.sim.descent import one_by_one, plain_descent
from tests.tolerances import SIM_DESCENT
from theory.problem import Network

TIMES = tuple(Fraction(step, 8) for step in (0, 1, 2, 3, 7, 20))
NETWORKS = [gated(EVERY_GATE, "sum", "trained"), Network("relu", "mean", 3)]


def flat(run, s):
    """The parameters of a replicate at the times."""
    parts = [part[s] for part in (run.weights, run.biases, run.readout) if part is not None]
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


def learned(question, expected):
    """The same of the plain loop, which has biases and readout weights of every network."""
    weights = expected[:, : question.network.units * question.data.n]
    biases = expected[:, weights.shape[1] :][:, : question.network.units + 1]
    return np.concatenate([weights, biases], axis=1) if question.network.has_biases else weights


@pytest.mark.parametrize(
    ("batch", "network", "sizes"),
    [(3, NETWORKS[0], None), (1, NETWORKS[1], Grouping(2, 3)), (3, NETWORKS[0], Grouping(3, 4))],
    ids=str,
)
def test_every_step_sees_the_next_examples_of_its_stream(batch, network, sizes, monkeypatch):
    if sizes is not None:
        for user in ("batches", "memory"):
            monkeypatch.setattr(f"sim.training.{user}.grouping", lambda *_: sizes)
    question = problem(network=network, batch=batch, times=TIMES, learning_rate=Fraction(1, 8))
    run = train(question, "cpu", backend="reference")
    for s in range(3):
        expected = learned(question, plain_descent(question, one_by_one(question, range(3)), s))
        found = flat(run, s)
        assert np.abs(found - expected).max() / np.abs(expected).max() < SIM_DESCENT


def test_a_resumed_run_goes_on_in_the_middle_of_a_block(monkeypatch):
    """The first run ends two steps into a block of four: the second begins with the examples of step 2."""
    for user in ("batches", "memory"):
        monkeypatch.setattr(f"sim.training.{user}.grouping", lambda *_: Grouping(3, 4))
    settings = {"batch": 3, "learning_rate": Fraction(1, 8)}
    whole = train(problem(times=TIMES, **settings), "cpu", backend="reference")
    first = train(problem(times=TIMES[:3], **settings), "cpu", backend="reference")
    second = train(problem(times=TIMES[3:], **settings), "cpu", backend="reference", resume=first.state)
    assert np.abs(second.weights - whole.weights[:, 3:]).max() / np.abs(whole.weights).max() < SIM_DESCENT


@pytest.mark.parametrize("names", ["w", "wa", "wab"])
def test_a_network_stands_still_where_any_parameter_leaves_the_limit(names):
    """The last parameter of the second network alone."""
    before = {name: torch.zeros(2, 3) for name in names}
    moved = {name: torch.full((2, 3), -1.0) for name in names}
    moved[names[-1]][1] = -100
    after, alive = _guarded(before, moved, torch.tensor([True, True]), limit=10.0)
    assert alive.tolist() == [True, False]
    assert all(tensor.tolist() == [[-1] * 3, [0] * 3] for tensor in after.values())
