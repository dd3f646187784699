"""The store of sweeps: a folder with one folder a cell. Writers never share a file; what is killed leaves no half cell.

store.json      says that this folder is a store, and of which form
sweeps/         the record of every sweep that was run here, one JSON file each
cells/<hash>/   data.npz and meta.json of one cell; cells/.<hash>.*/ is being written, or was when its writer died
locks/<hash>    held by the process that makes this cell
damaged/        what stood in the place of a cell and was not it
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from derivations.atomic import write_text
from derivations.sweeps import cells
from derivations.sweeps.locks import held
from theory.problem import Cell, InputError, Sweep, dumps_sweep
from theory.problem.sweep_toml import loads_record

SCHEMA = "gdln.store/1"
_MARKER, _PART, _BIRTH = "store.json", "store.json.part", "store.lock"
_ROOMS = ("cells", "locks", "sweeps", "damaged")
_NAME = re.compile(r"[0-9a-f]{64}")
_ASIDE = re.compile(r"\.([0-9a-f]{64})\..+")


@dataclass(frozen=True)
class Store:
    """An existing store. `Store.open` reads one, `Store.create` makes it where there is none."""

    folder: Path

    @classmethod
    def open(cls, folder: str | Path) -> "Store":
        """The store in `folder`, unchanged. Raises InputError where there is none, or one of another form."""
        folder = Path(folder)
        if not (folder / _MARKER).is_file():
            why = "holds no store.json" if folder.is_dir() else "is not there"
            raise InputError(f"{folder} is no store of sweeps: it {why}.", "Run gdln sweep to make it.", "file")
        try:
            found = json.loads((folder / _MARKER).read_text(encoding="utf-8"))["schema"]
        except (ValueError, TypeError, KeyError):
            raise InputError(f"{folder / _MARKER} cannot be read.", "Name another folder with --out.", "file") from None
        if found != SCHEMA:
            raise InputError(
                f"{folder} is a store of the form {str(found)[:40]!r}; this version reads and writes {SCHEMA!r}.",
                "Use the version that made it, or name another folder with --out.",
                "version",
            )
        return cls(folder)

    @classmethod
    def create(cls, folder: str | Path) -> "Store":
        """The store in `folder`, made where the folder is absent or empty; its dead writers' leftovers are removed.

        Raises InputError where the folder holds other files; OSError where it cannot be written.
        """
        folder = Path(folder)
        check_creatable(folder)
        folder.mkdir(exist_ok=True)
        with _alone(folder):
            for room in _ROOMS:
                (folder / room).mkdir(exist_ok=True)
            if not (folder / _MARKER).exists():
                with open(folder / _PART, "w", encoding="utf-8") as file:
                    file.write(json.dumps({"schema": SCHEMA}) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                (folder / _PART).replace(folder / _MARKER)
                cells.sync_folder(folder)
        store = cls.open(folder)
        store.remove_leftovers()
        return store

    def place(self, cell: str) -> Path:
        """Where the cell lies, or would."""
        return self.folder / "cells" / cell

    def lock(self, cell: str):
        """A context that says whether this process may make the cell; see `locks.held`."""
        return held(self.folder / "locks" / cell)

    def is_locked(self, cell: str) -> bool:
        """Whether a process that lives is making the cell. Nothing is written."""
        try:
            with open(self.folder / "locks" / cell) as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def write(
        self, cell: str, asked: cells.Question, code: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]
    ) -> None:
        """Write a cell whose lock the caller holds; see `cells.write`."""
        cells.write(self.place(cell), asked, code, arrays, facts)

    def meta(self, cell: str) -> dict[str, Any] | None:
        """The verified meta.json of the cell; None where it is missing. Raises DamagedError."""
        place = self.place(cell)
        return cells.read_meta(place) if place.exists() or place.is_symlink() else None

    def read(self, cell: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The verified meta.json and the arrays of a cell that is there. Raises DamagedError."""
        return cells.read(self.place(cell))

    def set_aside(self, cell: str) -> Path:
        """Move what stands in the cell's place to damaged/; the caller holds the cell's lock."""
        new = Path(tempfile.mkdtemp(dir=self.folder / "damaged", prefix=f"{cell}."))
        self.place(cell).rename(new / "cell")
        return new

    def names(self) -> tuple[str, ...]:
        """The ids of all cells that are there, of whatever sweep or version."""
        return tuple(sorted(item.name for item in self.place("").iterdir() if _NAME.fullmatch(item.name)))

    def remove_leftovers(self) -> int:
        """Remove what dead writers left; a cell that a living process is writing keeps its lock and is left alone."""
        removed = 0
        for item in list(self.place("").iterdir()):
            found = _ASIDE.fullmatch(item.name)
            if found is None:
                continue
            with self.lock(found.group(1)) as mine:
                if mine:
                    shutil.rmtree(item, ignore_errors=True)
                    removed += 1
        for item in list((self.folder / "locks").iterdir()):
            with held(item):
                pass  # a lock file without a holder is removed when it is let go
        return removed

    def record(self, sweep: Sweep) -> str:
        """Keep the declaration of a sweep beside its cells; returns its id."""
        text = dumps_sweep(sweep)
        name = sweep_id(sweep)
        path = self.folder / "sweeps" / f"{name}.json"
        with _alone(self.folder):
            for leftover in path.parent.glob(".*"):  # of a writer that died, since this one is alone
                leftover.unlink()
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                write_text(path, text)
        return name

    def sweeps(self) -> dict[str, Sweep]:
        """The sweeps recorded here, by id. Raises InputError for a record that cannot be read."""
        records = sorted((self.folder / "sweeps").glob("*.json"))
        return {file.stem: loads_record(file.read_text(encoding="utf-8"), str(self.folder)) for file in records}

    def the_sweep(self, sweep: Sweep | None = None) -> Sweep:
        """`sweep`, or the only one recorded here. Raises InputError where none or several are."""
        if sweep is not None:
            return sweep
        recorded = self.sweeps()
        if len(recorded) != 1:
            raise InputError(
                f"{self.folder} has the records of {len(recorded)} sweeps.",
                'Say which: theory.problem.load_sweep("SWEEP.toml").' if recorded else "Run gdln sweep first.",
            )
        return next(iter(recorded.values()))

    def table(self, sweep: Sweep | None = None, code: str | None = None) -> list[dict[str, Any]]:
        """Plain rows, one a cell, observable, time, unit and site; see `table.rows`."""
        from derivations.sweeps.table import rows

        sweep = self.the_sweep(sweep)
        return list(rows(answers(self, sweep, code)[1], sweep))

    def to_xarray(self, sweep: Sweep | None = None, code: str | None = None):
        """The sweep as an xarray.Dataset; see `dataset.dataset`. OutOfReachError where xarray is not installed."""
        from derivations.sweeps.dataset import dataset

        sweep = self.the_sweep(sweep)
        code, _ = answers(self, sweep, code)
        return dataset(lambda: answers(self, sweep, code)[1], sweep, code)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time, for what takes a moment: the others wait."""
    with open(folder / _BIRTH, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def check_creatable(folder: Path) -> None:
    """InputError where `folder` can neither be a store nor become one; nothing is written."""
    remedy = "Name another folder with --out."
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", remedy, "file")
    if not folder.parent.is_dir():
        raise InputError(f"The folder {folder.parent} does not exist.", f"Create it. {remedy}", "file")
    if (folder / _MARKER).exists():
        Store.open(folder)
    elif folder.is_dir() and (others := sorted(set(os.listdir(folder)) - {_BIRTH, _PART, *_ROOMS})):
        raise InputError(f"{folder} holds other files ({others[0][:60]}) and is no store.", remedy, "file")
    place = folder if folder.exists() else folder.parent
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{place} cannot be written.", f"Check its permissions. {remedy}", "file")


def sweep_id(sweep: Sweep) -> str:
    """The hash of the declaration, without the place of its store."""
    return hashlib.sha256(dumps_sweep(sweep).encode()).hexdigest()[:16]


def found(store: Store, sweep: Sweep) -> dict[str, dict[tuple[int, ...], str]]:
    """The sweep's cells that seem to be there: for each version of the code, the cell's id by its index."""
    keys = {
        cells.question(cell.problem, sweep.observables).key: cell.index
        for cell in sweep.cells
        if cell.problem is not None
    }
    versions: dict[str, dict[tuple[int, ...], str]] = {}
    for name in store.names():
        try:
            meta = json.loads((store.place(name) / cells.META).read_text(encoding="utf-8"))
            key, code = meta["question"], meta["code"]
        except (OSError, ValueError, TypeError, KeyError):
            continue  # it cannot say what it answers
        if key in keys:
            versions.setdefault(code, {})[keys[key]] = name
    return versions


def answers(
    store: Store, sweep: Sweep, code: str | None = None
) -> tuple[str, Iterator[tuple[Cell, dict[str, Any], dict[str, np.ndarray]]]]:
    """A version of the code, and the sweep's cells of that one: the declaration, the verified meta.json, the arrays.

    The version is `code`; by default the one of this machine's CPU or GPU where it has made any, else the one that has
    made most. Reading a cell raises DamagedError where it is not what its name says.
    """
    versions = found(store, sweep)
    if code is None:
        here = [cells.code_version(device) for device in ("cpu", "cuda")]
        known = [name for name in here if name in versions] or list(versions) or here[:1]
        code = max(known, key=lambda name: (len(versions.get(name, ())), name == here[0], name))
    there = versions.get(code, {})
    return code, ((cell, *store.read(there[cell.index])) for cell in sweep.cells if cell.index in there)
