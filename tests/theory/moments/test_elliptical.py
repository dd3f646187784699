"""Elliptical laws against integrals of their definition: over the scale, the length and the angle of two sites."""

import numpy as np
import pytest
from scipy.stats import chi2, gamma

from tests.tolerances import UNIT_ROUNDOFF
from tests.tolerances_of_elliptical import ELLIPTICAL_QUADRATURE, MARGINAL_INTEGRAL
from theory.moments import feature_moments, gated_moments, gated_moments_certified
from theory.moments.arithmetic import FLOAT64, certified
from theory.moments.feature_moments import exactly, second_moments
from theory.moments.inputs import input_statistics
from theory.moments.relu_gates import clt, exact_moment
from theory.moments.scales import moments_of
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    GaussianClone,
    Network,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    SiteGate,
    Training,
)
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.student_t import StudentT
from theory.problem.scales import read_scale

SCALES = {
    "gaussian": "gaussian",
    "student-t": {"kind": "student-t", "dof": 9},
    "laplace": "laplace",
    "gamma": {"kind": "gamma", "shape": "5/2"},
    "contaminated": {"kind": "contaminated", "share": ".1", "ratio": 3},
    "sphere": "sphere",
}
EVERY_SCALE = pytest.mark.parametrize("kind", SCALES)
NORMALISERS = pytest.mark.parametrize("normaliser", ["none", "unit-variance"])


def law_of(kind, normaliser="none", n=2, **other):
    return Elliptical(n, (2, 1), SCALES[kind], "open", normaliser, (1, "1/3"), **other)


def gated(law, *gates, biases="none"):
    starts = {"hidden_bias0": (0,) * len(gates), "output_bias0": 0} if biases == "trained" else {}
    training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,), **starts)
    return Problem(law, Network("gated-linear", "mean", len(gates), gates, biases), training)


