"""The shapes and types that the arrays of a cell must have, read from their headers before anything is loaded."""

import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from derivations.sweeps.table import names_along
from derivations.unreadable import is_of_the_disk, why
from theory.problem import OBSERVABLES, Problem

_PLAIN = {"times": ("time",), "replicates": ("replicate",), "diverged": ("replicate",)}
_KINDS = {"times": "f", "replicates": "iu", "diverged": "b"}  # of NumPy's types; observables are floats


def fault(file: IO[bytes], meta: Mapping[str, Any], problem: Problem | None) -> str | None:
    """Return the fault of the arrays in the .npz `file` of a cell whose meta.json is `meta`; None where they have none.

    Each observable that was asked for must be there, unless it is undefined or the cell diverged, and every array must
    have a place for each replicate, and each time, unit and site of `problem` where that is given. Raises OSError where
    the disk fails.
    """
    try:
        headers = _headers(file)
    except (OSError, ValueError, EOFError, KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile) as error:
        if is_of_the_disk(error):
            raise
        return f"its arrays cannot be read: {why(error)}"
    wanted = dict(_PLAIN)
    for name in meta["observables"]:
        if name in OBSERVABLES and name not in meta["undefined"] and (name in headers or meta["state"] != "diverged"):
            wanted[name] = ("replicate", *OBSERVABLES[name].axes)
    absent = [name for name in wanted if name not in headers]
    if absent:
        return f"it lacks the array {absent[0]}"
    lengths = {"replicate": meta["replicates"], **_lengths(problem, wanted)}
    several = problem is not None and problem.data.outputs > 1  # labels of several numbers have axes without a name
    for name, axes in wanted.items():
        shape, kind = headers[name]
        if kind not in _KINDS.get(name, "f"):
            return f"the array {name} is of another type"
        named = axes[:1] if several and name not in _PLAIN else axes
        expected = [lengths.get(axis) for axis in named]
        agrees = all(length in (None, found) for length, found in zip(expected, shape, strict=False))
        if len(shape) < len(axes) or (len(shape) > len(named) and not several) or not agrees:
            words = " x ".join("any" if length is None else str(length) for length in expected)
            return f"the array {name} has the shape {shape} instead of {words}"
    return None


def _lengths(problem: Problem | None, wanted: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    if problem is None:
        return {}
    known = {"time": len(problem.training.times), "unit": problem.network.units, "site": problem.data.n}
    named = {axis: names_along(axis, problem) for axes in wanted.values() for axis in axes}
    return known | {axis: len(names) for axis, names in named.items() if names is not None}


def _headers(file: IO[bytes]) -> dict[str, tuple[tuple[int, ...], str]]:
    """The shape and the kind of every array. Raises ValueError for an entry that is no array written by NumPy."""
    found = {}
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            with archive.open(entry) as member:
                if np.lib.format.read_magic(member) != (1, 0):
                    raise ValueError("another version of the format")
                shape, _, dtype = np.lib.format.read_array_header_1_0(member)
                if entry.file_size != member.tell() + dtype.itemsize * int(np.prod(shape, dtype=object)):
                    raise ValueError("another number of bytes than its shape")
                found[entry.filename.removesuffix(".npy")] = (shape, dtype.kind)
    return found
