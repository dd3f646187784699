"""The note on classes that do not differ, also of laws whose examples or matrices stand in an archive."""

import numpy as np
import pytest

from derivations.answers.about import indistinct
from theory.problem import LAWS, FiniteData, Table

X = np.array([[1.0, 0.0], [2.0, 1.0], [2.0, 1.0], [0.0, 3.0]])


def table(folder, **arrays):
    np.savez(folder / "data.npz", **arrays)
    return Table(file=str(folder / "data.npz"))


def test_an_archive_with_equal_classes_is_noted(tmp_path):
    both = np.concatenate([X, X[::-1]])
    y = np.repeat([1, 0], 4)
    assert "the classes of the law are the same" in indistinct(table(tmp_path, x=both, y=y))[0]
    once = {"x": np.concatenate([X, X[[0, 1, 3]]]), "y": np.repeat([1, 0], [4, 3])}
    assert indistinct(table(tmp_path, **once)) == ()
    assert indistinct(table(tmp_path, **once, weights=[1, 1, 1, 1, 3, 6, 3])) != ()  # repeated, or twice as likely
    assert indistinct(table(tmp_path, x=both, y=y, context=np.repeat([0, 1], 4))) == ()
    assert "all labels of the law are alike" in indistinct(table(tmp_path, x=X, y=np.ones(4)))[0]
    assert indistinct(FiniteData(both.tolist(), y.tolist())) != () == indistinct(FiniteData(X.tolist(), [1, 1, 0, 0]))


@pytest.mark.parametrize("other", [1.0, 2.0])
def test_equal_matrices_are_noted_where_they_stand_in_an_archive(other, tmp_path):
    np.savez(tmp_path / "data.npz", covariance=np.stack([np.eye(2), other * np.eye(2)]))
    assert (indistinct(LAWS["gaussian"]([1, 0], file=str(tmp_path / "data.npz"))) == ()) is (other == 2)
