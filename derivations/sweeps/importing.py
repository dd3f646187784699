"""Stores of the version before, gdln.store/1: each of their cells becomes a file of the new form, with its own code."""

import hashlib
import zipfile
from pathlib import Path

import numpy as np

from derivations.output import counted
from derivations.seals import is_whole
from derivations.sweeps import cells, running
from derivations.sweeps.cells import Question
from derivations.sweeps.store import BEFORE, Store
from theory.problem import OBSERVABLES, InputError, loads
from theory.problem.maps import names_along
from theory.problem.sweep_toml import loads_record
from theory.problem.user_files import read_json, read_text

_FACTS = ("state", "replicates", "diverged", "undefined", "versions", "device", "backend", "dtype", "fallback", "steps")


def imported(source: Path, target: Path) -> tuple[int, list[str]]:
    """Copy the cells and the sweeps of the old store `source` into the store `target`; return how many, and remarks.

    Raises InputError where `source` is none, and where `target` cannot be a store.
    """
    try:
        form = read_json(source / "store.json")["schema"]
    except (OSError, ValueError, TypeError, KeyError):
        form = None
    if form != BEFORE:
        raise InputError(f"{source} is no store of the form {BEFORE!r}.", "Name the folder of one.", "file")
    store, codes, remarks = Store.create(target), set[str](), []
    for folder in sorted(folder for folder in (source / "cells").glob("*") if len(folder.name) == 64):
        try:
            codes.add(_copied(folder, store))
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            remarks.append(f"The cell {folder.name[:12]} was left out: {error}")
    for file in sorted((source / "sweeps").glob("*.json")):
        try:
            sweep = loads_record(read_text(file), str(target))
            recorded = [running.record(sweep, target, code, lambda _share, _what: None) for code in sorted(codes)]
            count = sum(len(one.outcomes) - one.count(running.MISSING, running.INVALID) for one in recorded)
            remarks.append(f"The sweep {file.stem} has {counted(count, 'cell')}.")
        except (OSError, InputError) as error:
            remarks.append(f"The sweep {file.stem} is not recorded; run it by its file: {error}")
    return len(store.names()), remarks


def _copied(folder: Path, store: Store) -> str:
    """Copy a cell, verified by its seal and its checksum; return the version of its code."""
    meta, data = read_json(folder / "meta.json"), folder / "data.npz"
    if not is_whole(meta) or hashlib.sha256(data.read_bytes()).hexdigest() != meta["data"]["sha256"]:
        raise InputError("it is damaged.")
    with np.load(data) as archive:
        arrays = dict(archive)
    request = Question(meta["problem"], tuple(meta["observables"]), meta["seed"])
    facts = {name: meta[name] for name in _FACTS if name in meta}
    axes = {axis for name in request.observables if name in OBSERVABLES for axis in OBSERVABLES[name].axes}
    places = {"weight", "path", "map_mode"} & axes
    facts["names"] = {axis: names_along(axis, loads(request.problem)) for axis in sorted(places)}
    store.put(request.cell(meta["code"]), cells.encoded(request, meta["code"], arrays, facts))
    store.note(request.cell(meta["code"]), meta["wall_seconds"])
    return meta["code"]
