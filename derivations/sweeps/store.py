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
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from derivations.atomic import check_folder, new_file, write_text
from derivations.sweeps import cells
from derivations.sweeps.cells import DamagedError
from derivations.sweeps.dataset import dataset
from derivations.sweeps.plans import Plan, make_plan, read_plan, sweep_id
from derivations.sweeps.table import Answers, rows
from theory.problem import InputError, Sweep
from theory.problem.user_files import read_json, read_text

SCHEMA = "gdln.store/2"
ROOMS = ("sweeps", "cells", "attempts", "checkpoints")
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # seconds before another try where the disk refuses
MARKER, _ENDING, _DAMAGED = "store.json", ".npz", ".damaged-"
_LARGEST_RECORD = 2**28
_ABANDONED = 3600.0  # seconds after which a file that was begun is one whose writer died
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Store:
    """The cells and the plans in a folder; `open` and `create` make sure that it is a store."""

    folder: Path

    @classmethod
    def open(cls, folder: str | Path) -> "Store":
        """The store in an existing folder. Raises InputError where there is none, or one of another form."""
        folder = Path(folder)
        try:
            form = read_json(folder / MARKER)["schema"]
        except (OSError, ValueError, TypeError, KeyError):
            hint = "gdln sweep SWEEP.toml makes one, in the folder that the file or --out names."
            reason = f"it has no readable {MARKER}" if folder.is_dir() else "it is no folder"
            raise InputError(f"{folder} is no store of sweeps: {reason}.", hint, "file") from None
        if form != SCHEMA:
            raise InputError(
                f"{folder} is a store of the form {str(form)[:40]!r}; this version reads and writes {SCHEMA!r}.",
                "Use the version that made it, or another folder with --out.",
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
        if not (folder / MARKER).exists():
            write_text(folder / MARKER, json.dumps({"schema": SCHEMA}) + "\n")
        for file in folder.glob("*/.*"):
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
        return frozenset(file.stem for file in (self.folder / "cells").glob(f"*{_ENDING}"))

    def read(self, cell: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the verified facts and the arrays of a cell. Raises what `cells.read` raises."""
        return cells.read(self.place(cell))

    def put(self, cell: str, content: bytes) -> None:
        """Write the bytes of a cell, patiently (see `patiently`), and remove its checkpoints.

        The cell that another has finished stays.
        """

        def write() -> None:
            if not self.has(cell):
                self.place(cell).parent.mkdir(exist_ok=True)
                with new_file(self.place(cell)) as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())

        patiently(write)
        for part in self.checkpoints.glob(f"{cell}*"):
            with suppress(OSError):
                part.unlink()

    def set_aside(self, cell: str) -> str:
        """Rename the file in the cell's place, and return its new name."""
        place, mark = self.place(cell), os.urandom(4).hex()
        with suppress(OSError):  # a folder, or a file that cannot be read
            mark = hashlib.sha256(place.read_bytes()).hexdigest()[:8]
        aside = f"{place.name}{_DAMAGED}{mark}"
        os.replace(place, place.with_name(aside))
        return aside

    def note(self, cell: str, seconds: float | None = None, error: Mapping[str, Any] | None = None) -> None:
        """Keep what is known of an attempt at a cell, where the disk allows it: nothing rests on it.

        `seconds` is None where the attempt begins.
        """
        note = {"cell": cell, "machine": platform.node(), "process": os.getpid(), "seconds": seconds, "error": error}
        note |= {"when": datetime.now(UTC).isoformat(timespec="seconds")}
        place = self.folder / "attempts" / f"{cell}.json"
        with suppress(OSError):
            place.parent.mkdir(exist_ok=True)
            write_text(place, json.dumps(note))

    def attempt(self, cell: str) -> dict[str, Any]:
        """Return what is known of the last attempt at a cell; an empty dict where nothing is."""
        with suppress(OSError, ValueError):
            return read_json(self.folder / "attempts" / f"{cell}.json")
        return {}

    def record(self, plan: Plan) -> None:
        """Keep the plan of a sweep beside its cells."""
        patiently(lambda: write_text(self.folder / "sweeps" / plan.name, plan.text()))

    def plans(self) -> tuple[tuple[Plan, ...], tuple[InputError, ...]]:
        """Return the plans that are recorded here, and an error for each record that cannot be read."""
        recorded, faults = [], []
        for file in sorted((self.folder / "sweeps").glob("*.json")):
            try:
                recorded.append(read_plan(read_text(file, _LARGEST_RECORD), str(self.folder)))
            except (OSError, InputError) as error:
                hint = "Remove it; a sweep that runs writes its own."
                faults.append(InputError(f"{file} is no record of a sweep: {error}", hint, "file"))
        return tuple(recorded), tuple(faults)

    def plan_of(self, sweep: Sweep | None = None, code: str | None = None) -> Plan:
        """Return the plan of a sweep, by default the only one recorded; see `best`. One without a record is made here.

        Raises InputError where none or several are recorded.
        """
        if sweep is not None:
            return self.best(sweep_id(sweep), code) or make_plan(sweep, code or cells.code_version())
        recorded, faults = self.plans()
        ids = {sweep_id(one.sweep) for one in recorded}
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

        def rank(plan: Plan) -> tuple[bool, int, bool]:
            count = len(names.intersection(plan.ids))
            return count > 0 and plan.code in here, count, plan.code == here[0]

        fits = (one for one in self.plans()[0] if sweep_id(one.sweep) == name and code in (None, one.code))
        return max(fits, key=rank, default=None)

    def each(self, plan: Plan) -> Answers:
        """Yield the existing cells of a plan: the declaration without its problem, the facts and the arrays.

        A cell that is damaged or cannot be read has the state "damaged", its "fault" in words, and no arrays.
        """
        names = self.names()
        for position, name in enumerate(plan.ids):
            if name in names:
                try:
                    meta, arrays = self.read(name)
                except (DamagedError, cells.UnreadableError) as error:
                    meta, arrays = {"cell": name, "state": "damaged", "fault": error.message}, {}
                except FileNotFoundError:
                    continue
                yield plan.at(position), meta, arrays

    def table(self, sweep: Sweep | None = None, code: str | None = None) -> list[dict[str, Any]]:
        """Return plain rows, one for each cell, observable, time, unit and site; see `table.rows`."""
        plan = self.plan_of(sweep, code)
        return list(rows(self.each(plan), plan.sweep))

    def to_xarray(self, sweep: Sweep | None = None, code: str | None = None):
        """The sweep as an xarray.Dataset; see `dataset.dataset`. OutOfReachError where xarray is not installed."""
        plan = self.plan_of(sweep, code)
        return dataset(lambda: self.each(plan), plan)


def patiently(write: Callable[[], _Result]) -> _Result:
    """Return the result of `write`, called again after PAUSES where the disk refuses it for a while.

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
    if (folder / MARKER).exists():
        Store.open(folder)
    elif others := [one.name for one in folder.glob("[!.]*") if one.name not in ROOMS]:
        raise InputError(f"{folder} holds other files ({min(others)[:60]}) and is no store.", remedy, "file")
    place = folder if folder.exists() else folder.parent
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{place} cannot be written.", f"Check its permissions. {remedy}", "file")
