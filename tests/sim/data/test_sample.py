"""The samplers against the statistics that define their laws, and the streams they draw from."""

import numpy as np
import pytest
import torch

from sim.data import quadrature
from sim.data.factors import SPECTRAL_SITES, Dense, Spectral, dense, dense_on_ring, on_line, on_ring
from sim.data.sample import prepare
from sim.random.streams import TRAINING, stream
from tests.sim.cases import grid, line
from tests.tolerances import SIM_FACTOR, SIM_SPECTRAL
from theory.problem import OutOfReachError, latent_correlation

CPU = torch.device("cpu")


def streams(*replicates, seed=3, purpose=TRAINING):
    return [stream(seed, replicate, purpose) for replicate in replicates]


def sampler(law, dtype=torch.float64):
    return prepare(law, CPU, dtype)


def factor(covariance):
    return dense(covariance, "test", CPU, torch.float64)


def test_input_is_the_erf_of_the_latent():
    law = line(gain=2)
    drawn = sampler(law).draw(streams(0), 10)
    expected = torch.erf(2.0 * drawn.z) / quadrature.normaliser(law)
    assert torch.equal(drawn.x, expected)


@pytest.mark.parametrize("xi", ["1/100", 12, "1e100"])
def test_factor_reproduces_the_covariance(xi):
    correlation = latent_correlation(line(n=40, xi=(xi, 1)), 0)
    made = factor(correlation)
    apart = np.abs((made.matrix.T @ made.matrix).numpy() - correlation).max()
    assert apart <= SIM_FACTOR * max(1, np.linalg.eigvalsh(correlation)[-1]) + made.dropped
    assert made.dropped <= made.level * (40 - made.rank)


@pytest.mark.parametrize(("xi", "dtype"), [("1/100", torch.float64), (2, torch.float32)])
def test_a_narrow_band_reproduces_the_covariance(xi, dtype):
    correlation = latent_correlation(line(n=60, xi=(xi, 1)), 0)
    made = on_line(correlation, "test", CPU, dtype)
    assert made.band is not None
    lower = made.matrix.T.double().numpy()
    assert (np.nonzero(lower)[0] - np.nonzero(lower)[1]).max() == made.band - 1
    assert (np.triu(lower, 1) == 0).all()
    # A row and a column share at most `band` entries that are not 0, each of them at most 1, and rounded.
    rounding = (made.band + 1) * torch.finfo(dtype).eps
    assert np.abs(lower @ lower.T - correlation).max() <= rounding + made.dropped
    assert made.dropped <= made.band * made.level


def test_the_modes_of_a_line_do_not_depend_on_the_signs_of_the_eigensolver(monkeypatch):
    """Libraries of linear algebra differ in them, and the same seed must mean the same data on every machine."""
    covariance = latent_correlation(line(n=40, xi=(4, 1)), 0)
    before, solver = factor(covariance), np.linalg.eigh

    def other_signs(matrix):
        lam, vectors = solver(matrix)
        return lam, vectors * np.where(np.arange(len(lam)) % 2, 1, -1)

    monkeypatch.setattr(np.linalg, "eigh", other_signs)
    assert torch.equal(factor(covariance).matrix, before.matrix)


def test_a_ring_asks_no_eigensolver(monkeypatch):
    """The two modes of an eigenvalue may come out of it turned by any angle."""
    monkeypatch.setattr(np.linalg, "eigh", None)
    for law in (line(n=12, boundary="ring", xi=(1, "1/2")), grid(shape=(4, 3), boundary="torus", xi=(1, "1/2"))):
        assert [factor.rank for factor in sampler(law).factors] == [12, 12]


@pytest.mark.parametrize("n", [2, 9])
def test_the_modes_of_a_ring_reproduce_the_covariance(n):
    correlation = latent_correlation(line(n=n, xi=(1, 1), boundary="ring"), 0)
    matrix = dense_on_ring(correlation, "test", CPU, torch.float64).matrix.numpy()
    parity = (matrix * matrix[:, ::-1]).sum(axis=1)
    assert np.array_equal(np.where(parity > 0, 1, -1)[:, None] * matrix[:, ::-1], matrix)
    assert np.abs(matrix.T @ matrix - correlation).max() <= SIM_SPECTRAL * np.linalg.eigvalsh(correlation)[-1]


@pytest.mark.parametrize(("n", "xi"), [(256, 1), (257, 2)])
def test_a_narrow_root_of_a_ring_reproduces_the_covariance(n, xi):
    """A cyclic band: as many normal numbers as sites, of which each site takes a few."""
    correlation = latent_correlation(line(n=n, xi=(xi, 1), boundary="ring"), 0)
    made = on_ring(correlation, "test", CPU, torch.float64)
    matrix = made.matrix.numpy()
    assert made.wraps
    assert made.band < n / 10
    assert (np.count_nonzero(matrix, axis=0) <= made.band).all()
    assert (
        np.abs(matrix.T @ matrix - correlation).max()
        <= SIM_SPECTRAL * np.linalg.eigvalsh(correlation)[-1] + made.dropped
    )


@pytest.mark.parametrize("n", [SPECTRAL_SITES, SPECTRAL_SITES + 1])
def test_fourier_modes_reproduce_the_covariance(n):
    correlation = latent_correlation(line(n=n, xi=(2, 1), boundary="ring"), 0)
    made = on_ring(correlation, "test", CPU, torch.float64)
    assert isinstance(made, Spectral)
    matrix = made.coloured(torch.eye(n, dtype=torch.float64)).numpy()
    assert np.abs(matrix.T @ matrix - correlation).max() <= SIM_SPECTRAL * np.linalg.eigvalsh(correlation)[-1]


def test_long_lengths_and_short_rings_take_a_matrix():
    few = latent_correlation(line(n=SPECTRAL_SITES, xi=(12, 1), boundary="ring"), 0)
    short = latent_correlation(line(n=SPECTRAL_SITES - 1, xi=(1, 1), boundary="ring"), 0)
    for covariance in (few, short):
        assert isinstance(on_ring(covariance, "test", CPU, torch.float32), Dense)
    few[0, 1:] = 2
    with pytest.raises(OutOfReachError, match="below rounding"):
        on_ring(few, "test", CPU, torch.float32)


def test_factor_drops_rounding_and_refuses_more():
    matrix = np.eye(3)
    matrix[0, 0] = -np.finfo(float).eps
    assert factor(matrix).matrix.shape == (2, 3)
    matrix[0, 0] = -np.sqrt(np.finfo(float).eps)
    with pytest.raises(OutOfReachError, match=r"eigenvalue -1\.49e-08, below rounding"):
        factor(matrix)
