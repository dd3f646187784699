"""The store of sweeps: a folder with one file for each cell, filled by any number of processes on any machines.

store.json            marks this folder as a store and names its format
sweeps/               the plan of every sweep that ran here, for each version of the code (`plans`)
cells/<id>.npz        a cell (`cells`); <id>.npz.damaged-<hash> is what was there in its place
attempts/<id>.json    the last attempt at this cell: where, when, how long, and why it failed, if it did
checkpoints/          parts of the trainings of cells in work (`checkpoints`)

A file is written aside and renamed, so that it is whole or absent; no lock and no clock is asked. Two processes that
compute the same cell write the same bytes.
"""

import hashlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from derivations.atomic import check_folder, write_text
from derivations.sweeps import cells
from derivations.sweeps.cells import DamagedError
from derivations.sweeps.plans import Plan, plan, read_plan, sweep_id
from theory.problem import Cell, InputError, Sweep
from theory.problem.user_files import read_json, read_text

SCHEMA, BEFORE = "gdln.store/2", "gdln.store/1"
ROOMS = ("sweeps", "cells", "attempts", "checkpoints")
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # seconds before another try where the disk refuses
_MARKER, _ENDING, _DAMAGED = "store.json", ".npz", ".damaged-"
_LARGEST_RECORD, _LARGEST_NOTE = 2**28, 2**20
_ABANDONED = 3600.0  # seconds after which a file that was begun is one whose writer died
_MAKE_IT = "gdln sweep SWEEP.toml makes one, in the folder that the file or --out names."
_Result = TypeVar("_Result")
Answers = Iterator[tuple[Cell, dict[str, Any], dict[str, np.ndarray]]]


