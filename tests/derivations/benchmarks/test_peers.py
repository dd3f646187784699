"""The peers of `gdln bench train` train the same networks on the same law as `sim`."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from derivations.benchmarks import train as bench
from derivations.benchmarks.peers.law import bands, factors
from derivations.benchmarks.peers.torch_loop import torch_loop
from sim.train import train
from tests.tolerances import PEER_COVARIANCE, STANDARD_ERRORS
from theory.problem import Problem, latent_correlation

# Batch: networks, steps and rate with which the loss falls by a third, by at least eight standard errors of its mean.
SETTINGS = {1: (64, 256, Fraction(1, 50)), 50: (16, 64, Fraction(1, 20))}


def problem(batch: int, slower: int = 1) -> Problem:
    """A network of two units on a line of 40 sites; the rate may be divided by `slower`."""
    networks, steps, rate = SETTINGS[batch]
    built = bench.problem_of(replace(bench.CASES[0], batch=batch, networks=networks), steps)
    rate = rate / slower
    simulation = replace(built.simulated(), learning_rate=rate)
    return replace(built, simulation=simulation, training=replace(built.training, times=(steps * rate,)))


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


@pytest.mark.slow
@pytest.mark.parametrize("batch", SETTINGS)
def test_the_torch_loop_learns_what_sim_learns_and_half_of_the_rate_is_noticed(batch):
    question, (networks, steps, _) = problem(batch), SETTINGS[batch]
    weights = np.asarray(train(question, "cpu", dtype=torch.float32, backend="reference").weights[:, -1])
    seen = losses(question, weights)

    def deviation(loop):
        """How many standard errors the mean loss of the networks of a loop is from that of sim's."""
        trained = loop()
        assert trained.shape == (networks, 2, 40)
        error = seen.std(ddof=1) * np.sqrt(1 / len(seen) + 1 / len(trained))
        return float(abs(losses(question, trained).mean() - seen.mean()) / error)

    assert deviation(torch_loop(question, networks, 4, steps)) < STANDARD_ERRORS
    assert deviation(torch_loop(problem(batch, slower=2), networks, 1, steps)) > STANDARD_ERRORS


@pytest.mark.parametrize("case", bench.CASES, ids=lambda case: case.name)
def test_factors_and_bands_have_the_covariance(case):
    question = bench.problem_of(case, 1)
    exact = np.stack([latent_correlation(question.data, c) for c in (0, 1)])
    rows = factors(question).astype(float)
    assert np.abs(rows.swapaxes(1, 2) @ rows - exact).max() < PEER_COVARIANCE
    taps = bands(question)
    assert (taps is None) == (case.xi != (2, 1))
    if taps is not None:
        lower = sum(np.stack([np.diag(each[d, d:], -d) for each in taps.astype(float)]) for d in range(taps.shape[1]))
        assert np.abs(lower @ lower.swapaxes(1, 2) - exact).max() < PEER_COVARIANCE
