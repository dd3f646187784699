"""Elliptical laws against integrals of their definition: over the scale, the length and the angle of two sites."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chi2, gamma, norm

from tests.theory.moments.definition import question
from tests.tolerances import UNIT_ROUNDOFF
from tests.tolerances_of_elliptical import ELLIPTICAL_QUADRATURE, MARGINAL_INTEGRAL
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.arithmetic import FLOAT64
from theory.moments.inputs import input_statistics
from theory.moments.relu_gates import clt, exact_moment
from theory.moments.scales import moments_of
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    OutOfReachError,
    SiteGate,
)
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.student_t import StudentT

SCALES = {
    "gaussian": "gaussian",
    "student-t": {"kind": "student-t", "dof": 9},
    "laplace": "laplace",
    "gamma": {"kind": "gamma", "shape": "5/2"},
    "contaminated": {"kind": "contaminated", "share": ".1", "ratio": 3},
    "sphere": "sphere",
}
CASES = [*zip(SCALES, ("none", "unit-variance") * 3, strict=True)]


def law_of(kind, normaliser="none", n=2, **other):
    return Elliptical(n, (2, 1), SCALES[kind], "open", normaliser, (1, "1/3"), **other)


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


@pytest.mark.parametrize(("kind", "normaliser"), CASES[1::2])
def test_moments_through_half_spaces_are_the_integrals(kind, normaliser):
    """Two gates, a site and a direction, on two sites: all of A and b, in float64 and certified."""
    law, directions = law_of(kind, normaliser), ((1, 0), (1, -2))
    problem = question(law, SiteGate(0, lo=0, on="input"), DirectionGate({0: 1, 1: -2}, lo=0, on="input"))
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


@pytest.mark.parametrize(("kind", "normaliser"), CASES)
def test_statistics_of_inputs_are_the_integrals(kind, normaliser):
    statistics = input_statistics(law_of(kind, normaliser), 0)
    x, p = points(kind, np.exp(-1 / 4), [0.0])
    x = x / (np.sqrt(p @ x[:, 0] ** 2) if normaliser == "unit-variance" else 1.0)
    assert abs(p.sum() - 1) < ELLIPTICAL_QUADRATURE
    assert np.abs((x * p[:, None]).T @ x - statistics.covariance).max() < ELLIPTICAL_QUADRATURE
    for sites in ((0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 1, 1)):
        exact = statistics.fourth(*sites)
        assert abs(p @ np.prod(x[:, sites], axis=1) - exact) < ELLIPTICAL_QUADRATURE * exact


def test_the_marginal_is_that_of_the_scale():
    """P(x <= a) = E Phi(a/r) over the nodes of r, and on the sphere in three dimensions a uniform law."""
    for kind in ("student-t", "laplace", "gamma", "contaminated"):
        r, weight = scale_nodes(kind, 400)  # Phi(a/r) is steep at small r
        x = np.array([-2.0, -0.5, 0.7, 3.0])
        marginal = input_statistics(law_of(kind), 0).marginal(0)
        assert np.abs(marginal.cumulative(x) - weight @ ndtr(x / r[:, None])).max() < MARGINAL_INTEGRAL
        density = weight @ (norm.pdf(x / r[:, None]) / r[:, None])
        assert np.abs(marginal.density(x) - density).max() < MARGINAL_INTEGRAL
    uniform = input_statistics(law_of("sphere", n=3), 0).marginal(0)
    ends = np.array([-2.0, -1.0, 1.0, 2.0]) * np.sqrt(3) / 2
    assert np.abs(uniform.density(ends[1:3]) - 1 / np.sqrt(12)).max() < MARGINAL_INTEGRAL
    assert np.abs(uniform.cumulative(ends) - (ends / np.sqrt(3) + 1) / 2).max() < MARGINAL_INTEGRAL


def test_a_gate_along_any_direction_has_the_exact_moment_and_the_bussgang_value_is_larger():
    """E[1[w.x >= 0] x] is that of the Gaussian of equal covariance times E r/sqrt(E r^2)."""
    law = law_of("student-t", "unit-variance", n=6)
    w = [1, 2, 0, -1, 1, 0]
    exact, gaussian = exact_moment(law, 0, w), clt(law, 0, w)
    ratio = float(moments_of(law.scale[0], 6).first_over_root(FLOAT64))
    assert (exact.exact, gaussian.exact) == (True, False)
    assert np.abs(exact.value - ratio * gaussian.value).max() <= 16 * UNIT_ROUNDOFF
    assert ratio < 1


@pytest.mark.parametrize(
    ("dof", "ask"),
    [(4, lambda s: s.kurtosis), (3, lambda s: s.skewness), (2, lambda s: s.covariance), (1, lambda s: s.mean)],
)
def test_infinite_moments_are_named(dof, ask):
    """One more degree of freedom makes them finite."""
    for degrees in (dof, dof + 1):
        statistics = input_statistics(StudentT(3, (2, 1), "open", "none", (1, 0), degrees), 0)
        if degrees > dof:
            ask(statistics)
            continue
        with pytest.raises(OutOfReachError, match="no finite") as caught:
            ask(statistics)
        assert f"Use at least {dof + 1} degrees" in caught.value.hint
        assert statistics.marginal(0).cumulative(np.zeros(1)).tolist() == [0.5]


def test_an_infinite_variance_has_no_moments_through_gates():
    law = StudentT(3, (2, 1), "open", "none", (1, 0), 2)
    with pytest.raises(OutOfReachError, match="infinite variance in class 0"):
        gated_moments(question(law, AlwaysGate()))
