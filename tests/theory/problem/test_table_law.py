"""The law of a table: its content is its identity, and examples made from moments have these moments."""

from fractions import Fraction

import numpy as np
import pytest

from tests.theory.problem.refusals import not_refused
from tests.tolerances_of_graphs import TABLE_MADE
from theory.problem import ContextGate, InputError, Table, dumps, load, loads

PROBLEM = """
[data]
law = "table"
{data}
[network]
model = "gated-linear"
readout = "sum"
[[network.gates]]
kind = "context"
open = [0, 2]
[[network.gates]]
kind = "site"
site = 1
[training]
loss = "half-mse"
tau = 1.0
times = [1.0]
w0 = {{ law = "normal", scale = 0.1, seed = 0 }}
"""
MOMENTS = """
[[data.moments]]
probability = "1/3"
xx = [[2.0, 0.5], [0.5, 1.0]]
yx = [[1.0, "1/3"]]
yy = [[1.5]]
[[data.moments]]
probability = "1/2"
xx = [[1.0, 1.0], [1.0, 1.0]]
yx = [[2.0, 2.0]]
yy = [[4.0]]
[[data.moments]]
probability = "1/6"
xx = [[0.0, 0.0], [0.0, 3.0]]
yx = [[0.0, 0.0]]
yy = [[0.0]]
"""
X, Y, CONTEXT = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]]), np.array([0.5, 1.0, 0.5]), np.array([2, 0, 1])


@pytest.fixture
def folder(tmp_path):
    """A problem file beside its data, and the working directory elsewhere."""
    np.savez(tmp_path / "data.npz", x=X, y=Y, context=CONTEXT)
    (tmp_path / "problem.toml").write_text(PROBLEM.format(data='file = "data.npz"'))
    return tmp_path


def test_the_path_begins_at_the_problem_file(folder):
    problem = load(folder / "problem.toml")
    assert problem.data.file == str(folder / "data.npz")
    assert problem.data.contexts == (0, 1, 2)
    assert problem.data.labels == (Fraction(1, 2), Fraction(1))
    assert problem.data.category.tolist() == [0, 1, 0]
    assert [float(p) for p in problem.data.probabilities] == [2 / 3, 1 / 3]
    assert problem.network.gates[0] == ContextGate([0, 2])


def test_written_with_its_sha256_and_read_again(folder):
    problem = load(folder / "problem.toml")
    text = dumps(problem)
    assert f'sha256 = "{problem.data.sha256}"' in text
    assert loads(text) == problem
    assert hash(loads(text)) == hash(problem)


def test_data_that_are_no_table(folder):
    def read(data):
        (folder / "problem.toml").write_text(PROBLEM.format(data=data))
        return load(folder / "problem.toml")

    cases = [
        ("", "has neither `file` nor `moments`"),
        ('file = "data.npz"\nsha256 = "abc"', "is not a sha256 of 64 hexadecimal digits"),
    ]
    assert not_refused(read, cases) == []
    np.savez(folder / "data.npz", x=X, y=Y, context=CONTEXT + 1)
    assert not_refused(read, [('file = "data.npz"', "network.gates[0] opens in context 0")]) == []


def test_another_file_in_the_same_place_is_noticed(folder):
    text = dumps(load(folder / "problem.toml"))
    np.savez(folder / "data.npz", x=X, y=Y + 1, context=CONTEXT)
    with pytest.raises(InputError, match="it is another file") as caught:
        loads(text)
    assert "leave sha256 out" in caught.value.hint
    (folder / "data.npz").unlink()
    with pytest.raises(InputError, match="cannot be read: No such file"):
        loads(text)


def test_made_examples_have_the_given_moments():
    """Each context by sums over its examples, and its probability; also where the matrices are singular or zero."""
    law = loads(PROBLEM.format(data=MOMENTS)).data
    for context, declared in enumerate(law.moments):
        mine = law.rows.context == context
        share = law.rows.probabilities[mine]
        assert abs(share.sum() - float(declared.probability)) <= TABLE_MADE
        z = np.concatenate([law.rows.x[mine], law.rows.y[mine]], axis=1)
        mean, second = share @ z / share.sum(), np.einsum("i,ij,ik->jk", share, z, z) / share.sum()
        xx, yx, yy = (np.array(matrix, dtype=float) for matrix in (declared.xx, declared.yx, declared.yy))
        scale = np.linalg.eigvalsh(second)[-1]
        assert abs(mean).max() <= TABLE_MADE * np.sqrt(scale)
        assert abs(second[:2, :2] - xx).max() <= TABLE_MADE * scale
        assert abs(second[2:, :2] - yx).max() <= TABLE_MADE * scale
        assert abs(second[2:, 2:] - yy).max() <= TABLE_MADE * scale


def test_moments_that_no_examples_have():
    cases = [
        ('probability = "1/3"', "probability = 0.3", "The probabilities of data.moments add up to 29/30"),
        ('probability = "1/3"', 'probability = "-1/3"', "data.moments[0].probability = -1/3 must be > 0"),
        ("[0.5, 1.0]]", "[0.25, 1.0]]", "data.moments[0].xx is not symmetric: 1/2 at [0][1], 1/4 at [1][0]"),
        ("yy = [[1.5]]", "yy = [[0.5]]", "data.moments[0]:"),
        ("yy = [[4.0]]", "yy = [[3.999]]", "data.moments[1]:"),
        ('yx = [[1.0, "1/3"]]', "yx = [[1.0]]", "data.moments[0].yx has 1 x 1 numbers, not 1 x 2"),
        ("xx = [[2.0, 0.5], [0.5, 1.0]]", "xx = [[2.0, 0.5], [0.5]]", "xx has rows of different lengths"),
        ("yy = [[1.5]]", "yy = [[nan]]", "data.moments[0].yy[0][0] = 'NaN' is not a number"),
        ("[[data.moments]]\n", "sha256 = 'f'\n[[data.moments]]\n", "data.sha256 is that of a file"),
        ("[[data.moments]]\n", "file = 'a.npz'\n[[data.moments]]\n", "has both `file` and `moments`"),
    ]
    assert not_refused(lambda line, instead: loads(PROBLEM.format(data=MOMENTS).replace(line, instead, 1)), cases) == []


@pytest.mark.parametrize("excess", [0.0, 1e-3, 1e-12])
def test_a_correlation_above_one_is_refused_beyond_rounding(excess):
    """[[1, c], [c, 1]] has the eigenvalue 1 - c: nothing is clipped but the rounding of the eigensolver."""
    declared = [{"probability": 1, "xx": [[1]], "yx": [[repr(1 + excess)]], "yy": [[1]]}]
    if excess:
        with pytest.raises(InputError, match="not positive semidefinite: its smallest eigenvalue is -"):
            Table(moments=declared)
    else:
        assert abs(Table(moments=declared).rows.probabilities.sum() - 1) <= TABLE_MADE
