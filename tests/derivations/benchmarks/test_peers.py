"""The peers of `gdln bench train` train the same networks on the same law as `sim`."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from derivations.benchmarks import train as bench
from derivations.benchmarks.peers import jax_scan
from derivations.benchmarks.peers.jax_scan import COLOURS, Variant
from derivations.benchmarks.peers.law import bands, factors, over_normaliser
from derivations.benchmarks.peers.torch_loop import torch_loop
from sim.train import train
from tests.tolerances import PEER_COVARIANCE, PEER_NORMALISER, PEER_NORMALS, STANDARD_ERRORS
from theory.problem import InputError, OutOfReachError, Problem, latent_correlation

# Batch: networks, steps and rate with which the loss falls by a third, by at least eight standard errors of its mean.
SETTINGS = {1: (64, 256, Fraction(1, 50)), 50: (16, 64, Fraction(1, 20))}
# Every colour and kind of normal numbers, with one network and with all, with one step's examples and with four's.
VARIANTS = (
    Variant(1, 1, "library", "sorted"),
    Variant(1, 4, "polynomial", "sorted"),
    Variant(1, 1, "polynomial", "two products"),
    *(Variant(2, 4, "polynomial", colour) for colour in COLOURS),
    Variant(2, 1, "library", "two products"),
)


def problem(batch: int, slower: int = 1) -> Problem:
    """A network of two units on a line of 40 sites; the rate may be divided by `slower`."""
    networks, steps, rate = SETTINGS[batch]
    made = bench.problem_of(replace(bench.CASES[0], batch=batch, networks=networks), steps)
    rate = rate / slower
    simulation = replace(made.simulated(), learning_rate=rate)
    return replace(made, simulation=simulation, training=replace(made.training, times=(steps * rate,)))


def losses(question: Problem, weights: np.ndarray) -> np.ndarray:
    """<(y - yhat)^2>/2 of each network (networks, K, n) over 4,000 examples, the same for all."""
    generator = np.random.default_rng(7)
    second = generator.random(4000) < 0.5
    lower = [np.linalg.cholesky(latent_correlation(question.data, c)) for c in (0, 1)]
    noise = generator.standard_normal((4000, question.data.n))
    z = np.where(second[:, None], noise @ lower[1].T, noise @ lower[0].T)
    x = torch.erf(torch.from_numpy(z)).numpy() / np.sqrt(2 / np.pi * np.arcsin(2 / 3))  # Z^2 = E erf(z)^2
    h = np.einsum("bn,mkn->mbk", x, weights.astype(float))
    return ((np.maximum(h, 0).mean(axis=2) - ~second) ** 2).mean(axis=1) / 2


@pytest.fixture(scope="module", params=[1, 50], ids=["batch 1", "batch 50"])
def trained(request):
    """The problem, the losses of sim's networks and that at the start."""
    question = problem(request.param)
    weights = train(question, "cpu", dtype=torch.float32, backend="reference").weights[:, -1]
    return question, losses(question, np.asarray(weights)), float(losses(question, question.w0()[None])[0])


def deviations(question: Problem, seen: np.ndarray, weights: np.ndarray) -> float:
    """How many standard errors the mean loss of these networks is from that of sim's."""
    error = seen.std(ddof=1) * np.sqrt(1 / len(seen) + 1 / len(weights))
    return float(abs(losses(question, weights).mean() - seen.mean()) / error)


@pytest.mark.parametrize("at_once", [1, 4])
@pytest.mark.parametrize("side_by_side", [1, "all"])
def test_the_torch_loop_learns_what_sim_learns(trained, side_by_side, at_once):
    question, seen, start = trained
    networks, steps, _ = SETTINGS[question.simulated().batch]
    networks = 1 if side_by_side == 1 else networks
    peer = torch_loop(question, networks, at_once, steps)
    weights = peer.run()
    assert weights.shape == (networks, 2, 40)
    assert peer.network_steps == networks * steps
    assert deviations(question, seen, weights) < STANDARD_ERRORS
    assert seen.mean() < start


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_the_jax_scan_learns_what_sim_learns(trained, variant):
    pytest.importorskip("jax", reason="jax is not installed (extra `peers`)")
    question, seen, _ = trained
    networks, steps, _ = SETTINGS[question.simulated().batch]
    chosen = variant if variant.networks == 1 else replace(variant, networks=networks)
    peer = jax_scan.jax_scan(question, chosen, steps)
    weights = peer.run()
    assert weights.shape == (chosen.networks, 2, 40)
    assert peer.network_steps == chosen.networks * steps
    assert deviations(question, seen, weights) < STANDARD_ERRORS


def test_no_training_half_of_the_steps_and_half_of_the_rate_are_noticed(trained):
    """The comparison above has power: each of these fails it."""
    question, seen, _ = trained
    networks, steps, _ = SETTINGS[question.simulated().batch]
    fewer = torch_loop(question, networks, 1, steps // 2)
    slower = torch_loop(problem(question.simulated().batch, slower=2), networks, 1, steps)
    for weights in (question.w0()[None].repeat(networks, axis=0), fewer.run(), slower.run()):
        assert deviations(question, seen, weights) > STANDARD_ERRORS


@pytest.mark.parametrize("case", bench.CASES, ids=lambda case: case.name)
def test_factors_and_bands_have_the_covariance(case):
    question = bench.problem_of(case, 1)
    exact = np.stack([latent_correlation(question.data, c) for c in (0, 1)])
    rows = factors(question).astype(float)
    assert np.abs(rows.swapaxes(1, 2) @ rows - exact).max() < PEER_COVARIANCE
    taps = bands(question)
    assert (taps is None) == (case.xi != (2, 1))
    if taps is not None:
        lower = sum(np.stack([np.diag(own[d, d:], -d) for own in taps.astype(float)]) for d in range(taps.shape[1]))
        assert np.abs(lower @ lower.swapaxes(1, 2) - exact).max() < PEER_COVARIANCE


def test_the_normaliser_is_that_of_its_definition():
    assert abs(over_normaliser(problem(1)) ** -2 - 2 / np.pi * np.arcsin(2 / 3)) < PEER_NORMALISER


def test_polynomial_normals_are_those_of_box_and_muller():
    jax = pytest.importorskip("jax", reason="jax is not installed (extra `peers`)")
    words = np.random.default_rng(0).integers(0, 2**32, (2, 5000, 4), dtype=np.uint32)
    words[:, 0] = [[0, 1, 2**31, 2**32 - 1], [2**29, 2**30 + 2**29, 2**31 + 2**29, 2**32 - 1]]
    made = np.asarray(jax.jit(jax_scan.polynomial_normals)(words))
    radius = np.sqrt(-2 * np.log(((words[0] >> 9) + 0.5) / 2**23))
    angle = 2 * np.pi * words[1] / 2**32
    exact = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])
    assert np.abs(made - exact).max() < PEER_NORMALS


def test_a_missing_jax_is_named(monkeypatch):
    monkeypatch.setattr(jax_scan, "find_spec", lambda _name: None)
    with pytest.raises(OutOfReachError, match="needs jax, which is not installed"):
        jax_scan.jax_scan(problem(1), Variant(1), 1)


def test_a_band_that_is_wide_and_an_unknown_variant_are_refused():
    pytest.importorskip("jax", reason="jax is not installed (extra `peers`)")
    with pytest.raises(OutOfReachError, match="no narrow band"):
        jax_scan.jax_scan(bench.problem_of(bench.CASES[1], 1), Variant(1, colour="band"), 1)
    with pytest.raises(InputError, match="colour"):
        Variant(1, colour="gathered")
