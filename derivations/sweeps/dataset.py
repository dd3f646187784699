"""The results of a sweep as one xarray.Dataset; xarray is an extra and is imported here only."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from derivations.sweeps.plans import Plan
from derivations.sweeps.table import Answers, axes_of, number_or_text
from theory.problem import OBSERVABLES, OutOfReachError, Sweep, dumps_sweep

SCHEMA = "gdln.dataset/1"


def dataset(read: Callable[[], Answers], plan: Plan):
    """The cells of a plan that exist, as an xarray.Dataset.

    Dimensions: the axes of the sweep by their dotted keys (or "cell" for zipped axes), "replicate", "time", "unit",
    "site", "weight", "path", "map_mode"; the last three by their names where all cells have the same. Variables: each
    observable; "state" ("complete", "diverged", "damaged" or "missing"); "diverged" by replicate; "times" where they
    differ between cells. Numbers that a cell lacks (a smaller n, fewer replicates, a replicate that diverged) are NaN.
    Attributes, as text: the sweep, the code, versions, devices, and what is damaged. `read` gives the cells as
    `Store.each` does.
    Raises OutOfReachError where xarray is not installed.
    """
    try:
        import xarray
    except ImportError:
        raise OutOfReachError(
            "xarray is not installed.", "pip install 'gdln-workbench[export]', or use table().", "missing-package"
        ) from None

    sweep = plan.sweep
    # Arrays are read twice: the sizes must be known before the dataset is filled.
    sizes, times, names, metas = _sizes(read(), sweep)
    dims = tuple(axis.field for axis in sweep.axes) if sweep.combine == "product" else ("cell",)[: len(sweep.shape)]
    along = {"state": (), "diverged": ("replicate",), "times": ("time",)}
    along |= {name: ("replicate", *OBSERVABLES[name].axes) for name in sweep.observables}
    empty = {"state": np.array("missing", dtype="<U8"), "diverged": False}
    variables = {
        name: ((*dims, *axes), np.full((*sweep.shape, *(sizes[axis] for axis in axes)), empty.get(name, np.nan)))
        for name, axes in along.items()
    }
    for cell, meta, arrays in read():
        variables["state"][1][cell.index] = meta["state"]
        for name in variables.keys() & arrays.keys():
            variables[name][1][(*cell.index, *map(slice, arrays[name].shape))] = arrays[name]
    coordinates: dict[str, Any] = {axis: np.arange(sizes[axis]) for axes in along.values() for axis in axes}
    if len(times) == 1:
        del variables["times"]
        coordinates |= {axis: np.array(*times) for axis in coordinates.keys() & {"time", "other_time"}}
    coordinates |= {axis: np.array(*seen) for axis, seen in names.items() if len(seen) == 1}
    for axis in sweep.axes:
        dimension = axis.field if sweep.combine == "product" else "cell"
        coordinates[axis.field] = (dimension, np.array([number_or_text(value) for value in axis.values]))
    attributes = {"schema": SCHEMA, "sweep": dumps_sweep(sweep), "code": plan.code}
    for name, fact in (("versions", "versions"), ("devices", "device"), ("damaged", "fault")):  # as text, for any file
        attributes[name] = "; ".join(sorted({json.dumps(meta[fact], sort_keys=True) for meta in metas if fact in meta}))
    return xarray.Dataset(variables, coords=coordinates, attrs=attributes)


def _sizes(
    cells: Answers, sweep: Sweep
) -> tuple[dict[str, int], set[tuple[float, ...]], dict[str, set[tuple[str, ...]]], list[Mapping[str, Any]]]:
    """The largest length of every dimension, the different times and names of places, the facts of each cell."""
    sizes = dict.fromkeys(("replicate", "time", *(a for name in sweep.observables for a in OBSERVABLES[name].axes)), 0)
    times, metas, names = set(), [], {axis: set() for axis in sizes}
    for _, meta, arrays in cells:
        metas.append(meta)
        lengths = [("time", len(arrays.get("times", ()))), ("replicate", len(arrays.get("replicates", ())))]
        for name in arrays.keys() & set(sweep.observables):
            lengths += zip(axes_of(name, arrays[name].ndim - 1), arrays[name].shape[1:], strict=True)
        for axis, length in lengths:
            sizes[axis] = max(sizes[axis], length)
        times |= {tuple(arrays["times"].tolist())} if arrays else set()
        for axis in names.keys() & meta.get("names", {}).keys():
            names[axis].add(tuple(meta["names"][axis]))
    return sizes, times, names, metas
