"""Factors of grids whose covariance is no product: Fourier modes of a torus, the dense matrix, and refusals."""

import numpy as np
import pytest
import torch

from sim.data import embedding
from sim.data.embedding import on_grid
from sim.data.factors import Dense, Embedded
from sim.data.sample import prepare
from tests.sim.cases import grid
from tests.tolerances_of_correlations import EMBEDDED
from theory.problem import OutOfReachError, latent_correlation

CPU = torch.device("cpu")
RIPPLES = {"kind": "damped-cosine", "wavelength": 4}


def factor_of(law):
    return on_grid(latent_correlation(law, 0)[0], law.axes, law.boundary, "test", CPU, torch.float64)


def covariance(factor):
    matrix = factor.coloured(torch.eye(factor.rank, dtype=torch.float64)).numpy()
    return matrix.T @ matrix


@pytest.mark.parametrize("shape", [(2, 2), (3, 5)])
@pytest.mark.parametrize("boundary", ["open", "torus"])
def test_the_covariance_is_exact(shape, boundary):
    law = grid(shape=shape, boundary=boundary, xi=("1/2", 1), correlation="exponential", grid="isotropic")
    factor = factor_of(law)
    assert isinstance(factor, Embedded)
    assert factor.sites == law.n
    assert np.abs(covariance(factor) - latent_correlation(law, 0)).max() <= EMBEDDED


def test_an_open_grid_may_be_larger_than_any_matrix():
    law = grid(shape=(60, 60), correlation="exponential", grid="isotropic")
    assert prepare(law, CPU, torch.float32).rank == 118 * 118


@pytest.mark.parametrize("waves", [0, 1])
def test_a_torus_that_is_semidefinite_up_to_rounding_is_sampled_by_its_modes(waves, monkeypatch):
    """One mode, and a few: most eigenvalues of the torus of 4 x 8 sites are zero, or rounding of either sign."""
    down, across = np.mgrid[:3, :5]
    row = (0.3 * (1 + waves * np.cos(np.pi * down / 2)) * (1 + waves * np.cos(np.pi * across / 4))).ravel()
    monkeypatch.setattr(embedding, "MOST_DENSE", 1)  # else an indefinite torus would be left to the matrix
    factor = on_grid(row, (3, 5), "open", "test", CPU, torch.float64)
    assert isinstance(factor, Embedded)
    assert np.count_nonzero(factor.amplitude) == (9 if waves else 1)
    assert np.abs(covariance(factor) - embedding.matrix_of(row, (3, 5))).max() <= EMBEDDED


def test_a_negative_eigenvalue_is_rounding_up_to_four_units_a_site():
    """The torus of 2 x 2 sites has the eigenvalues 4, 0, 0 and -64 eps, and 4 n eps lam_max is 64 eps."""
    row = 1 + 16 * np.finfo(float).eps * np.array([-1, 1, 1, -1])
    assert isinstance(on_grid(row, (2, 2), "open", "test", CPU, torch.float64), Embedded)


def test_where_the_torus_is_indefinite_the_matrix_is_factored():
    law = grid(shape=(5, 5), xi=("4/5", "1/2"), correlation=RIPPLES, grid="isotropic")
    factor = factor_of(law)
    assert isinstance(factor, Dense)
    assert np.abs(covariance(factor) - latent_correlation(law, 0)).max() <= EMBEDDED


def test_a_singular_matrix_takes_its_modes():
    ones = np.ones((9, 9))
    factor = embedding.of_matrix(ones, "test", CPU, torch.float64)
    assert np.abs(covariance(factor) - ones).max() <= EMBEDDED


def test_too_large_a_matrix_is_refused(monkeypatch):
    law = grid(shape=(5, 5), xi=("4/5", "1/2"), correlation=RIPPLES, grid="isotropic")
    monkeypatch.setattr(embedding, "MOST_DENSE", 24)
    with pytest.raises(OutOfReachError, match="test: the torus around the open grid has the eigenvalue -"):
        factor_of(law)


def test_a_torus_that_is_no_covariance_is_refused():
    law = grid(shape=(4, 4), boundary="torus", xi=("1/2", "1/2"), correlation="exponential", grid="isotropic")
    row = latent_correlation(law, 0)[0]
    with pytest.raises(OutOfReachError, match="below rounding"):
        on_grid(row - np.eye(16)[0], law.axes, "torus", "test", CPU, torch.float64)
