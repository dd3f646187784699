"""Moments of f(gain z)/Z for every nonlinearity f, against the integrals that define them."""

from itertools import product
from math import exp, inf

import numpy as np
import pytest
from scipy import stats

from tests.sim.cases import gated, line
from tests.theory.moments.definition import two_signs_at
from tests.theory.nonlinear_cases import (
    BINARY_AND_MORE,
    EVERY,
    REACH,
    TABLE,
    cross,
    function,
    kinks,
    mean_square,
    nodes,
)
from tests.tolerances import CUBIC_SIGNS, MARGINAL_CUMULATIVE, NONLINEAR
from theory.expressions.balls.precision import precision
from theory.moments import feature_moments
from theory.moments.arithmetic import FLOAT64, certified
from theory.moments.inputs import input_statistics
from theory.moments.nonlinearities import functions
from theory.moments.relu_gates import exact_moment
from theory.moments.statistics import class_statistics
from theory.problem import (
    Algebraic,
    AlwaysGate,
    Cubic,
    DirectionGate,
    GaussianClone,
    Identity,
    InputError,
    NonlinearGP,
    OutOfReachError,
    SiteGate,
)
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix

CLOSED = ["sign", "identity", "cubic", "uniform"]
CERTIFIED_DIGITS = 30


def of(nonlinearity, kind=None, **changes):
    """The statistics of class 0 of a line of 5 sites, with xi = 2."""
    law = line(**{"n": 5, "nonlinearity": nonlinearity} | ({} if kind is None else {"kind": kind}) | changes)
    return class_statistics(law, 0, FLOAT64)


def test_covariances_and_forces_are_double_integrals():
    """E f(z1) f(z2)/E f^2 at neighbours, and E sign(z1) f(z2); the clone has the same covariance."""
    for kind in ("sign", "cubic", "uniform", "laplace", "quantile"):
        f, xi = function(EVERY[kind]), 10 if kind == "laplace" else 2
        exact = cross(f, f, EVERY[kind], exp(-1 / xi**2)) / mean_square(EVERY[kind])
        statistics, clone = of(EVERY[kind], xi=(xi, 1)), of(EVERY[kind], kind=GaussianClone, xi=(xi, 1))
        assert np.abs(statistics.covariances[:2].astype(float) - [1, exact]).max() < NONLINEAR, kind
        assert np.abs(statistics.covariances - clone.covariances).max() < NONLINEAR, kind
        if kind == "cubic":
            force = cross(np.sign, f, EVERY[kind], exp(-1 / 4))
            half_space = of(EVERY[kind], normaliser="none").half_space(np.array([1]))
            assert abs(float(half_space[0]) - force) < NONLINEAR, kind


def test_the_moments_of_a_steep_tanh_are_its_integrals():
    gain, xi = 8, 2
    f, rho = lambda z: np.tanh(gain * z), exp(-1 / xi**2)
    z, weight = nodes(np.unique([*np.linspace(0, REACH, 400), *(2.0 ** -np.arange(12))]))
    square = 2 * weight @ (stats.norm.pdf(z) * f(z) ** 2)
    statistics = of("tanh", gain=gain, xi=(xi, 1))
    assert abs(float(statistics.covariances[1]) - cross(f, f, EVERY["tanh"], rho) / square) < NONLINEAR
    force = cross(np.sign, f, EVERY["tanh"], rho) / square**0.5
    assert abs(float(statistics.half_space(np.array([1]))[0]) - force) < NONLINEAR
    own = input_statistics(line(n=5, nonlinearity="tanh", gain=gain, xi=(xi, 1)), 0)
    fourth = 2 * weight @ (stats.norm.pdf(z) * f(z) ** 4)
    assert abs(own.kurtosis[0] - (fourth / square**2 - 3)) < NONLINEAR


