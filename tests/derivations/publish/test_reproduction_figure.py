"""The figures of the scoreboard: every stored number is drawn, beside what the source prints."""

from matplotlib import pyplot as plt

from derivations.publish.reproduction_figure import picture
from tests.tolerances_of_reproductions import ROUNDED

PANELS = {
    "rate": {
        "d = 2": {"mean": 0.8, "low": 0.7, "high": 0.9, "printed": 0.81},
        "d = 4": {"mean": 0.5, "low": 0.2, "high": 0.9, "printed": 0.75},
    },
    "GaLU faster": {"GaLU faster": {"mean": -0.2, "low": -0.3, "high": -0.1}},
    "trained": {"relu": {"mean": 99.0, "low": 98.0, "high": 99.5, "printed": 100.0}},
}


def test_means_intervals_and_what_is_printed_are_in_their_places():
    """Circles at the means, bars from low to high, a bar at a printed number and a triangle at 0 for an order."""
    figure = picture(PANELS)
    panels = [axis for axis in figure.axes if axis.axison]
    assert [axis.get_title() for axis in panels] == list(PANELS)
    for axis, rows in zip(panels, PANELS.values(), strict=True):
        drawn = {marker: [] for marker in "o|>"}
        for line in axis.lines:
            if line.get_marker() in drawn and line.get_color() != "black":
                drawn[line.get_marker()] += list(zip(line.get_xdata(), line.get_ydata(), strict=True))
        bars = [tuple(segment[:, 0]) for collection in axis.collections for segment in collection.get_segments()]
        for place, row in enumerate(rows.values()):
            assert (row["mean"], place) in drawn["o"]
            assert max(abs(end - row[key]) for end, key in zip(bars[place], ("low", "high"), strict=True)) < ROUNDED
            assert ((row["printed"], place) in drawn["|"]) if "printed" in row else ((0, place) in drawn[">"])
    assert [label.get_text() for label in panels[0].get_yticklabels()] == ["d = 2", "d = 4"]
    assert panels[1].get_yticklabels() == []
    first, last = panels[0].get_ylim()
    assert first > last, "the first statement is the topmost"
    plt.close(figure)
