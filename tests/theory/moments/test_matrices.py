"""Laws with matrices through gates: against integrals of conditional moments, and against stationary laws."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from tests.theory.moments.definition import legendre, question
from tests.tolerances_of_laws import CONDITIONAL_SUMS, MATCHED_COVARIANCE
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.gaussian_copula import Steps
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    NonlinearGP,
    OutOfReachError,
    SiteGate,
    latent_correlation,
)
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix

MIXED = np.array([[1.0, 0, 0, 0], [1, 2, 0, 0], [0, -1, 1, 0], [0.5, 0, 1, 0.5]])
LAW = Gaussian([1, -1], [MIXED @ MIXED.T, np.diag([1.0, 2, 3, 4])], priors=("1/4", "3/4"))
MOVED = Gaussian([1, -1], LAW.matrices, priors=LAW.priors, means=([1, 0, "-1/2", 0], 0))
GATES = (
    SiteGate(1, lo=0, on="input"),
    SiteGate(3, lo="1/2", on="input"),
    DirectionGate([1, 0, -2, 0], hi="1/4", on="input"),
    SiteGate(1, hi="-1/3", on="input"),
)
REACH = 9  # standard deviations


def problem(law, gates, biases="none"):
    """A network of these gates."""
    return question(law, *gates, biases=biases)


def half_space(gate):
    """A gate as a vector, a side and a threshold: 1[side (v.x - h) >= 0]."""
    v = np.zeros(4)
    if isinstance(gate, SiteGate):
        v[gate.site] = 1
    else:
        v[list(gate.sites)] = [float(number) for _, number in gate.v]
    side, at = (1, gate.lo) if np.isfinite(float(gate.lo)) else (-1, gate.hi)
    return v, side, float(at)


def by_conditioning(C, m, one, other):
    """E[1 g h], E[g h x] and E[g h x x'] for x ~ N(m, C): integrals over (v.x, w.x) of the moments given both."""
    V = np.stack([one[0], other[0]], axis=1)
    S, centre = V.T @ C @ V, V.T @ m
    K = C @ V @ np.linalg.inv(S)
    rest = C - K @ S @ K.T
    ends = []
    for (_, side, at), middle, spread in zip((one, other), centre, np.sqrt(S.diagonal()), strict=True):
        far = middle + side * REACH * spread
        ends.append(legendre(np.linspace(*sorted((at, far)), 7)))
    (a, wa), (b, wb) = ends
    points = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1).reshape(-1, 2) - centre
    density = np.exp(-np.einsum("pi,ij,pj->p", points, np.linalg.inv(S), points) / 2)
    weight = np.outer(wa, wb).ravel() * density / (2 * np.pi * np.sqrt(np.linalg.det(S)))
    x = m + points @ K.T
    return weight.sum(), weight @ x, (x * weight[:, None]).T @ x + weight.sum() * rest


@pytest.mark.parametrize("law", [LAW, MOVED], ids=["centred", "moved"])
def test_gated_moments_are_integrals_of_conditional_moments(law):
    found = gated_moments(problem(law, GATES, "trained"))
    K, n = len(GATES), law.n
    for k in range(K):
        for l in range(k):
            if {k, l} == {0, 3}:
                assert not found.sigma_xx[k, l].any()  # the two sides of one site
                continue
            second, first, zeroth = 0.0, 0.0, 0.0
            for c, share in enumerate(map(float, law.probabilities)):
                m = np.array([float(entry) for entry in law.means[c]]) if law.means else np.zeros(n)
                own = by_conditioning(law.matrices[c], m, half_space(GATES[k]), half_space(GATES[l]))
                zeroth, first, second = zeroth + share * own[0], first + share * own[1], second + share * own[2]
            assert np.abs(found.sigma_xx[k, l] - second).max() <= CONDITIONAL_SUMS
            assert np.abs(found.A[K * n + l, k * n : (k + 1) * n] - first).max() <= CONDITIONAL_SUMS
            assert abs(found.A[K * n + l, K * n + k] - zeroth) <= CONDITIONAL_SUMS


def test_float64_and_balls_agree():
    found = gated_moments(problem(MOVED, GATES, "trained"))
    balls = gated_moments_certified(problem(MOVED, GATES, "trained"), 30)
    assert np.abs(balls.A.astype(float) - found.A).max() <= MATCHED_COVARIANCE
    assert np.abs(balls.b.astype(float) - found.b).max() <= MATCHED_COVARIANCE


def stationary(nonlinearity):
    """A process on a line, and the law of the same matrices."""
    line = NonlinearGP(
        4, (2, 1), 1, "open", "unit-variance", (1, 0), nonlinearity=nonlinearity, means=(0, (1, 0, 0, 0))
    )
    matrices = np.stack([latent_correlation(line, c) for c in range(2)])
    return line, NonlinearGPMatrix(nonlinearity, [1, 0], matrices, np.ones((2, 4)), means=line.means)


@pytest.mark.parametrize("nonlinearity", ["erf", "laplace"])
def test_a_stationary_matrix_has_the_moments_of_its_line(nonlinearity):
    line, matrix = stationary(nonlinearity)
    gates = (SiteGate(1, lo=0), SiteGate(1, hi=0))
    if nonlinearity == "laplace":
        gates = (SiteGate(2, lo="1/2"),)
    else:
        gates = (*gates, SiteGate(2, lo="1/2"), DirectionGate([1, 2, 0, -1], lo=0))
    one, other = (gated_moments(problem(law, gates)) for law in (line, matrix))
    assert np.abs(one.A - other.A).max() <= MATCHED_COVARIANCE
    assert np.abs(one.b - other.b).max() <= MATCHED_COVARIANCE


