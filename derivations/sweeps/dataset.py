"""The results of a sweep as one xarray.Dataset; xarray is an extra and is imported here only."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from derivations.sweeps.plans import Plan
from derivations.sweeps.table import Answers, axes_of, number_or_text
from theory.problem import OBSERVABLES, OutOfReachError, Sweep, dumps_sweep

SCHEMA = "gdln.dataset/1"
_LARGEST = 8 * 2**30


def dataset(read: Callable[[], Answers], attempt: Callable[[str], dict[str, Any]], made: Plan):
    """The cells of a plan that exist, as an xarray.Dataset.

    Dimensions: the axes of the sweep by their dotted keys (or "cell" for zipped axes), "replicate", "time", "unit",
    "site", "weight", "path", "map_mode"; the last three by their names where all cells have the same. Variables: each
    observable; "state" ("complete", "diverged", "damaged" or "missing"); "diverged" by replicate; "times" where they
    differ between cells. Numbers that a cell lacks (a smaller n, fewer replicates, a replicate that diverged) are NaN.
    Attributes: the sweep, the code, versions, devices, when the cells were computed, and what is damaged.
    `read` gives the cells as `Store.each` does, and `attempt` the last attempt at one as `Store.attempt`. Of an
    adaptive sweep the generation of each is a coordinate.
    Raises OutOfReachError where xarray is not installed or memory does not suffice.
    """
    try:
        import xarray
    except ImportError:
        raise OutOfReachError(
            "xarray is not installed.", "pip install 'gdln-workbench[export]', or use table().", "missing-package"
        ) from None

    sweep = made.sweep
    # Arrays are read twice: the sizes must be known before the dataset is filled.
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
        if not arrays:
            continue
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
    if made.generation is not None:
        coordinates["generation"] = ("cell", np.array(made.generation))
    return xarray.Dataset(variables, coords=coordinates, attrs=_provenance(attempt, made, metas))


def _sizes(
    there: Answers, sweep: Sweep
) -> tuple[dict[str, int], list[list[float]], dict[str, set[tuple[str, ...]]], list[dict[str, Any]]]:
    """The largest length of every dimension, the times of every cell, the names of places, the facts of each cell."""
    sizes = dict.fromkeys(("replicate", "time", *(a for name in sweep.observables for a in OBSERVABLES[name].axes)), 0)
    times, metas, names = [], [], {axis: set() for axis in sizes}
    for _, meta, arrays in there:
        metas.append(meta)
        if not arrays:
            continue
        times.append([float(time) for time in arrays["times"]])
        sizes["time"] = max(sizes["time"], len(times[-1]))
        sizes["replicate"] = max(sizes["replicate"], len(arrays["replicates"]))
        for name in sweep.observables:
            if name in arrays:
                for axis, length in zip(axes_of(name, arrays[name].ndim - 1), arrays[name].shape[1:], strict=True):
                    sizes[axis] = max(sizes[axis], length)
        for axis, seen in names.items():
            seen |= {tuple(meta["names"][axis])} if axis in meta["names"] else set()
    return sizes, times, names, metas


def _refuse_too_large(name: str, shape: tuple[int, ...]) -> None:
    size = 8 * int(np.prod(shape, dtype=object))
    if size > _LARGEST:
        raise OutOfReachError(
            f"{name} of the whole sweep would take {size / 2**30:.1f} GiB; the limit is {_LARGEST / 2**30:.0f} GiB.",
            "Read cell by cell: Store.each, or table() for the means.",
            "memory",
        )


def _provenance(attempt: Callable[[str], dict[str, Any]], made: Plan, metas: list[dict[str, Any]]) -> dict[str, str]:
    """Attributes that every file format can hold: text."""
    whole = [meta for meta in metas if "versions" in meta]
    when = sorted(note["when"] for meta in whole if (note := attempt(meta["cell"])))
    return {
        "schema": SCHEMA,
        "sweep": dumps_sweep(made.sweep),
        "code": made.code,
        "versions": "; ".join(sorted({json.dumps(meta["versions"], sort_keys=True) for meta in whole})),
        "devices": ", ".join(sorted({meta["device"] for meta in whole})),
        "first_finished": when[0] if when else "",
        "last_finished": when[-1] if when else "",
        "damaged": " ".join(meta["fault"] for meta in metas if "fault" in meta),
    }
