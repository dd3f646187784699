"""Patches of photographs: uniform positions, and sums over all of them against loops."""

import numpy as np
import pytest

from tests.miniatures import listed_patches
from tests.tolerances_of_images import LEVEL_OF_COUNTS, PATCH_SUMS
from theory.problem.datasets.patches import drawn_patches, moments_of_patches, positions

RNG = np.random.default_rng(4)
IMAGES = tuple(RNG.integers(0, 256, shape, dtype=np.uint8) for shape in ((7, 9), (6, 6), (12, 5)))


@pytest.mark.parametrize("side", [1, 3, 5])
def test_moments_over_all_positions(side):
    patches = listed_patches(IMAGES, side)
    assert sum(positions(IMAGES, side)) == len(patches)
    moments = moments_of_patches(IMAGES, side)
    off = patches - patches.mean(axis=0)
    assert np.abs(moments.mean - patches.mean(axis=0)).max() <= PATCH_SUMS
    assert np.abs(moments.covariance - off.T @ off / len(patches)).max() <= PATCH_SUMS


def test_every_position_is_equally_likely():
    """Counts of all patches, which differ from each other, against the uniform law by a chi-square test."""
    patches, count = listed_patches(IMAGES, 3), 40_000
    place = {tuple(patch): index for index, patch in enumerate(patches.tolist())}
    assert len(place) == len(patches)
    drawn = drawn_patches(IMAGES, 3, np.random.default_rng(0), count)
    counts = np.bincount([place[tuple(patch)] for patch in drawn.tolist()], minlength=len(patches))
    assert _is_uniform(counts)
    counts[:10] += counts[:10] // 5  # the control: ten positions drawn a fifth too often
    assert not _is_uniform(counts)


def _is_uniform(counts):
    from scipy.stats import chi2

    expected = counts.sum() / len(counts)
    statistic = ((counts - expected) ** 2 / expected).sum()
    return chi2.sf(statistic, len(counts) - 1) >= LEVEL_OF_COUNTS
