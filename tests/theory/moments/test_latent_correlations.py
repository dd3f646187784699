"""Moments of processes with any correlation and gains of classes: definition by quadrature, engine, and balls."""

from dataclasses import replace
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy
from flint import ctx
from scipy.special import erf as erf_of
from scipy.special import erfinv

from sim.data import quadrature
from tests.correlation_cases import CASES, LAWS, MATERN, MOVING_AVERAGE, WAVE, defined
from tests.sim.cases import grid, line
from tests.theory.moments import definition
from tests.tolerances import MOMENT_ENTRY, MOMENT_FOUR_FACTORS, SIM_QUADRATURE
from tests.tolerances_of_correlations import CERTIFIED_RADIUS, CORRELATION, GAP_FLOAT64
from theory.expressions.symbols import z
from theory.flow import solve
from theory.gaussian.moment import expect
from theory.moments import gated_moments
from theory.moments.arithmetic import FLOAT64, certified
from theory.moments.inputs import input_statistics
from theory.moments.latent_correlations import row_in_balls
from theory.moments.latent_rank import regular
from theory.moments.relu_gates import exact_moment
from theory.moments.statistics import all_lags, class_statistics
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    GaussianClone,
    NonlinearGP,
    OutOfReachError,
    SiteGate,
)

GAINS = ("1/2", 3)


def seven(name, boundary, kind=NonlinearGP, **changes):
    """Seven sites with a correlation of the table, unequal priors and a gain for each class."""
    declared, _, has_length = CASES[name]
    settings = {"n": 7, "boundary": boundary, "correlation": declared, "gain": GAINS, "priors": ("1/4", "3/4")}
    return line(kind, **settings | {"xi": ("3/2", 1) if has_length else ()} | changes)


def question(law, gates):
    return definition.question(law, *gates, times=(0, 1))


GRIDS = [
    grid(shape=(3, 4), correlation="exponential", grid="isotropic", gain=GAINS),
    grid(shape=(3, 4), correlation=MATERN, grid="separable", gain=GAINS),
    grid(shape=(4, 4), boundary="torus", correlation="exponential", grid="isotropic", xi=("1/2", 1)),
    grid(shape=(4, 3), boundary="torus", correlation=WAVE, grid="separable", xi=("1/2", "1/3")),
    grid(shape=(4, 3), correlation=("exponential", MOVING_AVERAGE), grid="separable", xi=("1/2", 0)),
]
CLIPPED = line(n=9, boundary="ring", xi=(9, 5), correlation=MATERN, gain=GAINS, positive_part="clipped")
STATISTICS = [
    seven("matern", "ring"),
    seven("damped cosine", "open", GaussianClone),
    seven("ring spectrum", "ring"),
    *GRIDS[1:4],
    CLIPPED,
]


def test_covariance_and_normaliser_are_those_of_the_definition():
    for law, c in product(STATISTICS, (0, 1)):
        statistics = class_statistics(law, c, FLOAT64)
        exact = quadrature.covariance(law, c)
        assert np.abs(statistics.covariance(all_lags(law)) - exact).max() <= SIM_QUADRATURE * exact.max()
        assert abs(np.sqrt(statistics.normaliser_squared) - quadrature.normaliser(law)) <= SIM_QUADRATURE
        with ctx.workdps(40):
            balls = class_statistics(law, c, certified()).covariances
            assert max(float(ball.rad()) for ball in balls) <= CERTIFIED_RADIUS
            apart = [abs(value - float(ball)) for value, ball in zip(statistics.covariances, balls, strict=True)]
        assert max(apart) <= MOMENT_ENTRY * exact.max()


def test_correlations_and_their_gaps_keep_their_digits():
    """rho and 1 - rho^2, relative, also at lengths at which 1 - rho^2 is small; and the row in balls."""
    for (name, boundary), c in product(LAWS, (0, 1)):
        long = {"xi": (1000, 10**6)} if CASES[name][2] and boundary == "open" else {}
        law = seven(name, boundary, **long)
        rho, gap = class_statistics(law, c, FLOAT64).latent
        row = row_in_balls(law.kernels[c], law.squared_lags(), boundary, law.exact_length(c))
        for lag in range(7):
            d = lag if boundary == "open" else min(lag, 7 - lag)
            with mpmath.workdps(60):
                exact = defined(name, d, law.length(c))
                apart = 1 - exact**2
            assert abs(rho[lag] - float(exact)) <= GAP_FLOAT64
            assert abs(gap[lag] - float(apart)) <= GAP_FLOAT64 * float(apart)
            assert abs(float(row[lag]) - float(exact)) <= CORRELATION


def engine(law, factors, c):
    """E of a product of functions of the latent of class c by the engine, at the correlations of the damped cosine."""
    sites = sorted({site for site, _ in factors})
    with mpmath.workdps(40):
        entry = {
            (i, j): sympy.Float(defined("damped cosine", abs(i - j), law.length(c)), 40) for i in sites for j in sites
        }
    cov = sympy.Matrix(len(sites), len(sites), lambda a, b: sympy.S.One if a == b else entry[sites[a], sites[b]])
    integrand = sympy.Mul(*(function(z(sites.index(site) + 1)) for site, function in factors))
    return float(expect(integrand, cov).evaluate(20).value)


