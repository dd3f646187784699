"""Files with examples: read once and exactly, and every kind of bad or hostile file refused by name."""

import io
import os
import zipfile

import numpy as np
import pytest

from theory.problem import InputError, table_files
from theory.problem.table_files import read_table

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


@pytest.mark.parametrize(
    "x", [X.astype(np.float32), np.asfortranarray(X), X.astype(">f8"), X.astype(np.int8), X > 0], ids=str
)
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


def test_an_empty_line_may_end_a_csv(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x0,y\n1,2\n3,4\n\n")
    assert read_table(path)[0].x.tolist() == [[1.0], [3.0]]


def test_a_share_that_float64_rounds_to_0_is_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x0,y,weight\n1,2,1e100\n3,4,1e-300\n")
    with pytest.raises(InputError, match=r"row 1.*so small beside the others"):
        read_table(path)


def test_columns_of_csv_count_beyond_ten(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(",".join(f"x{i}" for i in range(12)) + ",y\n" + ",".join(map(str, range(13))) + "\n")
    assert read_table(path)[0].x.tolist() == [list(range(12))]


def test_equal_content_shares_memory_and_is_not_changed(tmp_path):
    one, other = (read_table(saved(tmp_path / name, **WHOLE)) for name in ("a.npz", "b.npz"))
    assert one[1] == other[1]
    assert one[0] is other[0]
    with pytest.raises(ValueError, match="read-only"):
        one[0].x[0, 0] = 7.0


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


def twice():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.npy", header((1, 1)) + bytes(8))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("x.npy", header((1, 1)) + bytes(8))
    return buffer.getvalue()


def pickled():
    buffer = io.BytesIO()
    np.savez(buffer, x=np.array([[{}]], dtype=object), y=np.ones(1))
    return buffer.getvalue()


def broken_lzma():
    """An archive whose member is packed by LZMA, with the packed bytes destroyed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.npy", header((10, 10)) + bytes(800))
    whole = bytearray(buffer.getvalue())
    whole[50:60] = b"\xff" * 10
    return bytes(whole)


HOSTILE = {
    "no archive": (lambda: b"x" * 100, "no archive that numpy.savez writes"),
    "empty": (lambda: b"", "no archive that numpy.savez writes"),
    "cut": (lambda: with_member("x.npy", header((1, 1)) + bytes(8))[:-30], "no archive that numpy.savez writes"),
    "a pickle": (pickled, "x holds object, not plain numbers"),
    "text in it": (lambda: with_member("x.npy", b"import os"), "no archive that numpy.savez writes"),
    "code in a header": (
        lambda: with_member("x.npy", b"\x93NUMPY\x01\x00\x10\x00__import__('os')"),
        "no archive that numpy.savez writes",
    ),
    "an open bracket in a header": (
        lambda: with_member("x.npy", b"\x93NUMPY\x01\x00\x02\x00(("),
        "no archive that numpy.savez writes",
    ),
    "a broken packing": (broken_lzma, "no archive that numpy.savez writes"),
    "more than it holds": (lambda: with_member("x.npy", header((10, 10)) + bytes(8)), "x has another size than its"),
    "less than it holds": (lambda: with_member("x.npy", header((1, 1)) + bytes(800)), "x has another size than its"),
    "a shape that fills the memory": (lambda: with_member("x.npy", header((2**40, 2**20))), "more than 134217728 num"),
    "a negative shape": (lambda: with_member("x.npy", header((-1, 1))), "x has another size|no archive"),
    "a bomb": (lambda: with_member("x.npy", header((2**28, 1), "|i1") + bytes(2**20)), "more than 134217728 numbers"),
    "another array": (lambda: with_member("z.npy", header((1,)) + bytes(8)), "it has the array 'z', which is none of"),
    "a path out": (lambda: with_member("../x.npy", header((1,)) + bytes(8)), r"it has the array '\.\./x'"),
    "an array twice": (twice, "it has the array 'x', twice"),
    "complex": (lambda: with_member("x.npy", header((1, 1), "<c16") + bytes(16)), "x holds complex128, not plain"),
    "times": (lambda: with_member("x.npy", header((1, 1), "<M8[s]") + bytes(8)), "x holds datetime64.*, not plain"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_archives(tmp_path, kind):
    make, message = HOSTILE[kind]
    path = tmp_path / "data.npz"
    path.write_bytes(make())
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert caught.value.hint


WRONG_ARRAYS = {
    "no labels": ({"y": None}, "it has no y"),
    "no inputs": ({"x": None}, "it has no x"),
    "a vector of inputs": ({"x": X[:, 0]}, "x has 3 numbers"),
    "no sites": ({"x": X[:, :0]}, "x has 3 x 0 numbers"),
    "no examples": ({"x": X[:0], "y": Y[:0], "context": CONTEXT[:0], "weights": WEIGHTS[:0]}, "it has no examples"),
    "a number": ({"x": np.array(1.0)}, "x has no numbers"),
    "labels of another length": ({"y": Y[:2]}, "x has 3 rows, y has 2"),
    "contexts of another length": ({"context": CONTEXT[:2]}, "x has 3 rows, context has 2"),
    "weights of another length": ({"weights": WEIGHTS[:1]}, "x has 3 rows, weights has 1"),
    "nan": ({"x": np.where(X == 1e-30, np.nan, X)}, "row 1, column x1: nan is not finite"),
    "infinity": ({"y": np.where(Y < 0, np.inf, Y)}, "row 2, column y0: inf is not finite"),
    "a huge number": ({"x": np.where(X == 3, -1e200, X)}, r"row 2, column x0: -1e\+200 is not finite, or larger"),
    "a weight of 0": ({"weights": WEIGHTS - 1}, "row 0, column weights: 0 must be > 0"),
    "a negative context": ({"context": CONTEXT - 1}, "row 0, column context: -1 must be a whole number"),
    "a broken context": ({"context": CONTEXT + 0.5}, "row 0, column context: 0.5 must be a whole number"),
}


@pytest.mark.parametrize("kind", WRONG_ARRAYS)
def test_arrays_that_are_no_examples(tmp_path, kind):
    changed, message = WRONG_ARRAYS[kind]
    arrays = {name: value for name, value in (WHOLE | changed).items() if value is not None}
    with pytest.raises(InputError, match=message):
        read_table(saved(tmp_path / "data.npz", **arrays))


WRONG_TEXTS = {
    "nothing": ("", "it has no x"),
    "a header alone": ("x0,y\n", "it has no examples"),
    "no header": ("1,2\n3,4\n", "its header has the column '1'"),
    "semicolons": ("x0;y\n1;2\n", "its header has the column 'x0;y'"),
    "a gap in x": ("x0,x2,y\n1,2,3\n", "its header lacks x1 beside x2"),
    "y and y0": ("x0,y,y0\n1,2,3\n", "its header has the column 'y'"),
    "a column twice": ("x0,x0,y\n1,2,3\n", "its header names 'x0' twice"),
    "another name": ("x0,y,wieght\n1,2,3\n", "its header has the column 'wieght'. A header has x0"),
    "a leading zero": ("x00,y\n1,2\n", "its header has the column 'x00'"),
    "a short row": ("x0,y\n1,2\n3\n", r"row 1 \(line 3\) has 1 entries, the header 2"),
    "a blank row": ("x0,y\n1,2\n\n3,4\n", r"row 1 \(line 3\) has 0 entries"),
    "a word": ("x0,y\n1,2\n3,four\n", "row 1, column y: 'four' is no number"),
    "nothing in an entry": ("x0,y\n1,\n", "row 0, column y: '' is no number"),
    "digits with an underscore": ("x0,y\n1_0,2\n", "row 0, column x0: '1_0' is no number"),
    "hexadecimal": ("x0,y\n0x10,2\n", "row 0, column x0: '0x10' is no number"),
    "nan": ("x0,y\n1,2\nnan,4\n", "row 1, column x0: nan is not finite"),
    "infinity": ("x0,y\n1,-Infinity\n", "row 0, column y: -inf is not finite"),
    "digits of another script": ("x0,y\n\u0661,2\n", "letters or digits beyond ASCII"),
    "an open quote": ('x0,y\n"1,2\n', "line 2 is no CSV"),
    "a broken context": ("x0,y,context\n1,2,1.5\n", "row 0, column context: 1.5 must be a whole number"),
    "a weight below 0": ("x0,y,weight\n1,2,-1\n", "row 0, column weights: -1 must be > 0"),
}


@pytest.mark.parametrize("kind", WRONG_TEXTS)
def test_csv_that_is_no_table(tmp_path, kind):
    text, message = WRONG_TEXTS[kind]
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert caught.value.hint


def test_binary_is_no_csv(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"x0,y\n\xff\xfe")
    with pytest.raises(InputError, match="no UTF-8 text"):
        read_table(path)


def test_places_that_are_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "zeros.csv").symlink_to("/dev/zero")
    (tmp_path / "folder.csv").mkdir()
    for name, message in (
        ("pipe.npz", "no regular file but a pipe"),
        ("zeros.csv", "no regular file but a device"),
        ("folder.csv", "cannot be read: Is a directory"),
        ("absent.npz", "cannot be read: No such file"),
        ("data.parquet", "neither .npz nor .csv"),
        ("a\0b.csv", "no file has such a name"),
    ):
        with pytest.raises(InputError, match=message):
            read_table(tmp_path / name)


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
