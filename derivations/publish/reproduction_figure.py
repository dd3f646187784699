"""The figures of the scoreboard: what a source states, and linearised training, beside what is measured."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.experiments.model import Data
from derivations.reproductions import stored
from derivations.reproductions.model import LINEARISED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PREFIX, _THEORY = "reproduction-", "trained, linearised"
_COLUMNS = 2
_WIDTH, _ROW, _FRAME = 7.4, 0.2, 1.0  # inches: the figure, a statement, and title and axis of a panel


def figure_of(name: str) -> str:
    """Return the name of the figure of an experiment.

    >>> figure_of("npk-fig-1")
    'reproduction-npk-fig-1'
    """
    return f"{_PREFIX}{name}"


def names() -> tuple[str, ...]:
    """Return the experiments with a stored result.

    >>> "npk-fig-1" in names()
    True
    """
    return tuple(sorted(file.stem for file in stored.RESULTS.glob("*.json")))


def caption(name: str) -> str:
    """Return the caption of the figure of an experiment."""
    text = f"`{name}`: means over the runs with their intervals (blue), beside what the source states (orange)"
    drawn = any(panel.startswith(_THEORY) for panel in data(name))
    return (
        f"{text}; below, trained networks (blue) beside their linearised training (orange bars)."
        if drawn
        else f"{text}."
    )


def data(name: str) -> Data:
    """Return the statements of an experiment, and then the numbers of linearised training, with their means.

    Those whose keys begin alike are in one panel.

    >>> data("npk-fig-1")["overlap"]
    {'overlap': {'mean': 1.0, 'low': 1.0, 'high': 1.0, 'printed': 1.0}}
    """
    content = stored.read(name)
    panels: dict[str, Any] = {}
    if content is None:
        return panels
    for row in content["rows"]:
        panel, _, label = row["key"].partition(", ")
        printed = {} if row["value"] is None else {"printed": row["value"]}
        panels.setdefault(panel, {})[label or panel] = _measured(row) | printed
    for row in content["beside"]:
        if row["kind"] == LINEARISED and "mean" in row:
            panel, _, label = row["key"].removeprefix(f"{LINEARISED}, ").rpartition(", ")
            panels.setdefault(f"{_THEORY}: {panel}" if panel else _THEORY, {})[label] = _measured(row) | {
                "printed": row["theory"]
            }
    return panels


def _measured(row: Data) -> dict[str, float]:
    return {key: row[key] for key in ("mean", "low", "high")}


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image."""
    from derivations.plots import save

    save(picture(panels), path, mark)


def picture(panels: Data) -> "Figure":
    """Draw a panel with an axis of its own for each group of statements, and in it a line for each statement."""
    from derivations.plots import STYLE, plt

    columns = min(_COLUMNS, len(panels))
    shown = list(panels.items())
    lines = [shown[start : start + columns] for start in range(0, len(shown), columns)]
    heights = [_FRAME + _ROW * max(len(rows) for _, rows in line) for line in lines]
    with plt.rc_context(STYLE | {"figure.constrained_layout.h_pad": 0.1}):
        figure, axes = plt.subplots(
            len(lines), columns, figsize=(_WIDTH, sum(heights)), height_ratios=heights, squeeze=False
        )
        for axis, (title, rows) in zip(axes.flat, shown, strict=False):
            _panel(axis, title, rows)
        for axis in axes.flat[len(shown) :]:
            axis.set_axis_off()
    return figure


def _panel(axis: Any, title: str, rows: Data) -> None:
    from derivations.plots import BLUE, ORANGE

    for place, row in enumerate(rows.values()):
        bar = [[row["mean"] - row["low"]], [row["high"] - row["mean"]]]
        axis.errorbar([row["mean"]], [place], xerr=bar, fmt="o", ms=4, capsize=2.5, lw=1.2, color=BLUE, zorder=3)
        printed, sign, size = (row["printed"], "|", 13) if "printed" in row else (0, ">", 7)
        axis.plot([printed], [place], sign, ms=size, mew=1.4, color=ORANGE, mfc="none", zorder=2)
    if any("printed" not in row for row in rows.values()):
        axis.axvline(0, color="black", lw=0.5, zorder=1)
    axis.set_title(title, fontsize=9)
    axis.set_xlabel("mean", fontsize=8, labelpad=1)
    named = [place for place, label in enumerate(rows) if label != title]
    axis.set_yticks(named, [label for label in rows if label != title])
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.margins(x=0.1)
    axis.locator_params(axis="x", nbins=5)
