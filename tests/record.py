"""The record of the last run of each test file: where it ran, what it depends on if it passed, and its seconds."""

import json
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from derivations.seals import is_whole, sealed
from tests.dependencies import RECORD
from tests.paths import ROOT

STORED = ROOT / RECORD
REMEDY = "`pytest --profile full --write-record` writes it anew"


class UnusableRecordError(Exception):
    """The record is missing or is not as it was written."""


@dataclass
class UnitRun:
    """Tests of a file that one process runs without a break: those of a group, or those that are in no group."""

    tests: int = 0
    seconds: float = 0.0
    skipped: list[str] = field(default_factory=list)  # names of tests that did not run, and so did not pass


@dataclass
class FileRun:
    """A test file as it passed: the hash of what it depends on, and its units by their names."""

    hash: str = ""
    units: dict[str, UnitRun] = field(default_factory=dict)

    def tests(self) -> int:
        """Return the number of its tests that ran."""
        return sum(unit.tests for unit in self.units.values())


@dataclass(frozen=True)
class Record:
    """The versions with which the run passed, and its test files by their paths."""

    versions: Mapping[str, str]
    files: Mapping[str, FileRun]

    def text(self) -> str:
        """Return the record as JSON, sealed."""
        files = {
            name: {
                "hash": run.hash,
                "units": {
                    unit: [one.tests, round(one.seconds, 2), *sorted(one.skipped)]
                    for unit, one in sorted(run.units.items())
                },
            }
            for name, run in sorted(self.files.items())
        }
        return json.dumps(sealed({"versions": dict(self.versions), "files": files}), indent=1) + "\n"


def read(path: Path = STORED) -> Record:
    """Read a record. Raises UnusableRecordError where there is none, or where it is not as it was written."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or not is_whole(content):
            raise UnusableRecordError(f"The seal of {path.name} is broken; {REMEDY}")
        return Record(content["versions"], {name: _file_run(run) for name, run in content["files"].items()})
    except FileNotFoundError as error:
        raise UnusableRecordError(f"There is no {path.name}; {REMEDY}") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnusableRecordError(f"{path.name} cannot be read; {REMEDY}") from error


def _file_run(content: Mapping[str, Any]) -> FileRun:
    units = content["units"].items()
    return FileRun(
        content["hash"], {name: UnitRun(tests, seconds, skipped) for name, (tests, seconds, *skipped) in units}
    )


@cache
def versions() -> dict[str, str]:
    """Return what besides the tree decides whether tests pass: Python, the system, the packages, SymPy's integers."""
    packages = {name: _version(name) for name in constraints()}
    machine = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    return machine | {"ground types": os.environ.get("SYMPY_GROUND_TYPES", "flint")} | packages


def constraints() -> dict[str, str]:
    """Return the versions of constraints.txt, which a fresh clone has."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


def _version(package: str) -> str:
    try:
        return version(package).partition("+")[0]  # without the local label of a build, such as +cpu
    except PackageNotFoundError:
        return "not installed"


def differences(recorded: Mapping[str, str], current: Mapping[str, str]) -> list[str]:
    """Return the names whose versions differ.

    >>> differences({"numpy": "2.3", "scipy": "1.16"}, {"numpy": "2.4", "scipy": "1.16"})
    ['numpy 2.4, not 2.3']
    """
    names = sorted(recorded.keys() | current.keys())
    pairs = [(name, current.get(name, "missing"), recorded.get(name, "none")) for name in names]
    return [f"{name} {now}, not {before}" for name, now, before in pairs if now != before]