@dataclass(frozen=True)
class Store:
    """The cells and the plans in a folder; `open` and `create` make sure that it is a store."""

    folder: Path

    @classmethod
    def open(cls, folder: str | Path) -> "Store":
        """The store in an existing folder. Raises InputError where there is none, or one of another form."""
        folder = Path(folder)
        if not folder.is_dir() or not (folder / _MARKER).is_file():
            reason = "it has no store.json" if folder.is_dir() else "it is no folder"
            raise InputError(f"{folder} is no store of sweeps: {reason}.", _MAKE_IT, "file")
        try:
            form = read_json(folder / _MARKER)["schema"]
        except (ValueError, TypeError, KeyError):
            raise InputError(
                f"{folder / _MARKER} does not say the form of a store.",
                "If the folder was one, remove this file and run the sweep again: finished cells are kept. Else name "
                "another folder with --out.",
                "file",
            ) from None
        if form != SCHEMA:
            convert = f"gdln sweep --import {folder} --out NEW converts it"
            raise InputError(
                f"{folder} is a store of the form {str(form)[:40]!r}; this version reads and writes {SCHEMA!r}.",
                f"{convert}." if form == BEFORE else "Use the version that made it, or another folder with --out.",
                "version",
            )
        return cls(folder)

    @classmethod
    def create(cls, folder: str | Path) -> "Store":
        """The store in `folder`, made where the folder is absent or empty.

        Files that writers have begun and left an hour ago are removed. Raises InputError where the folder holds other
        files; OSError where it cannot be written.
        """
        folder = Path(folder)
        check_creatable(folder)
        for room in ROOMS:
            (folder / room).mkdir(parents=True, exist_ok=True)
        if not (folder / _MARKER).exists():
            write_text(folder / _MARKER, json.dumps({"schema": SCHEMA}) + "\n")
        for file in [part for room in ROOMS for part in (folder / room).glob(".*")]:
            with suppress(FileNotFoundError):
                if time.time() - file.stat().st_mtime > _ABANDONED:
                    file.unlink()
        return cls.open(folder)

    @property
    def checkpoints(self) -> Path:
        """The folder of the checkpoints of cells in work."""
        return self.folder / "checkpoints"

    def place(self, cell: str) -> Path:
        """Return the file of a cell, whether there is one or not."""
        return self.folder / "cells" / f"{cell}{_ENDING}"

    def has(self, cell: str) -> bool:
        """Whether there is a file in the place of the cell."""
        return os.path.lexists(self.place(cell))

    def names(self) -> frozenset[str]:
        """The ids of all existing cells, of any sweep or version, in one look at the folder."""
        with suppress(FileNotFoundError):
            names = os.listdir(self.folder / "cells")
            return frozenset(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING))
        return frozenset()

    def read(self, cell: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the verified facts and the arrays of a cell. Raises what `cells.read` raises."""
        return cells.read(self.place(cell))

    def put(self, cell: str, content: bytes) -> None:
        """Write the bytes of a cell, patiently; see `patiently`. The cell that another has finished stays."""

        def write() -> None:
            if not self.has(cell):
                (self.folder / "cells").mkdir(exist_ok=True)
                replace(self.place(cell), content)

        patiently(write)

    def set_aside(self, cell: str) -> str:
        """Rename what is in the cell's place, and return its name beside there."""
        place = self.place(cell)
        with suppress(OSError):
            aside = f"{place.name}{_DAMAGED}{hashlib.sha256(place.read_bytes()).hexdigest()[:8]}"
            os.replace(place, place.with_name(aside))
            return aside
        aside = f"{place.name}{_DAMAGED}{os.urandom(4).hex()}"  # a folder, or a file that cannot be read
        os.replace(place, place.with_name(aside))
        return aside

    def drop_checkpoints(self) -> None:
        """Remove the checkpoints of finished cells: of one that two have computed, the slower may have left one."""
        names = self.names()
        for part in self.checkpoints.glob("[!.]*"):
            if part.name.partition(".")[0] in names:
                with suppress(OSError):
                    part.unlink()

    def note(self, cell: str, seconds: float | None = None, error: Mapping[str, Any] | None = None) -> None:
        """Keep what is known of an attempt at a cell, where the disk allows it: nothing rests on it.

        `seconds` is None where the attempt begins.
        """
        note = {"cell": cell, "machine": platform.node(), "process": os.getpid(), "seconds": seconds}
        note |= {"when": datetime.now(UTC).isoformat(timespec="seconds")}
        note |= {"python": platform.python_version(), "numpy": np.__version__}
        with suppress(OSError):
            (self.folder / "attempts").mkdir(exist_ok=True)
            place = self.folder / "attempts" / f"{cell}.json"
            replace(place, json.dumps(note | {"error": error}).encode(), synced=False)

    def attempt(self, cell: str) -> dict[str, Any]:
        """Return what is known of the last attempt at a cell; an empty dict where nothing is."""
        try:
            note = read_json(self.folder / "attempts" / f"{cell}.json", _LARGEST_NOTE)
            sound = note["cell"] == cell and isinstance(note["seconds"], float | int | None)
            error, sound = note["error"], sound and all(isinstance(note[key], str) for key in ("machine", "when"))
            sound &= error is None or all(isinstance(error[key], str) for key in ("kind", "message", "hint"))
            return note if sound else {}
        except (OSError, ValueError, TypeError, KeyError):
            return {}

    def record(self, made: Plan) -> None:
        """Keep the plan of a sweep beside its cells."""
        place, text = self.folder / "sweeps" / made.name, made.text()
        with suppress(OSError, InputError):
            if read_text(place, _LARGEST_RECORD) == text:
                return
        patiently(lambda: write_text(place, text))

    def plans(self) -> tuple[tuple[Plan, ...], tuple[InputError, ...]]:
        """Return the plans that are recorded here, and an error for each record that cannot be read."""
        recorded, faults = [], []
        for file in sorted((self.folder / "sweeps").glob("*.json")):
            try:
                recorded.append(self._recorded(file))
            except (OSError, InputError) as error:
                reason = getattr(error, "message", None) or f"{getattr(error, 'strerror', None) or error}."
                hint = "Remove it; a sweep that runs writes its own."
                faults.append(InputError(f"{file} is no record of a sweep: {reason}", hint, "file"))
        return tuple(recorded), tuple(faults)

    def _recorded(self, file: Path) -> Plan:
        return read_plan(read_text(file, _LARGEST_RECORD), str(self.folder))

    def plan_of(self, sweep: Sweep | None = None, code: str | None = None) -> Plan:
        """Return the plan of a sweep, by default the only one recorded; see `best`. One without a record is made here.

        Raises InputError where none or several are recorded.
        """
        if sweep is not None:
            return self.best(sweep_id(sweep), code) or plan(sweep, code or cells.code_version())
        recorded, faults = self.plans()
        ids = {sweep_id(one.declared) for one in recorded}
        if faults and not recorded:
            raise faults[0]
        if len(ids) != 1:
            hint = 'Say which: theory.problem.load_sweep("SWEEP.toml").' if ids else "Run gdln sweep first."
            raise InputError(f"{self.folder} has the records of {len(ids)} sweeps.", hint)
        return self.best(*ids, code)

    def best(self, name: str, code: str | None = None) -> Plan | None:
        """Return the recorded plan of the sweep with this id, for a version of the code; None where there is none.

        By default that is the version of this machine's CPU or GPU where it has made any cell, else the one that has
        made most.
        """
        names, here = self.names(), [cells.code_version(device) for device in ("cpu", "cuda")]
        fits = [one for one in self.plans()[0] if sweep_id(one.declared) == name and code in (None, one.code)]
        counts = {one.code: len(names.intersection(one.position)) for one in fits}

        def rank(one: Plan) -> tuple[bool, int, bool]:
            return counts[one.code] > 0 and one.code in here, counts[one.code], one.code == here[0]

        return max(fits, key=rank, default=None)

    def each(self, made: Plan) -> Answers:
        """Yield the cells of a plan that are there: the declaration without its problem, the facts and the arrays.

        A cell that is damaged or cannot be read has the state "damaged", its "fault" in words, and no arrays.
        """
        names = self.names()
        for position, name in enumerate(made.ids):
            if name in names:
                try:
                    meta, arrays = self.read(name)
                except (DamagedError, cells.UnreadableError) as error:
                    meta, arrays = {"cell": name, "state": "damaged", "fault": error.message}, {}
                except FileNotFoundError:
                    continue
                yield made.at(position), meta, arrays

    def table(self, sweep: Sweep | None = None, code: str | None = None) -> list[dict[str, Any]]:
        """Return plain rows, one for each cell, observable, time, unit and site; see `table.rows`."""
        from derivations.sweeps.table import rows

        made = self.plan_of(sweep, code)
        return list(rows(self.each(made), made.sweep, made.generation))

    def to_xarray(self, sweep: Sweep | None = None, code: str | None = None):
        """The sweep as an xarray.Dataset; see `dataset.dataset`. OutOfReachError where xarray is not installed."""
        from derivations.sweeps.dataset import dataset

        made = self.plan_of(sweep, code)
        return dataset(lambda: self.each(made), self.attempt, made)


def replace(place: Path, content: bytes, synced: bool = True) -> None:
    """Write a file aside, bring it to the disk, and rename it. Raises OSError; nothing of it is left then."""
    handle, aside = tempfile.mkstemp(dir=place.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if synced:
                os.fsync(file.fileno())
        os.chmod(aside, 0o644)  # other users of the store read it too
        os.replace(aside, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise


def patiently(write: Callable[[], _Result]) -> _Result:
    """Return the result of `write`, tried again after PAUSES where the disk refuses it for a while.

    Raises the OSError of the last try; that of permissions at once.
    """
    for pause in PAUSES:
        try:
            return write()
        except PermissionError:
            raise
        except OSError:
            time.sleep(pause)
    return write()


def check_creatable(folder: Path) -> None:
    """InputError where `folder` can neither be a store nor become one; nothing is written."""
    remedy = "Name another folder with --out."
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", remedy, "file")
    check_folder(folder.parent, "--out")
    if (folder / _MARKER).exists():
        Store.open(folder)
    elif folder.is_dir():
        others = sorted(name for name in os.listdir(folder) if name not in ROOMS and not name.startswith("."))
        if others:
            raise InputError(f"{folder} holds other files ({others[0][:60]}) and is no store.", remedy, "file")
    place = folder if folder.exists() else folder.parent
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{place} cannot be written.", f"Check its permissions. {remedy}", "file")
