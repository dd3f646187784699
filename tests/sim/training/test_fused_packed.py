"""Several networks in a program of the fused kernel: each is the same bit for bit as in a program of its own."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.training.backends.fused import sizes
from tests.sim.cases import EVERY_GATE, gated, problem
from tests.sim.training.interpreted import in_order, trained
from theory.problem import Network

NETWORKS = [gated(EVERY_GATE, "trained-sum", "trained"), Network("sigmoid", "trained-mean", 3, biases="fixed")]
NETWORKS += [Network("relu", "mean", 1)]
ALONE = 100  # programs: more than networks


@pytest.fixture(autouse=True)
def ordered():
    with in_order():
        yield


def question(network=None, replicates=5, batch=1, steps=(0, 1, 19), rate=Fraction(1, 8)):
    """A problem whose tiles are whole ones and smaller ones."""
    times = tuple(step * rate for step in steps)
    settings = {"learning_rate": rate, "replicates": replicates, "initialisation": "per-replicate"}
    return problem(network=network, batch=batch, times=times, **settings)


def same(first, second):
    pairs = [(first.weights, second.weights), (first.biases, second.biases), (first.readout, second.readout)]
    held = [np.array_equal(one, other, equal_nan=True) for one, other in pairs if one is not None]
    return all(held) and (first.diverged == second.diverged).all()


def launched(monkeypatch):
    """Record how many networks the programs of a run have."""
    seen = []

    def recorded(*numbers):
        seen.append(sizes.networks_of_a_program(*numbers))
        return seen[-1]

    monkeypatch.setattr("sim.training.backends.fused.train.networks_of_a_program", recorded)
    return seen


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    ("network", "most"), list(zip(NETWORKS, (4, 4, 5), strict=True)), ids=["gates", "sigmoid", "relu"]
)
def test_the_networks_of_a_program_are_those_of_single_ones(monkeypatch, network, most, dtype):
    """Five networks: no multiple of the two or four that share a program; the control is that they differ."""
    asked = question(network, steps=(0, 1, 8))
    seen = launched(monkeypatch)
    packed, alone = trained(asked, dtype=dtype), trained(asked, ALONE, dtype=dtype)
    assert seen == [most, 1]
    assert same(packed, alone)
    assert len({one.tobytes() for one in packed.weights[:, -1]}) == 5


@pytest.mark.parametrize("batch", [3, 9])
def test_batches_of_several_examples(monkeypatch, batch):
    asked = question(replicates=3, batch=batch, steps=(0, 6))
    seen = launched(monkeypatch)
    assert same(trained(asked), trained(asked, ALONE))
    assert seen == [1 if batch == 9 else 3, 1]


def with_weights(run, index, number):
    """Return the state at the end of a run, all weights of one network replaced by a number."""
    w = run.state.parameters["w"].clone()
    w[index] = number
    return replace(run.state, parameters={**run.state.parameters, "w": w})


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300])
@pytest.mark.parametrize("frozen", [True, False])
def test_a_diverged_neighbour_changes_nothing(number, frozen):
    """Networks beside one without finite weights are as before, whether it is frozen already or diverges now."""
    first = trained(question(NETWORKS[0], 4, steps=(1,)))
    after = question(NETWORKS[0], 4, steps=(2, 4))
    healthy = trained(after, resume=first.state)
    state = replace(with_weights(first, 1, number), frozen=np.array([False, frozen, False, False]))
    run = trained(after, resume=state)
    assert run.diverged.tolist() == [False, True, False, False]
    assert np.array_equal(run.weights[1], np.full_like(run.weights[1], number), equal_nan=True)
    for index in (0, 2, 3):
        assert (run.weights[index] == healthy.weights[index]).all()
        assert (run.biases[index] == healthy.biases[index]).all()
        assert (run.readout[index] == healthy.readout[index]).all()
    assert (healthy.weights[:, -1] != healthy.weights[:, 0]).any(axis=(1, 2)).all()


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
def test_networks_diverge_each_at_its_own_step(monkeypatch):
    """Some of a program diverge inside a tile and go on in tiles of one step; the others are in later tiles by then."""
    monkeypatch.setattr("sim.training.backends.fused.layout.largest_weight", lambda _dtype: 1.5)
    asked = question(gated(readout="trained-sum", biases="trained"), steps=(2, 12), rate=Fraction(1, 2))
    packed, alone = trained(asked), trained(asked, ALONE)
    assert packed.diverged.any()
    assert not packed.diverged.all()
    assert same(packed, alone)


def test_programs_have_the_networks_that_their_columns_hold():
    """Where networks abound, every column of a tile has a unit, up to the padding of a network's own."""
    for units in range(1, sizes.MOST_UNITS + 1):
        together = sizes.networks_of_a_program(units, 1, 10**6)
        assert together * units <= sizes.LEAST < 2 * together * sizes.power_of_two(units)
        fewest = together * sizes.PROGRAMS
        assert sizes.networks_of_a_program(units, 1, fewest) == together
        assert together == 1 or sizes.networks_of_a_program(units, 1, fewest - 1) < together


def test_a_wrong_counter_of_a_neighbour_is_noticed(monkeypatch):
    """The fault that the comparison must catch: networks of a program that draw the examples of its first one."""
    from sim.training.backends.fused import narrow

    asked = question(steps=(0, 2), replicates=2)
    alone = trained(asked, ALONE)
    right = narrow.counters_of

    def first_of_both(arrays, network):
        return right(arrays, network * 0)

    monkeypatch.setattr(narrow, "counters_of", first_of_both)
    wrong = trained(asked)
    assert (wrong.weights[0] == alone.weights[0]).all()
    assert (wrong.weights[1, -1] != alone.weights[1, -1]).any()