def nodes(low, high, count=80):
    """Gauss-Legendre nodes and weights on an interval."""
    x, weight = np.polynomial.legendre.leggauss(count)
    return (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * weight


def scale_nodes(kind, count=80):
    """Values of r = rate(V) with weights of the density of V, by the definition of the scale; None for the sphere."""
    if kind == "student-t":
        t, weight = nodes(0, 14, count)
        return 3 / t, weight * chi2.pdf(t * t, 9) * 2 * t
    if kind in ("laplace", "gamma"):
        shape = {"laplace": 1, "gamma": 2.5}[kind]
        t, weight = nodes(0, 9, count)
        return t / np.sqrt(shape), weight * gamma.pdf(t * t, shape) * 2 * t
    return {
        "gaussian": (np.ones(1), np.ones(1)),
        "contaminated": (np.array([1.0, 3.0]), np.array([0.9, 0.1])),
        "sphere": (None, None),
    }[kind]


def points(kind, correlation, breaks):
    """Points x of two sites and their probabilities: x = r s L u(phi), phi in pieces between the angles `breaks`."""
    factor = np.linalg.cholesky(np.array([[1, correlation], [correlation, 1]]))
    edges = np.sort(np.mod(breaks, 2 * np.pi))
    pieces = [nodes(a, b, 40) for a, b in zip(edges, [*edges[1:], edges[0] + 2 * np.pi], strict=True)]
    phi, share = (np.concatenate(part) for part in zip(*pieces, strict=True))
    on_circle = np.stack([np.cos(phi), np.sin(phi)], axis=1) @ factor.T
    r, weight = scale_nodes(kind)
    if r is None:
        return np.sqrt(2) * on_circle, share / (2 * np.pi)
    s, density = nodes(0, 12)
    radius = np.multiply.outer(r, s).ravel()
    p = np.multiply.outer(weight, density * s * np.exp(-s * s / 2)).ravel()
    x = (radius[:, None, None] * on_circle).reshape(-1, 2)
    return x, np.multiply.outer(p, share).ravel() / (2 * np.pi)


def breaks_of(correlation, directions):
    """The angles phi at which v.L u(phi) changes its sign, for each direction v."""
    factor = np.linalg.cholesky(np.array([[1, correlation], [correlation, 1]]))
    angles = [np.arctan2(*(factor.T @ np.array(v, float))[[1, 0]]) for v in directions]
    return np.array([angle + turn for angle in angles for turn in (np.pi / 2, -np.pi / 2)])


@EVERY_SCALE
@NORMALISERS
def test_moments_through_half_spaces_are_the_integrals(kind, normaliser):
    """Two gates, a site and a direction, on two sites: all of A and b, in float64 and certified."""
    law, directions = law_of(kind, normaliser), ((1, 0), (1, -2))
    problem = gated(law, SiteGate(0, lo=0, on="input"), DirectionGate({0: 1, 1: -2}, lo=0, on="input"))
    A, b = np.zeros((4, 4)), np.zeros(4)
    for xi, label in ((2, 1), (1, 1 / 3)):
        rho = np.exp(-1 / xi**2)
        x, p = points(kind, rho, breaks_of(rho, directions))
        scale = np.sqrt(p @ x[:, 0] ** 2) if normaliser == "unit-variance" else 1.0
        features = np.concatenate([(x @ np.array(v) >= 0)[:, None] * x / scale for v in directions], axis=1)
        A += (features * p[:, None]).T @ features / 2
        b += label * (p @ features) / 2
    found, balls = gated_moments(problem), gated_moments_certified(problem, 20)
    assert np.abs(found.A - A).max() < ELLIPTICAL_QUADRATURE
    assert np.abs(found.b - b).max() < ELLIPTICAL_QUADRATURE
    assert np.abs(found.A - balls.A.astype(float)).max() <= 8 * UNIT_ROUNDOFF
    assert np.abs(found.b - balls.b.astype(float)).max() <= 8 * UNIT_ROUNDOFF


@EVERY_SCALE
@NORMALISERS
def test_statistics_of_inputs_are_the_integrals(kind, normaliser):
    statistics = input_statistics(law_of(kind, normaliser), 0)
    x, p = points(kind, np.exp(-1 / 4), [0.0])
    x = x / (np.sqrt(p @ x[:, 0] ** 2) if normaliser == "unit-variance" else 1.0)
    assert abs(p.sum() - 1) < ELLIPTICAL_QUADRATURE
    assert np.abs((x * p[:, None]).T @ x - statistics.covariance).max() < ELLIPTICAL_QUADRATURE
    for sites in ((0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 1, 1)):
        exact = statistics.fourth(*sites)
        assert abs(p @ np.prod(x[:, sites], axis=1) - exact) < ELLIPTICAL_QUADRATURE * exact


@EVERY_SCALE
@pytest.mark.parametrize("n", [2, 3, 8])
def test_moments_of_the_scale_are_the_integrals(kind, n):
    """E r^p/(E r^2)^(p/2); on the sphere |x| is fixed, and x_1 = sqrt(n) cos(t) with the density sin(t)^(n-2)."""
    found = moments_of(read_scale(SCALES[kind], "scale"), n)
    if kind == "sphere":
        t, weight = nodes(0, np.pi)
        weight = weight * np.sin(t) ** (n - 2)
        size = np.abs(np.sqrt(n) * np.cos(t))
        fourth = (weight @ size**4) / weight.sum() / 3  # over E z^4 = 3
        s, density = nodes(0, np.pi / 2)
        first = np.sqrt(n) * (density @ (np.cos(s) * np.sin(s) ** (n - 2))) / (density @ np.sin(s) ** (n - 2))
        first /= np.sqrt(2 / np.pi)  # over E|z|
    else:
        r, weight = scale_nodes(kind)
        second = weight @ r**2
        first, fourth = weight @ r / np.sqrt(second), weight @ r**4 / second**2
    assert abs(float(found.first_over_root(FLOAT64)) - first) < ELLIPTICAL_QUADRATURE
    assert abs(float(found.fourth / found.second**2) - fourth) < ELLIPTICAL_QUADRATURE * fourth
    assert abs(float(found.excess_kurtosis) - 3 * (fourth - 1)) < 3 * ELLIPTICAL_QUADRATURE * fourth
    ball = found.first_over_root(certified())
    assert abs(float(ball) - float(found.first_over_root(FLOAT64))) <= 4 * UNIT_ROUNDOFF


@pytest.mark.parametrize("gate", [SiteGate(0, lo="1/2", on="input"), SiteGate(0, lo=0, on="input")])
def test_thresholds_of_discrete_scales_are_sums_of_gaussian_integrals(gate):
    """A threshold, and one that class means move: an integral over x_0 for each value of r, biases included."""
    means = ((0, 0), (0, 0)) if gate.lo else (("1/4", -1), (0, "1/2"))
    law = law_of("contaminated", "unit-variance", means=means, priors=(".3", ".7"))
    found = gated_moments(gated(law, gate, biases="trained"))
    A, b = np.zeros((4, 4)), np.zeros(4)
    second = 0.9 + 0.1 * 9
    for c, (prior, xi, label) in enumerate(((0.3, 2, 1), (0.7, 1, 1 / 3))):
        m, rho = np.array(law.means[c] if law.means else (0, 0), float), np.exp(-1 / xi**2)
        for share, r in ((0.9, 1 / np.sqrt(second)), (0.1, 3 / np.sqrt(second))):
            low = float(gate.lo) - m[0]
            x0, weight = nodes(low, max(low, 0) + 12 * r, 120)
            p = prior * share * weight * np.exp(-((x0 / r) ** 2) / 2) / (r * np.sqrt(2 * np.pi))
            mean = np.stack([x0 + m[0], rho * x0 + m[1], np.ones_like(x0)])  # of (x_0, x_1, 1) given x_0
            A[:3, :3] += (mean * p) @ mean.T
            A[1, 1] += p.sum() * r * r * (1 - rho**2)
            b[:3] += label * mean @ p
    A[:3, 3] = A[3, :3] = A[:3, 2]  # the feature of the output's bias is 1
    A[3, 3], b[3] = 1.0, 0.3 + 0.7 / 3
    assert np.abs(found.A - A).max() < ELLIPTICAL_QUADRATURE
    assert np.abs(found.b - b).max() < ELLIPTICAL_QUADRATURE


@pytest.mark.parametrize("kind", ["student-t", "laplace", "gamma", "contaminated", "sphere"])
@NORMALISERS
def test_the_marginal_is_the_integral_of_its_density_and_has_the_variance(kind, normaliser):
    law = law_of(kind, normaliser, n=5)
    marginal = input_statistics(law, 0).marginal(0)

    def integral(power, high):
        """The integral of x^power p(x) from 0 to `high`, over panels that double."""
        edges = np.concatenate([[0.0], high * 2.0 ** np.arange(-20, 1)])
        x, weight = (np.concatenate(part) for part in zip(*map(nodes, edges[:-1], edges[1:]), strict=True))
        return (weight * x**power) @ marginal.density(x)

    for x in (-1.3, 0.4, 2.0):
        below = 0.5 + np.sign(x) * integral(0, abs(x))
        assert abs(below - marginal.cumulative(np.array([x]))[0]) < MARGINAL_INTEGRAL
    variance = 2 * integral(2, min(marginal.high, 1e4))
    assert abs(variance - input_statistics(law, 0).variance[0]) < MARGINAL_INTEGRAL


def test_the_marginal_is_that_of_the_scale():
    """P(x <= a) = E Phi(a/r) over the nodes of r, and on the sphere in three dimensions a uniform law."""
    from scipy.special import ndtr

    for kind in ("student-t", "laplace", "gamma", "contaminated"):
        r, weight = scale_nodes(kind, 400)  # Phi(a/r) is steep at small r
        x = np.array([-2.0, -0.5, 0.7, 3.0])
        expected = weight @ ndtr(x / r[:, None])
        found = input_statistics(law_of(kind), 0).marginal(0).cumulative(x)
        assert np.abs(found - expected).max() < MARGINAL_INTEGRAL
    uniform = input_statistics(law_of("sphere", n=3), 0).marginal(0)
    ends = np.array([-2.0, -1.0, 1.0, 2.0]) * np.sqrt(3) / 2
    assert np.abs(uniform.cumulative(ends) - (ends / np.sqrt(3) + 1) / 2).max() < MARGINAL_INTEGRAL


def test_a_single_scale_has_the_moments_of_the_gaussian_clone():
    """The clone at a small gain is the Gaussian of this law up to the gain squared: through thresholds too."""
    clone = GaussianClone(5, (2, 1), "1e-6", "open", "unit-variance", (1, "1/3"))
    gates = SiteGate(1, lo="1/2", on="input"), DirectionGate({0: 1, 3: -2}, lo=-1, hi=2, on="input")
    one = gated_moments(gated(law_of("gaussian", "unit-variance", n=5), *gates))
    other = gated_moments(gated(clone, *gates))
    assert np.abs(one.A - other.A).max() < ELLIPTICAL_QUADRATURE
    assert np.abs(one.b - other.b).max() < ELLIPTICAL_QUADRATURE


def test_the_student_t_is_the_elliptical_law_of_its_scale():
    own = StudentT(6, (2, 1), "open", "unit-variance", (1, "1/3"), 9)
    gates = SiteGate(1, lo=0, on="input"), AlwaysGate()
    one, other = (gated_moments(gated(law, *gates)) for law in (own, law_of("student-t", "unit-variance", n=6)))
    assert (one.A == other.A).all()
    assert (one.b == other.b).all()
    assert (exactly(second_moments, own)(own, FLOAT64) == one.covariances).all()
    assert feature_moments(own, gated(own, *gates).network).structure.rank == 12


def test_a_gate_along_any_direction_has_the_exact_moment_and_the_bussgang_value_is_larger():
    """E[1[w.x >= 0] x] is that of the Gaussian of equal covariance times E r/sqrt(E r^2)."""
    law = law_of("student-t", "unit-variance", n=6)
    w = [1, 2, 0, -1, 1, 0]
    exact, gaussian = exact_moment(law, 0, w), clt(law, 0, w)
    ratio = float(moments_of(law.scale[0], 6).first_over_root(FLOAT64))
    assert exact.exact
    assert not gaussian.exact
    assert np.abs(exact.value - ratio * gaussian.value).max() <= 16 * UNIT_ROUNDOFF
    assert ratio < 1


@pytest.mark.parametrize(
    ("dof", "ask", "said"),
    [
        (4, lambda s: s.kurtosis, "no finite fourth moments, and so no kurtosis"),
        (3, lambda s: s.skewness, "no finite third moments"),
        (2, lambda s: s.covariance, "no finite variance"),
        (1, lambda s: s.mean, "no finite mean"),
    ],
)
def test_infinite_moments_are_named(dof, ask, said):
    law = StudentT(3, (2, 1), "open", "none", (1, 0), dof)
    with pytest.raises(OutOfReachError, match=said) as caught:
        ask(input_statistics(law, 0))
    assert f"Use at least {dof + 1} degrees" in caught.value.hint
    assert input_statistics(law, 0).marginal(0).cumulative(np.zeros(1)).tolist() == [0.5]


def test_an_infinite_variance_has_no_moments_through_gates():
    law = StudentT(3, (2, 1), "open", "none", (1, 0), 2)
    with pytest.raises(OutOfReachError, match="infinite variance in class 0"):
        gated_moments(gated(law, AlwaysGate()))
