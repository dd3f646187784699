"""Mixtures: statistics and moments through gates as sums over the components, and what does not add up."""

from fractions import Fraction

import numpy as np
import pytest

from tests.sim.data.laws.mixture import of_pulses
from tests.theory.moments.definition import question
from tests.tolerances_of_elliptical import MIXTURE_SUM
from theory.flow import solve
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.inputs import input_statistics
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    FiniteData,
    GaussianClone,
    NonlinearGP,
    OutOfReachError,
    SinglePulse,
    SiteGate,
)
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.mixture import Component, Mixture
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix

UP, TILTED = SiteGate(1, lo=0, on="input"), DirectionGate({0: 1, 3: -1}, lo=0, on="input")


def clone(xi, label, kind=GaussianClone, **other):
    return kind(6, (xi,), 2, "open", "unit-variance", (label,), **other)


def two_classes(kind=NonlinearGP, means=False):
    """In class 0 two processes, in class 1 one; means move one component."""
    moved = {"means": (("1/2", 0, 0, 1, 0, -1),)} if means else {}
    parts = (
        Component(0, "1/4", clone(2, 1, kind, **moved)),
        Component(0, "3/4", clone(1, 1)),
        Component(1, 1, clone(3, "1/3", kind)),
    )
    return Mixture(parts, (1, "1/3"), priors=("2/5", "3/5"))


@pytest.mark.parametrize(
    ("means", "gates", "biases"),
    [
        (False, (UP, TILTED), "none"),
        (True, (UP, AlwaysGate()), "trained"),
        (True, (SiteGate(1, lo="1/2", on="input"), AlwaysGate()), "none"),
    ],
)
def test_moments_are_the_sums_over_the_components(means, gates, biases):
    """Of a process with a latent and of clones, in float64 and certified; gates at 0 that the means of one move."""
    law = two_classes(means=means)
    found = gated_moments(question(law, *gates, biases=biases))
    each = [(share, gated_moments(question(own, *gates, biases=biases))) for share, own in law.parts]
    assert np.abs(found.A - sum(float(share) * own.A for share, own in each)).max() <= MIXTURE_SUM
    assert np.abs(found.b - sum(float(share) * own.b for share, own in each)).max() <= MIXTURE_SUM
    balls = gated_moments_certified(question(law, *gates, biases=biases), 20)
    assert np.abs(found.A - balls.A.astype(float)).max() <= MIXTURE_SUM
    assert abs(float(balls.y2) - found.y2) <= MIXTURE_SUM


def test_equal_components_are_the_law_itself():
    """Also its solution, with the rank and the kernels of the ring that the DFT diagonalises."""
    one = GaussianClone(6, (1, "1/2"), 2, "ring", "unit-variance", (1, 0))
    parts = [
        Component(c, share, GaussianClone(6, (one.xi[c],), 2, "ring", "unit-variance", (one.labels[c],)))
        for c in (0, 1)
        for share in ("1/3", "2/3")
    ]
    problems = [question(law, UP, SiteGate(1, hi=0, on="input")) for law in (one, Mixture(parts, (1, 0)))]
    own, mixture = (gated_moments(problem) for problem in problems)
    assert np.abs(own.A - mixture.A).max() <= MIXTURE_SUM
    assert own.features.structure == mixture.features.structure
    assert mixture.features.structure.circulant
    weights = [solve(problem).at(1.0) for problem in problems]
    assert np.abs(weights[0] - weights[1]).max() <= MIXTURE_SUM


def test_pulses_are_mixed_as_fractions():
    """Against the same pulses one by one, each with its probability."""
    law = of_pulses("1/4")
    rows, weights, labels = [], [], []
    for share, part in law.parts:
        (ends,) = part.widths
        pulses = [
            [sign * (1 if (j - start) % 7 < width else -1) for j in range(7)]
            for width in range(ends[0], ends[1] + 1)
            for start in range(7)
            for sign in ((1, -1) if part.flip == "sign" else (1,))
        ]
        rows += pulses
        weights += [share / len(pulses)] * len(pulses)
        labels += [1] * len(pulses)
    finite = FiniteData(rows, labels, weights=weights)
    one, other = (gated_moments(question(own, UP, AlwaysGate())) for own in (law, finite))
    assert (one.A == other.A).all()
    assert (one.b == other.b).all()
    first, second = (input_statistics(own, 0) for own in (law, finite))
    i, j, k = np.arange(7), np.zeros(7, int), np.full(7, 3)
    assert np.abs(first.covariance - second.covariance).max() <= MIXTURE_SUM
    assert np.abs(first.fourth(i, j, k, i) - second.fourth(i, j, k, i)).max() <= MIXTURE_SUM
    values, other = (statistics.marginal(2) for statistics in (first, second))
    assert values.values == other.values
    assert np.abs(np.array(values.probabilities, float) - np.array(other.probabilities, float)).max() <= MIXTURE_SUM


def test_statistics_contain_the_distance_between_the_means():
    """Two clusters at +-m of one Gaussian: the covariance is C + m m^T and the odd moments vanish by symmetry."""
    m = np.array([1.0, 0, 0, -2, 0, 0.5])
    clusters = [clone(2, 1, means=(tuple(Fraction(x) * side for x in m.tolist()),)) for side in (1, -1)]
    law = Mixture([Component(0, "1/2", own) for own in clusters], (1,))
    found, C = input_statistics(law, 0), input_statistics(clusters[0], 0).covariance
    assert np.abs(found.covariance - C - np.outer(m, m)).max() <= MIXTURE_SUM
    assert np.abs(found.third(np.zeros(6, int), np.full(6, 3), np.arange(6))).max() <= MIXTURE_SUM
    x, (low, high) = np.array([-1.0, 0.3, 4.0]), (input_statistics(own, 0).marginal(0) for own in clusters)
    apart = found.marginal(0).density(x) - (low.density(x) + high.density(x)) / 2
    assert np.abs(apart).max() <= MIXTURE_SUM
    v, fourth = found.variance[0], 3 * C[0, 0] ** 2 + 6 * C[0, 0] * m[0] ** 2 + m[0] ** 4
    assert abs(found.kurtosis[0] * v**2 + 3 * v**2 - fourth) <= MIXTURE_SUM
    assert not found.alike


def test_singular_components_have_the_rank_of_float64():
    """Sites 0 and 1 are equal in every component, so that each open gate has one feature less."""
    same = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    parts = [
        Component(0, "1/2", Gaussian([1], [same])),
        Component(0, "1/2", NonlinearGPMatrix("erf", [1], [same], [[2, 2, 1]])),
    ]
    gate = SiteGate(2, lo=0, on="input")
    assert gated_moments(question(Mixture(parts, (1,)), gate, biases="trained")).features.structure.rank == 4


def test_what_does_not_add_up_is_refused_by_name():
    pulse = SinglePulse(6, (((1, 2)),), "zero-one", "none", (1,))
    law = Mixture([Component(0, "1/2", clone(1, 1)), Component(0, "1/2", pulse)], (1,))
    with pytest.raises(OutOfReachError, match="moments of different forms"):
        gated_moments(question(law, UP))
    with pytest.raises(OutOfReachError, match="Some components have a density"):
        input_statistics(law, 0).marginal(0)
    round_one = Elliptical(6, (2,), "sphere", "open", "unit-variance", (1,))
    law = Mixture([Component(0, "1/2", clone(1, 1, means=(1,))), Component(0, "1/2", round_one)], (1,))
    with pytest.raises(OutOfReachError, match="on a sphere: its r is a function of z"):
        gated_moments(question(law, UP))
