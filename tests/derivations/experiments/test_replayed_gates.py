"""The experiment of replayed gates in small, what it has stored, and how pages show it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations.experiments.folders import read
from derivations.experiments.replayed_gates import experiment as replayed_gates
from derivations.statistics.validity import meter
from sim.record import record, replay
from sim.train import train
from theory.claims import catalog
from theory.claims.model import Outcome
from theory.problem import dumps


@pytest.fixture(scope="module")
def small():
    """The experiment on twelve sites: 40 steps of small batches, five networks."""
    question = replayed_gates.problem()
    training = replace(question.training, times=tuple(Fraction(10 * i) for i in range(9)))
    simulation = replace(question.simulation, replicates=5, samples=300, batch=20)
    question = replace(
        question,
        data=replace(question.data, n=12, xi=(Fraction(1), Fraction(1, 2))),
        network=replace(question.network, units=3),
        training=training,
        simulation=simulation,
    )
    return question, replayed_gates.run(question)


def test_bands_hold_their_distances(small):
    _, data = small
    assert np.shape(data["flips"]["mean"]) == (9, 9)
    for part in ("weight_distance", "loss_distance", "participation_ratio_distance"):
        for name, band in data[part].items():
            low, middle, high = (np.array(band[key]) for key in ("low", "distance", "high"))
            assert (low <= middle).all(), (part, name)
            assert (middle <= high).all(), (part, name)
    assert all(band["high"][0] == 0 for band in data["weight_distance"].values())  # the same start


def test_distances_by_hand(small):
    question, result = small
    network = train(question, "cpu")
    again = replay(question, record(network).at(80), device="cpu")
    apart = np.linalg.norm(again.weights - network.weights, axis=(2, 3)) / np.linalg.norm(network.weights, axis=(2, 3))
    stored = result["weight_distance"]["of the end"]["distance"]
    assert [f"{value:.6g}" for value in apart.mean(axis=0)] == [f"{value:.6g}" for value in stored]


def test_the_stored_measurements_are_of_the_registered_problem():
    """Stale after a change of the problem: run python -m derivations.experiments.replayed_gates.experiment."""
    stored = read(replayed_gates.NAME)
    question = replayed_gates.problem()
    assert stored["problem"] == dumps(question)
    assert (stored["replicates"], stored["seed"]) == (question.simulation.replicates, question.simulation.seed)
    assert (stored["level"], stored["margin"]) == (replayed_gates.LEVEL, replayed_gates.MARGIN)


@pytest.mark.parametrize(
    ("apart", "spread", "expected"),
    [
        (0.0, 0.0002, Outcome.PASS),
        (0.002, 0.0002, Outcome.PASS),
        (0.01, 0.002, Outcome.INCONCLUSIVE),
        (0.1, 0.002, Outcome.FAIL),
    ],
)
def test_losses_are_the_same_where_the_whole_band_lies_within_a_hundredth(apart, spread, expected):
    rng = np.random.default_rng(0)
    reference = 0.2 + 0.01 * rng.normal(size=(16, 2))
    replayed = reference * (1 + apart) + spread * rng.normal(size=(16, 2))
    result = replayed_gates.decide(meter((0.0, 800.0), replayed, reference, replayed_gates.LEVEL))
    assert result.outcome is expected
    assert result.tolerance == float(catalog()[replayed_gates.CLAIM].statement.rhs)
