"""Shapes of known fields; moments and openings in blocks against one pass over all the data."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats

from sim.data.sample import prepare
from sim.measure import measure, preactivations
from sim.measure.kurtosis import site_kurtosis
from sim.measure.moving_gates import JointOpenings
from sim.measure.receptive_fields import centre, centre_and_width, spectral_peak
from sim.random.streams import MEASUREMENT, stream
from sim.train import train
from tests.sim.cases import problem
from tests.tolerances import SIM_CENTRE, SIM_SHAPE, SIM_SUMS, UNIT_ROUNDOFF
from theory.problem import (
    GateFlipsAtTimes,
    GateFlipsBetweenTimes,
    GateOverlapBetweenTimes,
    InputError,
    Network,
    OpenTogetherBetweenTimes,
    OutOfReachError,
    PreactivationKurtosisAtTimes,
)

CPU = torch.device("cpu")
RELU = Network("relu", "mean", 2, biases="trained")


def test_open_line_against_the_moments_of_a_distribution():
    rng = np.random.default_rng(0)
    w = rng.normal(size=(3, 2, 9))
    middle, width = centre_and_width(w, "open")
    for index in np.ndindex(3, 2):
        p = w[index] ** 2 / (w[index] ** 2).sum()
        law = stats.rv_discrete(values=(np.arange(9), p))
        assert abs(middle[index] - law.mean()) < SIM_CENTRE
        assert abs(width[index] - law.std()) < SIM_CENTRE


def test_a_bump_on_the_ring_turns_with_its_field():
    """A Gaussian bump of sd s has |R| = exp(-(2 pi s/n)^2/2) up to the ring's closing, at whatever place it lies."""
    n, s = 40, 1.5
    bump = np.exp(-((np.arange(n) - n // 2) ** 2) / (4 * s**2))  # its square has the sd s
    length = np.exp(-((2 * np.pi * s / n) ** 2) / 2)
    for shift in range(n):
        middle, width = centre_and_width(np.roll(bump, shift), "ring")
        assert abs(middle - (n // 2 + shift) % n) < SIM_CENTRE or n - middle < SIM_CENTRE
        assert abs(width - n / (2 * np.pi) * np.sqrt(2 * (1 - length))) < SIM_CENTRE
    between = bump + np.roll(bump, 1)
    assert abs(centre(between, "ring") - n / 2 - 0.5) < SIM_CENTRE
    assert abs(centre(between, "open") - n / 2 - 0.5) < SIM_CENTRE


def test_flat_and_sinusoidal_fields_look_nowhere_on_the_ring():
    sites = np.arange(40)
    for field in (np.ones(40), np.cos(2 * np.pi * 3 * sites / 40 + 0.3)):
        with pytest.raises(InputError, match="no mean direction") as caught:
            centre(field, "ring")
        assert caught.value.kind == "undefined"
        width = centre_and_width(field, "ring")[1]
        assert abs(width - np.sqrt(2) * 40 / (2 * np.pi)) < SIM_CENTRE
        assert abs(centre(np.ones(40), "open") - 19.5) < SIM_CENTRE


@pytest.mark.parametrize("n", [40, 41])
def test_spectral_peak_of_known_fields(n):
    sites = np.arange(n)
    for q in range(n // 2 + 1):
        wave = 1e-300 * np.cos(2 * np.pi * q * sites / n + 0.4)
        peak, share = spectral_peak(wave)
        assert peak == q
        assert abs(share - 1) < SIM_SHAPE
    # Amplitudes 2 and 1: the powers are 4 : 1. Of a site alone every pair of frequencies has 2/n, and the first wins.
    mixed = 2 * np.cos(2 * np.pi * 5 * sites / n) + np.cos(2 * np.pi * 2 * sites / n + 1)
    peak, share = spectral_peak(mixed)
    assert peak == 5
    assert abs(share - 4 / 5) < SIM_SHAPE
    peak, share = spectral_peak((sites == 3).astype(float))
    assert (peak, abs(share - 2 / n) < SIM_SHAPE) == (1, True)


def test_kurtosis_of_weights():
    n = 40
    rng = np.random.default_rng(1)
    w = rng.normal(size=(5, n)) + 3
    assert np.abs(site_kurtosis(w) - stats.kurtosis(w, axis=-1)).max() < n * n * UNIT_ROUNDOFF
    one = (np.arange(n) == 4) * 1e-200
    assert abs(site_kurtosis(one) - float(n - 5 + Fraction(1, n - 1))) < n * n * UNIT_ROUNDOFF
    with pytest.raises(InputError, match="equal weights") as caught:
        site_kurtosis(np.full(n, 0.1))
    assert caught.value.kind == "undefined"


def direct(run, replicate):
    """The pre-activations (T, K, N) and classes of the fresh examples of a replicate, in one piece."""
    settings = run.problem.simulated()
    own = [stream(settings.seed, run.replicates[replicate], MEASUREMENT)]
    drawn = prepare(run.problem.data, CPU, torch.float64).draw(own, settings.samples)
    h = np.einsum("tkn,bn->tkb", run.weights[replicate], drawn.x[0].numpy())
    return h, drawn.category[0].numpy()


def test_measures_over_data_against_one_pass(monkeypatch):
    monkeypatch.setattr("sim.measure.source.CHUNK_NUMBERS", 140)
    monkeypatch.setattr(preactivations, "PART_NUMBERS", 60)
    run = train(problem(network=RELU), "cpu")
    found = {
        kind: measure(kind(), run, "cpu").values
        for kind in (GateFlipsBetweenTimes, OpenTogetherBetweenTimes, GateOverlapBetweenTimes)
    }
    kurtosis = {c: measure(PreactivationKurtosisAtTimes(c), run, "cpu").values for c in (None, 0, 1)}
    for s in range(3):
        h, category = direct(run, s)
        g = (h + run.biases[s, :, :-1, None] >= 0).astype(float).transpose(1, 0, 2)
        both = np.einsum("ktb,kub->ktu", g, g)
        alone = g.sum(axis=2)
        assert (found[OpenTogetherBetweenTimes][s] == both / 200).all()
        assert (found[GateFlipsBetweenTimes][s] == (g[:, :, None] != g[:, None]).sum(axis=-1) / 200).all()
        overlap = both / np.sqrt(alone[:, :, None] * alone[:, None])
        assert np.abs(found[GateOverlapBetweenTimes][s] - overlap).max() < SIM_SUMS
        for c, values in kurtosis.items():
            seen = h if c is None else h[..., category == c]
            assert np.abs(values[s] - stats.kurtosis(seen, axis=-1)).max() < SIM_SUMS
    first = measure(GateFlipsAtTimes(), run, "cpu").values
    assert (found[GateFlipsBetweenTimes][:, :, 0] == first.transpose(0, 2, 1)).all()


def test_gates_that_never_open_have_no_overlap():
    joint = JointOpenings(2, 1, CPU)
    joint.add(torch.tensor([[[True, False]], [[False, False]]]))
    assert joint.flips()[0].tolist() == [[0, 0.5], [0.5, 0]]
    with pytest.raises(InputError, match="unit 0 at time number 1 opened for none of 2") as caught:
        joint.overlap()
    assert caught.value.kind == "undefined"


def test_pairs_of_times_larger_than_the_memory_are_refused(monkeypatch):
    run = train(problem(network=RELU), "cpu")
    monkeypatch.setattr("sim.training.schedule._LARGEST_MEMORY", 8 * 4 * 2 * 9 - 1)
    with pytest.raises(OutOfReachError, match="Gates at any two times would take"):
        measure(GateFlipsBetweenTimes(), run, "cpu")


def test_a_class_that_the_law_does_not_have_is_refused():
    run = train(problem(network=RELU), "cpu")
    with pytest.raises(InputError, match="category = 2: the law has the classes 0 to 1"):
        measure(PreactivationKurtosisAtTimes(2), run, "cpu")
