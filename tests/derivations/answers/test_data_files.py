"""Data files of a user: every format gives the same examples, the control has their moments, faults are named."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat
from scipy.special import erf

from derivations.answers.data_files import FLOOR, read, surrogate
from derivations.answers.data_show import of_file, shown
from derivations.answers.new_data import data_start
from derivations.answers.relu_expectation import pooled_elasticity
from tests.theory.problem.refusals import not_refused
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_laws import ROWS_SUMMED
from theory.moments.example_statistics import ExampleStatistics
from theory.problem import load

RNG = np.random.default_rng(5)
X = RNG.integers(0, 256, (50, 3, 4)).astype(np.uint8)
Y = np.arange(50) % 2
FLAT = X.reshape(50, 12).astype(float)


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "images.npy", X)
    np.save(tmp_path / "flat.npy", FLAT)
    np.save(tmp_path / "y.npy", Y[:, None])
    np.savez(tmp_path / "both.npz", x=X, y=Y)
    np.savez_compressed(tmp_path / "one.npz", patches=X)
    savemat(tmp_path / "both.mat", {"X": FLAT, "y": Y})
    np.savetxt(tmp_path / "plain.csv", FLAT, delimiter=",")
    np.savetxt(tmp_path / "y.csv", Y)
    header = ",".join([*(f"x{site}" for site in range(12)), "y"])
    np.savetxt(tmp_path / "named.csv", np.column_stack([FLAT, Y]), delimiter=",", header=header, comments="")
    for depth, kind, scale in (("8", np.uint8, 1), ("16", np.uint16, 257)):
        (tmp_path / depth).mkdir()
        for index, image in enumerate(X):
            Image.fromarray(image.astype(kind) * kind(scale)).save(tmp_path / depth / f"{index:02}.png")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "labels", "labelled"),
    [
        ("images.npy", None, False),
        ("flat.npy", "y.npy", True),
        ("both.npz", None, True),
        ("one.npz", "y.csv", True),
        ("both.mat", None, True),
        ("plain.csv", None, False),
        ("named.csv", None, True),
        ("8", None, False),
        ("16", "y.npy", True),
    ],
)
def test_every_format_gives_the_rows_and_their_statistics(name, labels, labelled, folder):
    data = shown(folder / name, labels=labels and folder / labels, grid="3x4")
    scale = 255 if (folder / name).is_dir() else 1
    content = data.json()
    assert (content["rows"], content["shape"], content["labelled"]) == (50, (3, 4), labelled)
    assert [row["variance"].shape for row in content["classes"]] == [(12,)] * (1 + labelled)
    for c, row in enumerate(content["classes"]):
        mine = FLAT[c == Y] / scale if labelled else FLAT / scale
        off = mine - mine.mean(axis=0)
        near(row["mean"], mine.mean(axis=0))
        near(row["variance"], mine.var(axis=0))
        near(row["kurtosis"], (off**4).mean(axis=0) / mine.var(axis=0) ** 2 - 3)
        near(row["spectrum"], np.linalg.eigvalsh(np.cov(mine.T, bias=True))[::-1])


def near(numbers, others):
    assert np.abs(np.array(numbers) - others).max() <= ROWS_SUMMED * np.abs(others).max()


def test_the_surrogate_has_the_moments_of_the_rows_and_gaussian_tails():
    x = RNG.exponential(size=(4000, 6)) @ RNG.standard_normal((6, 8))  # of rank 6
    control = surrogate(x, np.random.default_rng(0))
    near(np.cov(control.T), np.cov(x.T))
    near(control.mean(axis=0), x.mean(axis=0))
    z, rows = ((each - each.mean(axis=0)) / each.std(axis=0) for each in (control, x))
    error = (96 / len(x)) ** 0.5  # of the kurtosis of one Gaussian site; that of dependent ones is no larger
    assert abs((z**4).mean() - 3) <= STANDARD_ERRORS * error < (rows**4).mean() - 3


def test_whitened_rows_have_the_variance_one_above_the_floor(folder):
    white = read(folder / "flat.npy").whitened().rows.x
    values, vectors = np.linalg.eigh(np.cov(FLAT.T, bias=True))
    assert values[0] > FLOOR * values[-1]
    near(np.cov(white.T, bias=True), np.eye(12))
    near(white, (FLAT - FLAT.mean(axis=0)) @ vectors @ np.diag(values**-0.5) @ vectors.T)  # the symmetric root


def test_the_elasticity_of_rows_is_that_of_their_law():
    """Independent signs, all scaled: phi(a) = erf(a/sqrt(2 (1 - a^2))), and a site has the correlation 1/sqrt(n)."""
    x = 7 + 3 * np.sign(np.random.default_rng(1).standard_normal((4000, 9)))
    a, elasticity, error = pooled_elasticity(ExampleStatistics(x, np.full(4000, 1 / 4000)))
    assert abs(a - 1 / 3) <= STANDARD_ERRORS * (4000 * 9) ** -0.5
    log_phi = np.log(erf(a * np.array([0.999, 1.001]) / np.sqrt(2 * (1 - (a * np.array([0.999, 1.001])) ** 2))))
    # A central difference of the step 0.001 is off by its square.
    assert abs(elasticity - np.diff(log_phi)[0] / np.log(1.001 / 0.999)) <= STANDARD_ERRORS * error + 1e-6 < 0.01


@pytest.mark.parametrize("y", [np.arange(50), RNG.standard_normal((50, 2))])
def test_labels_of_many_values_are_no_classes_and_are_not_denied(folder, y):
    np.save(folder / "y.npy", y)
    answer = shown(folder / "flat.npy", labels=folder / "y.npy")
    said, text = answer.json(), answer.text()
    assert (len(said["classes"]), said["labelled"], said["labels"]["distinct"]) == (1, True, 50)
    near(said["labels"]["variance"], np.atleast_1d(y.var(axis=0)))
    assert "labels y of 50 values" in text
    assert "no labels" not in text
    assert "class 0" not in text


def test_the_numbers_of_classes_stand_beside_their_labels(folder):
    np.save(folder / "y.npy", np.arange(50) % 2 - 1)  # the first row is of the label -1
    text = shown(folder / "flat.npy", labels=folder / "y.npy").text()
    assert "class 0 (y = -1), probability 0.5" in text
    assert "class 1 (y = 0), probability 0.5" in text


def test_nothing_is_said_of_rows_without_a_flat_start_or_a_kurtosis(folder):
    """White rows have no direction of more variance than others; a direction of less is no start either."""
    x = np.random.default_rng(3).laplace(size=(4000, 16)) + np.random.default_rng(4).laplace(size=(4000, 1))
    np.save(folder / "flat_start.npy", x)
    rows = read(folder / "flat_start.npy")
    assert "the closure predicts that a flat field is " in of_file(rows).expected
    assert "compare" in of_file(rows).expected
    against = replace(rows, rows=replace(rows.rows, x=x * (-1.0) ** np.arange(16)))
    for of in (rows.whitened(), against):
        assert "nothing can be said: a flat field has the variance" in of_file(of).expected
    two = replace(rows, rows=replace(rows.rows, x=x[:2], y=np.ones((2, 1)), probabilities=np.full(2, 0.5)))
    assert "2 rows, too few" in of_file(two).expected
    assert "(2 rows are too few" in of_file(two).text()


def test_what_is_rounding_is_printed_as_0_and_said(folder):
    text = of_file(read(folder / "flat.npy").whitened()).text()
    assert "  mean               0\n" in text
    assert "cannot be told from 0" in text
    assert "cannot be told from 0" not in shown(folder / "flat.npy").text()


def test_faults_of_data_files_are_named(folder):
    def saved(name, array, **more):
        np.save(folder / name, array, **more)
        return folder / name

    def text(name, words):
        (folder / name).write_text(words)
        return folder / name

    (folder / "empty").mkdir()
    (folder / "sizes").mkdir()
    for name, image in (("a.png", X[0]), ("b.png", X[0].T)):
        Image.fromarray(image).save(folder / "sizes" / name)
    (folder / "text").mkdir()
    text("text/a.png", "no picture")
    (folder / "depths").mkdir()
    Image.fromarray(X[0]).save(folder / "depths" / "a.png")
    Image.fromarray(X[0].astype(np.uint16)).save(folder / "depths" / "b.png")
    np.savez(folder / "two.npz", a=X, b=X)
    pickle = saved("pickle.npy", np.array([{}]), allow_pickle=True)
    hole = FLAT.copy()
    hole[3, 4] = np.nan
    flat, nothing = folder / "flat.npy", {}
    cases = [
        (folder / "nowhere.npy", nothing, "cannot be read: No such file"),
        (folder / "data.h5", nothing, "is no data file: its ending is none of .npy"),
        (saved("hole.npy", hole), nothing, "row 3, column x4: nan is not finite"),
        (saved("line.npy", FLAT[0]), nothing, "the inputs have the shape (12,), not (N, n)"),
        (flat, {"labels": saved("few.npy", Y[:7])}, "has labels of the shape (7,) for 50 examples"),
        (pickle, nothing, "holds object, not plain numbers"),
        (saved("complex.npy", FLAT * 1j), nothing, "holds complex128, not plain numbers"),
        (saved("words.npy", np.array([["a"]])), nothing, "holds <U1, not plain numbers"),
        (text("cut.npy", "no array"), nothing, "is no array that numpy.save writes"),
        (folder / "empty", nothing, "has no pictures"),
        (saved("wide.npy", np.zeros((1, 101, 100))), nothing, "has 10100 numbers in each example"),
        (folder / "sizes", nothing, "has pictures of different sizes: a.png has 3 x 4 pixels, b.png has 4 x 3"),
        (folder / "text", nothing, "a.png is no picture that can be decoded (of no known format)"),
        (folder / "depths", nothing, "has pictures of 8 bits and of 16 bits"),
        (flat, {"grid": "5x5"}, "has 12 columns; a grid of 5 x 5 has 25 sites"),
        (flat, {"grid": "5"}, "--grid '5' is no grid"),
        (folder / "images.npy", {"grid": "4x3"}, "has images of 3 x 4 pixels; a grid of 4 x 3"),
        (text("words.csv", "1,2\n3,four\n"), nothing, "row 1, column x1: 'four' is no number"),
        (text("none.csv", ""), nothing, "none.csv: it is empty"),
        (saved("none.npy", np.zeros((0, 12))), nothing, "none.npy has no rows"),
        (folder / "problem.toml", {"grid": "3x4"}, "belong to data of your own"),
        (folder / "two.npz", nothing, "has no array x; it has 'a', 'b'"),
        (text("no.mat", "MATLAB"), nothing, "is no MATLAB file that can be read"),
        (flat, {"settings": ["data.gain=3"]}, "--set changes a problem"),
    ]
    assert not_refused(lambda path, options: shown(path, **options), cases) == []


def test_rows_or_labels_without_spread_start_no_problem(folder):
    np.save(folder / "same.npy", FLAT[[0, 0]])
    np.save(folder / "ones.npy", np.ones(len(FLAT)))
    cases = [("same.npy", None, "all examples are the same"), ("flat.npy", "ones.npy", "all labels are the same")]

    def start(data, labels):
        return data_start("mine", folder / data, labels and folder / labels, None, "none")

    assert not_refused(start, cases) == []


def test_data_in_the_place_of_a_problem_are_named(folder):
    assert not_refused(load, [(folder / "flat.npy", "gdln new NAME --data"), (folder / "y.csv", "holds data")]) == []
