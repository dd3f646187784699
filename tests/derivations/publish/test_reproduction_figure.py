"""The figures of the scoreboard: every stored number is drawn, beside what the source prints."""

import pytest
from matplotlib import pyplot as plt

from derivations.markdown import plain
from derivations.publish import reproduction_figure
from derivations.publish.reproduction_figure import data, picture
from derivations.reproductions import stored
from tests.tolerances_of_reproductions import ROUNDED

NAMES = reproduction_figure.names()
PANELS = {
    "rate": {
        "d = 2": {"mean": 0.8, "low": 0.7, "high": 0.9, "printed": 0.81},
        "d = 4": {"mean": 0.5, "low": 0.2, "high": 0.9, "printed": 0.75},
    },
    "GaLU faster": {"GaLU faster": {"mean": -0.2, "low": -0.3, "high": -0.1}},
    "trained": {"relu": {"mean": 99.0, "low": 98.0, "high": 99.5, "printed": 100.0}},
}


THEORY = "trained, linearised"


def lines(name, of_theory):
    """The lines of the panels of theory, or of the others, each with its panel and its label."""
    panels = {panel: own for panel, own in data(name).items() if panel.startswith(THEORY) == of_theory}
    return [(panel, label, row) for panel, own in panels.items() for label, row in own.items()]


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_linearised_training_is_shown(name):
    rows = {row["key"]: row for row in stored.read(name)["beside"] if row["kind"] == "linearised" and "mean" in row}
    shown = lines(name, of_theory=True)
    assert len(shown) == len(rows)
    for panel, label, numbers in shown:
        group = panel.removeprefix(THEORY).removeprefix(": ")
        ending = f"{group}, {label}" if group else label
        (row,) = (row for key, row in rows.items() if key in (ending, f"linearised, {ending}"))
        assert [numbers[key] for key in ("mean", "low", "high")] == [row["mean"], row["low"], row["high"]]
        assert numbers["printed"] == row["theory"]
    assert ("linearised training (orange bars)" in reproduction_figure.caption(name)) == bool(rows)


@pytest.mark.parametrize("name", NAMES)
def test_every_statement_of_a_result_is_shown(name):
    rows = stored.read(name)["rows"]
    shown = lines(name, of_theory=False)
    assert len(shown) == len(rows)
    expected = {row["key"]: row for row in rows}
    for panel, label, numbers in shown:
        row = expected[panel if label == panel else f"{panel}, {label}"]
        assert [numbers[key] for key in ("mean", "low", "high")] == [row["mean"], row["low"], row["high"]]
        assert numbers.get("printed") == row["value"]
    assert plain(reproduction_figure.caption(name))


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
