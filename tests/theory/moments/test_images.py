"""Statistics of patches of photographs against loops over all positions, and those of their Gaussian."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from tests.theory.moments.definition import largest_difference
from tests.theory.problem.test_images_law import CLASSES, law_of
from tests.tolerances_of_images import PATCH_SUMS, WHITENED_SUMS
from theory.moments.inputs import Density, Values, input_statistics
from theory.problem import OutOfReachError

SITES = np.array(list(product((0, 4, 7, 8), repeat=4))).T


def transformed(law, c):
    """x of all patches of class c, by the definition of the law."""
    off = CLASSES[c] - CLASSES[c].mean(axis=1, keepdims=True) if law.centring == "patch" else CLASSES[c]
    off = off - law.offset
    return off if law.whitener is None else off @ law.whitener


@pytest.mark.parametrize(
    ("c", "centring", "whitening", "floor"),
    [(0, "none", "none", 0), (0, "patch", "zca", "1/100"), (1, "mean", "zca", "1/100"), (1, "patch", "none", 0)],
)
def test_moments_over_all_positions(c, centring, whitening, floor):
    law = law_of(centring=centring, whitening=whitening, floor=floor)
    x, found = transformed(law, c), input_statistics(law, c)
    allowed = PATCH_SUMS * len(x) if whitening == "none" else WHITENED_SUMS
    assert largest_difference(found, x, np.full(len(x), 1 / len(x)), SITES) <= allowed


def test_the_marginal_of_a_site_counts_all_positions():
    law = law_of()
    marginal, own = input_statistics(law, 1).marginal(4), CLASSES[1][:, 4]
    assert isinstance(marginal, Values)
    assert list(marginal.values) == sorted(set(own.tolist()))
    counted = [(own == value).sum() / len(own) for value in marginal.values]
    assert np.abs(np.array(marginal.probabilities) - counted).max() <= PATCH_SUMS
    with pytest.raises(OutOfReachError, match="as many values as there are positions"):
        input_statistics(law_of(whitening="zca", floor="1/100"), 1).marginal(4)


@pytest.mark.parametrize(("whitening", "floor"), [("none", 0), ("zca", "1/100")])
def test_the_gaussian_has_the_mean_and_covariance_of_the_patches(whitening, floor):
    fields = {"centring": "mean", "whitening": whitening, "floor": floor}
    patches, gaussian = (law_of(kinds=["patch", kind], **fields) for kind in ("patch", "gaussian"))
    one, other = input_statistics(patches, 1), input_statistics(gaussian, 1)
    assert np.array_equal(one.mean, other.mean)
    assert np.array_equal(one.covariance, other.covariance)
    site = np.arange(9)
    assert not other.third(site, site, site).any()
    assert np.abs(other.kurtosis).max() <= WHITENED_SUMS < np.abs(one.kurtosis).max()
    marginal = other.marginal(2)
    assert isinstance(marginal, Density)
    at = np.linspace(-1, 1, 5)
    reference = norm(other.mean[2], np.sqrt(other.variance[2]))
    assert np.abs(marginal.cumulative(at) - reference.cdf(at)).max() <= PATCH_SUMS
    assert np.abs(marginal.density(at) / reference.pdf(at) - 1).max() <= PATCH_SUMS
