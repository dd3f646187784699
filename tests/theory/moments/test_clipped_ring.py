"""A ring whose negative eigenvalues are set to 0: theory against the definition by quadrature, and problem files."""

from dataclasses import replace

import numpy as np
import pytest
from flint import ctx
from scipy.special import erf, erfinv, ndtr

from sim.data import quadrature
from tests.theory.moments import definition
from tests.tolerances import (
    MOMENT_ENTRY,
    SIM_QUADRATURE,
)
from tests.tolerances_of_correlations import EDGE_OF_CLIPPING
from theory.flow import solve
from theory.moments import feature_moments, gated_moments
from theory.moments.arithmetic import FLOAT64, certified
from theory.moments.statistics import all_lags, class_statistics
from theory.problem import (
    DirectionGate,
    GaussianClone,
    NonlinearGP,
    NonlinearGP2D,
    OutOfReachError,
    SiteGate,
    axis_correlations,
    latent_correlation,
    latent_variance,
)

RING = NonlinearGP(20, (9, 2), 2, "ring", "unit-variance", (1, 0), positive_part="clipped")
TORUS = NonlinearGP2D((4, 2), 2, "torus", "unit-variance", (1, 0), (6, 4), positive_part="clipped")
CLONE = GaussianClone(20, (9, 2), 2, "ring", "unit-variance", (1, 0), positive_part="clipped")
GATES = (SiteGate(10, lo=0), SiteGate(10, hi=0))


def question(law, gates=GATES):
    return definition.question(law, *gates, times=(0, 10))


@pytest.mark.parametrize(("law", "c"), [(RING, 0), (replace(RING, priors=("1/4", "3/4")), 1), (TORUS, 1), (CLONE, 0)])
def test_statistics_are_those_of_the_definition(law, c):
    statistics = class_statistics(law, c, FLOAT64)
    defined = quadrature.covariance(law, c)
    assert np.abs(statistics.covariance(all_lags(law)) - defined).max() <= SIM_QUADRATURE * defined.max()
    assert abs(np.sqrt(statistics.normaliser_squared) - quadrature.normaliser(law)) <= SIM_QUADRATURE
    with ctx.workdps(40):
        balls = class_statistics(law, c, certified())
        pairs = zip(statistics.covariances, balls.covariances, strict=True)
        assert max(abs(value - float(ball)) for value, ball in pairs) <= MOMENT_ENTRY * defined.max()


def test_the_latent_is_the_positive_part():
    """R^+ - R is positive, and R^+ (R^+ - R) = 0: no other matrix has both."""
    for law, plain in ((RING, latent_kernel(20, 9)), (replace(RING, xi=(2, 9)), latent_kernel(20, 2))):
        positive = latent_correlation(law, 0)
        added = positive - plain
        rounding = EDGE_OF_CLIPPING * law.n
        assert np.linalg.eigvalsh(positive).min() >= -rounding
        assert np.linalg.eigvalsh(added).min() >= -rounding
        assert np.abs(positive @ added).max() <= rounding
        assert np.abs(np.diagonal(positive) - latent_variance(law, 0)).max() <= rounding
    assert latent_variance(RING, 0) > 1.01
    down, across = axis_correlations(TORUS, 0)
    assert np.abs(np.kron(down, across) - latent_correlation(TORUS, 0)).max() == 0


def latent_kernel(n, xi):
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.exp(-(np.minimum(apart, n - apart) ** 2) / xi**2)


@pytest.mark.parametrize("law", [RING, CLONE], ids=str)
def test_it_is_solved(law):
    gates = GATES if law.latent else tuple(replace(gate, on="input") for gate in GATES)
    asked = question(law, gates)
    moments = feature_moments(asked.data, asked.network)
    second = sum(float(p) * quadrature.covariance(law, c) for c, p in enumerate(law.probabilities))
    assert np.abs(moments.A.dense()[: law.n, : law.n] - second / 2).max() <= SIM_QUADRATURE
    solution, exact = solve(asked), solve(asked, digits=20)
    assert abs(solution.mse - float(exact.mse)) <= SIM_QUADRATURE
    assert 0 < solution.mse < 0.5
    assert (np.diff(solution.losses) < 0).all()


@pytest.mark.parametrize("on", ["latent", "input"])
def test_thresholds_are_those_of_a_latent_that_lost_variance(on):
    """E[1[v_3 >= 1/2] x_3] over z_3 ~ N(0, v), v the variance that clipping leaves in each class."""
    gates = (SiteGate(3, lo="1/2", on=on), SiteGate(3, hi="1/2", on=on))
    found = gated_moments(question(replace(RING, labels=(1, 1)), gates)).sigma_yx[0, 3]
    Z, g = quadrature.normaliser(RING), float(RING.gain)
    low = 0.5 if on == "latent" else erfinv(0.5 * Z) / g
    z, weight = np.polynomial.legendre.leggauss(200)
    exact = 0.0
    for c in range(2):
        v = latent_variance(RING, c)
        s = low + 6 * np.sqrt(v) * (1 + z)
        exact += (weight * 3 * np.exp(-(s**2) / (2 * v)) * erf(g * s)).sum() / np.sqrt(2 * np.pi) / Z
    assert abs(found - exact) <= SIM_QUADRATURE


def test_soft_gates_and_those_along_several_sites_are_refused():
    for gate in (DirectionGate({0: 1, 1: 1}, lo=0), SiteGate(3, lo=1, sharpness=2)):
        with pytest.raises(OutOfReachError, match="Soft gates and gates along several sites"):
            solve(question(replace(RING, xi=(9, 8)), (gate, SiteGate(3, lo=0))))


def test_one_class_that_is_not_clipped_keeps_the_gates_independent():
    """E[Phi(2 (z_3 - 1)) x_3^2] over z_3 ~ N(0, v) of each class."""
    gates = (SiteGate(3, lo=1, sharpness=2), DirectionGate({0: 1, 1: 1}, lo="1/2"))
    moments = gated_moments(question(RING, gates))
    Z, g = quadrature.normaliser(RING), float(RING.gain)
    z, weight = np.polynomial.legendre.leggauss(300)
    exact = 0.0
    for c in range(2):
        v = latent_variance(RING, c)
        s = 12 * z
        density = np.exp(-(s**2) / (2 * v)) / np.sqrt(2 * np.pi * v)
        exact += 0.5 * (12 * weight * density * ndtr(2 * (s - 1)) ** 2 * (erf(g * s) / Z) ** 2).sum()
    assert abs(moments.sigma_xx[0, 0, 3, 3] - exact) <= SIM_QUADRATURE
    assert np.linalg.eigvalsh(moments.A)[0] > 0
    assert moments.features.A.rank == 40
