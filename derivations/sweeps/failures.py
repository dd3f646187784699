"""Records of failures: why no process could make a cell when it was last tried, in failures/<cell> of the store.

A record is a small file that is written aside and renamed; the next failure at the same cell replaces it, and a cell
that is made removes it. It says nothing once the cell is there.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from derivations.seals import SEAL, is_whole, sealed
from derivations.sweeps.owners import host_of
from theory.problem.user_files import read_json

SCHEMA = "gdln.failure/1"
_LARGEST = 2**20
_UNREADABLE = (
    "The record of a failure at this cell cannot be read.",
    "Run the sweep again: it tries the cell and replaces the record.",
)


@dataclass(frozen=True)
class Failure:
    """A failure at a cell: which process (its token) and code, when (UTC), and the error in the form of --json.

    >>> failure = Failure("node07-0-1-2-3", "0.1.0", "2026-01-02T03:04:05+00:00", "memory", "Too large.", "", 4)
    >>> failure.machine, failure.error["kind"]
    ('node07', 'memory')
    """

    token: str
    code: str
    when: str
    kind: str
    message: str
    hint: str
    exit_code: int

    @property
    def machine(self) -> str:
        """The machine on which the cell failed; "?" where the record does not say."""
        return host_of(self.token) or "?"

    @property
    def error(self) -> dict[str, Any]:
        """The error as `gdln sweep --json` shows it, with the time of the failure."""
        return {"kind": self.kind, "message": self.message, "hint": self.hint, "when": self.when or None}


def failure(token: str, code: str, error: Mapping[str, Any]) -> Failure:
    """Return the failure of a process at this moment; `error` has kind, message, hint and exit_code."""
    return Failure(token, code, datetime.now(UTC).isoformat(timespec="seconds"), **error)


def write(path: Path, cell: str, failed: Failure) -> None:
    """Write the record to a new file and bring it to the disk. Raises OSError."""
    with open(path, "x", encoding="utf-8") as file:
        json.dump(sealed({"schema": SCHEMA, "cell": cell, **asdict(failed)}), file, indent=1)
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> Failure | None:
    """Return the failure in a record; None where there is no file. One that cannot be read is a failure that says so.

    >>> read(Path("no-such-record")) is None
    True
    """
    try:
        found = read_json(path, _LARGEST)
        if not is_whole(found) or found.pop("schema") != SCHEMA or found.pop("cell") != path.name:
            raise ValueError
        del found[SEAL]
        return Failure(**found)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        message, hint = _UNREADABLE
        return Failure("", "", "", "damaged", message, hint, 1)
