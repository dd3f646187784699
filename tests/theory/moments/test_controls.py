"""Controls of a law: what they keep is kept, what they change is changed, and a missing one says why."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tolerances_of_laws import MATCHED_COVARIANCE
from theory.moments.controls import NAMES, controls, exchanged, gaussian, matched, other_copula, without_correlations
from theory.moments.copulas import copula_with, independent
from theory.moments.inputs import input_statistics
from theory.problem import (
    LAWS,
    Bars,
    Component,
    FiniteData,
    GaussianClone,
    InputError,
    Mixture,
    NonlinearGP,
    NonlinearGP2D,
    OutOfReachError,
    SinglePulse,
    StudentT,
)

LAW = NonlinearGP(9, (2, 1), 3, "open", "unit-variance", (1, 0))
RING = NonlinearGP(12, (2, 1), 1, "ring", "unit-variance", (1, 0), means=(1, "1/2"))
PULSES = SinglePulse(10, ((2, 3), (4, 5)), "zero-one", "none", (1, 0))


LAWS_OF_ALL_KINDS = {
    "ring": RING,
    "pulses": PULSES,
    "nlgp-2d": NonlinearGP2D((2, 1), 3, "open", "unit-variance", (1, 0), shape=(3, 4), means=(1, 0)),
    "ising": LAWS["ising-2d"]((2, 3), "open", (1, 0), couplings=("0.3", ("0.1", "0.2")), h=(0, "0.2")),
    "bars": Bars((3, 3), "open", ((1, 1), (2, 2)), ((1, 3), (1, 1)), "zero-one", "none", (1, 0), priors=("1/4", "3/4")),
    "finite": FiniteData([[0, 0], [1, 0], [1, 2], [3, 1], [0, 1], [2, 2], [5, 0]], [1, 1, 1, 1, 0, 0, 0]),
    "mixture": Mixture(
        [
            Component(0, "1/4", NonlinearGP(4, (1,), 1, "open", "none", (1,), means=((0, 1, 0, 2),))),
            Component(0, "3/4", GaussianClone(4, (2,), 1, "open", "none", (1,))),
        ],
        [1],
    ),
    "mnist": lambda: LAWS["mnist"]([3, 8], "train", "mean", [1, 0], downsample=14),
}


def law_named(name):
    """The law of this name; laws that read files do so here, where the files of the tests are."""
    law = LAWS_OF_ALL_KINDS[name]
    return law() if callable(law) else law


def covariances(law):
    return np.stack([input_statistics(law, c).covariance for c in range(law.classes)])


def means(law):
    return np.stack([input_statistics(law, c).mean for c in range(law.classes)])


@pytest.mark.parametrize(
    ("name", "marginal", "kurtosis"),
    [("nlgp-2d", "uniform", -1.2), ("ring", "laplace", 3.0), ("finite", "sign", -2.0), ("mixture", "logistic", 1.2)],
)
def test_matched_marginals_have_the_same_covariance(name, marginal, kurtosis):
    law = law_named(name)
    copy = matched(law, marginal)
    allowed = MATCHED_COVARIANCE * max(1, np.abs(covariances(law)).max())
    assert np.abs(covariances(copy) - covariances(law)).max() <= allowed
    assert np.abs(means(copy) - means(law)).max() <= allowed
    assert np.abs(input_statistics(copy, 0).kurtosis - kurtosis).max() <= 16 * MATCHED_COVARIANCE


def test_another_copula_keeps_the_marginal_and_changes_the_covariance():
    copy = other_copula(LAW, "exponential")
    x = np.linspace(-1, 1, 9)
    for c in (0, 1):
        one, other = (input_statistics(own, c) for own in (LAW, copy))
        assert np.array_equal(one.marginal(0).cumulative(x), other.marginal(0).cumulative(x))
        assert np.abs(one.covariance - other.covariance).max() > 1 / 100


def test_every_control_keeps_the_priors():
    unequal = replace(PULSES, priors=("1/4", "3/4"))
    laws = [one.law for one in controls(unequal, "uniform") if one.law is not None]
    assert len(laws) >= 2
    assert {law.priors for law in laws} == {unequal.priors}
    short = NonlinearGP(5, ("1/2", "1/4"), 1, "open", "unit-variance", (1, 0), priors=("1/4", "3/4"))
    assert matched(short, "uniform").priors == short.priors


def test_each_of_three_classes_gets_the_label_of_the_next():
    law = NonlinearGP(6, (2, 1, "1/2"), 1, "open", "none", (3, 5, 8))
    copy = exchanged(law)
    assert [int(label) for label in copy.labels] == [5, 8, 3]
    assert np.array_equal(covariances(copy), covariances(law))


def test_an_impossible_copula_is_refused():
    """Near signs, or values of bars, would need a latent that no covariance has; far signs need none."""
    with pytest.raises(InputError, match=r"marginals sign .*smallest eigenvalue -"):
        matched(LAW, "sign")
    with pytest.raises(InputError, match="marginals of bars"):
        other_copula(LAWS_OF_ALL_KINDS["bars"], "exponential")
    short = NonlinearGP(9, ("1/2", "1/4"), 3, "open", "unit-variance", (1, 0))
    assert np.abs(covariances(matched(short, "sign")) - covariances(short)).max() <= MATCHED_COVARIANCE


T = StudentT(4, (2, 1), "open", "unit-variance", (1, 0), 5)
REFUSED = [
    (lambda: gaussian(GaussianClone(4, (2, 1), 1, "open", "none", (1, 0))), "Gaussian already"),
    (lambda: gaussian(LAWS["gaussian"]([1], [[[1]]])), "Gaussian already"),
    (lambda: gaussian(FiniteData([[1, 0], [0, 2], [1, 1]], [1, 0, 1])), "class 1 do not vary"),
    (lambda: gaussian(replace(T, normaliser="none", dof=(2, 2))), "no finite variance"),
    (lambda: independent(T), "have densities"),
    (lambda: other_copula(T, "matern"), "have densities"),
    (lambda: other_copula(copula_with(LAWS_OF_ALL_KINDS["ising"]), "exponential"), "Gaussian already"),
    (lambda: without_correlations(independent(PULSES)), "independent already"),
    (lambda: matched(NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0)), "erf"), "already"),
    (lambda: other_copula(LAW, "gaussian"), "already"),
    (lambda: exchanged(FiniteData([[1], [2]], [1, 0])), "belong to its examples"),
]


def test_a_control_that_a_law_does_not_have_says_why():
    for ask, words in REFUSED:
        with pytest.raises(OutOfReachError, match=words):
            ask()


def test_every_name_has_a_control_or_a_reason():
    every = controls(FiniteData([[1, 0], [0, 2], [1, 1]], [1, 0, 1]))
    assert tuple(one.name for one in every) == NAMES
    assert all(one.law is None and one.why for one in every)


@pytest.mark.parametrize("name", ["ring", "pulses", "finite", "mnist", "nlgp-2d"])
def test_the_gaussian_control_keeps_mean_and_covariance_alone(name):
    law = law_named(name)
    copy = gaussian(law)
    allowed = MATCHED_COVARIANCE * max(1, np.abs(covariances(law)).max())
    assert np.abs(covariances(copy) - covariances(law)).max() <= allowed
    assert np.abs(means(copy) - means(law)).max() <= allowed
    assert copy.probabilities == law.probabilities
    assert getattr(copy, "shape", None) == getattr(law, "shape", None)
    site = np.zeros(1, dtype=int)
    one, other = (input_statistics(own, 0).fourth(site, site, site, site)[0] for own in (law, copy))
    assert abs(one - other) > other / 100
    assert abs(other - 3 * input_statistics(copy, 0).variance[0] ** 2) <= 16 * allowed * other


@pytest.mark.parametrize("name", ["ising", "finite"])
def test_a_gaussian_copula_keeps_marginals_and_covariance_alone(name):
    law = law_named(name)
    copy = other_copula(law, "exponential")
    allowed = MATCHED_COVARIANCE * max(1, np.abs(covariances(law)).max())
    assert np.abs(covariances(copy) - covariances(law)).max() <= allowed
    require_same_marginals(law, copy)


def require_same_marginals(law, copy):
    for c in range(law.classes):
        for site in range(law.n):
            one, other = (input_statistics(own, c).marginal(site) for own in (law, copy))
            assert np.array_equal(np.array(one.values, float), np.array(other.values, float))
            apart = np.array(one.probabilities, float) - np.array(other.probabilities, float)
            assert np.abs(apart).max() <= MATCHED_COVARIANCE


@pytest.mark.parametrize("name", ["nlgp-2d", "bars", "mnist"])
def test_independent_sites_keep_the_marginals(name):
    law = law_named(name)
    copy = without_correlations(law)
    for c in range(law.classes):
        one, other = (input_statistics(own, c) for own in (law, copy))
        allowed = MATCHED_COVARIANCE * max(1, one.variance.max())
        assert np.abs(other.covariance - np.diag(one.variance)).max() <= allowed
    if not law.latent:
        require_same_marginals(law, copy)
