"""The results of a sweep as plain rows: means and standard errors over networks, one number in each row."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from theory.problem import OBSERVABLES, Cell, OutOfReachError, Sweep
from theory.problem.sweep import number_of, value_text

# The declaration, the facts and the arrays of each existing cell.
Answers = Iterable[tuple[Cell, Mapping[str, Any], Mapping[str, np.ndarray]]]
PLACES = ("time", "unit", "other_unit", "site", "other_site", "bias", "other_time", "weight", "path", "map_mode")


def mean_and_error(values: np.ndarray, diverged: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean over the networks that did not diverge, and its standard error, along the first axis."""
    kept = values[~diverged]
    # Deviations from the first network: equal values then have the spread 0, without rounding of a mean.
    return kept.mean(axis=0), (kept - kept[:1]).std(axis=0, ddof=1) / np.sqrt(len(kept))


def axes_of(name: str, dimensions: int) -> tuple[str, ...]:
    """The names of the axes of an observable. Raises OutOfReachError where its array has another number of them.

    >>> axes_of("weights", 3)
    ('time', 'unit', 'site')
    """
    axes = OBSERVABLES[name].axes
    if len(axes) != dimensions:
        raise OutOfReachError(
            f"{name} has {dimensions} axes here, and names for {len(axes)} of them: {', '.join(axes)}.",
            "Labels of several numbers have no table; read the arrays by Store.each.",
        )
    return axes


def rows(cells: Answers, sweep: Sweep) -> Iterator[dict[str, Any]]:
    """One row for each cell, observable, time, unit and site (None where the observable has none of it).

    Weights, paths and modes of a graph stand by their names. A cell without numbers, because it diverged or is damaged,
    has one row. Keys: the axes' fields, "cell", "observable", PLACES, "mean", "standard_error", "networks", "diverged",
    "state". `cells` are those that `Store.each` yields.
    """
    for cell, meta, arrays in cells:
        head = {field: number_or_text(value) for field, value in cell.values.items()}
        head |= {"cell": meta["cell"][:16]}
        counts = (meta["replicates"] - meta["diverged"], meta["diverged"]) if "diverged" in meta else (None, None)
        tail = {"networks": counts[0], "diverged": counts[1], "state": meta["state"]}
        observables = [name for name in sweep.observables if name in arrays]
        if not observables:
            nothing = dict.fromkeys(("observable", *PLACES, "mean", "standard_error"))
            yield {**head, **nothing, **tail}
        for name in observables:
            mean, error = mean_and_error(arrays[name], arrays["diverged"])
            axes = axes_of(name, mean.ndim)
            for index in np.ndindex(mean.shape):
                place: dict[str, Any] = dict.fromkeys(PLACES) | dict(zip(axes, index, strict=True))
                for axis in {"time", "other_time"} & set(axes):
                    place[axis] = float(arrays["times"][place[axis]])
                for axis in meta["names"].keys() & set(axes):
                    place[axis] = meta["names"][axis][place[axis]]
                numbers = {"mean": float(mean[index]), "standard_error": float(error[index])}
                yield {**head, "observable": name, **place, **numbers, **tail}


def csv_text(table: Iterable[Mapping[str, Any]]) -> str:
    """The rows as CSV with a line of names; empty fields where a row has none. No rows give an empty text."""
    text, writer = io.StringIO(), None
    for row in table:
        if writer is None:
            writer = csv.DictWriter(text, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
    return text.getvalue()


def number_or_text(value: Any) -> int | float | str:
    """A value of an axis as a number where it is one, else as text."""
    number = number_of(value)
    if number is None:
        return value_text(value)
    return int(number) if isinstance(value, int) else float(number)
