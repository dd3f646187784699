"""The tables of the experiment of replayed gates, from its stored numbers."""

from collections.abc import Mapping
from typing import Any

from derivations.experiments.model import Run
from derivations.markdown import table


def flips(run: Run) -> str:
    """Per cent of gates that differ between two of the recorded times, with standard errors over networks."""
    times, mean, error = run["times"], run["flips"]["mean"], run["flips"]["standard_error"]
    last = len(times) - 1
    pairs = {
        "since the start": [(0, i) for i in range(1, last + 1)],
        "since the time before": [(i - 1, i) for i in range(1, last + 1)],
        "until the end": [(i, last) for i in range(1, last + 1)],
    }
    rows = [
        [title, *(f"{100 * mean[i][j]:.1f} ± {100 * error[i][j]:.1f}" for i, j in pairs_of_times)]
        for title, pairs_of_times in pairs.items()
    ]
    return table(["gates that differ, %", *(f"$t = {time:g}$" for time in times[1:])], rows)


def distances(run: Run) -> str:
    """Distances of the replays' weights at four times with their bands, and when they exceed the margin."""
    times = run["times"]
    shown = [times.index(times[-1] * part) for part in (1 / 8, 1 / 4, 1 / 2, 1)]
    rows = []
    for name, band in run["weight_distance"].items():
        earliest, latest = band["departs_no_earlier_than"], band["departs"]
        when = "not by the end" if latest is None else f"${_interval(earliest, latest)}$"
        rows.append([name, *(_with_band(band, i) for i in shown), when])
    return table(["gates", *(f"$t = {times[i]:g}$" for i in shown), f"exceeds {run['margin']:g} at"], rows)


def ends(run: Run) -> str:
    """Loss and participation ratio at the last time, their distances, and the effect of common random numbers."""
    rows = []
    for name, loss in run["loss"].items():
        ratio = run["participation_ratio"][name]["mean"][-1]
        cells = [name, f"{loss['mean'][-1]:.4f}", "", f"{ratio:.4f}", "", ""]
        if name in run["variance_reduction"]:
            cells[2] = _with_band(run["loss_distance"][name], -1)
            cells[4] = _with_band(run["participation_ratio_distance"][name], -1)
            saved = run["variance_reduction"][name]
            cells[5] = f"{saved['factor']:.1f} ± {saved['standard_error']:.1f}"
        rows.append(cells)
    return table(["gates", "loss", "its distance", "participation ratio", "its distance", "variance ratio"], rows)


def _with_band(band: Mapping[str, Any], index: int) -> str:
    return f"{band['distance'][index]:.3f} ({band['low'][index]:.3f} to {band['high'][index]:.3f})"


def _interval(earliest: float, latest: float) -> str:
    return f"t = {latest:g}" if earliest == latest else rf"{earliest:g} \leq t \leq {latest:g}"


TABLES = {"replayed-gates": {"flips": flips, "distances": distances, "ends": ends}}
