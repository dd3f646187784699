"""Controls of a law: what they keep is kept, what they change is changed, and a missing one says why."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tolerances_of_laws import MATCHED_COVARIANCE
from theory.moments.controls import NAMES, controls, exchanged, gaussian, matched, other_copula
from theory.moments.inputs import Values, input_statistics
from theory.problem import FiniteData, GaussianClone, InputError, NonlinearGP, OutOfReachError, SinglePulse

LAW = NonlinearGP(9, (2, 1), 3, "open", "unit-variance", (1, 0))
RING = NonlinearGP(12, (2, 1), 1, "ring", "unit-variance", (1, 0), means=(1, "1/2"))
PULSES = SinglePulse(10, ((2, 3), (4, 5)), "zero-one", "none", (1, 0))


def covariances(law):
    return np.stack([input_statistics(law, c).covariance for c in range(law.classes)])


def means(law):
    return np.stack([input_statistics(law, c).mean for c in range(law.classes)])


@pytest.mark.parametrize("law", [LAW, RING, PULSES], ids=["line", "ring", "pulses"])
def test_the_gaussian_control_keeps_mean_and_covariance_alone(law):
    copy = gaussian(law)
    assert np.abs(covariances(copy) - covariances(law)).max() <= MATCHED_COVARIANCE
    assert np.abs(means(copy) - means(law)).max() <= MATCHED_COVARIANCE
    for c in range(law.classes):
        assert abs(input_statistics(copy, c).kurtosis[0]) <= MATCHED_COVARIANCE
        assert abs(input_statistics(law, c).kurtosis[0]) > 1 / 10


@pytest.mark.parametrize("marginal", ["uniform", "laplace", "logistic", {"kind": "algebraic", "k": 5}], ids=str)
@pytest.mark.parametrize("law", [LAW, RING], ids=["line", "ring"])
def test_matched_marginals_have_the_same_covariance(law, marginal):
    copy = matched(law, marginal)
    assert np.abs(covariances(copy) - covariances(law)).max() <= MATCHED_COVARIANCE
    assert np.abs(means(copy) - means(law)).max() <= MATCHED_COVARIANCE
    one, other = (input_statistics(own, 0).marginal(3) for own in (law, copy))
    if not isinstance(other, Values):
        x = np.linspace(-0.9, 0.9, 7)
        assert np.abs(one.cumulative(x) - other.cumulative(x)).max() > 1 / 100


def test_another_copula_keeps_the_marginal_and_changes_the_covariance():
    copy = other_copula(LAW, "exponential")
    x = np.linspace(-1, 1, 9)
    for c in (0, 1):
        one, other = (input_statistics(own, c) for own in (LAW, copy))
        assert np.array_equal(one.marginal(0).cumulative(x), other.marginal(0).cumulative(x))
        assert np.abs(one.covariance - other.covariance).max() > 1 / 100


def test_exchanged_classes_keep_their_inputs():
    copy = exchanged(LAW)
    assert copy.labels == LAW.labels[::-1]
    assert np.array_equal(covariances(copy), covariances(LAW))


@pytest.mark.parametrize("law", [LAW, PULSES], ids=["line", "pulses"])
def test_every_control_keeps_the_priors(law):
    unequal = replace(law, priors=("1/4", "3/4"))
    made = [one.law for one in controls(unequal, "uniform") if one.law is not None]
    assert len(made) >= 2
    assert {own.priors for own in made} == {unequal.priors}
    short = NonlinearGP(5, ("1/2", "1/4"), 1, "open", "unit-variance", (1, 0), priors=("1/4", "3/4"))
    assert matched(short, "uniform").priors == short.priors


def test_each_of_three_classes_gets_the_label_of_the_next():
    law = NonlinearGP(6, (2, 1, "1/2"), 1, "open", "none", (3, 5, 8))
    assert [int(label) for label in exchanged(law).labels] == [5, 8, 3]


def test_an_erf_of_another_gain_has_other_marginals():
    short = NonlinearGP(5, ("1/2", "1/4"), 3, "open", "unit-variance", (1, 0))
    copy = matched(short, "erf")
    assert copy.gain == 1
    assert np.abs(covariances(copy) - covariances(short)).max() <= MATCHED_COVARIANCE
    assert abs(input_statistics(copy, 0).kurtosis[0] - input_statistics(short, 0).kurtosis[0]) > 1 / 100


def test_an_impossible_copula_is_refused_with_the_numbers():
    """erf at gain 3 is smooth, a sign is not: near sites would need a latent that no covariance has."""
    with pytest.raises(InputError, match=r"No Gaussian copula with the marginals sign .*smallest eigenvalue -"):
        matched(LAW, "sign")
    short = NonlinearGP(9, ("1/2", "1/4"), 3, "open", "unit-variance", (1, 0))
    assert np.abs(covariances(matched(short, "sign")) - covariances(short)).max() <= MATCHED_COVARIANCE


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: gaussian(GaussianClone(4, (2, 1), 1, "open", "none", (1, 0))), "Gaussian already"),
        (
            lambda: gaussian(FiniteData([[1, 0], [0, 2], [1, 1]], [1, 0, 1])),
            "not a function of the distance",
        ),
        (lambda: matched(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0)), "laplace"), "scaled to variance 1"),
        (lambda: matched(NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0)), "erf"), "already"),
        (lambda: other_copula(PULSES, "exponential"), "no Gaussian latent"),
        (lambda: other_copula(LAW, "gaussian"), "already"),
        (lambda: exchanged(FiniteData([[1], [2]], [1, 0])), "belong to its examples"),
    ],
)
def test_a_control_that_is_not_there_says_why(ask, said):
    with pytest.raises(OutOfReachError, match=said):
        ask()


def test_every_name_has_a_control_or_a_reason():
    found = controls(FiniteData([[1, 0], [0, 2], [1, 1]], [1, 0, 1]))
    assert tuple(one.name for one in found) == NAMES
    assert all(one.law is None and one.why for one in found)