@pytest.mark.parametrize("kind", CLOSED)
def test_certified_and_float64_numbers_agree(kind):
    law = line(n=5, nonlinearity=EVERY[kind])
    plain = class_statistics(law, 0, FLOAT64)
    lags = np.arange(5)
    with precision(digits=CERTIFIED_DIGITS):
        balls = class_statistics(law, 0, certified())
        for name in ("covariance", "half_space"):
            exact = np.array([float(ball) for ball in getattr(balls, name)(lags)])
            assert np.abs(getattr(plain, name)(lags) - exact).max() < NONLINEAR
        exact = two_signs_at(balls, 1, 2).astype(float)
        assert np.abs(two_signs_at(plain, 1, 2) - exact).max() < CUBIC_SIGNS


def test_a_cubic_with_a_small_cube_is_the_identity():
    """Two formulas: Hermite polynomials in the plane of two signs, and those of the Gaussian clone."""
    gates = (SiteGate(1, lo=0), SiteGate(3, hi=0), DirectionGate({0: 1, 4: 2}, lo=0))
    identity, cubic = (
        feature_moments(line(n=5, nonlinearity=f), gated(gates)).A.dense() for f in (Identity(), Cubic("1e-30"))
    )
    assert np.abs(identity - cubic).max() < CUBIC_SIGNS


@pytest.mark.parametrize("kind", ["cubic", "uniform", "laplace", "logistic", "algebraic", "tanh", "quantile"])
def test_the_marginal_is_the_law_of_the_latent_carried_along(kind):
    law = line(nonlinearity=EVERY[kind], normaliser="none")
    marginal, f = input_statistics(law, 0).marginal(0), function(EVERY[kind])
    z = np.array([-2.0, -1.0, -0.25, 0.25, 0.5, 1.0, 1.5, 2.0])
    x = f(z)
    assert np.abs(marginal.cumulative(x) - stats.norm.cdf(z)).max() < MARGINAL_CUMULATIVE
    bends = [float(end) for end in getattr(EVERY[kind], "x", ()) if x[3] < end < x[-1]]
    inside, weights = nodes(np.unique([*x[3:], *bends]))
    mass = marginal.density(inside) @ weights
    assert abs(mass - np.diff(marginal.cumulative(x[[3, -1]]))[0]) < NONLINEAR
    far = 1.0 if kind in ("uniform", "tanh") else 3.0 if kind == "quantile" else inf
    assert marginal.high == -marginal.low == far
    if far < inf:
        assert marginal.cumulative(np.array([-2 * far, 2 * far])).tolist() == [0.0, 1.0]
        assert marginal.density(np.array([-2 * far, 2 * far])).tolist() == [0.0, 0.0]


def test_the_kurtosis_of_named_marginals():
    for kind, kurtosis in (("sign", -2.0), ("uniform", -1.2), ("identity", 0.0), ("logistic", 1.2), ("laplace", 3.0)):
        assert np.abs(input_statistics(line(nonlinearity=kind), 0).kurtosis - kurtosis).max() < NONLINEAR, kind
        assert input_statistics(line(GaussianClone, nonlinearity=kind), 0).kurtosis.tolist() == [0.0] * 4


def test_moments_of_quantile_functions_are_their_integrals():
    for f, order in product((Algebraic(12), TABLE), (2, 4)):
        z, weight = nodes(np.unique([*np.linspace(0, REACH, 60), *kinks(f)]))
        exact = 2 * weight @ (stats.norm.pdf(z) * function(f)(z) ** order)
        assert abs(functions.moment(f, order) / exact - 1) < NONLINEAR


def test_fourth_moments_of_cubics_at_different_sites():
    """E f_1 f_2 f_3 f_4 by Gauss-Hermite sums over independent variables, exact for polynomials."""
    law = line(nonlinearity=Cubic("1/2"), normaliser="none")
    statistics = input_statistics(law, 0)
    rho = np.exp(-(np.subtract.outer(np.arange(4), np.arange(4)) ** 2) / 4)
    normal, share = np.polynomial.hermite_e.hermegauss(8)
    e = np.stack(np.meshgrid(*[normal] * 4, indexing="ij")).reshape(4, -1)
    weight = np.prod(np.stack(np.meshgrid(*[share / share.sum()] * 4, indexing="ij")), axis=0).ravel()
    u = np.linalg.cholesky(rho) @ e
    f = u + u**3 / 2
    for sites in ((0, 1, 2, 3), (0, 0, 1, 3), (2, 2, 2, 1), (3, 3, 3, 3)):
        exact = weight @ np.prod(f[list(sites)], axis=0)
        assert abs(float(statistics.fourth(*np.array(sites)[:, None])[0]) / exact - 1) < CUBIC_SIGNS


