"""Pictures of adaptive sweeps: points where they are, boxes of their own size."""

import numpy as np

from derivations.answers.refined_figure import line_picture, map_picture
from theory.flow.picture import BAND

GRID = [1.0, 2.0, 4.0, 8.0, 16.0]


def networks(mean):
    """Three networks with the standard error 1."""
    return (mean - np.sqrt(3), mean, mean + np.sqrt(3))


def test_points_of_a_line_stand_at_their_values():
    numbers = {(0,): networks(5.0), (4,): networks(1.0), (3,): (*networks(2.0), float("nan"))}
    values, below = line_picture(
        "data.gain", GRID, numbers, {(0,): 0, (4,): 0, (3,): 1, (2,): 2}, "a title", "loss"
    ).axes
    line, _, (bars,) = values.containers[0].lines
    assert line.get_xdata().tolist() == [1.0, 8.0, 16.0]
    assert np.round(np.array(line.get_ydata(), dtype=float), 9).tolist() == [5.0, 2.0, 1.0]
    assert np.round([np.ptp(bar[:, 1]) for bar in bars.get_segments()], 9).tolist() == [2 * BAND] * 3
    (marks,) = below.get_lines()
    assert sorted(zip(marks.get_xdata(), marks.get_ydata(), strict=True)) == [(1, 0), (4, 2), (8, 1), (16, 0)]
    assert values.get_xscale() == "log"


def test_boxes_have_their_own_size_and_the_mean_of_their_corners():
    boxes = [((0, 4), (0, 2)), ((0, 2), (2, 4))]
    means = {(0, 0): 1.0, (0, 2): 2.0, (4, 0): 3.0, (4, 2): 6.0, (2, 2): 8.0, (0, 4): 2.0, (2, 4): 4.0}
    grid = [0.0, 1.0, 2.0, 3.0, 4.0]
    numbers = {spot: networks(mean) for spot, mean in means.items()}
    left, right, *_ = map_picture(
        ["a", "b"], [GRID, grid], numbers, {**dict.fromkeys(means, 0), (3, 3): 1}, boxes, "a title", "loss"
    ).axes
    patches, points = left.collections
    drawn = [path.get_extents().bounds for path in patches.get_paths()]
    assert drawn == [(1.0, 0.0, 15.0, 2.0), (1.0, 2.0, 3.0, 2.0)]
    assert np.round(patches.get_array(), 9).tolist() == [3.0, 4.0]
    assert np.round(points.get_array(), 9).tolist() == list(means.values())
    assert points.get_offsets().tolist() == [[GRID[x], grid[y]] for x, y in means]
    assert patches.get_clim() == points.get_clim()
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["0: 7", "1: 1"]
    assert (left.get_xscale(), left.get_yscale()) == ("log", "linear")
