"""Files with examples: read once and exactly, and every kind of bad or hostile file refused by name."""

import io
import zipfile

import numpy as np
import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import InputError, table_files
from theory.problem.table_files import read_table, stored_arrays

X = np.array([[1.5, -2.0], [0.25, 1e-30], [3.0, 4.0]])
Y = np.array([[1.0], [2.0], [-1.0]])
WEIGHTS, CONTEXT = np.array([1.0, 2.0, 1.0]), np.array([0, 2, 2])
WHOLE = {"x": X, "y": Y, "context": CONTEXT, "weights": WEIGHTS}


def saved(path, save=np.savez, **arrays):
    save(path, **arrays)
    return path


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_archive(tmp_path, save):
    rows, digest = read_table(saved(tmp_path / "data.npz", save, **WHOLE))
    assert (rows.x == X).all()
    assert (rows.y == Y).all()
    assert rows.probabilities.tolist() == [0.25, 0.5, 0.25]
    assert rows.context.tolist() == [0, 2, 2]
    assert len(digest) == 64


@pytest.mark.parametrize("x", [np.asfortranarray(X.astype(np.float32)), X.astype(">f8"), X > 0], ids=str)
def test_numbers_of_any_plain_type(tmp_path, x):
    rows, _ = read_table(saved(tmp_path / "data.npz", x=x, y=Y[:, 0]))
    assert rows.x.dtype == float
    assert (rows.x == x.astype(float)).all()
    assert rows.y.shape == (3, 1)
    assert rows.probabilities.tolist() == [1 / 3] * 3
    assert rows.context is None


def test_a_csv_says_the_same_in_any_order_of_columns(tmp_path):
    plain, mixed = tmp_path / "data.csv", tmp_path / "mixed.CSV"
    plain.write_text("x0,x1,y,weight,context\n1.5,-2,1,1,0\n.25,1e-30,2,2,2\n3,4,-1,1,2\n")
    mixed.write_bytes(b"\xef\xbb\xbfcontext, y0 ,x1,weight,x0\r\n0,1,-2,1,1.5\r\n2,2,1e-30,2,2.5e-1\r\n2,-1,4,1,3\r\n")
    for path in (plain, mixed):
        rows, _ = read_table(path)
        assert (rows.x == X).all()
        assert (rows.y == Y).all()
        assert rows.probabilities.tolist() == [0.25, 0.5, 0.25]
        assert rows.context.tolist() == [0, 2, 2]


def with_member(name, data):
    """An archive whose member `name` holds these bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def header(shape, kind="<f8"):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": kind, "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def pickled():
    buffer = io.BytesIO()
    np.savez(buffer, x=np.array([[{}]], dtype=object), y=np.ones(1))
    return buffer.getvalue()


HOSTILE = [
    (b"", "no archive that numpy.savez writes"),
    (with_member("x.npy", header((1, 1)) + bytes(8))[:-30], "no archive that numpy.savez writes"),
    (pickled(), "x holds object, not plain numbers"),
    (with_member("x.npy", b"\x93NUMPY\x01\x00\x10\x00__import__('os')"), "x is no array that numpy.save writes"),
    (with_member("x.npy", header((10, 10)) + bytes(8)), "x has another size than its"),
    (with_member("x.npy", header((1, 1)) + bytes(800)), "x has another size than its"),
    (with_member("x.npy", header((2**40, 2**20))), "more than 134217728 num"),
    (with_member("z.npy", header((1,)) + bytes(8)), "it has the array 'z', which is none of"),
    (with_member("x.npy", header((1, 1), "<c16") + bytes(16)), "x holds complex128, not plain"),
]


def test_hostile_archives_are_refused(tmp_path):
    def read(content):
        path.write_bytes(content)
        return read_table(path)

    path = tmp_path / "data.npz"
    assert not_refused(read, HOSTILE) == []


WRONG_ARRAYS = [
    ({"y": None}, "it has no y"),
    ({"x": None}, "it has no x"),
    ({"x": X[:, 0]}, "x has 3 numbers"),
    ({"x": X[:0], "y": Y[:0], "context": CONTEXT[:0], "weights": WEIGHTS[:0]}, "it has no examples"),
    ({"y": Y[:2]}, "x has 3 rows, y has 2"),
    ({"x": np.where(X == 1e-30, np.nan, X)}, "row 1, column x1: nan is not finite"),
    ({"x": np.where(X == 3, -1e200, X)}, "row 2, column x0: -1e+200 is not finite"),
    ({"weights": WEIGHTS - 1}, "row 0, column weights: 0 must be > 0"),
    ({"context": CONTEXT - 1}, "row 0, column context: -1 must be a whole number"),
]


def test_arrays_that_are_no_examples_are_refused(tmp_path):
    def read(change):
        arrays = {name: value for name, value in (WHOLE | change).items() if value is not None}
        return read_table(saved(tmp_path / "data.npz", **arrays))

    assert not_refused(read, WRONG_ARRAYS) == []


WRONG_TEXTS = [
    ("", "it is empty"),
    ("x0,y\n", "it has no examples"),
    ("," * 2**21, "it has a line of more than"),
    ("x0;y\n1;2\n", "its header has the column 'x0;y'"),
    ("x0,x2,y\n1,2,3\n", "its header lacks x1 beside x2"),
    ("x0,x0,y\n1,2,3\n", "its header names 'x0' twice"),
    ("x00,y\n1,2\n", "its header has the column 'x00'"),
    ("x0,y\n1,2\n3\n", "row 1 (line 3) has 1 entries"),
    ("x0,y\n1,2\n3,four\n", "row 1, column y: 'four' is no number"),
    ("x0,y\n0x10,2\n", "row 0, column x0: '0x10' is no number"),
    ('x0,y\n"1,2\n', "line 2 is no CSV"),
    ("x0,y,weight\n1,2,-1\n", "row 0, column weights: -1 must be > 0"),
]


def test_texts_that_are_no_table_are_refused(tmp_path):
    def read(text):
        path.write_text(text, encoding="utf-8")
        return read_table(path)

    path = tmp_path / "data.csv"
    assert not_refused(read, WRONG_TEXTS) == []


def test_the_size_of_a_file_is_bounded(tmp_path, monkeypatch):
    path = saved(tmp_path / "data.npz", **WHOLE)
    monkeypatch.setattr(table_files, "LARGEST_FILE", path.stat().st_size - 1)
    with pytest.raises(InputError, match="larger than"):
        read_table(path)
    text = tmp_path / "data.csv"
    text.write_text("x0,x1,y\n1,2,3\n4,5,6\n7,8,9\n")
    monkeypatch.setattr(table_files, "MOST_NUMBERS", 8)
    with pytest.raises(InputError, match="more than 8 numbers"):
        read_table(text)


def test_stored_arrays_are_never_larger_than_their_file(tmp_path):
    """A megabyte of zeros takes a kilobyte where it is compressed, and no array that numpy.savez has written is."""
    np.savez_compressed(tmp_path / "bomb.npz", w=np.zeros(2**17))
    np.savez(tmp_path / "pickle.npz", w=np.array([{}], dtype=object))
    (tmp_path / "text.npz").write_text("no archive")
    np.save(tmp_path / "array.npy", X)
    for name, says in (
        ("bomb.npz", "larger than the file"),
        ("pickle.npz", "allow_pickle"),
        ("text.npz", "allow_pickle"),
        ("array.npy", "numpy.savez"),
    ):
        with pytest.raises(ValueError, match=says):
            stored_arrays(tmp_path / name)
