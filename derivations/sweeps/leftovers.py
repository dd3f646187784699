"""Leftovers of workers in a store: leases, attempts, checkpoints and records of failures that nobody needs any more."""

import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from derivations.sweeps import leases
from derivations.sweeps.disk import Disk
from derivations.sweeps.owners import is_token, new_token

if TYPE_CHECKING:
    from derivations.sweeps.store import Store

# A checkpoint of a cell, or a numbered part of one.
_CHECKPOINT = re.compile(r"(?P<cell>[^.]+)(?:\.\d+)?", re.ASCII)


def remove(store: "Store") -> None:
    """Remove the leftovers of workers that are gone; see `Store.remove_leftovers`. Raises OSError."""
    disk = Disk(store.folder)
    _remove_leases(store, disk)
    for name in disk.names("attempts"):
        cell, _, token = name.partition(".")
        held = leases.holder(disk, cell) if cell else None
        if (held is None or held.rpartition(".")[0] != token) and store.watch.gone(name, token, "attempt"):
            leases.discard(disk, f"attempts/{name}", new_token())
    for name in disk.names("checkpoints"):
        match = _CHECKPOINT.fullmatch(name)
        if match is not None:
            needless = store.is_there(match["cell"])
        else:
            needless = name.startswith(".") and store.watch.gone(name, name[1:], "checkpoint")
        if needless:
            _remove_file(store.folder, f"checkpoints/{name}")
    for name in disk.names("failures"):
        unfinished = name.startswith(".") and store.watch.gone(f"failures/{name}", name[1:], "aside")
        if unfinished or store.is_there(name):
            leases.forget_failure(disk, name)


def _remove_leases(store: "Store", disk: Disk) -> None:
    for name in disk.names("leases"):
        token = name.removeprefix(".")
        if token != name and is_token(token):
            if store.watch.gone(name, token, "aside"):
                leases.discard(disk, f"leases/{name}", new_token())
        elif leases.is_claim(disk, name):
            leases.evict(disk, name, new_token, store.watch)
            leases.remove_empty(disk, f"leases/{name}")
        else:
            move_away(store.folder, store.folder / "leases" / name, "lease")  # it would prevent the making of the cell


def remove_checkpoints(folder: Path, cell: str) -> None:
    """Remove the checkpoint of a cell, and its parts, from the store in `folder`. Raises OSError."""
    for name in Disk(folder).names("checkpoints"):
        match = _CHECKPOINT.fullmatch(name)
        if match is not None and match["cell"] == cell:
            _remove_file(folder, f"checkpoints/{name}")


def move_away(folder: Path, item: Path, name: str) -> None:
    """Move what is no file of the store in `folder` to damaged/, under the `name`."""
    new = Path(tempfile.mkdtemp(dir=folder / "damaged", prefix=f"{item.name}."))
    with suppress(FileNotFoundError):  # another process has moved it
        item.rename(new / name)


def _remove_file(folder: Path, place: str) -> None:
    """Remove a file of a store if it is there; a folder in its place is moved to damaged/."""
    try:
        with suppress(FileNotFoundError):
            Disk(folder).unlink(place)
    except (IsADirectoryError, PermissionError):  # the second is the answer of some systems for a folder
        if not (folder / place).is_dir():
            raise
        move_away(folder, folder / place, "checkpoint")
