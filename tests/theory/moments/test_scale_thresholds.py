"""Gates at thresholds on continuous scales, x = r z: against the densities of x, which name no scale."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import ndtr

from sim.measure import measure
from tests.theory.moments.definition import question
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_elliptical import ELLIPTICAL_QUADRATURE, SCALE_RULE
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.scale_rule import values_of
from theory.moments.scales import moments_of
from theory.problem import DirectionGate, InputMoment, OutOfReachError, Simulation, SiteGate
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.scales import GammaScale, StudentScale

RHO = np.exp(-1 / 4)


def asked(scale, *gates, means=(), biases="none", n=2, simulation=None):
    """One class of neighbours with the correlation exp(-1/4), x = r z itself."""
    law = Elliptical(n, (2,), scale, "open", "none", (1,), means=means)
    return question(law, *gates, biases=biases, simulation=simulation)


def student(dof):
    return {"kind": "student-t", "dof": dof}


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

    exact = np.zeros((3, 3))
    for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        ends = [low, *(edge for edge in (0, 10) if low < edge < high), high]
        parts = [
            quad(
                lambda x, i=i, j=j: weight(x) * first_site.pdf(x) * moments(x)[i, j], a, b, epsabs=1e-13, epsrel=1e-12
            )[0]
            for a, b in pairwise(ends)
        ]
        exact[i, j] = exact[j, i] = sum(parts)
    return exact


@pytest.mark.parametrize(("dof", "bounds"), [(5, ("1/2", inf)), (12, ("-3/4", "5/4")), (5, (-inf, -2))])
def test_a_site_of_a_student_t(dof, bounds):
    gate = SiteGate(0, *bounds, on="input")
    A = gated_moments(asked(student(dof), gate, biases="trained")).A[:3, :3]
    assert np.abs(A - conditional(dof, float(gate.lo), float(gate.hi))).max() < ELLIPTICAL_QUADRATURE


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


@pytest.mark.parametrize("shape", ["1/2"])
def test_a_site_of_a_k_distribution(shape):
    """E[1[r z >= h] r^2 z^2] and P(r z >= h): integrals over z of the tails of r and of E[r^2; r]."""
    found = gated_moments(asked({"kind": "gamma", "shape": shape}, SiteGate(0, lo="1/2", on="input"), biases="trained"))
    k = float(GammaScale(shape).shape)
    own = stats.gamma(k, scale=1 / k)

    def beyond(z):
        """P(r >= 1/(2 z)) and E[r^2; r >= 1/(2 z)]."""
        least = 1 / (4 * z * z)
        return own.sf(least), stats.gamma(k + 1, scale=1 / k).sf(least)

    share = quad(lambda z: stats.norm.pdf(z) * beyond(z)[0], 0, 12, epsabs=1e-13, limit=400)[0]
    square = quad(lambda z: stats.norm.pdf(z) * z * z * beyond(z)[1], 0, 12, epsabs=1e-13, limit=400)[0]
    spread = quad(lambda z: stats.norm.pdf(z) * beyond(z)[1], 0, 12, epsabs=1e-13, limit=400)[0]
    assert abs(found.A[2, 2] - share) < ELLIPTICAL_QUADRATURE
    assert abs(found.A[0, 0] - square) < ELLIPTICAL_QUADRATURE
    assert abs(found.A[1, 1] - RHO**2 * square - (1 - RHO**2) * spread) < ELLIPTICAL_QUADRATURE


@pytest.mark.parametrize("scale", [StudentScale(5), StudentScale(200), GammaScale("1/2"), GammaScale(20)], ids=str)
def test_the_values_of_r_have_its_moments(scale):
    r, p = values_of(scale)
    exact = moments_of(scale, 2)
    for power, moment in ((0, 1), (2, exact.second)):
        assert abs(p @ r**power / float(moment) - 1) < SCALE_RULE


@pytest.mark.slow
def test_simulated_gates_have_these_moments():
    gates = (
        SiteGate(0, lo="1/2", on="input"),
        SiteGate(1, lo="-1/2", hi=1, on="input", sharpness=2),
        DirectionGate({0: 1, 2: -2}, lo=-1, hi=1, on="input"),
    )
    heavy, plain = (
        asked(scale, *gates, n=3, simulation=Simulation("online", 20_000, "1/2", 24, 5, 10))
        for scale in (student(12), "gaussian")
    )
    found = measure(InputMoment(), heavy)
    assert (np.abs(found.mean - gated_moments(heavy).sigma_xx) <= STANDARD_ERRORS * found.standard_error).all()
    assert (np.abs(found.mean - gated_moments(plain).sigma_xx) > STANDARD_ERRORS * found.standard_error).any()


def test_what_has_no_rule_is_named():
    gate = SiteGate(0, lo="1/2", on="input")
    with pytest.raises(OutOfReachError, match="no exact moments on a sphere: its r is a function of z"):
        gated_moments(asked("sphere", gate))
    with pytest.raises(OutOfReachError, match=r"integrals over a continuous scale r.*without a certified error"):
        _ = gated_moments_certified(asked("laplace", gate), 20).A
    with pytest.raises(OutOfReachError, match="infinite variance"):
        gated_moments(asked(student(2), gate))