REFUSED = {
    "directions, sign": ("sign", (DirectionGate({0: 1, 2: 1}, lo=1),), "Hard gates along several sites and inputs"),
    "directions of inputs, sign": ("sign", (DirectionGate({0: 1, 2: 1}, lo=0, on="input"),), "x_i .- x_j is 0"),
    "soft input, sign": ("sign", (SiteGate(1, lo=0, on="input", sharpness=1),), "irrational values"),
    "soft, uniform": ("uniform", (SiteGate(1, lo=0, sharpness=1),), "sharpness 1 is .1 . x Z./2"),
    "direction of inputs": (Cubic(1), (DirectionGate({0: 1, 2: 2}, lo=0, on="input"),), "as many variables"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_known_is_refused_by_name(case):
    nonlinearity, gates, message = REFUSED[case]
    with pytest.raises(OutOfReachError, match=message):
        feature_moments(line(nonlinearity=nonlinearity), gated(gates)).A.dense()


def test_moments_that_take_too_long_are_refused_before_the_first_integral():
    """2 classes of 200 * 201/2 pairs of sites, through each of two tails and through both."""
    law, gates = line(nonlinearity="laplace", n=200), (SiteGate(1, lo=1), SiteGate(2, lo=1))
    with pytest.raises(OutOfReachError, match="are 120600 integrals"):
        feature_moments(law, gated(gates))
    matrix = NonlinearGPMatrix("laplace", [1, 0], [np.eye(200)] * 2, np.ones((2, 200)))
    with pytest.raises(OutOfReachError, match="are 120600 integrals"):
        feature_moments(matrix, gated(gates))


def test_gates_on_signs_and_atoms_are_refused_by_name():
    means = ((1, 0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(OutOfReachError, match="class means move the bound"):
        feature_moments(line(nonlinearity="sign", means=means), gated([SiteGate(0, lo=0, on="input")]))
    with pytest.raises(InputError, match="No gate of this network ever opens"):
        feature_moments(line(nonlinearity="sign"), gated([SiteGate(0, lo=2, on="input")]))
    slabs = gated([SiteGate(0, lo=0), SiteGate(0, lo="1/4"), AlwaysGate()], biases="trained")
    with pytest.raises(OutOfReachError, match="class means beside an irrational Z"):
        feature_moments(line(nonlinearity=BINARY_AND_MORE, means=means), slabs)


@pytest.mark.parametrize("kind", [NonlinearGP, GaussianClone])
def test_a_clipped_ring_is_refused(kind):
    ring = line(kind, n=9, xi=(5, 4), boundary="ring", positive_part="clipped", nonlinearity="identity")
    with pytest.raises(OutOfReachError, match="on a ring that is clipped in every class"):
        feature_moments(ring, gated([AlwaysGate()]))


def test_more_refusals():
    with pytest.raises(OutOfReachError, match=r"k = 2\.1 have much of their weight"):
        _ = of(Algebraic("21/10")).covariances
    law = line(nonlinearity="laplace")
    with pytest.raises(OutOfReachError, match="known in float64 alone"), precision(digits=20):
        _ = class_statistics(law, 0, certified()).covariances
    with pytest.raises(OutOfReachError, match="no exact fourth moments of different sites"):
        input_statistics(law, 0).fourth(*np.arange(4)[:, None])
    with pytest.raises(OutOfReachError, match="k = 4 has an infinite moment of order 4"):
        _ = input_statistics(line(nonlinearity=Algebraic(4)), 0).kurtosis
    with pytest.raises(OutOfReachError, match="has no density"):
        input_statistics(line(nonlinearity=BINARY_AND_MORE), 0).marginal(0)
    with pytest.raises(OutOfReachError, match="those of x = erf"):
        exact_moment(law, 0, {1: 1})