def test_scales_multiply_the_moments_of_their_sites():
    _, matrix = stationary("erf")
    scales = np.array([[2.0, 1, 3, 0.5], [1.0, 1, 2, 1]])
    unit, scaled = (NonlinearGPMatrix("erf", [1, 0], matrix.matrices, own) for own in (np.ones((2, 4)), scales))
    gates = (SiteGate(1, lo=0), SiteGate(2, lo="1/2"), DirectionGate([1, 2, 0, -1], lo=0))
    sums = 0.0
    for c, label in enumerate((1, 0)):
        own = NonlinearGPMatrix("erf", [label], matrix.matrices[c : c + 1], np.ones((1, 4)))
        sums = sums + gated_moments(problem(own, gates)).sigma_xx * np.outer(scales[c], scales[c]) / 2
    assert np.abs(gated_moments(problem(scaled, gates)).sigma_xx - sums).max() <= MATCHED_COVARIANCE
    assert np.abs(gated_moments(problem(unit, gates)).sigma_xx - sums).max() > 1 / 10


@pytest.mark.parametrize(
    ("nonlinearity", "gate"),
    [("erf", SiteGate(1, hi="1/3")), ("sign", SiteGate(0, lo="1/2")), ("laplace", SiteGate(1))],
)
def test_a_site_that_is_minus_another_has_minus_its_moments(nonlinearity, gate):
    """x_2 = -x_0, also where the correlation of the two is -1 up to rounding."""
    for near in (-1, -1 + 2**-53, -1 - 2**-52):
        matrix = [[1, 0.5, near], [0.5, 1, -0.5], [near, -0.5, 1]]
        found = gated_moments(problem(NonlinearGPMatrix(nonlinearity, [1], [matrix], np.ones((1, 3))), (gate,)))
        second = found.sigma_xx[0, 0]
        assert np.abs(second[0] + second[2]).max() <= MATCHED_COVARIANCE


def test_gates_that_are_no_half_space_of_the_latent_are_refused():
    """Where x_1 = 0 the latent has both signs; x_0 + x_1 has the sign of z_0 + z_1 where the scales are equal."""
    along, site = DirectionGate([1, 1], lo=0, on="input"), SiteGate(1, lo=0, on="input")
    equal, unequal, zero = (
        NonlinearGPMatrix("identity", [1, 0], [np.eye(2)] * 2, scales)
        for scales in ([[2, 2], [3, 3]], [[2, 2], [1, 2]], [[1, 1], [1, 0]])
    )
    latent = gated_moments(problem(equal, (DirectionGate([1, 1], lo=0),)))
    assert np.abs(gated_moments(problem(equal, (along,))).A - latent.A).max() <= MATCHED_COVARIANCE
    still = Gaussian([1], [np.diag([1.0, 0, 1, 1])])
    for law, gate, words in (
        (unequal, along, "2 inputs whose scales differ"),
        (zero, site, "site 1, which has the scale 0 in class 1"),
        (still, site, "site 1, which does not vary in class 0"),
    ):
        with pytest.raises(OutOfReachError, match=words):
            gated_moments(problem(law, (gate,)))
    for rho in (1.0, -1.0):
        law = NonlinearGPMatrix("erf", [1], [[[1, rho], [rho, 1]]], [[1, 2]])
        with pytest.raises(OutOfReachError, match="two gates look at the same direction"):
            gated_moments(problem(law, (SiteGate(0, lo="1/4"), SiteGate(1, lo="1/4"))))


def test_a_singular_covariance_has_the_rank_of_float64():
    """Site 3 is the sum of the others; A loses a rank for each open gate, and no digits are certified."""
    mixed = np.vstack([np.eye(3), np.ones(3)])
    law = Gaussian([1], [mixed @ mixed.T])
    found = gated_moments(problem(law, (AlwaysGate(),)))
    assert found.features.structure.rank == 3
    with pytest.raises(OutOfReachError, match="The rank is known in float64 alone"):
        gated_moments_certified(problem(law, (AlwaysGate(),)), 30)


@pytest.mark.parametrize("rho", [-1.0, -0.3, 0.9999])
def test_the_covariance_of_steps_is_that_of_orthants(rho):
    """Against SciPy's distribution function of two Gaussians; of two fair signs (2/pi) asin rho."""
    one = Steps(np.array([-0.3, 0.7]), np.array([1.0, 2.0]))
    other = Steps(np.array([-0.2, 0.1, 1.5]), np.array([0.5, 2.0, 1.0]))
    cov, total = [[1, rho], [rho, 1]], 0.0
    for a, D in zip(one.thresholds, one.jumps, strict=True):
        for b, E in zip(other.thresholds, other.jumps, strict=True):
            both = multivariate_normal.cdf([-a, -b], cov=cov, allow_singular=True, abseps=1e-14, releps=1e-14)
            total += D * E * (both - ndtr(-a) * ndtr(-b))
    assert abs(one.covariance(other, rho) - total) <= CONDITIONAL_SUMS
    fair = Steps(np.zeros(1), np.array([2.0]))
    assert abs(fair.covariance(fair, rho) - 2 / np.pi * np.arcsin(rho)) <= CONDITIONAL_SUMS
