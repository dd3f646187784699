"""Pixels against those of matplotlib's own file."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from derivations.explore.figures.pixels import png


def pixels(file):
    return np.asarray(Image.open(BytesIO(file)).convert("RGB")).astype(int)


def by_matplotlib(figure):
    file = BytesIO()
    FigureCanvasAgg(figure).print_png(file)
    return pixels(file.getvalue())


def test_without_text_they_are_the_same():
    figure = Figure(figsize=(3, 2), dpi=100)
    axis = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    axis.plot([0, 1, 0.3], "o--")
    axis.fill_between([0, 1, 2], [0, 1, 0.3], hatch="//")
    axis.set(xticks=[], yticks=[])
    assert (pixels(png(figure)) == by_matplotlib(figure)).all()


@pytest.mark.parametrize("angle", [0, 90, 30])
def test_text_is_the_same(angle):
    figure = Figure(figsize=(3, 2), dpi=100)
    look = {"fontsize": 9, "color": "#D55E00", "rotation_mode": "anchor", "rotation": angle}
    figure.text(0.5, 0.25, "Σyx(0), ab", va="baseline", ha="left", **look)
    expected = by_matplotlib(figure)
    assert (expected < 250).any()
    assert (pixels(png(figure)) == expected).all()


def test_a_sheet_that_was_drawn_on_is_cleared():
    full, empty = (Figure(figsize=(3, 2), dpi=100) for _ in range(2))
    full.text(0.5, 0.5, "something")
    png(full)
    assert (pixels(png(empty)) == 255).all()
