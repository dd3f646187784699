"""The results of a sweep as one xarray.Dataset; xarray is an extra and is imported here only."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from derivations.sweeps.table import Answers, axes_of, names_along, number_or_text
from theory.problem import OBSERVABLES, OutOfReachError, Sweep, dumps_sweep

SCHEMA = "gdln.dataset/1"
_LARGEST = 8 * 2**30


def dataset(read: Callable[[], Answers], sweep: Sweep, code: str, generation: Sequence[int] | None = None):
    """The cells of the sweep that exist, as an xarray.Dataset.

    Dimensions: the axes of the sweep by their dotted keys (or "cell" for zipped axes), "replicate", "time", "unit",
    "site", "weight", "path", "map_mode"; the last three by their names where all cells have the same. Variables: each
    observable;
    "state" ("complete", "diverged", or "missing"); "diverged" by replicate; "times" where they differ between cells.
    Numbers that a cell lacks (a smaller n, fewer replicates, a replicate that diverged) are NaN. Attributes: the sweep,
    the code, versions, devices and when the cells were made.
    `read` gives the cells as `store.answers` does, made by the version `code`; `generation` has that of each cell of an
    adaptive sweep, a coordinate then. Raises OutOfReachError where xarray is
    not installed or memory does not suffice.
    """
    try:
        import xarray
    except ImportError:
        raise OutOfReachError(
            "xarray is not installed.", "pip install 'gdln-workbench[export]', or use table().", "missing-package"
        ) from None

    # Each meta.json is kept, arrays are read twice: the sizes must be known before the dataset is filled.
    sizes, times, names, metas = _sizes(read(), sweep)
    dims = tuple(axis.field for axis in sweep.axes) if sweep.combine == "product" else ("cell",)[: len(sweep.shape)]
    same_times = len({tuple(values) for values in times}) == 1
    variables: dict[str, tuple[tuple[str, ...], np.ndarray]] = {
        "state": (dims, np.full(sweep.shape, "missing", dtype="<U8")),
        "diverged": ((*dims, "replicate"), np.zeros((*sweep.shape, sizes["replicate"]), dtype=bool)),
    }
    if not same_times:
        variables["times"] = ((*dims, "time"), np.full((*sweep.shape, sizes["time"]), np.nan))
    for name in sweep.observables:
        along = ("replicate", *OBSERVABLES[name].axes)
        shape = (*sweep.shape, *(sizes[axis] for axis in along))
        _refuse_too_large(name, shape)
        variables[name] = ((*dims, *along), np.full(shape, np.nan))
    for cell, meta, arrays in read():
        variables["state"][1][cell.index] = meta["state"]
        arrays["diverged"] = arrays["diverged"].astype(bool)
        for name, (_, out) in variables.items():
            if name in arrays:
                own = arrays[name]
                out[(*cell.index, *(slice(length) for length in own.shape))] = own
    used = {axis for names, _ in variables.values() for axis in names} - set(dims)
    coordinates: dict[str, Any] = {axis: np.arange(sizes[axis]) for axis in used}
    if same_times:
        coordinates |= {axis: np.array(times[0]) for axis in used & {"time", "other_time"}}
    coordinates |= {axis: np.array(*found) for axis, found in names.items() if axis in used and len(found) == 1}
    for axis in sweep.axes:
        along = axis.field if sweep.combine == "product" else "cell"
        coordinates[axis.field] = (along, np.array([number_or_text(value) for value in axis.values]))
    if generation is not None:
        coordinates["generation"] = ("cell", np.array(generation))
    return xarray.Dataset(variables, coords=coordinates, attrs=_provenance(sweep, code, metas))


def _sizes(
    there: Answers, sweep: Sweep
) -> tuple[dict[str, int], list[list[float]], dict[str, set[tuple[str, ...]]], list[dict[str, Any]]]:
    """The largest length of every dimension, the times of every cell, the names of places, each cell's meta.json."""
    sizes = dict.fromkeys(("replicate", "time", *(a for name in sweep.observables for a in OBSERVABLES[name].axes)), 0)
    times, metas, names = [], [], {axis: set() for axis in sizes}
    for cell, meta, arrays in there:
        times.append([float(time) for time in arrays["times"]])
        metas.append(meta)
        sizes["time"] = max(sizes["time"], len(times[-1]))
        sizes["replicate"] = max(sizes["replicate"], len(arrays["replicates"]))
        for name in sweep.observables:
            if name in arrays:
                for axis, length in zip(axes_of(name, arrays[name].ndim - 1), arrays[name].shape[1:], strict=True):
                    sizes[axis] = max(sizes[axis], length)
        for axis, seen in names.items():
            own = names_along(axis, cell.problem)
            seen |= set() if own is None else {own}
    return sizes, times, names, metas


def _refuse_too_large(name: str, shape: tuple[int, ...]) -> None:
    size = 8 * int(np.prod(shape, dtype=object))
    if size > _LARGEST:
        raise OutOfReachError(
            f"{name} of the whole sweep would take {size / 2**30:.1f} GiB; the limit is {_LARGEST / 2**30:.0f} GiB.",
            "Read cell by cell: derivations.sweeps.store.answers, or table() for the means.",
            "memory",
        )


def _provenance(sweep: Sweep, code: str, metas: list[dict[str, Any]]) -> dict[str, str]:
    """Attributes that every file format can hold: text."""
    versions = {json.dumps(meta["versions"], sort_keys=True) for meta in metas}
    return {
        "schema": SCHEMA,
        "sweep": dumps_sweep(sweep),
        "code": code,
        "versions": "; ".join(sorted(versions)),
        "devices": ", ".join(sorted({meta["device"] for meta in metas})),
        "first_started": min((meta["started"] for meta in metas), default=""),
        "last_finished": max((meta["finished"] for meta in metas), default=""),
    }
