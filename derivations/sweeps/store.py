"""The store of sweeps: one folder for each cell, filled by any number of processes on one machine or on many.

store.json      marks this folder as a store and names its format
sweeps/         the record of every sweep that was run here, one JSON file each; the versions of the code that ran them
cells/<hash>/   data.npz and meta.json of one cell
attempts/       cells that are being written, or were when their writers died
leases/<hash>/  who makes this cell (`leases`)
checkpoints/    parts of the trainings of cells in work (`checkpoints`)
failures/<hash> why this cell could not be made when it was last tried (`failures`)
damaged/        files and folders that were found in the place of a cell

Earlier versions wrote cells into hidden folders of cells/ and had locks of the kernel in locks/; both are left alone.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from derivations.atomic import check_folder, write_text
from derivations.sweeps import cells, failures, leases, leftovers
from derivations.sweeps.disk import Disk
from derivations.sweeps.owners import Watch, new_token
from derivations.sweeps.versions import NAME, found, ids_of, there
from theory.problem import Cell, InputError, Problem, Sweep, dumps_sweep
from theory.problem.sweep_toml import loads_record, with_code
from theory.problem.user_files import LARGEST_TEXT, read_json, read_text

SCHEMA = "gdln.store/1"
_MARKER, _PART = "store.json", ".store.json."
_ROOMS = ("cells", "attempts", "leases", "checkpoints", "sweeps", "damaged", "failures")
# In a store whose maker died; the last three are those of earlier versions.
_BEGUN = {*_ROOMS, "locks", "store.json.part", "store.lock"}
_MAKE_IT = "Run gdln sweep to make it; finished cells in it are kept."
LARGEST_RECORD = 2 * LARGEST_TEXT  # a base of the largest size, with its quotes escaped


@dataclass(frozen=True)
class Rooms:
    """Names in the folders of a store, each as it was at one moment; an empty folder of cells/ is no cell."""

    leases: frozenset[str]
    failures: frozenset[str]
    cells: frozenset[str]


@dataclass(frozen=True)
class Store:
    """An existing store. `Store.open` reads one, `Store.create` makes it where it is missing."""

    folder: Path
    watch: Watch = field(default_factory=Watch, compare=False, repr=False)

    @classmethod
    def open(cls, folder: str | Path) -> "Store":
        """The store in `folder`, unchanged. Raises InputError where `folder` is no store, or one of another format."""
        folder = Path(folder)
        if not (folder / _MARKER).is_file():
            inside = "its store.json is no file" if (folder / _MARKER).exists() else "it holds no store.json"
            why = inside if folder.is_dir() else "it is no folder" if folder.exists() else "it is not there"
            raise InputError(f"{folder} is no store of sweeps: {why}.", _MAKE_IT, "file")
        try:
            found = read_json(folder / _MARKER)["schema"]
        except (ValueError, TypeError, KeyError):
            found = None
        if not isinstance(found, str):
            raise InputError(
                f"{folder / _MARKER} does not say the form of a store.",
                "If the folder was one, remove this file and run the sweep again: finished cells are kept. Else name "
                "another folder with --out.",
                "file",
            )
        if found != SCHEMA:
            raise InputError(
                f"{folder} is a store of the form {found[:40]!r}; this version reads and writes {SCHEMA!r}.",
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
        for room in _ROOMS:
            (folder / room).mkdir(exist_ok=True)
        if not (folder / _MARKER).exists():
            # Others may do the same: all of them write the same bytes.
            handle, part = tempfile.mkstemp(dir=folder, prefix=_PART)
            with open(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps({"schema": SCHEMA}) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.chmod(part, 0o644)
            os.replace(part, folder / _MARKER)
            Disk(folder).sync(".")
        store = cls.open(folder)
        store.remove_leftovers()
        return store

    @property
    def checkpoints(self) -> Path:
        """The folder of the checkpoints of cells in work."""
        return self.folder / "checkpoints"

    @property
    def _disk(self) -> Disk:
        return Disk(self.folder)

    def place(self, cell: str) -> Path:
        """Return the folder of a cell, whether the cell is made or not."""
        return self.folder / "cells" / cell

    def make(
        self,
        cell: str,
        asked: cells.Question,
        code: str,
        compute: Callable[[], tuple[Mapping[str, np.ndarray], Mapping[str, Any]]],
        share: Callable[[], float | None] = lambda: None,
    ) -> str:
        """Make the cell once, with the arrays and facts that `compute` returns, unless it is there or being made.

        Returns "made", "there" or "busy" (see `leases.attempt`); `share` is the share done, for those who look. What is
        in the cell's place and is no valid cell is moved to damaged/. Raises what `compute` raises, OSError, and
        InputError where the store has gone; then nothing of the cell is left.
        """

        def content() -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
            found = compute()
            self._make_rooms()  # they may have gone in the hours that it took
            return found

        def write(place: str, content: tuple[Mapping[str, np.ndarray], Mapping[str, Any]]) -> None:
            cells.write(self.folder / place, cell, asked, code, *content)

        def is_valid() -> bool:
            return self._is_valid(cell)

        self._make_rooms()
        disk = self._disk
        what = leases.attempt(disk, cell, new_token, self.watch, is_valid, content, write, share)
        if what != leases.BUSY:
            leftovers.remove_checkpoints(self.folder, cell)
        return what

    def _make_rooms(self) -> None:
        """Make the folders of the store that are missing: those that are empty may be purged from a scratch disk."""
        absent = [room for room in _ROOMS if not (self.folder / room).is_dir()]
        if absent:
            Store.open(self.folder)  # it raises InputError where all of the store has gone
            for room in absent:
                (self.folder / room).mkdir(exist_ok=True)

    def _is_valid(self, cell: str) -> bool:
        try:
            cells.read_meta(self.place(cell))
        except cells.DamagedError:
            return False
        return True

    def note_failure(self, cell: str, failed: failures.Failure) -> None:
        """Keep the record of a failure at the cell, where the disk allows it."""

        def write(place: str) -> None:
            failures.write(self.folder / place, cell, failed)

        with suppress(OSError):  # a full disk may be the reason of the failure
            leases.note_failure(self._disk, cell, failed.token, write)

    def failure(self, cell: str) -> failures.Failure | None:
        """Return the last failure at the cell; None where none is recorded. It says nothing where the cell is there."""
        return failures.read(self.folder / "failures" / cell)

    def maker(self, cell: str) -> tuple[str, float | None] | None:
        """Return the token of the attempt that makes the cell, and the share done as far as it is known.

        None where nobody makes it, and where its process is gone as far as `watch` can tell.
        """
        name = leases.holder(self._disk, cell)
        if name is None:
            return None
        token = name.rpartition(".")[0]
        return None if self.watch.gone(cell, token, name) else (token, leases.share_of(name))

    def is_there(self, cell: str) -> bool:
        """Whether the cell's path exists, as a cell or as anything else but an empty folder, which is no cell yet."""
        place = self.place(cell)
        return os.path.lexists(place) and not _is_empty(place)

    def meta(self, cell: str, problem: Problem | None = None) -> dict[str, Any] | None:
        """The verified meta.json of the cell, None where it is missing. Raises what `cells.read_meta` raises."""
        return cells.read_meta(self.place(cell), problem) if self.is_there(cell) else None

    def read(self, cell: str, problem: Problem | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The verified meta.json and the arrays of an existing cell. Raises what `cells.read_meta` raises."""
        return cells.read(self.place(cell), problem)

    def set_aside(self, cell: str) -> Path | None:
        """Move what is in the cell's place to damaged/, unless it is a valid cell; return where it is now, or None."""
        aside = f"damaged/{cell}.{new_token()}"
        moved = leases.set_aside(self._disk, cell, aside, lambda: self._is_valid(cell))
        return self.folder / aside if moved else None

    def names(self) -> tuple[str, ...]:
        """The ids of all existing cells, of any sweep or version."""
        return tuple(sorted(item.name for item in self.place("").iterdir() if NAME.fullmatch(item.name)))

    def rooms(self) -> Rooms:
        """Return the names in the folders, each read once: for a look at many cells."""
        # Cells last: one whose lease ends between the looks has its folder by then, so that it does not seem missing.
        return Rooms(*(frozenset(self._disk.names(room)) for room in ("leases", "failures", "cells")))

    def remove_leftovers(self) -> None:
        """Remove what workers that are gone have left; what is no lease or checkpoint is moved to damaged/.

        A worker of this machine is gone when its process is. Of another machine it is gone if nothing changed between
        two calls on this Store, `watch.patience` seconds apart.
        """
        leftovers.remove(self)

    def record(self, sweep: Sweep) -> str:
        """Keep the declaration of a sweep beside its cells; returns its id."""
        text = dumps_sweep(sweep)
        name = sweep_id(sweep)
        path = self.folder / "sweeps" / f"{name}.json"
        if not _is_text(path, text):
            if os.path.lexists(path) and not path.is_file():
                leftovers.move_away(self.folder, path, "record")
            write_text(path, text)
        return name

    def sweeps(self) -> dict[str, Sweep]:
        """The sweeps recorded here, by id. Raises InputError for a record that cannot be read."""
        recorded, faults = self.records()
        if faults:
            raise faults[0]
        return recorded

    def records(self) -> tuple[dict[str, Sweep], tuple[InputError, ...]]:
        """Return the sweeps recorded here, by id, and an error for each record that cannot be read."""
        recorded, faults = {}, []
        for file in sorted((self.folder / "sweeps").glob("*.json")):
            try:
                recorded[file.stem] = self._recorded(file)
            except InputError as error:
                faults.append(error)
        return recorded, tuple(faults)

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

        sweep, code, generation = self._cells_of(self.the_sweep(sweep), code)
        return list(rows(answers(self, sweep, code)[1], sweep, generation))

    def to_xarray(self, sweep: Sweep | None = None, code: str | None = None):
        """The sweep as an xarray.Dataset; see `dataset.dataset`. OutOfReachError where xarray is not installed."""
        from derivations.sweeps.dataset import dataset

        sweep, code, generation = self._cells_of(self.the_sweep(sweep), code)
        code, _ = answers(self, sweep, code)
        return dataset(lambda: answers(self, sweep, code)[1], sweep, code, generation)

    def _cells_of(self, sweep: Sweep, code: str | None) -> tuple[Sweep, str | None, tuple[int, ...] | None]:
        """The sweep and the code, or an adaptive sweep's cells as a plain one, their code and their generations."""
        if sweep.refine is None:
            return sweep, code, None
        from derivations.sweeps.stages import stored

        code, _ = answers(self, sweep, code)
        stage = stored(sweep, lambda part: answers(self, part, code)[1])
        return stage.sweep, code, stage.generation


def _is_empty(folder: Path) -> bool:
    """Whether it is a folder without anything in it, or has gone: a worker has only asked whether the cell is there."""
    try:
        return not os.path.islink(folder) and not os.listdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False


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
    elif folder.is_dir() and (others := _others(folder)):
        raise InputError(f"{folder} holds other files ({others[0][:60]}) and is no store.", remedy, "file")
    place = folder if folder.exists() else folder.parent
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{place} cannot be written.", f"Check its permissions. {remedy}", "file")


def _others(folder: Path) -> list[str]:
    """The names in a folder that no store has."""
    return sorted(name for name in os.listdir(folder) if name not in _BEGUN and not name.startswith(_PART))


def sweep_id(sweep: Sweep) -> str:
    """The hash of the declaration, without the place of its store."""
    return hashlib.sha256(dumps_sweep(sweep).encode()).hexdigest()[:16]


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
    asked = {
        cell.index: cells.question(cell.problem, sweep.observables) for cell in sweep.cells if cell.problem is not None
    }
    names = frozenset(store.names())
    if code is not None:
        place = there(store, ids_of(asked, code), names)
    else:
        here = _codes_here()
        seen = found(store, asked, here, names)
        if seen.nameless:
            raise cells.damaged(
                store.place(seen.nameless[0]),
                f"{cells.META} cannot be read, as in {len(seen.nameless)} of the cells of {store.folder}; they may "
                "belong to this sweep",
            )
        known = [name for name in here if name in seen.there] or list(seen.there) or here[:1]
        code = max(known, key=lambda name: (len(seen.there.get(name, ())), name == here[0], name))
        place = seen.there.get(code, {})
    return code, ((cell, *store.read(place[cell.index], cell.problem)) for cell in sweep.cells if cell.index in place)
