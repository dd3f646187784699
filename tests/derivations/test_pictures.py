"""Pictures: what may be written where, what is drawn, and that nothing of matplotlib's global state is used."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from derivations.pictures import check_picture, sweep_picture, write_picture
from theory.flow.picture import BAND, Series, picture
from theory.problem import FiniteData, InputError, NonlinearGP, NonlinearGP2D, OutOfReachError

LINE = NonlinearGP(6, [2, 1], 1, "open", "unit-variance", [1, 0])
SHARED = {"xi": [0.9, 0.5], "gain": 1, "normaliser": "unit-variance", "labels": [1, 0]}
GRID = NonlinearGP2D(shape=[2, 3], boundary="torus", **SHARED)
TIMES = np.array([1.0, 4.0, 16.0])
W = np.arange(36.0).reshape(3, 2, 6) / 36


def series(**more):
    return Series("theory", TIMES, W, np.array([0.4, 0.3, 0.28]), **more)


def curve(axis, index=0):
    return axis.get_lines()[index].get_ydata()


def test_the_ending_is_the_format_and_an_earlier_picture_may_be_replaced(tmp_path):
    for ending, begins in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")):
        file = tmp_path / f"a.{ending}"
        for _ in range(2):
            check_picture(file)
            drawn = Figure((1, 1))
            drawn.add_subplot().plot([0, 1])
            write_picture(drawn, file)
            assert file.read_bytes().startswith(begins)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.PNG", "a.pdf", "a.svg"]


def test_what_would_be_lost_or_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "notes.png").write_text("not a picture")
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "link.png").symlink_to(tmp_path / "notes.png")
    for name, said in (
        ("notes.png", "no .png picture"),
        ("folder.png", "not a regular file"),
        ("link.png", "not a regular file"),
        ("a.jpg", "the ending '.jpg'"),
        ("a", "no ending"),
        ("nowhere/a.png", "does not exist"),
    ):
        with pytest.raises(InputError, match=said):
            check_picture(tmp_path / name)


def test_lines_are_the_theory_and_bars_the_networks():
    error = np.full((3, 2, 6), 0.01)
    trained = series(measured=True, weights_error=error, losses_error=np.full(3, 0.02))
    figure = picture(LINE, [series(end=W[2], least=0.25), trained])
    first, second, loss = figure.axes
    assert [axis.get_title().splitlines()[0] for axis in (first, second)] == ["field of unit 0", "field of unit 1"]
    assert (curve(first) == W[0, 0]).all()
    assert (curve(second) == W[0, 1]).all()
    bars = first.containers[0].lines[2][0].get_segments()
    assert [bar[:, 1].tolist() for bar in bars] == [[w - BAND * 0.01, w + BAND * 0.01] for w in W[0, 0].tolist()]
    assert (curve(loss) == [0.4, 0.3, 0.28]).all()
    assert loss.get_xscale() == "log"


def test_many_sites_have_a_band():
    w = np.zeros((1, 1, 80))
    one = Series("80 sites", TIMES[:1], w, np.ones(1), measured=True, weights_error=w + 1)
    field, loss = picture(NonlinearGP(80, [2, 1], 1, "open", "unit-variance", [1, 0]), [one]).axes
    (band,) = field.collections
    assert np.ptp(band.get_paths()[0].vertices[:, 1]) == 2 * BAND
    assert loss.get_xscale() == "linear"


def test_a_grid_is_shown_as_images():
    figure = picture(GRID, [series(), series(measured=True)])
    images = [axis.get_images()[0] for axis in figure.axes if axis.get_images()]
    assert [image.get_array().shape for image in images] == [(2, 3)] * 3
    assert (images[2].get_array() == W[2, 1].reshape(2, 3)).all()


def test_labels_of_several_numbers_are_refused():
    law = FiniteData([[1, 0], [0, 1]], [[1, 0], [0, 1]])
    with pytest.raises(OutOfReachError, match="one output"):
        picture(law, [series()])


def test_a_distance_without_an_upper_end_is_cut():
    ends = np.array([0.1, 0.2, np.inf])
    axis = picture(LINE, [series(distance=(TIMES, ends / 2, ends / 4, ends))]).axes[-1]
    assert axis.get_title() == "distance to theory, 99 % band"
    assert np.isfinite(axis.get_ylim()).all()


CELLS = [
    {"at": {"data.gain": g, "data.n": n}, "observables": {"loss": {"mean": [1.0, g], "standard_error": [0.1, 0.2]}}}
    for n in (8, 16)
    for g in (0.1, 1.0, 10.0)
]


def test_a_sweep_has_a_line_for_each_value_of_the_other_axes():
    figure = sweep_picture(
        ["data.gain", "data.n"], [*CELLS, {"at": {"data.gain": 5.0, "data.n": 8}}], ["loss", "other"]
    )
    (axis,) = figure.axes
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["data.n = 8", "data.n = 16"]
    assert (curve(axis) == [0.1, 1.0, 10.0]).all()
    assert axis.get_xscale() == "log"


def test_a_sweep_without_numbers_over_time_is_refused():
    with pytest.raises(OutOfReachError, match="No cell has"):
        sweep_picture(["data.gain"], [{"at": {"data.gain": 1.0}}], ["loss"])
