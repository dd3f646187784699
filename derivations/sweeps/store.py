"""The store of sweeps: one folder for each cell. Writers share no file; a killed writer leaves no partial cell.

store.json      marks this folder as a store and names its format
sweeps/         the record of every sweep that was run here, one JSON file each
cells/<hash>/   data.npz and meta.json of one cell; cells/.<hash>.*/ is being written, or was when its writer died
locks/<hash>    held by the process that makes this cell
damaged/        files and folders that were found in the place of a cell
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

from derivations.atomic import check_folder, write_text
from derivations.sweeps import cells
from derivations.sweeps.locks import UNFOLLOWED, held
from theory.problem import Cell, InputError, Problem, Sweep, dumps_sweep
from theory.problem.sweep_toml import loads_record, with_code
from theory.problem.user_files import LARGEST_TEXT, read_json, read_text

SCHEMA = "gdln.store/1"
_MARKER, _PART, _BIRTH = "store.json", "store.json.part", "store.lock"
_ROOMS = ("cells", "locks", "sweeps", "damaged")
LARGEST_RECORD = 2 * LARGEST_TEXT  # a base of the largest size, with its quotes escaped
_NAME = re.compile(r"[0-9a-f]{64}")
_ASIDE = re.compile(r"\.([0-9a-f]{64})\..+")


@dataclass(frozen=True)
class Store:
    """An existing store. `Store.open` reads one, `Store.create` makes it where it is missing."""

    folder: Path

    @classmethod
    def open(cls, folder: str | Path) -> "Store":
        """The store in `folder`, unchanged. Raises InputError where `folder` is no store, or one of another format."""
        folder = Path(folder)
        if not (folder / _MARKER).is_file():
            why = "holds no store.json" if folder.is_dir() else "is not there"
            raise InputError(f"{folder} is no store of sweeps: it {why}.", "Run gdln sweep to make it.", "file")
        try:
            found = read_json(folder / _MARKER)["schema"]
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
        """Return the folder of a cell, whether the cell is made or not."""
        return self.folder / "cells" / cell

    def lock(self, cell: str):
        """A context that yields whether this process may make the cell; see `locks.held`."""
        return held(self.folder / "locks" / cell)

    def is_locked(self, cell: str) -> bool:
        """Whether a process that lives is making the cell. Nothing is written."""
        try:
            lock = os.open(self.folder / "locks" / cell, os.O_RDONLY | UNFOLLOWED)
        except OSError:  # there is no lock file, or the path cannot be a lock
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def write(
        self, cell: str, asked: cells.Question, code: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]
    ) -> None:
        """Write a cell whose lock the caller holds; see `cells.write`."""
        cells.write(self.place(cell), asked, code, arrays, facts)

    def is_there(self, cell: str) -> bool:
        """Whether the cell's path exists, as a cell or as anything else."""
        return os.path.lexists(self.place(cell))

    def meta(self, cell: str, problem: Problem | None = None) -> dict[str, Any] | None:
        """The verified meta.json of the cell (see `cells.read_meta`), None where it is missing. Raises DamagedError."""
        return cells.read_meta(self.place(cell), problem) if self.is_there(cell) else None

    def read(self, cell: str, problem: Problem | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The verified meta.json and the arrays of an existing cell; see `cells.read`. Raises DamagedError."""
        return cells.read(self.place(cell), problem)

    def set_aside(self, cell: str) -> Path:
        """Move the cell's path, whatever it is, to damaged/; the caller holds the cell's lock."""
        return self._moved(self.place(cell), "cell")

    def _moved(self, item: Path, name: str) -> Path:
        new = Path(tempfile.mkdtemp(dir=self.folder / "damaged", prefix=f"{item.name}."))
        item.rename(new / name)
        return new

    def names(self) -> tuple[str, ...]:
        """The ids of all existing cells, of any sweep or version."""
        return tuple(sorted(item.name for item in self.place("").iterdir() if _NAME.fullmatch(item.name)))

    def remove_leftovers(self) -> int:
        """Remove the leftovers of dead writers; a cell that a living process is writing keeps its lock and stays."""
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
            if item.is_symlink() or (item.exists() and not item.is_file()):
                self._moved(item, "lock")  # it cannot be a lock, and would prevent the making of the cell
                continue
            with held(item):
                pass  # a lock file without a holder is removed when the block ends
        return removed

    def record(self, sweep: Sweep) -> str:
        """Keep the declaration of a sweep beside its cells; returns its id."""
        text = dumps_sweep(sweep)
        name = sweep_id(sweep)
        path = self.folder / "sweeps" / f"{name}.json"
        with _alone(self.folder):
            for leftover in path.parent.glob(".*"):  # of a writer that died, since this one is alone
                if leftover.is_file() or leftover.is_symlink():
                    leftover.unlink()
            if not _is_text(path, text):
                if os.path.lexists(path) and not path.is_file():
                    self._moved(path, "record")
                write_text(path, text)
        return name

    def sweeps(self) -> dict[str, Sweep]:
        """The sweeps recorded here, by id. Raises InputError for a record that cannot be read."""
        records = sorted((self.folder / "sweeps").glob("*.json"))
        return {file.stem: self._recorded(file) for file in records}

    def _recorded(self, file: Path) -> Sweep:
        try:
            return with_code(loads_record(read_text(file, LARGEST_RECORD), str(self.folder)))
        except (OSError, InputError) as error:
            why = getattr(error, "message", None) or f"{getattr(error, 'strerror', None) or error}."
            raise InputError(
                f"{file} is no record of a sweep: {why}", "Remove it; a sweep that runs writes its own.", "file"
            ) from None

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
        """Return plain rows, one for each cell, observable, time, unit and site; see `table.rows`."""
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
    """One process at a time, for a short operation: the others wait."""
    lock = os.open(folder / _BIRTH, os.O_RDWR | os.O_CREAT | UNFOLLOWED, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _is_text(path: Path, text: str) -> bool:
    """Whether `path` is a regular file with this text."""
    try:
        return read_text(path, LARGEST_RECORD) == text
    except (OSError, InputError):
        return False


def check_creatable(folder: Path) -> None:
    """InputError where `folder` can neither be a store nor become one; nothing is written."""
    remedy = "Name another folder with --out."
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", remedy, "file")
    check_folder(folder.parent, "--out")
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


@dataclass(frozen=True)
class Found:
    """The cells of a sweep whose folders exist, unverified.

    `versions` has, for each version of the code, the cell's id by its index; `nameless` are the ids of cells, of this
    sweep or another, whose meta.json cannot say what they answer.
    """

    versions: Mapping[str, Mapping[tuple[int, ...], str]]
    nameless: tuple[str, ...]


def found(store: Store, sweep: Sweep) -> Found:
    """The sweep's cells whose folders exist; nothing is verified."""
    asked = {
        cell.index: cells.question(cell.problem, sweep.observables) for cell in sweep.cells if cell.problem is not None
    }
    index_of = {question.key: index for index, question in asked.items()}
    versions: dict[str, dict[tuple[int, ...], str]] = {}
    nameless = []
    for name in store.names():
        claim = cells.claimed(store.place(name))
        if claim is None:
            nameless.append(name)
        elif claim[0] in index_of:
            versions.setdefault(claim[1], {})[index_of[claim[0]]] = name
    if nameless:  # the name still shows whether it is a cell of a known version
        for code in {*versions, *_codes_here()}:
            for index, question in asked.items():
                if (name := question.cell(code)) in nameless:
                    versions.setdefault(code, {})[index] = name
                    nameless.remove(name)
    return Found(versions, tuple(nameless))


def _codes_here() -> list[str]:
    """The versions of the code of this machine's CPU and GPU."""
    return [cells.code_version(device) for device in ("cpu", "cuda")]


def answers(
    store: Store, sweep: Sweep, code: str | None = None
) -> tuple[str, Iterator[tuple[Cell, dict[str, Any], dict[str, np.ndarray]]]]:
    """A version of the code, and the sweep's cells of that one: the declaration, the verified meta.json, the arrays.

    The version is `code`; by default the one of this machine's CPU or GPU where it has made any, else the one that has
    made most. Reading a cell raises DamagedError where it is not what its name says; a cell that cannot say what it
    answers, and so may be one of these, is a DamagedError at once. Raises InputError where a cell is no valid problem
    any more, such as one whose data are gone, unless the sweep leaves such cells out.
    """
    faults = [cell.error for cell in sweep.cells if cell.error is not None]
    if faults and sweep.invalid == "refuse":
        raise faults[0]
    seen = found(store, sweep)
    if seen.nameless:
        raise cells.damaged(
            store.place(seen.nameless[0]),
            f"{cells.META} cannot be read, as in {len(seen.nameless)} of the cells of {store.folder}; they may belong "
            "to this sweep",
        )
    if code is None:
        here = _codes_here()
        known = [name for name in here if name in seen.versions] or list(seen.versions) or here[:1]
        code = max(known, key=lambda name: (len(seen.versions.get(name, ())), name == here[0], name))
    there = seen.versions.get(code, {})
    return code, ((cell, *store.read(there[cell.index], cell.problem)) for cell in sweep.cells if cell.index in there)
