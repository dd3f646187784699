"""The files of --plot: checked before anything is computed, written whole; and the picture of a sweep."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.atomic import check_folder, new_file
from theory.problem import InputError, OutOfReachError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEGINNINGS = {".png": (b"\x89PNG",), ".svg": (b"<?xml", b"<svg"), ".pdf": (b"%PDF",)}
_DPI = 150
_NAMED = 8  # weights or paths drawn for each cell
_REMEDY = "Name another file with --plot."


def check_picture(path: Path, kinds: Sequence[str] = tuple(BEGINNINGS)) -> None:
    """Raise InputError unless a picture of one of the `kinds` can be written to `path`.

    The path is that of a new file or of an earlier picture of its kind.
    """
    kind = path.suffix.lower()
    if kind not in kinds:
        raise InputError(
            f"--plot {path}: the picture is written as {', '.join(kinds)}, and the name has "
            f"{f'the ending {kind!r}' if kind else 'no ending'}.",
            f"Let the name end in {' or '.join(kinds)}.",
            "file",
        )
    check_folder(path.parent, "--plot")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"The folder {path.parent} cannot be written to.", _REMEDY, "file")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} exists and is not a regular file.", _REMEDY, "file")
    if path.exists() and path.stat().st_size:
        with path.open("rb") as file:
            if not file.read(16).lstrip().startswith(BEGINNINGS[kind]):
                raise InputError(f"{path} exists and is no {kind} picture; it would be lost.", _REMEDY, "file")


def write_picture(figure: "Figure", path: Path) -> None:
    """Write the figure in the format that the ending of `path` names, whole or not at all; the same bytes each time."""
    from matplotlib import rc_context

    kind = path.suffix.lower().removeprefix(".")
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with new_file(path) as file, rc_context({"svg.hashsalt": "gdln"}):
        figure.savefig(file, format=kind, dpi=_DPI, metadata=dates)


def sweep_picture(axes: Sequence[str], cells: Sequence[Mapping[str, Any]], names: Sequence[str]) -> "Figure":
    """Draw each observable of `names` at the last time against the first axis, a line for each value of the others.

    `cells` are those of `gdln sweep --json`: `at` maps an axis to its value, `observables` a name to `mean` and
    `standard_error`, (T) or (T, K), and to the `names` of weights or paths. Markers are means over networks, bars hold
    99 %. Of several units the first is shown; the first weights or paths have a line each. Raises OutOfReachError where
    no cell has one of these observables.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from theory.flow.picture import STYLE

    shown = [name for name in names if any(name in cell.get("observables", {}) for cell in cells)]
    if not shown:
        raise OutOfReachError(
            "No cell has an observable with one number at each time, or a number for each unit.",
            'Measure "loss" or "participation-ratio", for example.',
        )
    with rc_context(STYLE):
        figure = Figure(figsize=(4.6 * len(shown), 3.4), layout="constrained")
        for axis, name in zip(figure.subplots(1, len(shown), squeeze=False)[0], shown, strict=True):
            _observable(axis, axes, cells, name)
    return figure


def _observable(axis: Any, axes: Sequence[str], cells: Sequence[Mapping[str, Any]], name: str) -> None:
    import numpy as np

    from theory.flow.picture import BAND, COLOURS

    lines: dict[tuple[str, ...], list[tuple[Any, float, float]]] = {}
    units = False
    for cell in cells:
        if name in cell.get("observables", {}):
            found = cell["observables"][name]
            mean, error = (np.atleast_1d(np.asarray(found[key])[-1]) for key in ("mean", "standard_error"))
            names = found.get("names")
            units = units or (names is None and mean.size > 1)
            others = tuple(f"{field} = {_word(cell['at'][field])}" for field in axes[1:])
            for index, own in enumerate([()] if names is None else [(each,) for each in names[:_NAMED]]):
                lines.setdefault((*own, *others), []).append(
                    (cell["at"][axes[0]], float(mean[index]), float(error[index]))
                )
    numbers = all(isinstance(x, int | float) for points in lines.values() for x, _, _ in points)
    for index, (others, points) in enumerate(lines.items()):
        x = [value if numbers else _word(value) for value, _, _ in points]
        _, mean, error = zip(*points, strict=True)
        look = {"fmt": "os^Dv<"[index % 6] + ("-", "--", ":")[index // len(COLOURS) % 3], "ms": 4, "mfc": "white"}
        look |= {"color": COLOURS[index % len(COLOURS)], "lw": 1.0, "capsize": 2}
        axis.errorbar(x, mean, BAND * np.array(error), label=", ".join(others) or None, **look)
    values = sorted({x for points in lines.values() for x, _, _ in points}) if numbers else []
    if len(values) > 2 and values[0] > 0 and values[-1] >= 10 * values[0]:
        axis.set_xscale("log")
    axis.set(xlabel=axes[0], ylabel=name.replace("-", " "))
    axis.set_title(f"{name.replace('-', ' ')}{' of unit 0' if units else ''} at the last time, 99 % bars", fontsize=9)
    if any(lines):
        axis.legend(fontsize=7)


def _word(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
