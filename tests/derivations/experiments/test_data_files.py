"""Small data sets in the place of the real ones: what the block sees, and what it leaves."""

import os

import numpy as np
import pytest

from derivations.experiments.data_files import small_data_sets
from theory.problem import LAWS
from theory.problem.datasets.folder import VARIABLE
from theory.problem.datasets.known import DATASETS
from theory.problem.datasets.patches import patch_moments


def state():
    """The table of data sets, the folder, and the moments of a photograph."""
    return dict(DATASETS), os.environ.get(VARIABLE), patch_moments(("camera",), 2).mean.tolist()


def test_the_data_sets_are_back_after_the_block_and_after_an_error_in_it():
    before = state()
    with small_data_sets():
        inside = state()
    assert [own != other for own, other in zip(inside, before, strict=True)] == [True] * 3
    assert state() == before
    with pytest.raises(ZeroDivisionError), small_data_sets():
        raise ZeroDivisionError
    assert state() == before


@pytest.mark.parametrize("word", ["mnist", "fashion-mnist"])
def test_the_images_of_a_category_differ_from_those_of_another(word):
    with small_data_sets():
        law = LAWS[word]([0, 5], "train", "none", [1, 0], downsample=7)
        rows, category = law.rows.x, law.category
    means = [rows[category == c].mean(axis=0) for c in (0, 1)]
    within = max(rows[category == c].std(axis=0).max() for c in (0, 1))
    assert np.count_nonzero(category == 0) == np.count_nonzero(category == 1) == 6
    assert abs(means[0] - means[1]).max() > within
