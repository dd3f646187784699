"""Gates at thresholds on continuous scales, x = r z: against the densities of x, which name no scale."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad_vec
from scipy.special import gammaincc, ndtr

from tests.theory.moments.definition import question
from tests.tolerances_of_elliptical import ELLIPTICAL_QUADRATURE, SCALE_RULE
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.scale_rule import values_of
from theory.moments.scales import moments_of
from theory.problem import OutOfReachError, SiteGate
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.scales import GammaScale, StudentScale

RHO = np.exp(-1 / 4)


def asked(scale, *gates, means=(), biases="none", n=2, simulation=None):
    """One class of neighbours with the correlation exp(-1/4), x = r z itself."""
    law = Elliptical(n, (2,), scale, "open", "none", (1,), means=means)
    return question(law, *gates, biases=biases, simulation=simulation)


def student(dof):
    return {"kind": "student-t", "dof": dof}


def integral(function, low, high):
    return quad_vec(function, low, high, epsabs=1e-13, epsrel=1e-12)[0]


def conditional(dof, low, high, others=(-inf, inf), weight=lambda x: 1):
    """The sums of weight(x_0) (x_0, x_1, 1)(x_0, x_1, 1)' over low <= x_0 < high, x_1 in `others`.

    x_0 is a Student t, and x_1 given x_0 is rho x_0 + a Student t of one more degree of freedom, with the squared scale
    (1 - rho^2)(dof + x_0^2)/(dof + 1).
    """
    first_site, rest = stats.t(dof), stats.t(dof + 1)

    def moments(x):
        spread = np.sqrt((1 - RHO**2) * (dof + x * x) / (dof + 1))
        ends = [(bound - RHO * x) / spread for bound in others]
        share = np.diff(rest.cdf(ends))[0]
        # int t p(t) dt = -(nu + t^2)/(nu - 1) p(t), and t^2 p(t) by parts, of a Student t with nu degrees of freedom.
        nu = dof + 1
        edge = [0.0 if np.isinf(t) else (nu + t * t) / (nu - 1) * rest.pdf(t) for t in ends]
        first = edge[0] - edge[1]
        turned = [0.0 if np.isinf(t) else t * e for t, e in zip(ends, edge, strict=True)]
        second = ((turned[0] - turned[1]) * (nu - 1) + nu * share) / (nu - 2)
        one = RHO * x * share + spread * first
        two = (RHO * x) ** 2 * share + 2 * RHO * x * spread * first + spread**2 * second
        return np.array([[x * x * share, x * one, x * share], [x * one, two, one], [x * share, one, share]])

    ends = [low, *(edge for edge in (0, 10) if low < edge < high), high]
    return sum(integral(lambda x: weight(x) * first_site.pdf(x) * moments(x), a, b) for a, b in pairwise(ends))


def test_a_site_of_a_student_t():
    A = gated_moments(asked(student(5), SiteGate(0, "-3/4", "5/4", "input"), biases="trained")).A[:3, :3]
    assert np.abs(A - conditional(5, -0.75, 1.25)).max() < ELLIPTICAL_QUADRATURE


@pytest.mark.slow
def test_a_soft_gate_at_a_site_of_a_student_t():
    gate = SiteGate(0, -1, "1/2", "input", sharpness=2)
    A = gated_moments(asked(student(12), gate, biases="trained")).A[:3, :3]
    exact = conditional(12, -inf, inf, weight=lambda x: (ndtr(2 * (x + 1)) - ndtr(2 * (x - 0.5))) ** 2)
    assert np.abs(A - exact).max() < ELLIPTICAL_QUADRATURE


@pytest.mark.slow
def test_two_sites_of_a_student_t():
    gates = SiteGate(0, lo="1/2", on="input"), SiteGate(1, lo="-1/3", hi=1, on="input")
    found = gated_moments(asked(student(5), *gates))
    exact = conditional(5, 0.5, inf, (-1 / 3, 1.0))
    assert np.abs(found.sigma_xx[0, 1] - exact[:2, :2]).max() < ELLIPTICAL_QUADRATURE


def test_a_class_mean_moves_a_threshold():
    found = gated_moments(asked(student(5), SiteGate(0, lo=0, on="input"), means=(("1/4", 0),), biases="trained"))
    exact = conditional(5, -0.25, inf)
    moved = np.array([[1, 0, 0.25], [0, 1, 0], [0, 0, 1]])
    assert np.abs(found.A[:3, :3] - moved @ exact @ moved.T).max() < ELLIPTICAL_QUADRATURE


@pytest.mark.slow
def test_a_site_of_a_k_distribution():
    """E[1[r z >= h] r^2 z^2] and P(r z >= h): integrals over z of the tails of r and of E[r^2; r]."""
    found = gated_moments(asked({"kind": "gamma", "shape": "1/2"}, SiteGate(0, lo="1/2", on="input"), biases="trained"))

    def tails(z):
        """P(r >= 1/(2 z)), z^2 E[r^2; r >= 1/(2 z)] and E[r^2; r >= 1/(2 z)], times the density of z."""
        least = 1 / (8 * z * z) if z else np.inf
        share, square = gammaincc([0.5, 1.5], least)
        return stats.norm.pdf(z) * np.array([share, z * z * square, square])

    share, square, spread = integral(tails, 0, 12)
    assert abs(found.A[2, 2] - share) < ELLIPTICAL_QUADRATURE
    assert abs(found.A[0, 0] - square) < ELLIPTICAL_QUADRATURE
    assert abs(found.A[1, 1] - RHO**2 * square - (1 - RHO**2) * spread) < ELLIPTICAL_QUADRATURE


@pytest.mark.parametrize("scale", [StudentScale(5), StudentScale(200), GammaScale("1/2"), GammaScale(20)], ids=str)
def test_the_values_of_r_have_its_moments(scale):
    r, p = values_of(scale)
    exact = moments_of(scale, 2)
    for power, moment in ((0, 1), (2, exact.second)):
        assert abs(p @ r**power / float(moment) - 1) < SCALE_RULE


def test_what_has_no_rule_is_named():
    gate = SiteGate(0, lo="1/2", on="input")
    with pytest.raises(OutOfReachError, match="no exact moments on a sphere: its r is a function of z"):
        gated_moments(asked("sphere", gate))
    with pytest.raises(OutOfReachError, match=r"integrals over a continuous scale r.*without a certified error"):
        _ = gated_moments_certified(asked("laplace", gate), 20).A
    with pytest.raises(OutOfReachError, match="infinite variance"):
        gated_moments(asked(student(2), gate))
