"""Small data sets in the place of the real ones: what the block sees, and what it leaves."""

import os

import pytest

from derivations.experiments.data_files import small_data_sets
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
    assert [each != other for each, other in zip(inside, before, strict=True)] == [True] * 3
    assert state() == before
    with pytest.raises(ZeroDivisionError), small_data_sets():
        raise ZeroDivisionError
    assert state() == before