@pytest.mark.parametrize("kind", [NonlinearGP, GaussianClone])
def test_float64_and_certified_solutions_agree(kind):
    on = "latent" if kind.latent else "input"
    gates = [SiteGate(0, lo=0, on=on), SiteGate(3, lo=0, on=on), DirectionGate({1: 1, 2: -1}, lo=0, on=on)]
    for name, boundary in (("damped cosine", "open"), ("exponential", "ring"), ("moving average", "open")):
        law = seven(name, boundary, kind, n=4, means=((0, 1, 0, 0), (0, 0, 0, 0)) if boundary == "open" else ())
        asked = question(law, gates[:2] if name == "moving average" else gates)
        plain, exact = solve(asked), solve(asked, 25)
        close = plain.condition * MOMENT_FOUR_FACTORS
        assert np.abs(plain.fixed_point - exact.fixed_point.astype(float)).max() <= close
        assert abs(plain.mse - float(exact.mse)) <= close


def test_thresholds_follow_the_gain_of_the_class():
    """E[1[x_3 >= h] x_3] by quadrature over z_3 in each class."""
    law = seven("matern", "open", labels=(1, 1))
    gates = (SiteGate(3, lo="1/2", on="input"), SiteGate(3, hi="1/2", on="input"))
    Z = quadrature.normaliser(law)
    assert 0.5 * Z < 1
    nodes, weight = np.polynomial.legendre.leggauss(200)
    exact = 0.0
    for p, gain in zip(law.probabilities, law.gains, strict=True):
        s = erfinv(0.5 * Z) / float(gain) + 6 * (1 + nodes)
        density = np.exp(-(s**2) / 2) / np.sqrt(2 * np.pi)
        exact += float(p) * (weight * 6 * density * erf_of(float(gain) * s)).sum() / Z
    assert abs(gated_moments(question(law, gates)).sigma_yx[0, 3] - exact) <= SIM_QUADRATURE


def test_a_gate_of_two_unequal_sites_follows_the_gain_of_the_class():
    law, w = seven("damped cosine", "open", normaliser="none"), {1: 2, 3: -1}
    for c in (0, 1):
        alone = replace(law, xi=law.xi[c:][:1], gain=GAINS[c], labels=(1,), priors=())
        apart = np.abs(exact_moment(law, c, w).value - exact_moment(alone, 0, w).value).max()
        assert apart <= MOMENT_ENTRY


def test_moments_through_gates_follow_the_gain_of_the_class():
    law, gates = seven("damped cosine", "open", normaliser="none"), (SiteGate(1, lo=0), SiteGate(4, lo=0), AlwaysGate())
    A = 0.0
    for c, share in enumerate(law.probabilities):
        alone = replace(law, xi=law.xi[c:][:1], gain=GAINS[c], labels=(1,), priors=())
        A = A + float(share) * gated_moments(question(alone, gates)).A
    assert np.abs(gated_moments(question(law, gates)).A - A).max() <= MOMENT_ENTRY * np.abs(A).max()


# Singular latents


WAVES = {"kind": "spectrum", "values": [0, 1, 0]}  # one frequency on four sites: rank 2


@pytest.mark.parametrize("kind", [NonlinearGP, GaussianClone])
def test_a_singular_latent_has_covariances_and_no_rank(kind):
    odd = {"kind": "spectrum", "values": [1, 1, 0, 0]}
    law = line(kind, n=7, boundary="ring", xi=(), correlation=odd)
    exact = quadrature.covariance(law, 0)
    assert np.abs(input_statistics(law, 0).covariance - exact).max() <= SIM_QUADRATURE
    assert np.linalg.matrix_rank(quadrature.latent_correlation(law, 0)) == 3
    gates = [SiteGate(0, lo=0, on="input")]
    with pytest.raises(OutOfReachError, match="The covariance of the latent is singular"):
        solve(question(law, gates))
    mixed = replace(law, correlation=(odd, "exponential"), xi=(0, 1))
    assert solve(question(mixed, gates)).mse < 0.5


def test_opposite_latents_have_opposite_inputs_or_are_refused_by_name():
    law = line(boundary="ring", xi=(), correlation=WAVES)
    exact = quadrature.covariance(law, 0)
    assert exact[0, 2] == -exact[0, 0]
    assert np.abs(input_statistics(law, 0).covariance - exact).max() <= SIM_QUADRATURE
    turned = line(n=7, correlation={"kind": "formula", "formula": "cos(2*pi*d/3)"})
    with pytest.raises(OutOfReachError, match="latents whose correlation is 1 or -1"):
        input_statistics(turned, 0).covariance  # noqa: B018


def test_a_ripple_in_the_plane_is_regular_by_its_eigenvalues():
    """No theorem says it there, so that a nearly singular one is refused."""
    wave = {"kind": "damped-cosine", "wavelength": 4}
    ripple = grid(shape=(4, 4), xi=("4/5", "1/2"), correlation=wave, grid="isotropic")
    assert not ripple.kernels[0].never_singular(isotropic=True)
    assert regular(ripple, 0)
    gaussian = {"kind": "formula", "formula": "exp(-(d/xi)**2)"}
    smooth = grid(shape=(4, 4), xi=(90, 90), correlation=gaussian, grid="isotropic")
    assert not regular(smooth, 0)
    with pytest.raises(OutOfReachError, match="singular"):
        solve(question(smooth, [SiteGate(0, lo=0)]))


def test_what_is_clipped_has_no_rank():
    """Only of Gaussian kernels, whose clipped rings were always solved, is the latent not asked to be regular."""
    gates = [SiteGate(0, lo=0), SiteGate(0, hi=0)]
    with pytest.raises(OutOfReachError, match="singular"):
        solve(question(CLIPPED, gates))
    assert solve(question(replace(CLIPPED, xi=(9, "1/2")), gates)).mse < 0.5
    assert solve(question(replace(CLIPPED, correlation="gaussian"), gates)).mse < 0.5
